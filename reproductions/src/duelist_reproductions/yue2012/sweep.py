"""What is played: both filters from equal starts, on the worst case and a random one (Figures 1, 2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import numpy as np

from duelist.bounds import asymptotic_lower_bound
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale, Work
from duelist.learners.armed import InterleavedFilter1, InterleavedFilter2
from duelist.metrics import target
from duelist.problems import MatrixProblem, random_bradley_terry, worst_case
from duelist_reproductions.yue2012.watched import play_watched

HORIZON = 10**7
"""The paper's T; it sets the confidence, 1 / (T K^2), but does not end exploration."""
END = 10**12
"""By then exploration is over, and a learner that found the best arm has no more regret."""
EPSILON = 0.1
FILTERS = {"if1": InterleavedFilter1, "if2": InterleavedFilter2}


@dataclass(frozen=True)
class Synthetic:
    """How many arms, and how many runs of each; a piece of work has so many runs."""

    sizes: tuple[int, ...]
    runs: int
    together: int


SYNTHETIC = {
    Scale.QUICK: Synthetic(sizes=(8, 16, 32, 64, 128), runs=60, together=60),
    Scale.PAPER: Synthetic(sizes=tuple(range(100, 501, 50)), runs=500, together=250),
}


def play_both(problem: MatrixProblem, horizon: int, runs: range, seed: int) -> Arrays:
    """Play both filters from equal starts: the same first incumbent and the same order of the others.

    One arm must beat all others.

    Returns
    -------
    if1_regret, if2_regret : arrays of shape (runs, 2)
        At the horizon, and when exploration is over.
    if1_rounds, if2_rounds and so on : arrays of shape (runs,)
        As in `play_watched`.
    winner : array of one
        The arm that is right.
    lower_bound : array of one
        What regret at the horizon is asymptotically at least.
    """
    found = {
        f"{name}_{what}": values
        for name, kind in FILTERS.items()
        for what, values in play_watched(kind(horizon), problem, (horizon, END), runs, seed).items()
    }
    bound = asymptotic_lower_bound(problem.matrix) * log(horizon)
    winner = target(problem.matrix, "condorcet").winners
    return {**found, "winner": np.array(winner), "lower_bound": np.array([bound])}


def play_worst_case(
    sources: Sources, *, k: int, first: int, runs: int, horizon: int, epsilon: float
) -> Arrays:
    """Play some runs on the instance of the lower bound."""
    return play_both(worst_case(k, epsilon), horizon, range(first, first + runs), seed=k)


def play_random_case(
    sources: Sources, *, k: int, first: int, runs: int, horizon: int, epsilon: float
) -> Arrays:
    """Play some runs on a random Bradley-Terry instance, the same for all runs of as many arms."""
    return play_both(random_bradley_terry(k, epsilon, rng=k), horizon, range(first, first + runs), seed=k)


def pieces(work: Work, sizes: Iterable[int], runs: int, together: int) -> list[Piece]:
    """Return what is to be played with each number of arms, a few runs a piece."""
    return [
        Piece(
            name=f"k={k}-first={first}",
            work=work,
            setting={"k": k, "first": first, "runs": together, "horizon": HORIZON, "epsilon": EPSILON},
            cost=float(k * together),
        )
        for k in sizes
        for first in range(0, runs, together)
    ]


def plan_worst_case(results: ItemResults) -> list[Piece]:
    """Return the pieces of Figure 1."""
    played = SYNTHETIC[results.scale]
    return pieces(play_worst_case, played.sizes, played.runs, played.together)


def plan_random_case(results: ItemResults) -> list[Piece]:
    """Return the pieces of Figure 2."""
    played = SYNTHETIC[results.scale]
    return pieces(play_random_case, played.sizes, played.runs, played.together)
