"""Menus that are the points of a space."""

from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_positive, require_whole
from duelist.text import counted

TOLERANCE = 1e-9  # how far a point may lie outside a space and still count as inside


@dataclass(frozen=True)
class Centred:
    """Base class of `Ball` and `Sphere`."""

    d: int

    @property
    def radius(self) -> float:
        return 1.0

    @property
    def low(self) -> FloatArray:
        """The smallest value of each coordinate."""
        return np.full(self.d, -float(self.radius))

    @property
    def high(self) -> FloatArray:
        """The largest value of each coordinate."""
        return np.full(self.d, float(self.radius))

    def directions(self, rng: Generator, size: int) -> FloatArray:
        """Draw points uniformly at distance 1 from the origin.

        Parameters
        ----------
        rng : numpy.random.Generator
            Random number generator for the draws.
        size : int
            The number of points.

        Returns
        -------
        array of shape (size, d)
            One point per row.
        """
        drawn = rng.standard_normal((size, self.d))
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


@dataclass(frozen=True)
class Ball(Centred):
    """All points of `d` dimensions within a distance of the origin.

    Parameters
    ----------
    d : int
        The number of dimensions.
    radius : float, default 1.0
        The largest distance from the origin.

    Raises
    ------
    ParameterError
        If `d` is less than 1, or `radius` is not a positive number.

    Examples
    --------
    >>> Ball(2, radius=5.0).project([6.0, 8.0])
    array([3., 4.])
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        require_whole("d", self.d, 1)
        require_positive("radius", self.radius)

    @property
    def center(self) -> FloatArray:
        """The default start of a learner."""
        return np.zeros(self.d)

    def project(self, point: ArrayLike) -> FloatArray:
        """Return the nearest point of the ball.

        Parameters
        ----------
        point : array of shape (d,)
            Any point.

        Returns
        -------
        array of shape (d,)
            A point of the ball.

        Raises
        ------
        ParameterError
            If `point` does not have `d` finite coordinates.
        """
        vector = as_point(point, self.d)
        direction, length = polar(vector)
        return vector if length <= self.radius else direction * self.radius

    def sample(self, rng: Generator, size: int) -> FloatArray:
        """Draw points uniformly from the ball.

        Parameters
        ----------
        rng : numpy.random.Generator
            Random number generator for the draws.
        size : int
            The number of points.

        Returns
        -------
        array of shape (size, d)
            One point per row.
        """
        directions = self.directions(rng, size)
        return directions * (self.radius * rng.random((size, 1)) ** (1.0 / self.d))


@dataclass(frozen=True)
class Sphere(Centred):
    """All points of `d` dimensions at distance 1 from the origin: directions.

    Parameters
    ----------
    d : int
        The number of dimensions, at least 2.

    Raises
    ------
    ParameterError
        If `d` is less than 2.

    Examples
    --------
    >>> Sphere(2).project([6.0, 8.0])
    array([0.6, 0.8])
    """

    def __post_init__(self) -> None:
        require_whole("d", self.d, 2)

    @property
    def center(self) -> FloatArray:
        """The default start of a learner: the direction with equal coordinates."""
        return np.full(self.d, self.d**-0.5)

    def project(self, point: ArrayLike) -> FloatArray:
        """Return the nearest point of the sphere, or the center for the origin, which has no nearest point.

        Parameters
        ----------
        point : array of shape (d,)
            Any point.

        Returns
        -------
        array of shape (d,)
            A point of the sphere.

        Raises
        ------
        ParameterError
            If `point` does not have `d` finite coordinates.
        """
        direction, length = polar(as_point(point, self.d))
        return direction if length > 0.0 else self.center

    def sample(self, rng: Generator, size: int) -> FloatArray:
        """Draw points uniformly from the sphere.

        Parameters
        ----------
        rng : numpy.random.Generator
            Random number generator for the draws.
        size : int
            The number of points.

        Returns
        -------
        array of shape (size, d)
            One point per row.
        """
        return self.directions(rng, size)


@dataclass(frozen=True)
class Box:
    """All points whose coordinates lie between a lower and an upper bound.

    Parameters
    ----------
    lows : tuple of float
        The lower bound of each coordinate.
    highs : tuple of float
        The upper bound of each coordinate.

    Raises
    ------
    ParameterError
        If the bounds differ in number, or a lower bound is not less than the upper bound.

    Examples
    --------
    >>> Box((0.0, -1.0), (10.0, 1.0)).project([12.0, 0.5])
    array([10. ,  0.5])
    """

    lows: tuple[float, ...]
    highs: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.lows) != len(self.highs) or not self.lows:
            raise ParameterError(
                f"lows and highs must have the same length, at least 1; got {self.lows} and {self.highs}."
            )
        for coordinate, (low, high) in enumerate(zip(self.lows, self.highs, strict=True)):
            numbers = isinstance(low, int | float) and isinstance(high, int | float)
            if not (numbers and -inf < low < high < inf):
                raise ParameterError(
                    f"the bounds of coordinate {coordinate} must be finite, low < high; got {low!r}, "
                    f"{high!r}."
                )

    @property
    def d(self) -> int:
        """The number of coordinates."""
        return len(self.lows)

    @property
    def radius(self) -> float:
        """Half the diagonal, which is the largest distance of a point from the center."""
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
        """Return the nearest point of the box.

        Parameters
        ----------
        point : array of shape (d,)
            Any point.

        Returns
        -------
        array of shape (d,)
            A point of the box.

        Raises
        ------
        ParameterError
            If `point` does not have `d` finite coordinates.
        """
        return np.asarray(np.clip(as_point(point, self.d), self.low, self.high))

    def sample(self, rng: Generator, size: int) -> FloatArray:
        """Draw points uniformly from the box.

        Parameters
        ----------
        rng : numpy.random.Generator
            Random number generator for the draws.
        size : int
            The number of points.

        Returns
        -------
        array of shape (size, d)
            One point per row.
        """
        return np.asarray(rng.uniform(self.low, self.high, (size, self.d)))


Space: TypeAlias = Ball | Sphere | Box


def as_point(point: ArrayLike, d: int, name: str = "a point") -> FloatArray:
    """Return a checked copy of a point.

    Parameters
    ----------
    point : array of shape (d,)
        The coordinates.
    d : int
        The number of dimensions.
    name : str, default "a point"
        How errors name the point.

    Returns
    -------
    array of shape (d,)
        The copy.

    Raises
    ------
    ParameterError
        If the point does not have `d` finite coordinates.

    Examples
    --------
    >>> as_point([1, 2], 2)
    array([1., 2.])
    """
    try:
        vector = np.array(point, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be {counted(d, 'number')}; got {point!r}.") from error
    if vector.shape != (d,) or not np.isfinite(vector).all():
        raise ParameterError(f"{name} must be {counted(d, 'finite number')}; got {point!r}.")
    return vector


def polar(vector: FloatArray) -> tuple[FloatArray, float]:
    """Return the direction and the length of a vector, without overflow or underflow.

    Parameters
    ----------
    vector : array
        Any vector.

    Returns
    -------
    direction : array
        The vector divided by its length; the origin has none and is returned as it is.
    length : float
        The length.

    Examples
    --------
    >>> direction, length = polar(np.array([0.0, 2e200]))
    >>> direction, length
    (array([0., 1.]), 2e+200)
    """
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        return vector, 0.0
    scaled = vector / largest
    length = float(np.linalg.norm(scaled))
    return scaled / length, length * largest


def require_inside(space: Space, point: ArrayLike, name: str = "the point") -> FloatArray:
    """Return a checked copy of a point that must lie in a space.

    Parameters
    ----------
    space : Ball, Sphere or Box
        The space.
    point : array of shape (d,)
        The coordinates.
    name : str, default "the point"
        How errors name the point.

    Returns
    -------
    array of shape (d,)
        The copy.

    Raises
    ------
    ParameterError
        If the point lies outside the space or is invalid.

    Examples
    --------
    >>> require_inside(Ball(2), [0.6, 0.8])
    array([0.6, 0.8])
    """
    vector = as_point(point, space.d)
    distance = float(np.linalg.norm(vector - space.project(vector)))
    if distance > TOLERANCE * max(1.0, space.radius):
        raise ParameterError(
            f"{name} {np.array2string(vector, threshold=6, edgeitems=2)} lies {distance:.4g} outside "
            f"{space}; project it or choose another point."
        )
    return vector
