"""The runs: both filters from equal starts, on the worst case and a random case; walks and matches."""

from collections.abc import Callable, Iterable
from math import log

import numpy as np
from numpy.random import Generator, default_rng

from duelist.bounds import asymptotic_lower_bound
from duelist.duel import IntArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, chunks, grid, settings
from duelist.learners.armed import InterleavedFilter1, InterleavedFilter2
from duelist.metrics import target
from duelist.problems import MatrixProblem, random_bradley_terry, worst_case
from duelist_reproductions.single_match import match_chances
from duelist_reproductions.yue2012.expectations import expect, radius_at_one
from duelist_reproductions.yue2012.watched import play_watched

HORIZON = 10**7
"""The paper's T; it sets the confidence, 1 / (T K^2), but does not end exploration."""
END = 10**12
"""A horizon after the end of exploration, when a learner that found the best arm has no more regret."""
EPSILON = 0.1
GAME = {"horizon": HORIZON, "epsilon": EPSILON}
FILTERS = {"if1": InterleavedFilter1, "if2": InterleavedFilter2}
CASES: dict[str, Callable[[int, float], MatrixProblem]] = {
    "worst": worst_case,
    "random": lambda k, epsilon: random_bradley_terry(k, epsilon, rng=k),
}
"""Instances: that of the lower bound, and a Bradley-Terry instance, the same for all runs with K arms."""
SYNTHETIC = settings(sizes=((8, 16, 32, 64, 128), tuple(range(100, 501, 50))), runs=(60, 500))
THEORY = settings(
    sizes=((8, 16, 32, 64), (16, 32, 64, 128, 256)),
    runs=(100, 400),
    # the fewer the arms, the more a single match is among all of them, and many runs are soon played
    few=(4, 8),
    few_runs=(600, 4_000),
    # with how many arms a match is followed exactly, which takes a good part of a second each
    exact=((16,), (8, 16, 32, 64, 128, 256)),
    walks=(10_000, 100_000),
    single_matches=(2_000, 10_000),
)


def plan_synthetic(results: ItemResults, case: str) -> list[Piece]:
    """Return the pieces of Figure 1 or 2."""
    setting = SYNTHETIC[results.scale]
    return play_sizes(case, setting.sizes, setting.runs, together=250)


def plan_theory(results: ItemResults) -> list[Piece]:
    """Return walks, single matches, and both filters on the worst case, whose rounds are such walks."""
    setting = THEORY[results.scale]
    walks = {"sizes": list(setting.sizes), "walks": setting.walks}
    single = {"runs": setting.single_matches, **GAME}
    return [
        Piece("walks", walk, walks, cost=1_000.0),
        Piece("single-matches", play_single_matches, single, cost=20_000.0),
        Piece("expectations", expect, {"sizes": list(setting.exact), **GAME}, cost=50_000.0),
        *play_sizes("worst", [setting.few], setting.few_runs, together=2_000),
        *play_sizes("worst", setting.sizes, setting.runs, together=200),
    ]


def play_sizes(case: str, sizes: Iterable[int], runs: int, together: int) -> list[Piece]:
    """Return pieces of a few runs for each number of arms."""
    over = {"k": sizes, ("first", "runs"): chunks(runs, together)}
    return grid(play_case, over, {"case": case, **GAME}, cost=lambda one: float(one.k * one.runs))


def play_case(
    sources: Sources, *, case: str, k: int, first: int, runs: int, horizon: int, epsilon: float
) -> Arrays:
    """Play some runs on an instance."""
    return play_both(CASES[case](k, epsilon), horizon, range(first, first + runs), seed=k)


def play_both(problem: MatrixProblem, horizon: int, runs: range, seed: int) -> Arrays:
    """Play both filters from equal starts: the same first incumbent and the same order of the others.

    Return the results of `play_watched`, at the horizon and at the end of exploration, prefixed with the
    filter's name; the winner, because one arm must beat all others; and the asymptotic lower bound on regret
    at the horizon.
    """
    found = {
        f"{name}_{what}": values
        for name, kind in FILTERS.items()
        for what, values in play_watched(kind(horizon), problem, (horizon, END), runs, seed).items()
    }
    bound = asymptotic_lower_bound(problem.matrix) * log(horizon)
    winner = target(problem.matrix, "condorcet").winners
    return {**found, "winner": np.array(winner), "lower_bound": np.array([bound])}


def play_single_matches(sources: Sources, *, runs: int, horizon: int, epsilon: float) -> Arrays:
    """Play both filters with two arms, whose exploration is a single match; return its exact chances too."""
    played = play_both(worst_case(2, epsilon), horizon, range(runs), seed=2)
    return {**played, "decided": match_chances(radius_at_one(2, horizon), 0.5 + epsilon)}


def walk(sources: Sources, *, sizes: list[int], walks: int) -> Arrays:
    """Play walks on each number of nodes; count the walks of each length, one row per size."""
    most = max(sizes) + 1
    lengths = [walk_lengths(k, walks, default_rng(k)) for k in sizes]
    return {"lengths": np.array([np.bincount(one, minlength=most) for one in lengths])}


def walk_lengths(k: int, walks: int, rng: Generator) -> IntArray:
    """Return the number of nodes that walks visit from the last of k nodes to the first (Definition 1)."""
    node = np.full(walks, k)
    length = np.ones(walks, np.int64)
    while (moving := node > 1).any():
        node[moving] = rng.integers(1, node[moving])  # uniform on the nodes before it
        length += moving
    return length
