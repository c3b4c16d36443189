"""Base class of K-armed learners, and helpers for win counts and for menus that exclude some arms."""

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

BUFFERS = local()  # one duel buffer per thread

MOST_PLANNED = 1000  # at most this many planned duels are searched for one that is not open

SPREAD = 3  # a drawn pair may have at most this many times as many open duels as the fallback pair

REDRAWS = 4  # how often another duel is drawn if the menu does not allow the first
FEW_REDRAWS = 2  # the same if every pair has an open duel: the least open of three draws is good enough


class ArmedLearner(KernelLearner[State]):
    """Base class of learners over arms: a frozen dataclass of hyperparameters.

    A subclass sets `kernels` and defines `rules` and `blank`. The first field of its state has one row per
    arm.
    """

    def rules(self, k: int) -> Any:
        """Return the hyperparameters as a NamedTuple for the kernels.

        Parameters
        ----------
        k : int
            The number of arms.

        Returns
        -------
        Rules
            The first argument of every kernel.
        """
        raise TypeError(f"{type(self).__name__} must define rules(k)")

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel.

        Parameters
        ----------
        k : int
            The number of arms.
        rng : numpy.random.Generator
            Random number generator for the initial state.

        Returns
        -------
        State
            A NamedTuple of arrays, of which the first has one row per arm.
        """
        raise TypeError(f"{type(self).__name__} must define blank(k, rng)")

    def init(self, menu: Arms, rng: Generator) -> State:
        """Return the state before the first duel.

        Parameters
        ----------
        menu : Arms
            The arms.
        rng : numpy.random.Generator
            Random number generator for the initial state, such as the order in which ties are broken.

        Returns
        -------
        State
            A NamedTuple of arrays.

        Raises
        ------
        ParameterError
            If the menu is not `Arms`, or `rng` is not a generator.
        """
        if not isinstance(menu, Arms):
            raise ParameterError(f"{type(self).__name__} needs a menu of Arms; got {menu!r}.")
        require_generator(rng)
        return self.blank(menu.k, rng)

    def live(self) -> Self:
        live = super().live()
        object.__setattr__(live, "rules", cache(self.rules))
        return live

    def rules_for(self, state: State) -> Any:
        return self.rules(len(state[0]))

    def buffer(self, state: State, n: int | None = None) -> DuelBuffer:
        if n is not None:
            return arm_buffer(n)
        try:  # a single duel is read before the next is written, so each thread reuses one buffer
            buffer: DuelBuffer = BUFFERS.duel
        except AttributeError:
            buffer = BUFFERS.duel = arm_buffer()
        buffer.round[0] = ANY_ROUND
        return buffer

    def write(self, state: State, duel: Duel, buffer: DuelBuffer) -> bool:
        k = len(state[0])
        buffer.sides[0] = require_arm("left", duel.left, k)
        buffer.sides[1] = require_arm("right", duel.right, k)
        if duel.round is not None:
            buffer.round[0] = require_time(duel.round)
        return True

    def read(self, menu: Arms, buffer: DuelBuffer) -> Duel:
        left, right = buffer.sides.tolist()
        time = float(buffer.round[0])
        return Duel(left, right, round=None if time == ANY_ROUND else time)

    def kernel_menu(self, state: State, menu: Arms) -> ArmMenu:
        if menu.k != len(state[0]):
            raise ParameterError(
                f"the menu has {menu.k} arms, but the state has {len(state[0])}; pass a menu with "
                f"{len(state[0])} arms."
            )
        return menu_of(menu.k, menu.active, menu.self_duels)

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; the state does not change.

        If the menu does not allow the drawn duel, or a duel of this pair is already open, another of the
        learner's planned duels is returned, or the best of a few new draws: the pair with the fewest open
        duels. If none of them is suitable, the current best arm meets the rival it is least proven to beat.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms
            The arms that may be shown, and the open duels.
        rng : numpy.random.Generator
            Random number generator for this duel.

        Returns
        -------
        Duel
            Two numbers of arms.
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
        # plain numbers, as a study tells them, skip the full checks
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
        require_whole("n", n, 1)
        planned = self.planned(state, menu, rng, n)
        return [duel for duel in planned if menu.allows(duel.left, duel.right)] or [
            self.ask(state, menu, rng)
        ]

    def fold_votes(self, state: State, sides: IntArray, rounds: FloatArray, outcomes: FloatArray) -> None:
        """Tell a batch of answers, in order, changing the state in place.

        Parameters
        ----------
        state : State
            The state to change; the caller must own it.
        sides : array of shape (n, 2)
            The left and the right arm of each duel.
        rounds : array of shape (n,)
            The learner's time when it asked for each duel; nan for duels it did not ask.
        outcomes : array of shape (n,)
            1 if the left arm won, 0 if the right arm won, 0.5 for a tie.

        Raises
        ------
        OutcomeError
            If the shapes do not match, or an arm, a time or an outcome is out of range; the state is then
            unchanged.
        """
        k, n = len(state[0]), len(outcomes)
        if (sides.shape, rounds.shape, outcomes.shape) != ((n, 2), (n,), (n,)):
            raise OutcomeError(
                "sides must have two columns, and rounds and outcomes must have one number for each row of "
                f"sides; got shapes {sides.shape}, {rounds.shape} and {outcomes.shape}."
            )
        if not np.issubdtype(sides.dtype, np.integer):
            raise OutcomeError(f"sides must be whole numbers, the numbers of arms; got {sides.dtype}.")
        if n and not ((sides >= 0) & (sides < k)).all():
            raise OutcomeError(f"sides must be arms from 0 to {k - 1}; got {sides.min()} to {sides.max()}.")
        if not ((outcomes >= 0.0) & (outcomes <= 1.0)).all():
            raise OutcomeError(
                "outcomes must lie in [0, 1] (1: left wins, 0: right wins, 0.5: tie); got "
                f"{outcomes.min()} to {outcomes.max()}."
            )
        if not (np.isnan(rounds) | is_time(rounds)).all():
            raise OutcomeError(
                "rounds must be the values that ask() wrote into the duels, or nan if unknown."
            )
        buffers = arm_buffer(n)
        buffers.sides[:] = sides
        buffers.round[:, 0] = np.nan_to_num(rounds, nan=ANY_ROUND)
        self.fold_buffer(state, buffers, outcomes)

    def grown(self, state: State, ranks: FloatArray) -> State:
        """Return a state with one arm per rank, keeping what is known of the old arms.

        Only learners whose state consists of counts per pair support this (`card.arms_may_change`): a new arm
        starts with zero counts.

        Parameters
        ----------
        state : State
            The state of the old arms.
        ranks : array of shape (k,)
            The order in which ties between equal arms are broken, for the old and the new arms.

        Returns
        -------
        State
            The larger state.

        Raises
        ------
        ParameterError
            If the learner cannot take new arms.
        """
        if not card_of(self).arms_may_change:
            raise ParameterError(
                f"{type(self).__name__} cannot take new arms while it learns; switch to a learner that can, "
                "such as RUCB: study.change_learner(RUCB())."
            )
        grown = self.blank(len(ranks), default_rng(0))
        for old, new in zip(state, grown, strict=True):
            new[tuple(slice(size) for size in old.shape)] = old
        return grown._replace(order=np.argsort(ranks, kind="stable"))

    def eliminate(self, state: State, arm: int) -> bool:
        """Remove an arm permanently, changing the state in place.

        By default this does nothing, because menus without the arm are enough.

        Parameters
        ----------
        state : State
            The state to change; the caller must own it.
        arm : int
            The arm to remove.

        Returns
        -------
        bool
            False if this arm is the winner the learner has found; it must then start again without it.
        """
        return True

    def best(self, state: State, menu: Arms) -> int:
        """Return the arm believed to be the winner.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Arms
            The arms that may be chosen.

        Returns
        -------
        int
            The number of an arm on the menu.
        """
        answer = np.zeros(1, np.int64)
        self.kernels.best(self.rules_for(state), state, self.kernel_menu(state, menu), answer)
        winner = int(answer[0])
        return winner if menu.active is None or winner in menu.active else menu.active[0]


def number(value: int = 0) -> IntArray:
    """Return a whole number as an array of one, which a kernel can change."""
    return np.full(1, value, np.int64)


def square(k: int) -> FloatArray:
    return np.zeros((k, k))


@borrowing
def record(wins: FloatArray, left: int, right: int, outcome: float) -> None:
    """Count the outcome of a duel between two different arms; a tie is half a win for each."""
    wins[left, right] += outcome
    wins[right, left] += 1.0 - outcome


@borrowing
def most_beaten(wins: FloatArray, arms: IntArray, size: int, menu: ArmMenu) -> int:
    """Return the arm that beat the most other arms more often than not, among the first `size` of `arms`.

    Only arms on the menu count, unless none of them is on it. Ties go to the first.
    """
    champion, most = arms[0], -1
    for index in range(size):
        i = arms[index]
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
    """Fill in the arm that beats the most arms; ties go to the first in the state's order."""
    answer[0] = most_beaten(state.wins, state.order, len(state.order), menu)


@borrowing
def take_out(state: Any, arm: int) -> None:
    """Remove an arm from the queue; the others keep their order."""
    state.remains[arm] = False
    kept = 0
    for index in range(state.size[0]):
        if state.queue[index] != arm:
            state.queue[kept] = state.queue[index]
            kept += 1
    state.size[0] = kept


@borrowing
def skip_decided(rules: Any, state: Any, run: Run, limit: int) -> None:
    """Skip all remaining rounds once a single arm remains in the queue: the winner is exploited."""
    if state.size[0] == 1 and run.duel.sides[0] == run.duel.sides[1]:
        book(run.world, run.ledger, state.queue[0], state.queue[0], limit)


def leader_and_rival(menu: Arms, leader: int, rng: Generator) -> Duel:
    """Return a duel of the leader with the active arm that it is least proven to beat.

    The evidence is n (p - 1/2)^2 after n duels of which the leader won a share p. Open duels count as if the
    leader won the same share of them.
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
