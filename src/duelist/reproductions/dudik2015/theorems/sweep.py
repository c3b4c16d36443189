"""Sparring on contexts with a cycle: what is played to see how regret and error fall."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, Piece, Results, Scale
from duelist.learners.contextual import SparringEXP4P, SparringFPL, SparringPGD
from duelist.learners.contextual import sparring_fpl as fpl
from duelist.learners.contextual import sparring_pgd as pgd
from duelist.learners.contextual.exploration import estimation_error, explore_rounds
from duelist.learners.contextual.game import CompactGame
from duelist.learners.contextual.oracles.protocol import CountedOracle
from duelist.logs import DuelLog
from duelist.reproductions.dudik2015.theorems.world import gain_over, policies, problem
from duelist.simulation.contextual_runs import simulate_contextual
from duelist.types import FloatArray
from duelist.winners import condorcet

PGD_CALLS = 200
"""Enough to solve the game of any log here to within a thousandth; FPL is given as many calls as duels."""

LEAST = 8
"""The fewest calls with which the price of accuracy is asked for; each next number is twice the last."""

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
    """By learner: how often the fewest calls are doubled."""
    accuracies: tuple[float, ...]


SWEEPS = {
    Scale.QUICK: Sweep(
        sparring=((100_000, 4), (300_000, 2)),
        exploring={
            "SparringFPL": ((2_000, 4), (6_000, 4)),
            "SparringPGD": ((2_000, 8), (6_000, 8), (20_000, 8)),
        },
        logged=1_000,
        logs=3,
        doublings={"SparringFPL": 5, "SparringPGD": 3},
        accuracies=(0.2, 0.1),
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
        logged=2_000,
        logs=20,
        doublings={"SparringFPL": 8, "SparringPGD": 4},
        accuracies=(0.2, 0.1, 0.05, 0.025),
    ),
}

SECONDS = {"SparringEXP4P": 9e-7, "SparringFPL": 8e-8, "SparringPGD": 1.4e-7}
"""About how long a round of one policy class takes, and a call of an oracle for each logged duel."""

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
    learner = SparringEXP4P(policies(), horizon)
    result = simulate_contextual(
        learner, problem(), policies(), horizon, runs, first, checkpoints=[horizon], workers=1, progress=False
    )
    played = result["SparringEXP4P"]
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
        chances, gap, asked, said = learn(learner, log, calls, run)
        played = share * uniform + (1.0 - share) * chances
        found.append((gain_over(chances), gain_over(played), gap, asked, said))
    error, regret, gaps, counted, told = np.array(found).T
    return {
        "duels": np.array(duels),
        "error": error,
        "regret": regret,
        "gap": gaps,
        "counted": counted,
        "told": told,
        "misled": np.array(estimation_error(duels, problem().k, len(policies()))),
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
    """Solve the games of logs with more and more calls, and ask theory how many it would take."""
    shape = (runs, len(calls))
    gaps, errors, counted, told = (np.empty(shape) for _ in range(4))
    promised = np.empty((runs, len(accuracies)))
    for place in range(runs):
        log = problem().log(duels, np.random.default_rng((duels, first + place)))
        for column, most in enumerate(calls):
            chances, gap, asked, said = learn(learner, log, most, first + place)
            gaps[place, column], errors[place, column] = gap, gain_over(chances)
            counted[place, column], told[place, column] = asked, said
        promised[place] = [promised_calls(learner, log, accuracy) for accuracy in accuracies]
    return {"gap": gaps, "error": errors, "counted": counted, "told": told, "promised": promised}


def learn(learner: str, log: DuelLog, calls: int, seed: int) -> tuple[FloatArray, float, int, int]:
    """Return what is learned from a log, its gap there, and the oracle's calls as counted and as told."""
    oracle = CountedOracle(policies().oracle())
    if learner == "SparringFPL":
        winner = SparringFPL(oracle, calls, workers=1).fit(log, seed, progress=False)
    else:
        winner = SparringPGD(oracle, calls).fit(log, seed, progress=False)
    contexts = np.arange(problem().contexts, dtype=np.float64)[:, np.newaxis]
    return winner.chances(contexts), winner.made["gap"], oracle.calls, winner.made["calls"]


def promised_calls(learner: str, log: DuelLog, accuracy: float) -> int:
    """Return after how many calls theory promises a gap on a log."""
    game = CompactGame(log)
    oracle = policies().oracle()
    if learner == "SparringFPL":
        return fpl.promised_calls(len(log), game.reach(oracle, 1), accuracy)
    return pgd.promised_calls(game.reach(oracle, 2), accuracy)


def plan(results: Results) -> list[Piece]:
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
    return pieces


def chunks(name: str, work: Any, setting: dict[str, Any], runs: int, seconds: float) -> Iterator[Piece]:
    """Yield pieces of a few seconds that do so many runs together."""
    many = max(1, min(runs, int(WHOLE / seconds)))
    what = f"horizon={setting['horizon']}" if "horizon" in setting else f"duels={setting['duels']}"
    for first in range(0, runs, many):
        part = min(many, runs - first)
        setting = setting | {"first": first, "runs": part}
        yield Piece(f"{name}-{what}-first={first}", work, setting, cost=seconds * part)
