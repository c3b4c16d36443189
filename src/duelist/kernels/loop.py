"""The compiled loop over rounds, which plays any learner in any world.

A learner passes its kernels to the loop. They have the same signatures in every setting:

- `ask(rules, state, menu, duel, rng)` fills the duel without changing the state.
- `tell(rules, state, duel, outcome)` changes the state.
- `best(rules, state, menu, answer)` fills the answer with the choice believed to be best.

A world defines a round by overloads of `prepare`, `step` and `close`. Two optional kernels skip many rounds
at once, and both are exact. `skip_idle` skips rounds after a duel of an arm with itself in which nothing is
learned; the trajectory is the same to the last bit, or has the same distribution if the learner draws random
numbers in these rounds. `skip_batch` skips rounds whose pairs do not depend on outcomes; the distribution is
the same. No kernel of a learner sees the true preferences.
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
    """The record of one run; its size does not depend on the number of rounds."""

    checkpoints: IntArray
    measures: FloatArray  # one row per measure of the world, one column per checkpoint
    sums: FloatArray  # running totals, defined by the world
    counts: IntArray  # running totals that are whole numbers
    plays: IntArray  # how often each choice was shown, one row per context
    answer: Any  # the choice believed to be best at the last checkpoint
    played: IntArray  # one number: rounds so far
    halt: BoolArray  # one flag, set from outside to end the run


@TOOLCHAIN.typed_at_once
class Run(NamedTuple):
    """Everything a run needs besides the learner."""

    world: Any  # answers duels, and knows the cost of showing each choice
    ledger: Ledger
    menu: Any
    duel: Any
    rng: Generator  # random number generator of the learner
    world_rng: Generator  # random number generator for contexts and outcomes
    stepwise: bool  # whether to play round by round, without skipping


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
        """Return the hyperparameters for the kernels, given the size of a state."""


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
    """Return an empty ledger for one run, with arrays of the given sizes."""
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
    """Write the choices of the next round into the menu, after `played` rounds."""
    raise TypeError(NO_BODY)


@inlined_overloaded
def step(world: Any, ledger: Ledger, duel: Any, world_rng: Generator) -> Any:
    """Return the outcome of a duel and record the round; a duel without an outcome is not recorded."""
    raise TypeError(NO_BODY)


@overloaded
def close(world: Any, ledger: Ledger, checkpoint: int) -> None:
    """Record the measures at a checkpoint; the answer is already in the ledger."""
    raise TypeError(NO_BODY)


@borrowing
def skip_nothing(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Skip nothing, for a learner that makes a new decision in every round."""


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
    for checkpoint in range(len(ledger.checkpoints)):
        until = ledger.checkpoints[checkpoint]
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
        close(world, ledger, checkpoint)


@inlined
def fold(
    tell: Callable[[Rules, State, DuelBuffer, float], None],
    rules: Rules,
    state: State,
    duels: DuelBuffer,
    outcomes: FloatArray,
) -> None:
    """Tell a batch of duels and their outcomes, in order, changing the state in place."""
    for index in range(len(outcomes)):
        tell(rules, state, duel_at(duels, index), outcomes[index])
