"""The loop over rounds, compiled: it plays any learner in any world and knows none.

A learner hands the loop its kernels, which have one signature in every setting:

- `ask(rules, state, menu, duel, rng)` fills the duel; the state stays as it is.
- `tell(rules, state, duel, outcome)` changes the state.
- `best(rules, state, menu, answer)` fills the answer with the choice believed to be best.

A world tells the loop how a round goes by overloads of `prepare`, `step` and `close`. Two kernels pass many
rounds at once, each exactly: `skip_idle` those that come after a duel of an arm with itself and teach nothing
(the same trajectory to the last bit; the same distribution if the learner draws in them), `skip_batch` those
whose pairs are settled whatever the outcomes (the same distribution). No learner's kernel sees the truth.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.compile import NO_BODY, TOOLCHAIN, borrowing, inlined, inlined_overloaded, overloaded
from duelist.kernels.duels import DuelBuffer, duel_at

Rules = TypeVar("Rules")
State = TypeVar("State")


class Ledger(NamedTuple):
    """What is written down about one run; its size does not depend on the number of rounds."""

    checkpoints: IntArray
    measures: FloatArray  # a row for each of the world's measures, a column for each checkpoint
    sums: FloatArray  # totals so far, of the world's own
    counts: IntArray  # the same in whole numbers
    plays: IntArray  # how often each choice stood on a side, a row for each context
    answer: Any  # what was believed to be best at the last checkpoint
    played: IntArray  # one number: rounds so far
    halt: BoolArray  # one flag, raised from outside to end the run


@TOOLCHAIN.typed_at_once
class Run(NamedTuple):
    """All that a run needs besides the learner."""

    world: Any  # what answers duels, and what showing each choice costs
    ledger: Ledger
    menu: Any
    duel: Any
    rng: Generator  # the learner's
    world_rng: Generator  # draws contexts and outcomes
    stepwise: bool  # whether to play every round singly


class Kernels(NamedTuple):
    """A learner's compiled functions."""

    ask: Callable[[Any, Any, Any, Any, Generator], None]
    tell: Callable[[Any, Any, Any, Any], None]
    best: Callable[[Any, Any, Any, Any], None]
    play: Callable[[Any, Any, Run], None]
    fold: Callable[[Any, Any, Any, Any], None] | None = None
    plan: Callable[[Any, Any, Any, Any, Generator], int] | None = None


@runtime_checkable
class CompiledLearner(Protocol):
    """A learner that the compiled loop can play."""

    @property
    def kernels(self) -> Kernels:
        """Return the compiled functions."""

    def rules_for(self, state: Any) -> Any:
        """Return the numbers its kernels need, for the size of a state."""


def open_ledger(
    checkpoints: IntArray,
    halt: BoolArray,
    *,
    measures: int,
    answer: IntArray | FloatArray,
    sums: int = 0,
    counts: int = 0,
    plays: tuple[int, int] = (0, 0),
) -> Ledger:
    """Return an empty ledger for one run, with room for what a world writes down."""
    return Ledger(
        checkpoints=checkpoints,
        measures=np.zeros((measures, len(checkpoints))),
        sums=np.zeros(sums),
        counts=np.zeros(counts, np.int64),
        plays=np.zeros(plays, np.int64),
        answer=answer,
        played=np.zeros(1, np.int64),
        halt=halt,
    )


@inlined_overloaded
def prepare(world: Any, menu: Any, played: int, world_rng: Generator) -> None:
    """Write into the menu what may be chosen in the next round, after `played` rounds."""
    raise TypeError(NO_BODY)


@inlined_overloaded
def step(world: Any, ledger: Ledger, duel: Any, world_rng: Generator) -> Any:
    """Return the outcome of a duel and write the round down; without an outcome nothing is written down."""
    raise TypeError(NO_BODY)


@overloaded
def close(world: Any, ledger: Ledger, mark: int) -> None:
    """Write down where the run stands at a checkpoint; the ledger has the answer already."""
    raise TypeError(NO_BODY)


@borrowing
def skip_nothing(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Pass no rounds: for a learner that decides anew in every round, and learns in each."""


@inlined
def play(
    ask: Callable[[Rules, State, Any, Any, Generator], None],
    tell: Callable[[Rules, State, Any, Any], None],
    best: Callable[[Rules, State, Any, Any], None],
    skip_idle: Callable[[Rules, State, Run, int], None],
    skip_batch: Callable[[Rules, State, Run, int], None],
    rules: Rules,
    state: State,
    run: Run,
) -> None:
    """Play one run to the last checkpoint, or to a duel without an outcome."""
    world, ledger, menu, duel, rng, world_rng, stepwise = run
    for mark in range(len(ledger.checkpoints)):
        until = ledger.checkpoints[mark]
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            if not stepwise:
                skip_batch(rules, state, run, until - ledger.played[0])
                if ledger.played[0] == until:
                    break
            played = ledger.played[0]
            prepare(world, menu, played, world_rng)
            ask(rules, state, menu, duel, rng)
            outcome = step(world, ledger, duel, world_rng)
            if ledger.played[0] == played:
                return
            tell(rules, state, duel, outcome)
            if not stepwise:
                skip_idle(rules, state, run, until - ledger.played[0])
        best(rules, state, menu, ledger.answer)
        close(world, ledger, mark)


@inlined
def fold(
    tell: Callable[[Rules, State, DuelBuffer, float], None],
    rules: Rules,
    state: State,
    duels: DuelBuffer,
    outcomes: FloatArray,
) -> None:
    """Tell a batch of duels and their outcomes, in order, to a state that the caller owns."""
    for index in range(len(outcomes)):
        tell(rules, state, duel_at(duels, index), outcomes[index])
