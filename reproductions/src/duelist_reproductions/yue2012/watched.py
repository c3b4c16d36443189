"""Interleaved Filter with counters of the rounds and matches until one arm remains.

A *match* is all duels of two arms in one round, a *round* all matches of one incumbent (section 4). The
learner's own kernels play; the additional state only counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import IntArray
from duelist.kernels import loop
from duelist.kernels.arms import REGRET, ArmMenu, arm_menu
from duelist.kernels.compile import compiled
from duelist.kernels.duels import DuelBuffer, arm_buffer
from duelist.kernels.loop import Ledger, Run
from duelist.laboratory.work import Arrays
from duelist.learners.armed import interleaved_filter as filters
from duelist.learners.armed.base import number
from duelist.learners.armed.interleaved_filter import InterleavedFilter, Rules, State
from duelist.metrics import target
from duelist.problems import MatrixProblem
from duelist.simulation.runs import generators
from duelist.simulation.settings import ArmSetting


class Watched(NamedTuple):
    """A state of Interleaved Filter with counters, each an array of length one."""

    state: State
    incumbent: IntArray  # at the last count
    rounds: IntArray
    matches: IntArray


def watch(state: State) -> Watched:
    """Return the first state, in its first round: the incumbent has a match with every other arm."""
    return Watched(state, state.incumbent.copy(), number(1), state.size.copy())


@compiled
def count(watched: Watched) -> None:
    """If the incumbent has changed, count a round, and a match with every remaining arm."""
    state = watched.state
    if state.incumbent[0] != watched.incumbent[0]:
        watched.incumbent[0] = state.incumbent[0]
        watched.rounds[0] += 1
        watched.matches[0] += state.size[0]


@compiled
def ask(rules: Rules, watched: Watched, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    filters.ask(rules, watched.state, menu, duel, rng)


@compiled
def tell(rules: Rules, watched: Watched, duel: DuelBuffer, outcome: float) -> None:
    """Tell the learner, and update the counts."""
    filters.tell(rules, watched.state, duel, outcome)
    count(watched)


@compiled
def best(rules: Rules, watched: Watched, menu: ArmMenu, answer: IntArray) -> None:
    filters.best(rules, watched.state, menu, answer)


@compiled
def skip_idle(rules: Rules, watched: Watched, run: Run, limit: int) -> None:
    filters.skip_idle(rules, watched.state, run, limit)


@compiled
def skip_batch(rules: Rules, watched: Watched, run: Run, limit: int) -> None:
    """Skip a batch of rounds, at most to the next incumbent, and update the counts."""
    filters.skip_batch(rules, watched.state, run, limit)
    count(watched)


@compiled
def play(rules: Rules, watched: Watched, run: Run) -> None:
    loop.play(ask, tell, best, skip_idle, skip_batch, rules, watched, run)


def new_run(setting: ArmSetting, index: int) -> Run:
    """Return a run with the random stream that `simulate` gives to the run of this number."""
    ledger, (rng, world_rng) = setting.ledger(np.zeros(1, np.bool_)), generators(setting.seed, index)
    menu = arm_menu(setting.problem.menu())
    return Run(setting.world, ledger, menu, arm_buffer(), rng, world_rng, setting.stepwise)


def play_watched(
    learner: InterleavedFilter, problem: MatrixProblem, checkpoints: Sequence[int], runs: range, seed: int
) -> Arrays:
    """Play runs to the last checkpoint, with the random streams that `simulate` gives to these runs.

    Return strong regret, one row per run and one column per checkpoint; and for each run the final winner,
    the counts, and the number of rivals that the incumbent still has.
    """
    setting = ArmSetting(problem, target(problem.matrix), np.array(checkpoints, np.int64), seed)
    ends: list[tuple[Watched, Ledger]] = []
    for index in runs:
        run = new_run(setting, index)
        watched = watch(learner.init(problem.menu(), run.rng))
        play(learner.rules(problem.k), watched, run)
        ends.append((watched, run.ledger))
    return {
        "regret": np.array([ledger.measures[REGRET] for _, ledger in ends]),
        "best": np.array([ledger.answer[0] for _, ledger in ends]),
        "duels": np.array([ledger.counts[0] for _, ledger in ends]),
        "rounds": np.array([watched.rounds[0] for watched, _ in ends]),
        "matches": np.array([watched.matches[0] for watched, _ in ends]),
        "remaining": np.array([watched.state.size[0] for watched, _ in ends]),
    }
