"""Problems over the points of a space: a utility, a link function, and the resulting preferences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp, hypot, isfinite, sinh, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.constraints import Count, Positive, check_fields
from duelist.duel import Duel, FloatArray
from duelist.errors import (
    OutcomeError,
    ParameterError,
    require_generator,
    require_known,
)
from duelist.menus import Ball, Space, as_point, require_inside
from duelist.problems.separable import LINKS, SeparableUtility, chance, value
from duelist.text import counted

Utility = Callable[..., float]  # maps a point, or a point and a query, to its utility
Start = ArrayLike | None  # the starting point of experiments; None for the default


@dataclass(frozen=True, eq=False)
class Separable:
    """A compiled utility that is minus a sum of terms over coordinates.

    The term of a coordinate x is square x^2 + absolute |x| + hyperbolic (e^x + e^-x) + above e^max(x, 0)
    + below e^max(-x, 0).

    Parameters
    ----------
    d : int
        The number of dimensions.
    square, absolute, hyperbolic, above, below : float or array of shape (d,), default 0.0
        The coefficients of the terms: one number for all coordinates, or one for each.

    Raises
    ------
    ParameterError
        If a coefficient is not finite or has another shape.

    Examples
    --------
    >>> Separable(d=2, square=1.0)([3.0, 4.0])
    -25.0
    """

    d: Count
    square: ArrayLike = 0.0
    absolute: ArrayLike = 0.0
    hyperbolic: ArrayLike = 0.0
    above: ArrayLike = 0.0
    below: ArrayLike = 0.0
    coefficients: SeparableUtility = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_fields(self)
        parts = {name: self._spread(name) for name in SeparableUtility._fields[:5]}
        coefficients = SeparableUtility(**parts, link=0, highest=0.0, exact=False)
        object.__setattr__(self, "coefficients", coefficients)

    def __call__(self, point: ArrayLike) -> float:
        """Return the utility of a point.

        Parameters
        ----------
        point : array of shape (d,)
            The point.

        Returns
        -------
        float
            The utility.

        Raises
        ------
        ParameterError
            If the point is not `d` finite numbers.

        Examples
        --------
        >>> Separable(d=2, absolute=[1.0, 2.0])([3.0, 4.0])
        -11.0
        """
        return float(value(self.coefficients, as_point(point, self.d)))

    def _spread(self, name: str) -> FloatArray:
        given = np.asarray(getattr(self, name), np.float64)
        if given.shape not in ((), (self.d,)) or not np.isfinite(given).all():
            raise ParameterError(f"{name} must be a finite number or {self.d} of them; got {given.tolist()}.")
        return np.broadcast_to(given, (self.d,)).copy()


@dataclass(frozen=True, eq=False)
class UtilityProblem:
    """Duels between points, won with a probability that grows with the difference in utility.

    Parameters
    ----------
    space : Ball, Sphere or Box
        The points to choose from.
    utility : callable
        Maps a point, an array of `space.d` numbers, to its utility; with `queries`, a point and a query. A
        `Separable` utility is compiled, which makes simulations much faster (see the benchmarks).
    optimum : array
        The best point; only metrics use it.
    link : str, default "logistic"
        The link from differences in utility to probabilities: "logistic", "gaussian" or "linear".
    start : array, optional
        The starting point of experiments; by default the center of the space.
    exact : bool, default False
        Whether the outcome of a duel is the left point's win probability instead of a random draw.
    queries : sequence, optional
        The queries on which the utility depends; each duel draws one of them.
    lipschitz : float, optional
        A known Lipschitz constant of the utility; bounds the regret of gradient descent.

    Raises
    ------
    UnknownNameError
        If there is no link of this name.
    ParameterError
        If `start` or `optimum` lies outside the space, or another parameter does not fit it.

    Examples
    --------
    >>> problem = UtilityProblem(Ball(2), lambda x: -float(np.sum((x - 0.5) ** 2)), optimum=[0.5, 0.5])
    >>> round(problem.preference([0.5, 0.5], [-0.5, -0.5]), 3), problem.gap([0.5, 0.5])
    (0.881, 0.0)
    """

    space: Space
    utility: Utility
    optimum: ArrayLike
    link: str = "logistic"
    start: ArrayLike | None = None
    exact: bool = False
    queries: Sequence[Any] | None = None
    lipschitz: Positive | None = None

    in_kernels: ClassVar[tuple[str, ...]] = ("menu", "play", "preference", "gap", "world", "_chance")

    def __post_init__(self) -> None:
        check_fields(self)
        require_known("link", self.link, LINKS)
        if self.queries is not None and len(self.queries) == 0:
            raise ParameterError("queries is empty; omit it if the utility does not depend on queries.")
        if isinstance(self.utility, Separable) and self.utility.d != self.space.d:
            raise ParameterError(
                f"utility has {counted(self.utility.d, 'dimension')}, but space has {self.space.d}; give "
                "both the same number."
            )
        given = {"start": self.space.center if self.start is None else self.start, "optimum": self.optimum}
        for name, point in given.items():
            inside = require_inside(self.space, point, name)
            inside.setflags(write=False)
            object.__setattr__(self, name, inside)

    def menu(self, rng: Generator | None = None) -> Space:
        """Return the space of points.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Ignored.

        Returns
        -------
        Ball, Sphere or Box
            The space.

        Examples
        --------
        >>> p1(d=2).menu()
        Ball(d=2, radius=10.0)
        """
        return self.space

    def play(self, duel: Duel, rng: Generator) -> float:
        """Draw the outcome of a duel.

        Parameters
        ----------
        duel : Duel
            Two points of the space.
        rng : numpy.random.Generator
            Draws the query and the outcome.

        Returns
        -------
        float
            1 if the left point wins, 0 if the right one does; if `exact`, the left point's win probability.

        Raises
        ------
        ParameterError
            If a side is not a point of the space.
        OutcomeError
            If a utility is not finite.

        Examples
        --------
        >>> p1(d=2, exact=True).play(Duel([0.0, 0.0], [0.0, 0.0]), np.random.default_rng(0))
        0.5
        """
        require_generator(rng)
        left, right = (require_inside(self.space, side) for side in (duel.left, duel.right))
        if self.queries is None:
            probability = self.preference(left, right)
        else:
            query = self.queries[int(rng.integers(len(self.queries)))]
            probability = self._chance(left, right, query)
        return probability if self.exact else float(rng.random() < probability)

    def preference(self, left: ArrayLike, right: ArrayLike) -> float:
        """Return the probability that the left point wins, averaged over the queries if there are any.

        Parameters
        ----------
        left, right : array of shape (d,)
            The points.

        Returns
        -------
        float
            The probability.

        Raises
        ------
        OutcomeError
            If a utility is not finite.

        Examples
        --------
        >>> round(p1(d=2).preference([0.0, 0.0], [1.0, 0.0]), 3)
        0.731
        """
        if self.queries is None:
            return self._chance(left, right)
        return float(np.mean([self._chance(left, right, query) for query in self.queries]))

    def gap(self, point: ArrayLike) -> float:
        """Return the probability beyond 1/2 that the optimum beats a point.

        Parameters
        ----------
        point : array of shape (d,)
            The point.

        Returns
        -------
        float
            The gap, 0 for the optimum.

        Raises
        ------
        OutcomeError
            If the point's utility is not finite.

        Examples
        --------
        >>> round(p1(d=2).gap([1.0, 0.0]), 3)
        0.231
        """
        return self.preference(self.optimum, point) - 0.5

    @property
    def world(self) -> SeparableUtility | None:
        """The problem in the kernels' form; None if its utility is not compiled."""
        if not isinstance(self.utility, Separable) or self.queries is not None:
            return None
        return self.utility.coefficients._replace(
            link=LINKS.index(self.link), highest=self.utility(self.optimum), exact=self.exact
        )

    def _chance(self, left: ArrayLike, right: ArrayLike, *query: Any) -> float:
        utilities = []
        for point in (left, right):
            # copy the point: the utility may modify its argument
            utility = float(self.utility(as_point(point, self.space.d), *query))
            if not isfinite(utility):
                raise OutcomeError(f"utility({np.asarray(point).tolist()}) is {utility}; it must be finite.")
            utilities.append(utility)
        return float(chance(LINKS.index(self.link), utilities[0] - utilities[1]))


def paper_problem(
    utility: Separable, lipschitz: float, radius: float, exact: bool, start: Start
) -> UtilityProblem:
    """Return a problem of Yue and Joachims (2009, section 5.1): optimum at the origin, logistic link."""
    d = utility.d
    space = Ball(d, radius)
    first = space.project(np.full(d, sqrt(5.0 / d))) if start is None else start
    return UtilityProblem(space, utility, np.zeros(d), start=first, exact=exact, lipschitz=lipschitz)


def p1(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return problem P1 of Yue and Joachims (2009): v(w) = -w.w.

    Parameters
    ----------
    d : int, default 50
        The number of dimensions.
    radius : float, default 10.0
        The radius of the ball.
    exact : bool, default False
        Whether the outcome of a duel is the left point's win probability instead of a random draw.
    start : array, optional
        The starting point; by default (sqrt(5 / d), ..., sqrt(5 / d)).

    Returns
    -------
    UtilityProblem
        The problem, with its optimum at the origin.

    Examples
    --------
    >>> p1().menu()
    Ball(d=50, radius=10.0)
    """
    return paper_problem(Separable(d, square=1.0), 2.0 * radius, radius, exact, start)


def p2(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return problem P2 of Yue and Joachims (2009): v(w) = -|w|, the sum of absolute values.

    Parameters
    ----------
    d : int, default 50
        The number of dimensions.
    radius : float, default 10.0
        The radius of the ball.
    exact : bool, default False
        Whether the outcome of a duel is the left point's win probability instead of a random draw.
    start : array, optional
        The starting point; by default (sqrt(5 / d), ..., sqrt(5 / d)).

    Returns
    -------
    UtilityProblem
        The problem, with its optimum at the origin.

    Examples
    --------
    >>> p2(d=2).utility([3.0, -4.0])
    -7.0
    """
    return paper_problem(Separable(d, absolute=1.0), sqrt(d), radius, exact, start)


def p3(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return problem P3 of Yue and Joachims (2009): squares of odd coordinates, absolute values of even ones.

    Parameters
    ----------
    d : int, default 50
        The number of dimensions.
    radius : float, default 10.0
        The radius of the ball.
    exact : bool, default False
        Whether the outcome of a duel is the left point's win probability instead of a random draw.
    start : array, optional
        The starting point; by default (sqrt(5 / d), ..., sqrt(5 / d)).

    Returns
    -------
    UtilityProblem
        The problem, with its optimum at the origin.

    Examples
    --------
    >>> p3(d=2).utility([3.0, -4.0])
    -13.0
    """
    odd = np.arange(1, d + 1) % 2
    return paper_problem(
        Separable(d, square=odd, absolute=1 - odd), hypot(2.0 * radius, sqrt(d)), radius, exact, start
    )


def p4(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return problem P4 of Yue and Joachims (2009): v(w) = -sum of e^w_i + e^-w_i.

    Parameters
    ----------
    d : int, default 50
        The number of dimensions.
    radius : float, default 10.0
        The radius of the ball.
    exact : bool, default False
        Whether the outcome of a duel is the left point's win probability instead of a random draw.
    start : array, optional
        The starting point; by default (sqrt(5 / d), ..., sqrt(5 / d)).

    Returns
    -------
    UtilityProblem
        The problem, with its optimum at the origin.

    Examples
    --------
    >>> p4(d=2).utility([0.0, 0.0])
    -4.0
    """
    return paper_problem(Separable(d, hyperbolic=1.0), 2.0 * sinh(radius), radius, exact, start)


def p5(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return problem P5 of Yue and Joachims (2009), which adds exponential terms to P3.

    The terms are e^max(w_i, 0) where i % 3 = 1, and e^max(-w_i, 0) where i % 3 = 2.

    Parameters
    ----------
    d : int, default 50
        The number of dimensions.
    radius : float, default 10.0
        The radius of the ball.
    exact : bool, default False
        Whether the outcome of a duel is the left point's win probability instead of a random draw.
    start : array, optional
        The starting point; by default (sqrt(5 / d), ..., sqrt(5 / d)).

    Returns
    -------
    UtilityProblem
        The problem, with its optimum at the origin.

    Examples
    --------
    >>> p5(d=2).utility([0.0, 0.0])
    -2.0
    """
    i = np.arange(1, d + 1)
    odd = i % 2
    utility = Separable(d, square=odd, absolute=1 - odd, above=i % 3 == 1, below=i % 3 == 2)
    slope = hypot(2.0 * radius, sqrt(d)) + sqrt(d) * exp(radius)
    return paper_problem(utility, slope, radius, exact, start)
