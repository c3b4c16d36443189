"""The loop over rounds, compiled: it plays any K-armed learner and knows none.

A learner hands the loop its kernels. Besides `ask`, `tell` and `best` there are two ways to pass many rounds
at once, each exact:

*rest* passes the coming rounds in which the learner's only choice is an arm against itself, which teaches
nothing: the trajectory is the same, to the last bit, as if every round had been played.

*leap* passes rounds whose pairs are settled whatever the outcomes, drawing each pair's wins as one binomial:
the trajectory has the same distribution.

No kernel sees the truth: a leap draws outcomes by `wins_in` and counts its rounds by `book`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.random import Generator

from duelist.duel import TIE, BoolArray, FloatArray, IntArray
from duelist.kernels.compile import compiled, inlined

Rules = TypeVar("Rules")
State = TypeVar("State")

FEW = 16
"""Up to so many duels of a pair, tossing each is faster than setting up a binomial draw."""


class World(NamedTuple):
    """What the world knows: the preferences it plays by and what showing each arm costs."""

    preferences: FloatArray
    gaps: FloatArray


class Ledger(NamedTuple):
    """What is written down about one run; its size does not depend on the number of rounds."""

    checkpoints: IntArray
    regret: FloatArray  # at each checkpoint: the sum over rounds of the two arms' mean gap
    weak_regret: FloatArray  # at each checkpoint: the sum over rounds of the better arm's gap
    best: IntArray  # at each checkpoint: the arm believed to be the winner
    plays: IntArray  # how often each arm stood on a side, so two a round
    weak: FloatArray  # one number: weak regret so far
    played: IntArray  # one number: rounds so far
    informative: IntArray  # one number: duels between two different arms so far
    halt: BoolArray  # one flag, raised from outside to end the run


class Run(NamedTuple):
    """All that a run needs besides the learner."""

    world: World
    ledger: Ledger
    rng: Generator  # the learner's luck
    world_rng: Generator  # the outcomes' luck
    stepwise: bool  # whether to play every round singly


class Kernels(NamedTuple):
    """A K-armed learner's compiled functions."""

    ask: Callable[[Any, Any, Generator], tuple[int, int]]
    tell: Callable[[Any, Any, int, int, float], None]
    best: Callable[[Any, Any], int]
    play: Callable[[Any, Any, Run], None]


@runtime_checkable
class CompiledLearner(Protocol):
    """A K-armed learner that the compiled loop can play."""

    @property
    def kernels(self) -> Kernels:
        """Return the compiled functions."""
        ...

    def rules(self, k: int) -> Any:
        """Return the numbers its kernels need: hyperparameters, made ready for `k` arms."""
        ...


def open_ledger(checkpoints: IntArray, k: int, halt: BoolArray) -> Ledger:
    """Return an empty ledger for one run on `k` arms."""
    size = len(checkpoints)
    return Ledger(
        checkpoints=checkpoints,
        regret=np.zeros(size),
        weak_regret=np.zeros(size),
        best=np.zeros(size, np.int64),
        plays=np.zeros(k, np.int64),
        weak=np.zeros(1),
        played=np.zeros(1, np.int64),
        informative=np.zeros(1, np.int64),
        halt=halt,
    )


@compiled
def toss(run: Run, left: int, right: int) -> float:
    """Return the outcome of one duel; not by `wins_in`, whose binomials take a second to compile."""
    return 1.0 if run.world_rng.random() < run.world.preferences[left, right] else 0.0


@compiled
def wins_in(run: Run, left: int, right: int, duels: int) -> int:
    """Return how many of so many duels the left arm wins."""
    chance = run.world.preferences[left, right]
    if duels > FEW:
        return int(run.world_rng.binomial(duels, chance))
    wins = 0
    for _ in range(duels):
        if run.world_rng.random() < chance:
            wins += 1
    return wins


@compiled
def book(world: World, ledger: Ledger, left: int, right: int, rounds: int) -> None:
    """Write down so many rounds of one pair."""
    ledger.played[0] += rounds
    ledger.plays[left] += rounds
    ledger.plays[right] += rounds
    ledger.weak[0] += rounds * min(world.gaps[left], world.gaps[right])
    if left != right:
        ledger.informative[0] += rounds


@compiled
def close(world: World, ledger: Ledger, mark: int, best: int) -> None:
    """Write down where the run stands at a checkpoint."""
    # from whole numbers, so that jumps leave the sum the same to the last bit
    total = 0.0
    for arm in range(len(ledger.plays)):
        total += ledger.plays[arm] * world.gaps[arm]
    ledger.regret[mark] = 0.5 * total
    ledger.weak_regret[mark] = ledger.weak[0]
    ledger.best[mark] = best


@compiled
def skip_no_idle(rules: Rules, state: State, limit: int) -> int:
    """Pass no rounds: the `rest` of a learner that always learns."""
    return 0


@compiled
def skip_no_batch(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Pass no rounds: the `leap` of a learner that decides anew in every round."""


@inlined
def play(
    ask: Callable[[Rules, State, Generator], tuple[int, int]],
    tell: Callable[[Rules, State, int, int, float], None],
    best: Callable[[Rules, State], int],
    skip_idle: Callable[[Rules, State, int], int],
    skip_batch: Callable[[Rules, State, Run, int], None],
    rules: Rules,
    state: State,
    run: Run,
) -> None:
    """Play one run to the last checkpoint."""
    world, ledger = run.world, run.ledger
    for mark in range(len(ledger.checkpoints)):
        until = ledger.checkpoints[mark]
        while ledger.played[0] < until:
            if ledger.halt[0]:
                return
            if not run.stepwise:
                skip_batch(rules, state, run, until - ledger.played[0])
                if ledger.played[0] == until:
                    break
            left, right = ask(rules, state, run.rng)
            if left != right:
                tell(rules, state, left, right, toss(run, left, right))
                book(world, ledger, left, right, 1)
            else:
                tell(rules, state, left, right, TIE)
                book(world, ledger, left, right, 1)
                if not run.stepwise:
                    book(world, ledger, left, right, skip_idle(rules, state, until - ledger.played[0]))
        close(world, ledger, mark, best(rules, state))
