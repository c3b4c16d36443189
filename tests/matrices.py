from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from duelist.duel import FloatArray

# Dudik et al. (2015), appendix: four definitions of a winner choose arm 3, von Neumann's the first three.
MARGINS = [
    [0.0, 0.5, -0.5, 0.5, -0.95],
    [-0.5, 0.0, 0.5, -0.2, 0.5],
    [0.5, -0.5, 0.0, -0.2, 0.5],
    [-0.5, 0.2, 0.2, 0.0, 0.5],
    [0.95, -0.5, -0.5, -0.5, 0.0],
]
PAPER = (1.0 + np.array(MARGINS)) / 2.0
ROCK_PAPER_SCISSORS = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])
# Tideman's example: voters on the capital of Tennessee, and how each group ranks Memphis (0), Nashville (1),
# Chattanooga (2) and Knoxville (3).
TENNESSEE: dict[tuple[int, ...], int] = {
    (0, 1, 2, 3): 42,
    (1, 2, 3, 0): 26,
    (2, 3, 1, 0): 15,
    (3, 2, 1, 0): 17,
}
# Schulze (2011), example 1: 45 voters on five candidates, A (0) to E (4).
SCHULZE: dict[tuple[int, ...], int] = {
    (0, 2, 1, 4, 3): 5,
    (0, 3, 4, 2, 1): 5,
    (1, 4, 3, 0, 2): 8,
    (2, 0, 1, 4, 3): 3,
    (2, 0, 4, 1, 3): 7,
    (2, 1, 0, 3, 4): 2,
    (3, 2, 4, 1, 0): 7,
    (4, 1, 0, 3, 2): 8,
}
LADDER = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])

ANY = st.floats(0.0, 1.0)
COARSE = st.integers(0, 4).map(lambda n: n / 4.0)
FINE = st.integers(0, 1000).map(lambda n: n / 1000.0)


def completed(upper: FloatArray) -> FloatArray:
    matrix: FloatArray = np.triu(upper, 1) + np.tril(1.0 - upper.T, -1) + np.eye(len(upper)) / 2.0
    return matrix


@st.composite
def preference_matrices(
    draw: st.DrawFn, entries: st.SearchStrategy[float] | None = None, least: int = 2, most: int = 6
) -> FloatArray:
    k = draw(st.integers(least, most))
    chosen = draw(st.sampled_from([ANY, COARSE, FINE])) if entries is None else entries
    upper = np.zeros((k, k))
    upper[np.triu_indices(k, 1)] = draw(arrays(np.float64, k * (k - 1) // 2, elements=chosen))
    return completed(upper)


@st.composite
def with_condorcet_winner(draw: st.DrawFn) -> tuple[FloatArray, int]:
    matrix = draw(preference_matrices())
    winner = draw(st.integers(0, len(matrix) - 1))
    gaps = draw(arrays(np.float64, len(matrix), elements=st.floats(1e-6, 0.5)))
    matrix[winner], matrix[:, winner] = 0.5 + gaps, 0.5 - gaps
    matrix[winner, winner] = 0.5
    return matrix, winner


@st.composite
def bradley_terry_matrices(draw: st.DrawFn) -> FloatArray:
    strengths = draw(st.lists(st.integers(1, 1000), min_size=2, max_size=7, unique=True))
    values = np.array(strengths, dtype=np.float64)
    matrix: FloatArray = values[:, np.newaxis] / (values[:, np.newaxis] + values)
    return matrix


def elected(ballots: dict[tuple[int, ...], int]) -> FloatArray:
    """Preferences of voters: the share of them that ranks one arm above another."""
    k = len(next(iter(ballots)))
    wins = np.zeros((k, k))
    for ranking, voters in ballots.items():
        wins[ranking, ranking] += voters / 2
        for place, arm in enumerate(ranking):
            wins[arm, list(ranking[place + 1 :])] += voters
    matrix: FloatArray = wins / sum(ballots.values())
    return matrix


def relabelled(matrix: FloatArray, order: Sequence[int]) -> FloatArray:
    return matrix[np.ix_(order, order)]


def with_clone(matrix: FloatArray, arm: int) -> FloatArray:
    return relabelled(matrix, [*range(len(matrix)), arm])
