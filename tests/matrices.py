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


def relabelled(matrix: FloatArray, order: Sequence[int]) -> FloatArray:
    return matrix[np.ix_(order, order)]


def with_clone(matrix: FloatArray, arm: int) -> FloatArray:
    return relabelled(matrix, [*range(len(matrix)), arm])
