"""The loop over rounds in contexts, compiled: it plays any learner of finitely many and knows none."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, BoolArray, Duel, FloatArray, IntArray
from duelist.kernels.compile import compiled, inlined
from duelist.menus import Actions

Rules = TypeVar("Rules")
State = TypeVar("State")


@runtime_checkable
class PolicyTable(Protocol):
    """A finite class of policies over a finite set of contexts."""

    @property
    def actions(self) -> IntArray:
        """Return each policy's action, by number: a row for each policy, a column for each context."""
        ...


@runtime_checkable
class KnownContexts(Protocol):
    """A simulated problem over a finite set of contexts, whose true preferences metrics may read."""

    @property
    def matrices(self) -> FloatArray:
        """Return the preferences: `matrices[c, a, b]` is the probability that a beats b in context c."""
        ...

    @property
    def chances(self) -> FloatArray:
        """Return how often each context comes."""
        ...

    @property
    def cumulated(self) -> FloatArray:
        """Return the chance of each context or one before it."""
        ...

    @property
    def order(self) -> IntArray:
        """Return the contexts as they come; nothing where they are drawn."""
        ...

    def as_policies(self, actions: ArrayLike) -> IntArray:
        """Return policies, their actions in each context, or say why they are none of this problem."""
        ...

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions in the next context, after so many rounds."""
        ...

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return an outcome: 1 left wins, 0 right wins, 0.5 a tie."""
        ...


class ContextWorld(NamedTuple):
    """What the world knows, and the policies that learners are measured against."""

    preferences: FloatArray
    chances: FloatArray
    cumulated: FloatArray
    order: IntArray
    policies: IntArray  # a row for each policy: its action in each context


class ContextDuel(NamedTuple):
    """Room for a duel of two actions."""

    shown: IntArray  # left and right
    chances: FloatArray  # a row for either side: how likely each action was


class ContextLedger(NamedTuple):
    """What is written down about one run; its size does not depend on the number of rounds."""

    checkpoints: IntArray
    regret: FloatArray  # at each checkpoint: a round's mean regret so far
    error: FloatArray  # at each checkpoint: by how much the best policy beats what is learned
    plays: IntArray  # how often each action stood on a side, in each context
    learned: FloatArray  # in each context, the chance of each action by what is learned
    played: IntArray  # one number: rounds so far
    halt: BoolArray  # one flag, raised from outside to end the run


class ContextRun(NamedTuple):
    """All that a run needs besides the learner."""

    world: ContextWorld
    ledger: ContextLedger
    duel: ContextDuel
    rng: Generator  # the learner's luck
    world_rng: Generator  # the contexts' and the outcomes' luck


class ContextKernels(NamedTuple):
    """A learner's compiled functions."""

    ask: Callable[[Any, Any, int, ContextDuel, Generator], None]
    tell: Callable[[Any, Any, int, ContextDuel, float], None]
    learned: Callable[[Any, Any, int, FloatArray], None]
    play: Callable[[Any, Any, ContextRun], None]


@runtime_checkable
class CompiledContextLearner(Protocol):
    """A learner of a finite set of contexts that the compiled loop can play."""

    @property
    def context_kernels(self) -> ContextKernels:
        """Return the compiled functions."""
        ...

    @property
    def contexts(self) -> int:
        """Return how many contexts it knows."""
        ...

    def rules(self) -> Any:
        """Return the numbers its kernels need."""
        ...


def room_for_actions(k: int) -> ContextDuel:
    """Return room for a duel of two of `k` actions."""
    return ContextDuel(np.zeros(2, np.int64), np.zeros((2, k)))


def open_context_ledger(checkpoints: IntArray, contexts: int, k: int, halt: BoolArray) -> ContextLedger:
    """Return an empty ledger for one run."""
    size = len(checkpoints)
    return ContextLedger(
        checkpoints=checkpoints,
        regret=np.zeros(size),
        error=np.zeros(size),
        plays=np.zeros((contexts, k), np.int64),
        learned=np.zeros((contexts, k)),
        played=np.zeros(1, np.int64),
        halt=halt,
    )


@compiled
def next_context(world: ContextWorld, played: int, world_rng: Generator) -> int:
    """Return the context of a round, after so many."""
    if len(world.order) > 0:
        return int(world.order[played % len(world.order)])
    return int(np.searchsorted(world.cumulated, world_rng.random(), side="right"))


@compiled
def answer(world: ContextWorld, context: int, left: int, right: int, world_rng: Generator) -> float:
    """Return the outcome of a duel; an action ties with itself."""
    if left == right:
        return TIE
    return LEFT_WINS if world_rng.random() < world.preferences[context, left, right] else RIGHT_WINS


@compiled
def book_actions(ledger: ContextLedger, context: int, left: int, right: int) -> None:
    """Write down one round."""
    ledger.played[0] += 1
    ledger.plays[context, left] += 1
    ledger.plays[context, right] += 1


@compiled
def largest_gain(world: ContextWorld, against: FloatArray) -> float:
    """Return what the best policy gains: in each context, its action's margins over others, weighted."""
    contexts, k = against.shape
    gains = np.zeros((contexts, k))
    for context in range(contexts):
        for action in range(k):
            for other in range(k):
                margin = 2.0 * world.preferences[context, action, other] - 1.0
                gains[context, action] += margin * against[context, other]
    largest = -np.inf
    for policy in range(len(world.policies)):
        gain = 0.0
        for context in range(contexts):
            gain += gains[context, world.policies[policy, context]]
        largest = max(largest, gain)
    return largest


@compiled
def close_contexts(world: ContextWorld, ledger: ContextLedger, mark: int) -> None:
    """Write down where the run stands at a checkpoint."""
    contexts, k = ledger.plays.shape
    shown, learned = np.zeros((contexts, k)), np.zeros((contexts, k))
    for context in range(contexts):
        for action in range(k):
            shown[context, action] = ledger.plays[context, action] / (2.0 * ledger.played[0])
            learned[context, action] = world.chances[context] * ledger.learned[context, action]
    ledger.regret[mark] = largest_gain(world, shown)
    ledger.error[mark] = largest_gain(world, learned)


@inlined
def play(
    ask: Callable[[Rules, State, int, ContextDuel, Generator], None],
    tell: Callable[[Rules, State, int, ContextDuel, float], None],
    learned: Callable[[Rules, State, int, FloatArray], None],
    rules: Rules,
    state: State,
    run: ContextRun,
) -> None:
    """Play one run to the last checkpoint."""
    world, ledger, duel = run.world, run.ledger, run.duel
    for mark in range(len(ledger.checkpoints)):
        while ledger.played[0] < ledger.checkpoints[mark]:
            if ledger.halt[0]:
                return
            context = next_context(world, ledger.played[0], run.world_rng)
            ask(rules, state, context, duel, run.rng)
            outcome = answer(world, context, duel.shown[0], duel.shown[1], run.world_rng)
            tell(rules, state, context, duel, outcome)
            book_actions(ledger, context, duel.shown[0], duel.shown[1])
        for context in range(len(ledger.learned)):
            learned(rules, state, context, ledger.learned[context])
        close_contexts(world, ledger, mark)
