"""What every K-armed learner shares: the public face over its compiled kernels."""

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError
from duelist.kernels.arms import Kernels
from duelist.menus import Arms

State = TypeVar("State", bound=NamedTuple)


class ArmedLearner(Generic[State]):
    """A frozen dataclass of hyperparameters derives from this and names its kernels.

    Kernels write into the state they are given; `tell` copies first, so that an old state stays as it was.
    The first field of every state has one row per arm.
    """

    kernels: ClassVar[Kernels]

    def rules(self, k: int) -> Any:
        """Return the numbers the kernels need: hyperparameters, made ready for `k` arms."""
        raise TypeError(f"{type(self).__name__} must define rules(k)")

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel, for `k` arms."""
        raise TypeError(f"{type(self).__name__} must define blank(k, rng)")

    def init(self, menu: Arms, rng: Generator) -> State:
        """Return the state before the first duel."""
        if not isinstance(menu, Arms):
            raise ParameterError(f"{type(self).__name__} chooses among arms; it cannot play on {menu!r}.")
        return self.blank(menu.k, rng)

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is."""
        left, right = self.kernels.ask(self.rules(menu.k), state, rng)
        return Duel(left, right)

    def tell(self, state: State, duel: Duel, outcome: float) -> State:
        """Return the state after an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        k = len(state[0])
        for side, arm in (("left", duel.left), ("right", duel.right)):
            if not (isinstance(arm, int | np.integer) and 0 <= arm < k):
                raise OutcomeError(f"duel.{side} is {arm!r}, but the arms are numbered 0 to {k - 1}.")
        if not 0.0 <= outcome <= 1.0:
            raise OutcomeError(
                f"outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got {outcome!r}."
            )
        told: State = type(state)(*[field.copy() for field in state])
        self.kernels.tell(self.rules(k), told, duel.left, duel.right, float(outcome))
        return told

    def best(self, state: State, menu: Arms) -> int:
        """Return the arm believed to be the winner."""
        return int(self.kernels.best(self.rules(menu.k), state))


def number(value: int = 0) -> IntArray:
    """Return a whole number a kernel can change: an array of one."""
    return np.full(1, value, np.int64)


def square(k: int) -> FloatArray:
    """Return a table of zeros with a row and a column per arm."""
    return np.zeros((k, k))
