"""Menus: what may be chosen, a finite set of arms or the points of a space."""

from dataclasses import dataclass, fields
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_positive, require_whole

TOLERANCE = 1e-9
"""How far a point may lie outside a space and still count as inside."""


@dataclass(frozen=True, repr=False)
class Arms:
    """The menu of a K-armed problem: the arms 0 to `k` - 1.

    Parameters
    ----------
    k : int
        The number of arms.
    active : tuple of int, optional
        The arms that may be shown, at least two; all of them by default.
    self_duels : bool, default True
        Whether an arm may be shown against itself, as the papers' algorithms do when they exploit.
    open : tuple of pairs of int, default ()
        Duels that were asked and are not yet answered; a learner prefers other pairs where it can.

    Examples
    --------
    >>> Arms(3)
    Arms(k=3)
    >>> Arms(4, active=(0, 2), self_duels=False)
    Arms(k=4, active=(0, 2), self_duels=False)
    """

    k: int
    active: tuple[int, ...] | None = None
    self_duels: bool = True
    open: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        """Refuse a menu on which nothing can be compared."""
        if not is_below(self.k, inf) or self.k < 2:
            raise ParameterError(f"k must be at least 2 arms, because a duel needs two; got {self.k!r}.")
        if self.active is not None:
            object.__setattr__(self, "active", tuple(self.active))
            if len(set(self.active)) < 2:
                raise ParameterError(f"active must name at least 2 arms, for a duel; got {self.active!r}.")
        object.__setattr__(self, "open", tuple((left, right) for left, right in self.open))
        for arm in (*(self.active or ()), *(arm for pair in self.open for arm in pair)):
            if not is_below(arm, self.k):
                raise ParameterError(f"arms are numbered 0 to {self.k - 1}; got {arm!r}.")

    def __repr__(self) -> str:
        """Return the arms, and what is not as usual."""
        usual = {field.name: field.default for field in fields(self)}
        told = [f"{name}={value!r}" for name, value in vars(self).items() if value != usual[name]]
        return f"Arms({', '.join(told)})"

    @property
    def is_whole(self) -> bool:
        """Whether every pair may be shown, arms against themselves too, and none is open."""
        return self.active is None and self.self_duels and not self.open

    def allows(self, left: int, right: int) -> bool:
        """Return whether a pair may be shown."""
        if left == right and not self.self_duels:
            return False
        return self.active is None or (left in self.active and right in self.active)


@dataclass(frozen=True)
class Ball:
    """All points of `d` dimensions within a distance of the origin.

    Examples
    --------
    >>> Ball(2, radius=5.0).project([6.0, 8.0])
    array([3., 4.])
    """

    d: int
    radius: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a space without points."""
        require_whole("d", self.d, 1)
        require_positive("radius", self.radius)

    @property
    def low(self) -> FloatArray:
        """The smallest value of each coordinate."""
        return np.full(self.d, -float(self.radius))

    @property
    def high(self) -> FloatArray:
        """The largest value of each coordinate."""
        return np.full(self.d, float(self.radius))

    @property
    def center(self) -> FloatArray:
        """The default start of a learner."""
        return np.zeros(self.d)

    def project(self, point: ArrayLike) -> FloatArray:
        """Return the nearest point of the ball."""
        vector = as_point(point, self.d)
        direction, length = polar(vector)
        return vector if length <= self.radius else direction * self.radius

    def sample(self, rng: Generator, size: int) -> FloatArray:
        """Return `size` points, uniform in the ball, one a row."""
        directions = rng.standard_normal((size, self.d))
        lengths = self.radius * rng.random((size, 1)) ** (1.0 / self.d)
        return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths)


@dataclass(frozen=True)
class Sphere:
    """All points of `d` dimensions at distance 1 from the origin: directions.

    Examples
    --------
    >>> Sphere(2).project([6.0, 8.0])
    array([0.6, 0.8])
    """

    d: int

    def __post_init__(self) -> None:
        """Refuse a space without directions."""
        require_whole("d", self.d, 2)

    @property
    def radius(self) -> float:
        """The distance from the origin."""
        return 1.0

    @property
    def low(self) -> FloatArray:
        """The smallest value of each coordinate."""
        return np.full(self.d, -1.0)

    @property
    def high(self) -> FloatArray:
        """The largest value of each coordinate."""
        return np.ones(self.d)

    @property
    def center(self) -> FloatArray:
        """The default start of a learner: the direction that treats all coordinates alike."""
        return np.full(self.d, self.d**-0.5)

    def project(self, point: ArrayLike) -> FloatArray:
        """Return the nearest point of the sphere; for the origin, which has none, the center."""
        direction, length = polar(as_point(point, self.d))
        return direction if length > 0.0 else self.center

    def sample(self, rng: Generator, size: int) -> FloatArray:
        """Return `size` points, uniform on the sphere, one a row."""
        directions = rng.standard_normal((size, self.d))
        return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


@dataclass(frozen=True)
class Box:
    """All points whose coordinates lie between two bounds each.

    Examples
    --------
    >>> Box((0.0, -1.0), (10.0, 1.0)).project([12.0, 0.5])
    array([10. ,  0.5])
    """

    lows: tuple[float, ...]
    highs: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse bounds that leave nothing between them."""
        if len(self.lows) != len(self.highs) or not self.lows:
            raise ParameterError(
                f"a box needs as many low as high bounds, at least one; got {self.lows} and {self.highs}."
            )
        for place, (low, high) in enumerate(zip(self.lows, self.highs, strict=True)):
            if (
                not all(isinstance(bound, int | float) for bound in (low, high))
                or not -inf < low < high < inf
            ):
                raise ParameterError(
                    f"the bounds of coordinate {place} must be low < high; got {low!r}, {high!r}."
                )

    @property
    def d(self) -> int:
        """The number of coordinates."""
        return len(self.lows)

    @property
    def radius(self) -> float:
        """Half the diagonal: how far a point may lie from the center."""
        return float(np.linalg.norm(self.high - self.low)) / 2.0

    @property
    def low(self) -> FloatArray:
        """The smallest value of each coordinate."""
        return np.array(self.lows, np.float64)

    @property
    def high(self) -> FloatArray:
        """The largest value of each coordinate."""
        return np.array(self.highs, np.float64)

    @property
    def center(self) -> FloatArray:
        """The default start of a learner."""
        return (self.low + self.high) / 2.0

    def project(self, point: ArrayLike) -> FloatArray:
        """Return the nearest point of the box."""
        return np.asarray(np.clip(as_point(point, self.d), self.low, self.high))

    def sample(self, rng: Generator, size: int) -> FloatArray:
        """Return `size` points, uniform in the box, one a row."""
        return np.asarray(rng.uniform(self.low, self.high, (size, self.d)))


@dataclass(frozen=True, eq=False)
class Actions:
    """The menu of a contextual problem: the actions 0 to `k` - 1, in a context.

    Parameters
    ----------
    k : int
        The number of actions.
    context : array of shape (d,)
        What is known before the duel.
    features : array of shape (k, f), optional
        What is known of each action in this context.

    Examples
    --------
    >>> Actions(3, [0.2, 0.7]).context
    array([0.2, 0.7])
    """

    k: int
    context: FloatArray
    features: FloatArray | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be compared, or is not known."""
        require_whole("k", self.k, 2)
        context = np.ascontiguousarray(self.context, np.float64)
        if context.ndim != 1 or not np.isfinite(context).all():
            raise ParameterError(f"context must be finite numbers in a row; got {self.context!r}.")
        object.__setattr__(self, "context", context)
        if self.features is not None:
            features = np.ascontiguousarray(self.features, np.float64)
            if features.ndim != 2 or len(features) != self.k or not np.isfinite(features).all():
                raise ParameterError(
                    f"features must be finite, a row for each of the {self.k} actions; got {features.shape}."
                )
            object.__setattr__(self, "features", features)


Space: TypeAlias = Ball | Sphere | Box
Menu: TypeAlias = Arms | Space | Actions
"""What may be chosen now."""


def is_below(number: object, limit: float) -> bool:
    """Return whether something is a whole number, at least 0 and below a limit."""
    return isinstance(number, int | np.integer) and 0 <= int(number) < limit


def as_point(point: ArrayLike, d: int) -> FloatArray:
    """Return a checked copy of a point."""
    try:
        vector = np.array(point, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"a point must be {d} numbers; got {point!r}.") from error
    if vector.shape != (d,) or not np.isfinite(vector).all():
        raise ParameterError(f"a point must be {d} finite numbers; got {point!r}.")
    return vector


def polar(vector: FloatArray) -> tuple[FloatArray, float]:
    """Return a vector's direction and length, whatever its size; the origin has no direction."""
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        return vector, 0.0
    scaled = vector / largest
    length = float(np.linalg.norm(scaled))
    return scaled / length, length * largest


def require_inside(space: Space, point: ArrayLike, name: str = "the point") -> FloatArray:
    """Return a checked copy of a point of a space."""
    vector = as_point(point, space.d)
    distance = float(np.linalg.norm(vector - space.project(vector)))
    if distance > TOLERANCE * max(1.0, space.radius):
        raise ParameterError(
            f"{name} {np.array2string(vector, threshold=6, edgeitems=2)} lies {distance:.4g} outside "
            f"{space}; project it or choose another."
        )
    return vector
