"""Sparring on contexts with a cycle: the runs that measure how regret and error fall."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from duelist.estimators.exploration import estimation_error, explore_rounds
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Work, chunks, grid, settings
from duelist.learners.contextual import SparringEXP4P
from duelist.logs import DuelLog
from duelist.simulation import simulate
from duelist.winners import condorcet
from duelist_reproductions.dudik2015 import theorems_world as world
from duelist_reproductions.dudik2015.theorems_world import gain_over, policies, problem

PGD_CALLS = 200
"""Calls that solve the games of nearly all logs to within 0.001; FPL gets as many as there are duels."""
LEAST = 2
"""The fewest calls that a learner accepts; they are doubled from there to measure the cost of accuracy."""
SETTINGS = settings(
    # horizons of EXP4.P, and the number of runs of each
    sparring=(
        {100_000: 4, 300_000: 2},
        {10_000: 40, 30_000: 40, 100_000: 40, 300_000: 40, 1_000_000: 20, 3_000_000: 10, 10_000_000: 10},
    ),
    # by learner from logs: horizons whose first rounds explore uniformly, and the number of runs of each
    exploring=(
        {
            "SparringFPL": {2_000: 4, 6_000: 4},
            "SparringPGD": {2_000: 8, 6_000: 8, 20_000: 8, 60_000: 4},
        },
        {
            "SparringFPL": {2_000: 96, 6_000: 96, 20_000: 64, 60_000: 32, 200_000: 12},
            "SparringPGD": {2_000: 96, 6_000: 96, 20_000: 96, 60_000: 64, 200_000: 48, 600_000: 32},
        },
    ),
    # number of logs that measure the cost of accuracy, and duels in each
    logs=(3, 10),
    logged=(1_000, 1_000),
    # by learner: number of doublings of the fewest calls, enough to detect too high a cost
    doublings=({"SparringFPL": 8, "SparringPGD": 7}, {"SparringFPL": 13, "SparringPGD": 11}),
    # gaps on the log, all below that of random play
    accuracies=((0.1, 0.05), (0.1, 0.05, 0.025, 0.0125)),
    # by learner: duels of logs short enough for the theoretical step and calls, and the number of logs
    promised=(
        {"SparringFPL": (10, 1), "SparringPGD": (50, 1)},
        {"SparringFPL": (20, 6), "SparringPGD": (2_000, 12)},
    ),
)
SECONDS = {"SparringEXP4P": 9e-7, "SparringFPL": 8e-8, "SparringPGD": 1.4e-7}
"""Approximate seconds per round of one policy class, and per oracle call and logged duel."""
KEEPING = {"SparringFPL": 6.0, "SparringPGD": 2.0}
"""Approximate seconds to solve the game of one log with the theoretical step and calls."""
WHOLE = 12.0
"""Seconds of work per piece."""


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces."""
    setting = SETTINGS[results.scale]
    pieces = [Piece("problem", describe, cost=0.1)]
    for horizon, runs in setting.sparring.items():
        one = {"learner": "SparringEXP4P", "horizon": horizon}
        pieces += cut(spar, f"horizon={horizon}", one, runs, SECONDS["SparringEXP4P"] * horizon)
    for learner, horizons in setting.exploring.items():
        for horizon, runs in horizons.items():
            duels = explore_rounds(horizon, problem().k, len(policies()))
            calls = duels if learner == "SparringFPL" else PGD_CALLS
            one = {"learner": learner, "horizon": horizon, "calls": calls}
            pieces += cut(explore, f"horizon={horizon}", one, runs, SECONDS[learner] * duels * calls)
    for learner, doublings in setting.doublings.items():
        numbers = [LEAST * 2**doubling for doubling in range(doublings + 1)]
        one = {"learner": learner, "duels": setting.logged, "calls": numbers}
        pieces += cut(price, "price", one, setting.logs, SECONDS[learner] * setting.logged * sum(numbers))
    for learner, (duels, logs) in setting.promised.items():
        pieces += cut(keep, "promise", {"learner": learner, "duels": duels}, logs, KEEPING[learner])
    return pieces


def cut(work: Work, name: str, setting: dict[str, Any], runs: int, seconds: float) -> list[Piece]:
    """Return pieces of a few seconds each, given the duration of one run."""
    together = max(1, min(runs, int(WHOLE / seconds)))
    over = {("first", "runs"): chunks(runs, together)}
    return grid(work, over, setting, name=f"{setting['learner']}-{name}", cost=seconds * together)


def describe(sources: Sources) -> Arrays:
    """Return properties of the problem that need no runs."""
    preferences = problem().policy_preferences(policies().actions)
    uniform = np.full((problem().contexts, problem().k), 1.0 / problem().k)
    return {
        "condorcet": np.array(condorcet(preferences) is not None),
        "alone": np.array(-(2.0 * preferences - 1.0).min(axis=1).max()),
        "uniform": np.array(gain_over(uniform)),
        "policies": np.array(len(policies())),
    }


def spar(sources: Sources, *, learner: str, horizon: int, first: int, runs: int) -> Arrays:
    """Play two copies of EXP4.P to their horizon; the first run's number is the seed."""
    players = {learner: SparringEXP4P(policies(), horizon)}
    result = simulate(
        players,
        problem(),
        horizon,
        runs,
        first,
        checkpoints=[horizon],
        workers=1,
        progress=False,
        against=policies(),
    )
    played = result[learner]
    arrays = {"regret": played.regret[:, -1], "error": played.error[:, -1], "gap": np.zeros(runs)}
    return {**arrays, "duels": np.array(horizon), "bound": result.bounds["sparring"][-1]}


def explore(sources: Sources, *, learner: str, horizon: int, calls: int, first: int, runs: int) -> Arrays:
    """Explore uniformly for a part of the horizon, then follow the learned policy.

    Its regret is an exact expectation: a policy with fixed chances needs no simulation.
    """
    k, duels = problem().k, explore_rounds(horizon, problem().k, len(policies()))
    share, rows = duels / horizon, []
    for run, log in draw_logs(duels, horizon, first, runs):
        chances, worth = world.learn(learner, log, calls, run)
        rows.append({**worth, "regret": gain_over(share / k + (1.0 - share) * chances)})
    bound = estimation_error(duels, k, len(policies()))
    return {**columns(rows), "duels": np.array(duels), "bound": np.array(bound)}


def price(sources: Sources, *, learner: str, duels: int, calls: list[int], first: int, runs: int) -> Arrays:
    """Solve the games of logs with increasing numbers of calls: one row per log, one column per number."""
    logs = draw_logs(duels, duels, first, runs)
    rows = [columns([world.learn(learner, log, most, run)[1] for most in calls]) for run, log in logs]
    return columns(rows)


def keep(sources: Sources, *, learner: str, duels: int, first: int, runs: int) -> Arrays:
    """Solve the games of logs with the theoretical step and calls, to within half the loss of random play."""
    rows = []
    for run, log in draw_logs(duels, duels, first, runs):
        promised = world.gap_on(log, np.full((problem().contexts, problem().k), 1.0 / problem().k)) / 2.0
        calls, eta = world.theory(learner, log, promised)
        rows.append({**world.learn(learner, log, calls, run, eta)[1], "promised": promised, "calls": calls})
    return columns(rows)


def draw_logs(duels: int, key: int, first: int, runs: int) -> Iterator[tuple[int, DuelLog]]:
    """Yield the runs' numbers and logs, each with a separate random stream."""
    for run in range(first, first + runs):
        yield run, problem().log(duels, np.random.default_rng((key, run)))


def columns(rows: Sequence[Mapping[str, Any]]) -> Arrays:
    """Turn rows with the same fields into arrays by name."""
    return {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}
