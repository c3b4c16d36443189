"""Base class of compiled learners over the points of a space."""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, FloatArray
from duelist.errors import OutcomeError, ParameterError
from duelist.kernels.duels import DuelBuffer, point_buffer
from duelist.kernels.points import Region, region_of
from duelist.learners.base import KernelLearner
from duelist.menus import Ball, Box, Space, Sphere, as_point, require_inside

State = TypeVar("State", bound=NamedTuple)


class PointLearner(KernelLearner[State]):
    """Base class of learners over points: a frozen dataclass of hyperparameters.

    A subclass sets `kernels` and defines `rules` and `init`. The first field of its state is the current
    point.
    """

    def init(self, menu: Space, rng: Generator) -> State:
        """Return the state before the first duel.

        Parameters
        ----------
        menu : Ball, Sphere or Box
            The space.
        rng : numpy.random.Generator
            Random number generator for the initial state.

        Returns
        -------
        State
            A NamedTuple of arrays, of which the first is the starting point.

        Raises
        ------
        ParameterError
            If the menu is not a space, or the starting point lies outside it.
        """
        raise TypeError(f"{type(self).__name__} must define init(menu, rng)")

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        return point_buffer(len(state[0]), n)

    def write(self, state: State, duel: Duel, buffer: DuelBuffer) -> bool:
        d = len(state[0])
        buffer.sides[0] = as_side("left", duel.left, d)
        buffer.sides[1] = as_side("right", duel.right, d)
        if duel.note is not None:
            buffer.note[:] = as_side("note", duel.note, d)
        else:  # without a note, the direction is the one from the left to the right point
            direction = buffer.sides[1] - buffer.sides[0]
            length = float(np.linalg.norm(direction))
            buffer.note[:] = direction / length if length > 0.0 else direction
        return True

    def read(self, menu: Space, buffer: DuelBuffer) -> Duel:
        return Duel(buffer.sides[0], buffer.sides[1], note=buffer.note)

    def kernel_menu(self, state: State, menu: Space) -> Region:
        return region_of(menu)

    def best(self, state: State, menu: Space) -> FloatArray:
        """Return the point believed to be best.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Ball, Sphere or Box
            The space.

        Returns
        -------
        array of shape (d,)
            A point of the space.
        """
        answer = np.zeros(len(state[0]))
        self.kernels.best(self.rules(), state, region_of(menu), answer)
        return answer


def as_side(side: str, given: ArrayLike, d: int) -> FloatArray:
    """Return a side of a duel, or its note, as a checked point."""
    try:
        return as_point(given, d, f"duel.{side}")
    except ParameterError as error:
        raise OutcomeError(str(error)) from error


def as_start(start: ArrayLike | None) -> tuple[float, ...] | None:
    if start is None:
        return None
    try:
        point = np.asarray(start, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"start must be a list of numbers, one per dimension: {error}.") from error
    if point.ndim != 1 or not np.isfinite(point).all():
        raise ParameterError(f"start must have one finite number per dimension; got {start!r}.")
    return tuple(point.tolist())


def require_space(menu: object) -> None:
    if not isinstance(menu, Ball | Sphere | Box):
        raise ParameterError(f"menu must be a Ball, Sphere or Box for this learner; got {menu!r}.")


def first_point(menu: Space, start: tuple[float, ...] | None) -> FloatArray:
    """Return the starting point, by default the center of the space."""
    require_space(menu)
    return menu.center if start is None else require_inside(menu, start, "start")
