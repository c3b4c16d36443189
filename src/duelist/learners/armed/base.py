"""What K-armed learners share: duels of numbered arms, on menus that may be restricted; counts of wins."""

from numbers import Real
from threading import local
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from duelist.duel import Duel, FloatArray, IntArray, require_arm
from duelist.errors import OutcomeError, ParameterError
from duelist.kernels.arms import ArmMenu, arm_menu, book, is_active
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import ANY_ROUND, DuelBuffer, arm_buffer
from duelist.kernels.loop import Run
from duelist.learners.base import KernelLearner
from duelist.menus import Arms

State = TypeVar("State", bound=NamedTuple)

ROOMS = local()
"""For each thread, room for one duel."""

LATEST = 2.0**62
"""No learner's time is later."""

REDRAWS = 8
"""How often a learner is asked again for a duel that the menu allows."""


class ArmedLearner(KernelLearner[State]):
    """A frozen dataclass of hyperparameters derives from this, names its kernels, and defines `rules`.

    The first field of every state has one row per arm.
    """

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

    def rules_for(self, state: State) -> Any:
        """Return the numbers the kernels need, for the arms of a state."""
        return self.rules(len(state[0]))

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        """Return room for a duel, this thread's own, which is read before the next is written; or for n."""
        if n is not None:
            return arm_buffer(n)
        try:
            room: DuelBuffer = ROOMS.room
        except AttributeError:
            room = ROOMS.room = arm_buffer()
        room.round[0] = ANY_ROUND
        return room

    def write(self, state: State, duel: Duel, room: DuelBuffer) -> bool:
        """Write a duel into its room, or say which arm is not known."""
        k = len(state[0])
        room.sides[0] = require_arm("left", duel.left, k)
        room.sides[1] = require_arm("right", duel.right, k)
        if duel.round is not None:
            room.round[0] = require_time(duel.round)
        return True

    def read(self, menu: Arms, room: DuelBuffer) -> Duel:
        """Return the duel that a kernel wrote into its room."""
        left, right = room.sides.tolist()
        time = float(room.round[0])
        return Duel(left, right, round=None if time == ANY_ROUND else time)

    def kernel_menu(self, state: State, menu: Arms) -> ArmMenu:
        """Return a menu as the kernels see it, or say that it has other arms than the state."""
        if menu.k != len(state[0]):
            raise ParameterError(
                f"the menu has {menu.k} arms, but the state {len(state[0])}; use its own menu."
            )
        return arm_menu(menu)

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is.

        A duel that the menu does not allow, or that is open, is drawn again a few times. Then the arm
        believed to be the winner meets the rival with the fewest open duels.
        """
        duel = super().ask(state, menu, rng)
        if menu.is_whole:
            return duel
        allowed = menu.allows(duel.left, duel.right)
        for _ in range(REDRAWS):
            if allowed and not {(duel.left, duel.right), (duel.right, duel.left)} & set(menu.open):
                return duel
            again = super().ask(state, menu, rng)
            if menu.allows(again.left, again.right):
                duel, allowed = again, True
        return duel if allowed else leader_and_rival(menu, self.best(state, menu), rng)

    def plan(self, state: State, menu: Arms, rng: Generator, n: int) -> list[Duel]:
        """Return the next duels that do not depend on one another's outcomes, at least one and at most n."""
        planned = super().plan(state, menu, rng, n)
        allowed = [duel for duel in planned if menu.allows(duel.left, duel.right)]
        return allowed or [self.ask(state, menu, rng)]

    def best(self, state: State, menu: Arms) -> int:
        """Return the arm believed to be the winner, among those on the menu."""
        answer = np.zeros(1, np.int64)
        self.kernels.best(self.rules_for(state), state, self.kernel_menu(state, menu), answer)
        winner = int(answer[0])
        return winner if menu.active is None or winner in menu.active else menu.active[0]


def require_time(time: object) -> float:
    """Return a learner's time, or refuse what no learner wrote into a duel."""
    if not isinstance(time, Real) or not 0.0 <= float(time) <= LATEST:
        raise OutcomeError(f"duel.round must be what ask() wrote there, or None; got {time!r}.")
    return float(time)


def leader_and_rival(menu: Arms, leader: int, rng: Generator) -> Duel:
    """Return a duel of the leader with one of the active arms that it has the fewest open duels with."""
    rivals = [arm for arm in (range(menu.k) if menu.active is None else menu.active) if arm != leader]
    waiting = [sum({leader, arm} == set(pair) for pair in menu.open) for arm in rivals]
    fewest = [arm for arm, count in zip(rivals, waiting, strict=True) if count == min(waiting)]
    return Duel(leader, int(rng.choice(fewest)))


def number(value: int = 0) -> IntArray:
    """Return a whole number a kernel can change: an array of one."""
    return np.full(1, value, np.int64)


def square(k: int) -> FloatArray:
    """Return a table of zeros with a row and a column per arm."""
    return np.zeros((k, k))


@borrowing
def record(wins: FloatArray, left: int, right: int, outcome: float) -> None:
    """Add one outcome of a duel between two different arms; a tie is half a win for each."""
    wins[left, right] += outcome
    wins[right, left] += 1.0 - outcome


@borrowing
def most_beaten(wins: FloatArray, arms: IntArray, size: int, menu: ArmMenu) -> int:
    """Return who won more often than it lost against the most others, of the first `size` of `arms`.

    Only arms on the menu count, as long as one of them is on it; of several, the first is taken.
    """
    champion, most = arms[0], -1
    for place in range(size):
        i = arms[place]
        if is_active(menu, i):
            beaten = 0
            for other in range(size):
                j = arms[other]
                beaten += wins[i, j] > wins[j, i] and is_active(menu, j)
            if beaten > most:
                champion, most = i, beaten
    return int(champion)


@borrowing
def best_of_all(rules: Any, state: Any, menu: ArmMenu, answer: IntArray) -> None:
    """Fill in the arm that beats the most arms; of several, the first in the state's order."""
    answer[0] = most_beaten(state.wins, state.order, len(state.order), menu)


@borrowing
def skip_settled(rules: Any, state: Any, run: Run, limit: int) -> None:
    """Pass all rounds once a single arm remains in the state's queue: the winner is exploited."""
    if state.size[0] == 1 and run.duel.sides[0] == run.duel.sides[1]:
        book(run.world, run.ledger, state.queue[0], state.queue[0], limit)
