"""How fast what published experiments need is computed, and how it spreads over workers."""

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Figure, seconds
from duelist import RUCB, MatrixProblem, simulate
from duelist.laboratory import Sources, made_up_preferences
from duelist.parallel import Executor, Processes, RayExecutor
from duelist.winners import von_neumann_many
from duelist_reproductions.dudik2015.subsets_sweep import RANKERS, SIZES, preferences, sample

EACH, SOLVED_EACH = 75, 3
"""Subsets of every size that are drawn, and that are solved one by one."""
RUNS, HORIZON = 1000, 4_500_000


def solve_subsets() -> None:
    """Find the von Neumann winner of whole subsets, without looking for what makes it easy."""
    matrix, rng = preferences(Sources(None)), default_rng(0)
    drawn = (rng.choice(RANKERS, k, replace=False) for k in SIZES for _ in range(SOLVED_EACH))
    von_neumann_many(matrix[np.ix_(arms, arms)] for arms in drawn)


def time_of(executor: Executor) -> float:
    problem = MatrixProblem(made_up_preferences(64))
    return seconds(lambda: simulate(RUCB(), problem, HORIZON, RUNS, executor=executor, progress=False))


def spread(name: str, one: Executor, two: Executor) -> Figure:
    alone, together = time_of(one), time_of(two)
    what = f"RUCB, 64 synthetic rankers, {RUNS:,} runs to {HORIZON / 1e6:g} million, {name}, two workers"
    return Figure(what, f"{together:.1f} s", f"{alone:.1f} s", "the same with one worker", alone / together)


def figures() -> list[Figure]:
    sample(Sources(None), luck=1, subsets=1)
    count, solved = len(SIZES) * EACH, len(SIZES) * SOLVED_EACH
    ours = seconds(lambda: sample(Sources(None), luck=0, subsets=EACH)) / count
    theirs = seconds(solve_subsets) / solved
    simulate(RUCB(), MatrixProblem(made_up_preferences(64)), 1_000, 1, progress=False)
    return [
        Figure(
            f"winners of random subsets of {RANKERS} synthetic rankers: subsets",
            f"{1.0 / ours:,.0f} /s",
            f"{1.0 / theirs:,.0f} /s",
            f"the game of all arms solved, {solved} of {count:,}",
            theirs / ours,
        ),
        spread("processes", Processes(1), Processes(2)),
        spread("Ray with start and end", RayExecutor(workers=1), RayExecutor(workers=2)),
    ]
