"""Problems over the points of a space: a utility, a link function, and the preferences they make."""

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

Utility = Callable[..., float]  # from a point, or a point and a query, to how good it is
Start = ArrayLike | None  # where experiments start; None for the default


@dataclass(frozen=True, eq=False)
class Separable:
    """A utility that is a sum over coordinates, compiled; see `duelist.problems.separable` for its terms.

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
        """Spread each coefficient over all coordinates."""
        check_fields(self)
        parts = {name: self._spread(name) for name in SeparableUtility._fields[:5]}
        coefficients = SeparableUtility(**parts, link=0, highest=0.0, exact=False)
        object.__setattr__(self, "coefficients", coefficients)

    def __call__(self, point: ArrayLike) -> float:
        """Return the utility of a point."""
        return float(value(self.coefficients, as_point(point, self.d)))

    def _spread(self, name: str) -> FloatArray:
        given = np.asarray(getattr(self, name), np.float64)
        if given.shape not in ((), (self.d,)) or not np.isfinite(given).all():
            raise ParameterError(
                f"{name} must be a finite number, or {self.d} of them; got {given.tolist()}."
            )
        return np.broadcast_to(given, (self.d,)).copy()


@dataclass(frozen=True, eq=False)
class UtilityProblem:
    """Duels between points, won with a probability that grows with the difference in utility.

    Parameters
    ----------
    space : Ball, Sphere or Box
        The points that may be chosen.
    utility : callable
        From a point, an array of `space.d` numbers, to a number; with `queries`, from a point and a query. A
        `Separable` one is compiled, which makes simulations much faster (see the benchmarks).
    optimum : array
        The best point, which only metrics see.
    link : str, default "logistic"
        From a difference of utilities to a probability: "logistic", "gaussian" or "linear".
    start : array, optional
        Where experiments start; by default the center of the space.
    exact : bool, default False
        Answer a duel with the probability that the left point wins, instead of a random outcome.
    queries : sequence, optional
        Every duel is about one of these, drawn at random, on which the utility depends.
    lipschitz : float, optional
        What the utility's slope does not exceed, if that is known: it bounds gradient descent's regret.

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
        """Refuse what is not in the space or not known."""
        check_fields(self)
        require_known("link", self.link, LINKS)
        if self.queries is not None and len(self.queries) == 0:
            raise ParameterError("queries must not be empty; leave it out if the utility depends on none.")
        if isinstance(self.utility, Separable) and self.utility.d != self.space.d:
            raise ParameterError(
                f"the utility has {counted(self.utility.d, 'dimension')}, but the space {self.space.d}."
            )
        given = {"start": self.space.center if self.start is None else self.start, "optimum": self.optimum}
        for name, point in given.items():
            inside = require_inside(self.space, point, name)
            inside.setflags(write=False)
            object.__setattr__(self, name, inside)

    def menu(self, rng: Generator | None = None) -> Space:
        """Return the points that may be chosen."""
        return self.space

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return an outcome: 1 left wins, 0 right wins; or the chance that left wins, if `exact`."""
        require_generator(rng)
        left, right = (require_inside(self.space, side) for side in (duel.left, duel.right))
        if self.queries is None:
            probability = self.preference(left, right)
        else:
            query = self.queries[int(rng.integers(len(self.queries)))]
            probability = self._chance(left, right, query)
        return probability if self.exact else float(rng.random() < probability)

    def preference(self, left: ArrayLike, right: ArrayLike) -> float:
        """Return the probability that the left point wins, over all queries if there are any."""
        if self.queries is None:
            return self._chance(left, right)
        return float(np.mean([self._chance(left, right, query) for query in self.queries]))

    def gap(self, point: ArrayLike) -> float:
        """Return the probability beyond 1/2 that the optimum beats a point."""
        return self.preference(self.optimum, point) - 0.5

    @property
    def world(self) -> SeparableUtility | None:
        """The problem as kernels see it, where its utility is compiled."""
        if not isinstance(self.utility, Separable) or self.queries is not None:
            return None
        return self.utility.coefficients._replace(
            link=LINKS.index(self.link), highest=self.utility(self.optimum), exact=self.exact
        )

    def _chance(self, left: ArrayLike, right: ArrayLike, *query: Any) -> float:
        worth = []
        for point in (left, right):
            # a copy, because the utility may change its argument
            utility = float(self.utility(as_point(point, self.space.d), *query))
            if not isfinite(utility):
                raise OutcomeError(
                    f"the utility of {np.asarray(point).tolist()} is {utility}; it must be finite."
                )
            worth.append(utility)
        return float(chance(LINKS.index(self.link), worth[0] - worth[1]))


def paper_problem(
    utility: Separable, lipschitz: float, radius: float, exact: bool, start: Start
) -> UtilityProblem:
    """Return a problem of Yue and Joachims (2009, section 5.1): best at the origin, logistic link."""
    d = utility.d
    space = Ball(d, radius)
    first = space.project(np.full(d, sqrt(5.0 / d))) if start is None else start
    return UtilityProblem(space, utility, np.zeros(d), start=first, exact=exact, lipschitz=lipschitz)


def p1(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return the paper's P1: v(w) = -w.w.

    Examples
    --------
    >>> p1().menu()
    Ball(d=50, radius=10.0)
    """
    return paper_problem(Separable(d, square=1.0), 2.0 * radius, radius, exact, start)


def p2(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return the paper's P2: v(w) = -|w|, the sum of absolute values."""
    return paper_problem(Separable(d, absolute=1.0), sqrt(d), radius, exact, start)


def p3(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return the paper's P3: squares of odd coordinates, absolute values of even ones."""
    odd = np.arange(1, d + 1) % 2
    return paper_problem(
        Separable(d, square=odd, absolute=1 - odd), hypot(2.0 * radius, sqrt(d)), radius, exact, start
    )


def p4(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return the paper's P4: v(w) = -sum of e^w_i + e^-w_i."""
    return paper_problem(Separable(d, hyperbolic=1.0), 2.0 * sinh(radius), radius, exact, start)


def p5(d: int = 50, radius: float = 10.0, exact: bool = False, start: Start = None) -> UtilityProblem:
    """Return the paper's P5: P3 less e^max(w_i, 0) where i % 3 = 1, and e^max(-w_i, 0) where i % 3 = 2."""
    place = np.arange(1, d + 1)
    odd = place % 2
    utility = Separable(d, square=odd, absolute=1 - odd, above=place % 3 == 1, below=place % 3 == 2)
    slope = hypot(2.0 * radius, sqrt(d)) + sqrt(d) * exp(radius)
    return paper_problem(utility, slope, radius, exact, start)
