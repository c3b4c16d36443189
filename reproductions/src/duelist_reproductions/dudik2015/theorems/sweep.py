"""Sparring on contexts with a cycle: what is played to see how regret and error fall."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from duelist.estimators.exploration import estimation_error, explore_rounds
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale
from duelist.learners.contextual import SparringEXP4P
from duelist.simulation.contexts import simulate_contextual
from duelist.winners import condorcet
from duelist_reproductions.dudik2015.theorems.learning import learn, theory
from duelist_reproductions.dudik2015.theorems.world import gain_over, gap_on, policies, problem

PGD_CALLS = 200
"""Enough to solve the games of nearly all logs to within a thousandth; FPL is given as many as duels."""

LEAST = 2
"""The fewest calls that a learner takes: from there on they are doubled to see what accuracy costs."""

Runs: TypeAlias = tuple[tuple[int, int], ...]
"""Horizons, and how many runs of each."""


@dataclass(frozen=True)
class Sweep:
    """What is played at one scale."""

    sparring: Runs
    """Horizons for which EXP4.P is set and played."""
    exploring: dict[str, Runs]
    """By learner from logs: horizons whose first rounds are explored uniformly."""
    logged: int
    """Duels of the logs on which the price of accuracy is measured."""
    logs: int
    doublings: dict[str, int]
    """By learner: how often the fewest calls are doubled; far enough that too high a price would be seen."""
    accuracies: tuple[float, ...]
    """Gaps on the log, all below what playing at random leaves."""
    promised: dict[str, tuple[int, int]]
    """By learner: duels of logs that are short enough to be solved as theory says, and how many logs."""


SWEEPS = {
    Scale.QUICK: Sweep(
        sparring=((100_000, 4), (300_000, 2)),
        exploring={
            "SparringFPL": ((2_000, 4), (6_000, 4)),
            "SparringPGD": ((2_000, 8), (6_000, 8), (20_000, 8), (60_000, 4)),
        },
        logged=1_000,
        logs=3,
        doublings={"SparringFPL": 8, "SparringPGD": 7},
        accuracies=(0.1, 0.05),
        promised={"SparringFPL": (10, 1), "SparringPGD": (50, 1)},
    ),
    Scale.PAPER: Sweep(
        sparring=(
            (10_000, 40),
            (30_000, 40),
            (100_000, 40),
            (300_000, 40),
            (1_000_000, 20),
            (3_000_000, 10),
            (10_000_000, 10),
        ),
        exploring={
            "SparringFPL": ((2_000, 96), (6_000, 96), (20_000, 64), (60_000, 32), (200_000, 12)),
            "SparringPGD": (
                (2_000, 96),
                (6_000, 96),
                (20_000, 96),
                (60_000, 64),
                (200_000, 48),
                (600_000, 32),
            ),
        },
        logged=1_000,
        logs=10,
        doublings={"SparringFPL": 13, "SparringPGD": 11},
        accuracies=(0.1, 0.05, 0.025, 0.0125),
        promised={"SparringFPL": (20, 6), "SparringPGD": (2_000, 12)},
    ),
}

SECONDS = {"SparringEXP4P": 9e-7, "SparringFPL": 8e-8, "SparringPGD": 1.4e-7}
"""About how long a round of one policy class takes, and a call of an oracle for each logged duel."""

KEEPING = {"SparringFPL": 6.0, "SparringPGD": 2.0}
"""About how many seconds it takes to solve the game of one log as theory says."""

WHOLE = 12.0
"""Seconds of work that are put into one piece."""


def describe(sources: Sources) -> Arrays:
    """Return what can be said of the problem without playing it."""
    margins = 2.0 * problem().policy_preferences(policies().actions) - 1.0
    k, contexts = problem().k, problem().contexts
    return {
        "condorcet": np.array(condorcet(problem().policy_preferences(policies().actions)) is not None),
        "alone": np.array(-margins.min(axis=1).max()),
        "uniform": np.array(gain_over(np.full((contexts, k), 1.0 / k))),
        "actions": np.array(k),
        "policies": np.array(len(policies())),
    }


def spar(sources: Sources, *, horizon: int, first: int, runs: int) -> Arrays:
    """Play two copies of EXP4.P, set for a horizon, to its end; the first run's number is the seed of all."""
    learner = {"EXP4.P": SparringEXP4P(policies(), horizon)}
    result = simulate_contextual(
        learner, problem(), policies(), horizon, runs, first, checkpoints=[horizon], workers=1, progress=False
    )
    played = result["EXP4.P"]
    return {"regret": played.regret[:, -1], "error": played.error[:, -1], "bound": result.bound[-1]}


def explore(sources: Sources, *, learner: str, horizon: int, calls: int, first: int, runs: int) -> Arrays:
    """Explore uniformly for a part of the horizon, then follow what was learned from that.

    Regret is the mean over the luck of what follows: who plays by fixed chances needs no simulation.
    """
    duels = explore_rounds(horizon, problem().k, len(policies()))
    share = duels / horizon
    uniform = 1.0 / problem().k
    found: list[tuple[float, ...]] = []
    for run in range(first, first + runs):
        log = problem().log(duels, np.random.default_rng((horizon, run)))
        one = learn(learner, log, calls, run)
        played = share * uniform + (1.0 - share) * one.chances
        found.append((gain_over(one.chances), gain_over(played), one.gap, one.over, one.untold))
    names = ("error", "regret", "gap", "over", "untold")
    misled = estimation_error(duels, problem().k, len(policies()))
    return dict(zip(names, np.array(found).T, strict=True)) | {
        "duels": np.array(duels),
        "misled": np.array(misled),
    }


def price(
    sources: Sources,
    *,
    learner: str,
    duels: int,
    calls: list[int],
    accuracies: list[float],
    first: int,
    runs: int,
) -> Arrays:
    """Solve the games of logs with more and more calls; accuracies say what is looked for in them."""
    found = []
    for run in range(first, first + runs):
        log = problem().log(duels, np.random.default_rng((duels, run)))
        learned = [learn(learner, log, most, run) for most in calls]
        found.append(
            [(one.gap, gain_over(one.chances), one.support, one.over, one.untold) for one in learned]
        )
    names = ("gap", "error", "support", "over", "untold")
    return dict(zip(names, np.moveaxis(np.array(found), 2, 0), strict=True))


def keep(sources: Sources, *, learner: str, duels: int, first: int, runs: int) -> Arrays:
    """Solve the games of logs as theory says, to within half of what playing at random loses on them."""
    found: list[tuple[float, ...]] = []
    uniform = np.full((problem().contexts, problem().k), 1.0 / problem().k)
    for run in range(first, first + runs):
        log = problem().log(duels, np.random.default_rng((duels, run)))
        promised = gap_on(log, uniform) / 2.0
        calls, eta = theory(learner, log, promised)
        one = learn(learner, log, calls, run, eta)
        found.append((promised, calls, one.gap, one.over, one.untold))
    return dict(zip(("promised", "calls", "gap", "over", "untold"), np.array(found).T, strict=True))


def plan(results: ItemResults) -> list[Piece]:
    """Return what is to be played."""
    sweep = SWEEPS[results.scale]
    pieces = [Piece("problem", describe, cost=0.1)]
    for horizon, runs in sweep.sparring:
        pieces += chunks(
            "SparringEXP4P", spar, {"horizon": horizon}, runs, SECONDS["SparringEXP4P"] * horizon
        )
    for learner, horizons in sweep.exploring.items():
        for horizon, runs in horizons:
            duels = explore_rounds(horizon, problem().k, len(policies()))
            calls = duels if learner == "SparringFPL" else PGD_CALLS
            setting = {"learner": learner, "horizon": horizon, "calls": calls}
            pieces += chunks(learner, explore, setting, runs, SECONDS[learner] * duels * calls)
    for learner, doublings in sweep.doublings.items():
        numbers = [LEAST * 2**doubling for doubling in range(doublings + 1)]
        setting = {"learner": learner, "duels": sweep.logged, "calls": numbers}
        setting |= {"accuracies": list(sweep.accuracies)}
        pieces += chunks(learner, price, setting, sweep.logs, SECONDS[learner] * sweep.logged * sum(numbers))
    for learner, (duels, logs) in sweep.promised.items():
        setting = {"learner": learner, "duels": duels}
        pieces += chunks(f"{learner}-promise", keep, setting, logs, KEEPING[learner])
    return pieces


def chunks(name: str, work: Any, setting: dict[str, Any], runs: int, seconds: float) -> Iterator[Piece]:
    """Yield pieces of a few seconds that do so many runs together."""
    many = max(1, min(runs, int(WHOLE / seconds)))
    what = f"horizon={setting['horizon']}" if "horizon" in setting else f"duels={setting['duels']}"
    for first in range(0, runs, many):
        part = min(many, runs - first)
        setting = setting | {"first": first, "runs": part}
        yield Piece(f"{name}-{what}-first={first}", work, setting, cost=seconds * part)
