"""How precise the ratings of all arms are after the same number of votes, by who chose the pairs."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng
from scipy.stats import kendalltau

from benchmarks.table import Table, mean_and_error
from duelist import Arms, Auto, Uniform, WidestInterval, ratings
from duelist.duel import FloatArray
from duelist.kernels.arms import ArmWorld, arm_menu, open_arm_ledger
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Run
from duelist.problems import bradley_terry

K, VOTES, RUNS = 10, (200, 500, 2_000), 400
SPREADS = (0.5, 1.0, 2.0)
"""Standard deviations of the arms' strengths, in log-odds: close arms, and arms far apart."""

RIDGE = 0.5
"""Draws ratings towards each other, which keeps those of arms that won all their votes finite."""

LEARNERS: tuple[Any, ...] = (Uniform(), Auto(), WidestInterval())


class Precision(NamedTuple):
    """What the leaderboard of one run is worth."""

    widest: float  # the longest of the intervals around ratings, in log-odds
    error: float  # the mean distance of ratings from the truth
    order: float  # Kendall's tau of the order and the true one
    covered: float  # the share of intervals that hold the truth: 0.95 is promised


def tables(runs: int) -> list[Table]:
    return [
        Table(
            f"A leaderboard of {K} arms, {runs} runs: mean ± standard error",
            ("spread", "votes", "learner", "widest interval", "mean error", "Kendall's tau", "covered"),
            rows(runs),
        )
    ]


def rows(runs: int) -> Iterator[tuple[str, ...]]:
    for spread in SPREADS:
        for votes in VOTES:
            for learner in LEARNERS:
                widest, error, order, covered = measured(learner, spread, votes, runs).T
                yield (
                    f"{spread:g}",
                    f"{votes:,}",
                    type(learner).__name__,
                    mean_and_error(widest, digits=2),
                    mean_and_error(error, digits=3),
                    mean_and_error(order, digits=3),
                    f"{covered.mean():.1%}",
                )


def measured(learner: Any, spread: float, votes: int, runs: int) -> FloatArray:
    """Return a row for each run: what its leaderboard is worth."""
    return np.array([leaderboard(learner, spread, votes, run) for run in range(runs)])


def leaderboard(learner: Any, spread: float, votes: int, seed: int) -> Precision:
    """Let a learner choose the pairs, among arms whose strengths are drawn at random."""
    strength = default_rng([seed, 0]).normal(0.0, spread, K)
    strength -= strength.mean()
    rating = ratings.fit_bradley_terry(wins_after(learner, strength, votes, seed), ridge=RIDGE)
    covered = (rating.low <= strength) & (strength <= rating.high)
    return Precision(
        float((rating.high - rating.low).max()),
        float(np.abs(rating.rating - strength).mean()),
        float(kendalltau(rating.rating, strength).statistic),
        float(covered.mean()),
    )


def wins_after(learner: Any, strength: FloatArray, votes: int, seed: int) -> FloatArray:
    """Return how often each arm beat each other one, in a run without self-duels."""
    world = ArmWorld(bradley_terry(np.exp(strength)).matrix, np.zeros((1, K)))
    ledger = open_arm_ledger(np.array([votes]), K, np.zeros(1, np.bool_))
    menu, rng = Arms(K, self_duels=False), default_rng([seed, 1])
    state = learner.init(menu, rng)
    run = Run(world, ledger, arm_menu(menu), arm_buffer(), rng, default_rng([seed, 2]), stepwise=True)
    learner.kernels.play(learner.rules_for(state), state, run)
    wins: FloatArray = state.wins
    return wins
