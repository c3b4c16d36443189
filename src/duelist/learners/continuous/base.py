"""What every compiled learner of a space shares: the public face over its kernels."""

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, FloatArray
from duelist.errors import OutcomeError, ParameterError
from duelist.kernels.points import PointDuel, PointKernels, room_for_duel
from duelist.menus import Ball, Box, Space, Sphere, require_inside

State = TypeVar("State", bound=NamedTuple)


class PointLearner(Generic[State]):
    """A frozen dataclass of hyperparameters derives from this and names its kernels.

    The first field of every state is the current point.
    """

    point_kernels: ClassVar[PointKernels]

    def rules(self) -> Any:
        """Return the numbers the kernels need."""
        raise TypeError(f"{type(self).__name__} must define rules()")

    def ask(self, state: State, menu: Space, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is."""
        duel = room_for_duel(len(state[0]))
        self.point_kernels.ask(self.rules(), state, duel, rng)
        return Duel(duel.left, duel.right, note=duel.note)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        if not 0.0 <= outcome <= 1.0:
            raise OutcomeError(
                f"outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got {outcome!r}."
            )
        told: State = type(state)(*[field.copy() for field in state])
        points = PointDuel(*(as_side(duel, side, len(state[0])) for side in ("left", "right", "note")))
        self.point_kernels.tell(self.rules(), told, points, float(outcome))
        return told

    def best(self, state: State, menu: Space) -> FloatArray:
        """Return the point believed to be best."""
        return self.point_kernels.best(self.rules(), state).copy()


def as_side(duel: Duel, side: str, d: int) -> FloatArray:
    """Return a side of a duel, or its note, as a point; without a note it is the way from left to right."""
    given = getattr(duel, side)
    if side == "note" and given is None:
        way = as_side(duel, "right", d) - as_side(duel, "left", d)
        length = float(np.linalg.norm(way))
        return way / length if length > 0.0 else way
    try:
        point = np.array(given, np.float64)
    except (TypeError, ValueError) as error:
        raise OutcomeError(f"duel.{side} must be {d} numbers; got {given!r}.") from error
    if point.shape != (d,) or not np.isfinite(point).all():
        raise OutcomeError(f"duel.{side} must be {d} finite numbers; got {given!r}.")
    return point


def as_start(start: ArrayLike | None) -> tuple[float, ...] | None:
    """Return the point to start at as plain numbers."""
    if start is None:
        return None
    point = np.asarray(start, np.float64)
    if point.ndim != 1 or not np.isfinite(point).all():
        raise ParameterError(f"start must be one finite number for each dimension; got {start!r}.")
    return tuple(point.tolist())


def require_space(menu: object) -> None:
    """Refuse a menu without points to move among."""
    if not isinstance(menu, Ball | Sphere | Box):
        raise ParameterError(f"this learner needs a space, Ball, Sphere or Box, to move in; got {menu!r}.")


def first_point(menu: Space, start: tuple[float, ...] | None) -> FloatArray:
    """Return where to start: the menu's center unless told otherwise."""
    require_space(menu)
    return menu.center if start is None else require_inside(menu, start, "start")
