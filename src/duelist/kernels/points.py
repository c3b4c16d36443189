"""The loop over rounds for points, compiled: it plays any learner of a space and knows none."""

from collections.abc import Callable
from math import isnan
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.compile import compiled, inlined
from duelist.kernels.utility import compare, gap

Rules = TypeVar("Rules")
State = TypeVar("State")


class PointDuel(NamedTuple):
    """Room for a duel of two points."""

    left: FloatArray
    right: FloatArray
    note: FloatArray  # what the learner wants to be reminded of, such as a direction


class PointLedger(NamedTuple):
    """What is written down about one run; its size does not depend on the number of rounds."""

    checkpoints: IntArray
    regret: FloatArray  # at each checkpoint: the sum over rounds of the two points' mean gap
    weak_regret: FloatArray  # at each checkpoint: the sum over rounds of the better point's gap
    gap: FloatArray  # at each checkpoint: the gap of the point believed to be best
    best: FloatArray  # the point believed to be best at the end
    strong: FloatArray  # one number: regret so far
    weak: FloatArray  # one number: weak regret so far
    played: IntArray  # one number: rounds so far
    halt: BoolArray  # one flag, raised from outside to end the run


class PointRun(NamedTuple):
    """All that a run needs besides the learner."""

    utility: Any
    ledger: PointLedger
    duel: PointDuel
    rng: Generator  # the learner's luck
    world_rng: Generator  # the outcomes' luck


class PointKernels(NamedTuple):
    """A learner's compiled functions."""

    ask: Callable[[Any, Any, PointDuel, Generator], None]
    tell: Callable[[Any, Any, PointDuel, float], None]
    best: Callable[[Any, Any], FloatArray]
    play: Callable[[Any, Any, PointRun], None]


@runtime_checkable
class CompiledPointLearner(Protocol):
    """A learner of a space that the compiled loop can play."""

    @property
    def point_kernels(self) -> PointKernels:
        """Return the compiled functions."""
        ...

    def rules(self) -> Any:
        """Return the numbers its kernels need."""
        ...


def room_for_duel(d: int) -> PointDuel:
    """Return room for a duel of points of `d` dimensions."""
    return PointDuel(np.empty(d), np.empty(d), np.empty(d))


def open_point_ledger(checkpoints: IntArray, d: int, halt: BoolArray) -> PointLedger:
    """Return an empty ledger for one run."""
    size = len(checkpoints)
    return PointLedger(
        checkpoints=checkpoints,
        regret=np.zeros(size),
        weak_regret=np.zeros(size),
        gap=np.zeros(size),
        best=np.zeros(d),
        strong=np.zeros(1),
        weak=np.zeros(1),
        played=np.zeros(1, np.int64),
        halt=halt,
    )


@compiled
def book_points(ledger: PointLedger, left_gap: float, right_gap: float) -> None:
    """Write down one round."""
    ledger.played[0] += 1
    ledger.strong[0] += 0.5 * (left_gap + right_gap)
    ledger.weak[0] += min(left_gap, right_gap)


@compiled
def close_points(ledger: PointLedger, mark: int, gap: float) -> None:
    """Write down where the run stands at a checkpoint."""
    ledger.regret[mark] = ledger.strong[0]
    ledger.weak_regret[mark] = ledger.weak[0]
    ledger.gap[mark] = gap


@inlined
def play(
    ask: Callable[[Rules, State, PointDuel, Generator], None],
    tell: Callable[[Rules, State, PointDuel, float], None],
    best: Callable[[Rules, State], FloatArray],
    rules: Rules,
    state: State,
    run: PointRun,
) -> None:
    """Play one run to the last checkpoint, or to a duel without an outcome."""
    utility, ledger, duel = run.utility, run.ledger, run.duel
    for mark in range(len(ledger.checkpoints)):
        while ledger.played[0] < ledger.checkpoints[mark]:
            if ledger.halt[0]:
                return
            ask(rules, state, duel, run.rng)
            outcome, left_cost, right_cost = compare(utility, duel.left, duel.right, run.world_rng)
            if isnan(outcome):
                return
            tell(rules, state, duel, outcome)
            book_points(ledger, left_cost, right_cost)
        ledger.best[:] = best(rules, state)
        close_points(ledger, mark, gap(utility, ledger.best))
