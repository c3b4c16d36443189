"""What the paper proves about rounds and matches, as numbers, its random walk, and a match by itself."""

from math import log

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import FloatArray, IntArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale
from duelist_reproductions.single_match import match_chances
from duelist_reproductions.yue2012.expectations import expect, harmonic, radius_at_one
from duelist_reproductions.yue2012.sweep import EPSILON, HORIZON, Synthetic, pieces, play_worst_case

THEORY = {
    Scale.QUICK: Synthetic(sizes=(8, 16, 32, 64), runs=100, together=100),
    Scale.PAPER: Synthetic(sizes=(16, 32, 64, 128, 256), runs=400, together=200),
}
FEW_ARMS = {
    Scale.QUICK: Synthetic(sizes=(4,), runs=600, together=600),
    Scale.PAPER: Synthetic(sizes=(8,), runs=4_000, together=2_000),
}
"""The fewer the arms, the more a single match is among all of them, and many runs are soon played."""
EXACT = {Scale.QUICK: (16,), Scale.PAPER: (*FEW_ARMS[Scale.PAPER].sizes, *THEORY[Scale.PAPER].sizes)}
"""With how many arms a match is followed exactly, which takes a good part of a second each."""
WALKS = {Scale.QUICK: 10_000, Scale.PAPER: 100_000}
SINGLE_MATCHES = {Scale.QUICK: 2_000, Scale.PAPER: 10_000}


def walk_chances(k: int) -> FloatArray:
    """Return the chances that a walk from the last of k nodes visits 0, 1, 2, ... nodes (Lemma 5).

    A walk visits its first node for certain, and node i < k with chance 1/i, independently of all others.
    """
    chances = np.array([0.0, 1.0])
    for i in range(1, k):
        chances = np.convolve(chances, [1.0 - 1.0 / i, 1.0 / i])
    return chances


def first_filter_matches(k: int) -> float:
    """Return what the matches of IF1 are at most in expectation: K - 1 a round (Corollary 1)."""
    return (k - 1) * (1.0 + harmonic(k - 1))


def second_filter_matches(k: int) -> float:
    """Return what the matches of IF2 are at most in expectation (the last line of Lemma 9's proof)."""
    return 4.0 * (k - 1) - harmonic(k - 1)


def match_duels(k: int, horizon: int, epsilon: float) -> float:
    """Return the duels after which a match is decided but with chance K^-8 (Lemma 1's proof with m = 8)."""
    return 16.0 * log(horizon * k**2) / epsilon**2


MATCHES = {"if1": first_filter_matches, "if2": second_filter_matches}


def proven_regret(name: str, k: int, horizon: int, epsilon: float) -> float:
    """Return matches times duels of a match times what a duel costs at most, epsilon (Theorems 1 and 2)."""
    return MATCHES[name](k) * match_duels(k, horizon, epsilon) * epsilon


def walk_lengths(k: int, walks: int, rng: Generator) -> IntArray:
    """Return how many nodes walks visit from the last of k nodes to the first (Definition 1)."""
    node = np.full(walks, k)
    length = np.ones(walks, np.int64)
    while (moving := node > 1).any():
        node[moving] = rng.integers(1, node[moving])  # uniform on the nodes before it
        length += moving
    return length


def walk(sources: Sources, *, sizes: list[int], walks: int) -> Arrays:
    """Walk on as many nodes as each size; count how many walks had each length, a row per size."""
    most = max(sizes) + 1
    lengths = [walk_lengths(k, walks, default_rng(k)) for k in sizes]
    return {"lengths": np.array([np.bincount(one, minlength=most) for one in lengths])}


def play_single_matches(sources: Sources, *, runs: int, horizon: int, epsilon: float) -> Arrays:
    """Play both filters with two arms, whose exploration is a single match; and how long it lasts exactly."""
    played = play_worst_case(sources, k=2, first=0, runs=runs, horizon=horizon, epsilon=epsilon)
    return {**played, "decided": match_chances(radius_at_one(2, horizon), 0.5 + epsilon)}


def plan_theory(results: ItemResults) -> list[Piece]:
    """Return the walks, single matches, and both filters on the worst case, whose rounds are such walks."""
    scale, game = results.scale, {"horizon": HORIZON, "epsilon": EPSILON}
    walks = {"sizes": list(THEORY[scale].sizes), "walks": WALKS[scale]}
    return [
        Piece("walks", walk, walks, cost=1_000.0),
        Piece("single-matches", play_single_matches, {"runs": SINGLE_MATCHES[scale], **game}, cost=20_000.0),
        Piece("expectations", expect, {"sizes": list(EXACT[scale]), **game}, cost=50_000.0),
        *(
            piece
            for played in (FEW_ARMS[scale], THEORY[scale])
            for piece in pieces(play_worst_case, played.sizes, played.runs, played.together)
        ),
    ]
