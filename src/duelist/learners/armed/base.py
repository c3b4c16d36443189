"""What K-armed learners share: duels of numbered arms, on menus that may be restricted; counts of wins."""

from functools import cache
from math import inf
from threading import local
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.random import Generator, default_rng

from duelist.card import card_of
from duelist.duel import Duel, FloatArray, IntArray, require_arm
from duelist.errors import OutcomeError, ParameterError, require_generator, require_whole
from duelist.kernels.arms import ArmMenu, book, is_active, menu_of
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import ANY_ROUND, DuelBuffer, arm_buffer
from duelist.kernels.loop import Run
from duelist.learners.armed.clock import COUNTED, is_time, require_time
from duelist.learners.base import KernelLearner
from duelist.menus import Arms

State = TypeVar("State", bound=NamedTuple)

BUFFERS = local()  # for each thread, room for one duel

MOST_PLANNED = 1000  # how many duels that a learner is committed to are looked at for one that is not open

SPREAD = 3  # how many times as many open duels a pair that the learner draws may have as one that it does not

REDRAWS = 4  # how often a learner is asked again for a duel that the menu allows
FEW_REDRAWS = 2  # how often, where every pair has an open duel: of three the least open will do


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
        require_generator(rng)
        return self.blank(menu.k, rng)

    def live(self) -> Self:
        """Return this learner for a study: kernels that never wait, rules made once for a number of arms."""
        live = super().live()
        object.__setattr__(live, "rules", cache(self.rules))
        return live

    def rules_for(self, state: State) -> Any:
        """Return the numbers the kernels need, for the arms of a state."""
        return self.rules(len(state[0]))

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        """Return room for a duel, this thread's own, which is read before the next is written; or for n."""
        if n is not None:
            return arm_buffer(n)
        try:
            buffer: DuelBuffer = BUFFERS.duel
        except AttributeError:
            buffer = BUFFERS.duel = arm_buffer()
        buffer.round[0] = ANY_ROUND
        return buffer

    def write(self, state: State, duel: Duel, buffer: DuelBuffer) -> bool:
        """Write a duel into its buffer, or say which arm is not known."""
        k = len(state[0])
        buffer.sides[0] = require_arm("left", duel.left, k)
        buffer.sides[1] = require_arm("right", duel.right, k)
        if duel.round is not None:
            buffer.round[0] = require_time(duel.round)
        return True

    def read(self, menu: Arms, buffer: DuelBuffer) -> Duel:
        """Return the duel that a kernel wrote into its buffer."""
        left, right = buffer.sides.tolist()
        time = float(buffer.round[0])
        return Duel(left, right, round=None if time == ANY_ROUND else time)

    def kernel_menu(self, state: State, menu: Arms) -> ArmMenu:
        """Return a menu as the kernels see it, or say that it has other arms than the state."""
        if menu.k != len(state[0]):
            raise ParameterError(
                f"the menu has {menu.k} arms, but the state {len(state[0])}; use its own menu."
            )
        return menu_of(menu.k, menu.active, menu.self_duels)

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is.

        A duel that the menu does not allow, or that is open, gives way to another one of those that the
        learner is committed to, or is drawn again a few times; of them the pair with the fewest open duels is
        taken. Where none will do, the arm believed to be the winner meets its least proven rival.
        """
        if type(rng) is not Generator:
            require_generator(rng)
        rules, arms, buffer = self.rules_for(state), self.kernel_menu(state, menu), self.buffer(state)

        def draw() -> Duel:
            buffer.round[0] = ANY_ROUND
            self.kernels.ask(rules, state, arms, buffer, rng)
            return self.read(menu, buffer)

        duel = draw()
        if menu.is_free(duel.left, duel.right):
            return duel
        offered = self.planned(state, menu, rng, min(sum(menu.open.values()) + 1, MOST_PLANNED))
        committed = bool(offered)
        if not committed:
            for _ in range(REDRAWS if menu.has_free_pairs else FEW_REDRAWS):
                offered.append(draw())
                if menu.is_free(offered[-1].left, offered[-1].right):
                    return offered[-1]
        offered = [one for one in (duel, *offered) if menu.allows(one.left, one.right)]
        chosen = min(offered, key=lambda one: menu.open_count(one.left, one.right), default=None)
        if chosen is not None and (committed or menu.open_count(*chosen[:2]) <= 1):
            return chosen
        rivals = leader_and_rival(menu, self.best(state, menu), rng)
        if chosen is None or SPREAD * menu.open_count(*rivals[:2]) + 1 < menu.open_count(*chosen[:2]):
            return rivals
        return chosen

    def learn(self, state: State, duel: Duel, outcome: float) -> None:
        """Tell an outcome to a state that the caller owns: it is changed.

        Plain numbers, as a study tells them, need no closer look.
        """
        k, left, right, time = len(state[0]), duel.left, duel.right, duel.round
        is_plain = type(left) is int and type(right) is int and 0 <= left < k and 0 <= right < k
        is_timed = time is None or (type(time) is float and 0.0 <= time <= COUNTED)
        if not (is_plain and is_timed and type(outcome) is float and 0.0 <= outcome <= 1.0):
            super().learn(state, duel, outcome)
            return
        buffer = self.buffer(state)
        buffer.sides[0], buffer.sides[1] = left, right
        if time is not None:
            buffer.round[0] = time
        self.kernels.tell(self.rules_for(state), state, buffer, outcome)

    def plan(self, state: State, menu: Arms, rng: Generator, n: int) -> list[Duel]:
        """Return the next duels that do not depend on one another's outcomes, at least one and at most n."""
        require_whole("n", n, 1)
        planned = self.planned(state, menu, rng, n)
        return [duel for duel in planned if menu.allows(duel.left, duel.right)] or [
            self.ask(state, menu, rng)
        ]

    def fold_votes(self, state: State, sides: IntArray, rounds: FloatArray, outcomes: FloatArray) -> None:
        """Tell many answers at once, in order, to a state that the caller owns: it is changed.

        Parameters
        ----------
        state : State
            What is changed.
        sides : array of shape (n, 2)
            The left and the right arm of each duel.
        rounds : array of shape (n,)
            The learner's time when it asked for each; nan where it did not.
        outcomes : array of shape (n,)
            1 left wins, 0 right wins, 0.5 a tie.
        """
        k, n = len(state[0]), len(outcomes)
        if (sides.shape, rounds.shape, outcomes.shape) != ((n, 2), (n,), (n,)):
            raise OutcomeError(
                "sides must have two columns, and rounds and outcomes a number for each of its rows; got "
                f"shapes {sides.shape}, {rounds.shape} and {outcomes.shape}."
            )
        if not np.issubdtype(sides.dtype, np.integer):
            raise OutcomeError(f"sides must be whole numbers, those of the arms; got {sides.dtype}.")
        if n and not ((sides >= 0) & (sides < k)).all():
            raise OutcomeError(f"the arms are numbered 0 to {k - 1}; got {sides.min()} to {sides.max()}.")
        if not ((outcomes >= 0.0) & (outcomes <= 1.0)).all():
            raise OutcomeError("outcomes must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie.")
        if not (np.isnan(rounds) | is_time(rounds)).all():
            raise OutcomeError("rounds must be what ask() wrote into the duels, or nan where unknown.")
        buffers = arm_buffer(n)
        buffers.sides[:] = sides
        buffers.round[:, 0] = np.nan_to_num(rounds, nan=ANY_ROUND)
        self.fold_buffer(state, buffers, outcomes)

    def grown(self, state: State, ranks: FloatArray) -> State:
        """Return a state with an arm for each rank; ranks put arms that are alike in order.

        Only for learners that live on counts of pairs (`card.arms_may_change`): a new arm has none yet.
        """
        if not card_of(self).arms_may_change:
            raise ParameterError(
                f"{type(self).__name__} cannot take new arms while it learns; change to a learner that can, "
                "such as RUCB: study.change_learner(RUCB())."
            )
        grown = self.blank(len(ranks), default_rng(0))
        for old, new in zip(state, grown, strict=True):
            new[tuple(slice(size) for size in old.shape)] = old
        return grown._replace(order=np.argsort(ranks, kind="stable"))

    def eliminate(self, state: State, arm: int) -> bool:
        """Give up an arm for good, in a state that the caller owns.

        Returns False where the learner had found this very arm, and must begin anew with the others. By
        default menus without the arm are enough.
        """
        return True

    def best(self, state: State, menu: Arms) -> int:
        """Return the arm believed to be the winner, among those on the menu."""
        answer = np.zeros(1, np.int64)
        self.kernels.best(self.rules_for(state), state, self.kernel_menu(state, menu), answer)
        winner = int(answer[0])
        return winner if menu.active is None or winner in menu.active else menu.active[0]


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
def take_out(state: Any, arm: int) -> None:
    """Take an arm out of those that remain; the others keep their order."""
    state.remains[arm] = False
    kept = 0
    for place in range(state.size[0]):
        if state.queue[place] != arm:
            state.queue[kept] = state.queue[place]
            kept += 1
    state.size[0] = kept


@borrowing
def skip_settled(rules: Any, state: Any, run: Run, limit: int) -> None:
    """Pass all rounds once a single arm remains in the state's queue: the winner is exploited."""
    if state.size[0] == 1 and run.duel.sides[0] == run.duel.sides[1]:
        book(run.world, run.ledger, state.queue[0], state.queue[0], limit)


def leader_and_rival(menu: Arms, leader: int, rng: Generator) -> Duel:
    """Return a duel of the leader with the active arm that is least proven to lose against it.

    Proof is n (p - 1/2)^2 for the n duels so far, of which the leader won a share p; duels that are open
    count as if they were won by the same share.
    """
    arms = range(menu.k) if menu.active is None else menu.active
    won, lost = list[float](), list[float]()
    if menu.wins is not None:
        won, lost = menu.wins[leader].tolist(), menu.wins[:, leader].tolist()
    least, rivals = (inf, inf), list[int]()
    for arm in arms:
        if arm == leader:
            continue
        duels = float(menu.open.get((leader, arm) if leader <= arm else (arm, leader), 0))
        proof = 0.0
        if won:
            met = won[arm] + lost[arm]
            lead = (won[arm] / met if met > 0.0 else 1.0) - 0.5
            duels += met
            proof = duels * (lead * lead) if lead > 0.0 else 0.0
        if (proof, duels) < least:
            least, rivals = (proof, duels), [arm]
        elif (proof, duels) == least:
            rivals.append(arm)
    return Duel(leader, rivals[rng.integers(len(rivals))])
