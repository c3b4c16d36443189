"""The default learner beside its rivals: regret on matrices of the literature, RMED's slope, and speed."""

from collections.abc import Iterator, Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import available
from benchmarks.table import Table, mean_and_error, seconds
from duelist import (
    RMED1,
    RMED2FH,
    RUCB,
    Auto,
    DoubleThompsonSampling,
    MatrixProblem,
    TopTwoBradleyTerry,
    simulate,
)
from duelist.bounds import asymptotic_lower_bound
from duelist.checks.environments import interpreted
from duelist.laboratory import Sources
from duelist.problems import random_bradley_terry
from duelist.protocols import Learner

RUNS, HORIZON, FAR_HORIZON = 100, 10**6, 10**7
SLOW_ROUNDS = 20_000


class Public(NamedTuple):
    """The least regret at 10^6 rounds of any public C++ program, measured on the same matrix."""

    regret: int
    learner: str


MATRICES = {
    "arxiv6": Public(190, "Double Thompson"),
    "mslr_informational5_condorcet": Public(100, "Double Thompson"),
    "bvsc20": Public(457, "RMED2FH"),
    "np2004_64": Public(10_069, "RMED1"),
}

STEEP = ("cyclic4", "arxiv6")
"""Matrices on which the growth of regret is measured."""

PUBLIC_SPEEDS = {
    ("DoubleThompsonSampling", 16): 29_626,
    ("DoubleThompsonSampling", 64): 2_416,
    ("RMED1", 16): 287_687,
    ("RMED1", 64): 22_110,
    ("RUCB", 16): 279_817,
    ("RUCB", 64): 17_194,
}
"""Rounds a second of public C++ programs, by learner and number of arms."""


def tables(sources: Sources, runs: int) -> list[Table]:
    rivals = (Auto(), RUCB(), DoubleThompsonSampling(), RMED1(), RMED2FH(horizon=HORIZON))
    names = [type(learner).__name__ for learner in rivals]
    return [
        Table(
            f"Regret of the default learner at 10^6 rounds, {runs} runs: mean ± standard error",
            ("matrix", *names, "best public C++", "lower bound times ln T"),
            regrets(rivals, sources, runs),
        ),
        Table(
            f"Growth of regret from 10^6 to 10^7 rounds over ln 10, {runs} runs: mean ± standard error",
            ("matrix", "RMED2FH", "RMED1", "lower bound", "RMED2FH over the bound"),
            slopes(sources, runs),
        ),
        Table(
            "Rounds a second, random Bradley-Terry, 10^6 rounds, one core",
            (
                "learner",
                "K",
                "duelist",
                "rounds of two different arms",
                "baseline",
                "the baseline is",
                "ratio",
                "public C++",
            ),
            speeds(),
        ),
    ]


def regrets(rivals: Sequence[Learner[Any]], sources: Sources, runs: int) -> Iterator[tuple[str, ...]]:
    for name, file in available(sources, "preferences", [*MATRICES]):
        problem = MatrixProblem.from_csv(file)
        found = simulate(rivals, problem, HORIZON, runs, checkpoints=[HORIZON])
        public = MATRICES[name]
        yield (
            name,
            *(mean_and_error(one.regret[:, -1]) for one in found.values()),
            f"{public.regret:,} ({public.learner})",
            f"{asymptotic_lower_bound(problem.matrix) * log(HORIZON):,.0f}",
        )


def slopes(sources: Sources, runs: int) -> Iterator[tuple[str, ...]]:
    learners = (RMED2FH(horizon=FAR_HORIZON), RMED1())
    for name, file in available(sources, "preferences", STEEP):
        problem = MatrixProblem.from_csv(file)
        found = simulate(learners, problem, FAR_HORIZON, runs, checkpoints=[HORIZON, FAR_HORIZON])
        ours, other = (np.diff(one.regret)[:, 0] / log(FAR_HORIZON / HORIZON) for one in found.values())
        bound = asymptotic_lower_bound(problem.matrix)
        yield (
            name,
            mean_and_error(ours, digits=2),
            mean_and_error(other, digits=2),
            f"{bound:.2f}",
            f"{ours.mean() / bound:.2f}",
        )


def speeds() -> Iterator[tuple[str, ...]]:
    jumping: list[Learner[Any]] = [RUCB(), DoubleThompsonSampling(), RMED1()]
    walking: list[Learner[Any]] = [TopTwoBradleyTerry(), Auto()]
    for k in (16, 64):
        for learner in jumping:
            yield speed(learner, k, runs=40, jumps=True)
        for learner in walking:
            yield speed(learner, k, runs=3, jumps=False)


def speed(learner: Learner[Any], k: int, runs: int, jumps: bool) -> tuple[str, ...]:
    """Return the speed of a learner beside its own without jumps or, where it makes none, from Python."""
    name, problem = type(learner).__name__, random_bradley_terry(k)

    def play(one: Any, rounds: int, times: int, stepwise: bool = False) -> int:
        found = simulate(
            {name: one},
            problem,
            rounds,
            times,
            checkpoints=[rounds],
            workers=1,
            progress=False,
            stepwise=stepwise,
        )
        return int(found[name].informative.sum())

    slow = learner if jumps else interpreted(learner)
    slow_rounds = HORIZON if jumps else SLOW_ROUNDS
    against = "every round singly, compiled" if jumps else "the same kernels, called from Python"
    play(learner, 10, 1)
    play(slow, 10, 1, stepwise=jumps)
    informative: list[int] = []
    ours = runs * HORIZON / seconds(lambda: informative.append(play(learner, HORIZON, runs)))
    theirs = slow_rounds / seconds(lambda: play(slow, slow_rounds, 1, stepwise=jumps))
    public = PUBLIC_SPEEDS.get((name, k))
    return (
        name,
        f"{k}",
        f"{ours:,.0f} /s",
        f"{informative[0] / (runs * HORIZON):.1%}",
        f"{theirs:,.0f} /s",
        against,
        f"{ours / theirs:,.1f}",
        f"{public:,} /s" if public else "",
    )
