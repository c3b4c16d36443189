"""Defeats and how strong they are: what rules that follow chains of defeats begin with."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.preferences import ROUNDING, as_counts, as_preferences, gaps
from duelist.text import counted


def defeat_strengths(matrix: ArrayLike, counts: ArrayLike | None = None) -> FloatArray:
    """Return how strongly each arm defeats each other, 0 where it does not.

    The strength is the margin `P[i, j] - P[j, i]` or, with `counts`, the winning votes `P[i, j] * counts[i,
    j]`. Strengths that differ by rounding alone are made equal.

    Examples
    --------
    >>> defeat_strengths([[0.5, 0.75], [0.25, 0.5]])
    array([[0. , 0.5],
           [0. , 0. ]])
    >>> defeat_strengths([[0.5, 0.75], [0.25, 0.5]], counts=[[0, 8], [8, 0]])
    array([[0., 6.],
           [0., 0.]])
    """
    edges = gaps(matrix)
    strengths = 2.0 * edges if counts is None else as_preferences(matrix) * _counts(counts, len(edges))
    strengths[edges <= 0.0] = 0.0
    return _without_rounding(strengths)


def strongest_paths(direct: FloatArray) -> FloatArray:
    """Return how strong the weakest link is of the strongest chain of defeats from each arm to each other.

    This is the algorithm of Floyd and Warshall, with maxima of minima for minima of sums.

    Examples
    --------
    >>> strongest_paths(np.array([[0.0, 0.4, 0.0], [0.0, 0.0, 0.2], [0.0, 0.0, 0.0]]))
    array([[0. , 0.4, 0.2],
           [0. , 0. , 0.2],
           [0. , 0. , 0. ]])
    """
    strengths = direct.copy()
    for via in range(len(direct)):
        np.maximum(strengths, np.minimum(strengths[:, [via]], strengths[via]), out=strengths)
    np.fill_diagonal(strengths, 0.0)
    return strengths


def _counts(counts: ArrayLike, k: int) -> FloatArray:
    """Return how often each of K arms was compared with each other."""
    known = as_counts("counts", counts)
    if len(known) != k:
        raise PreferenceError(f"counts has {counted(len(known), 'row')} for {k} arms; give one for each arm.")
    for i, j in np.argwhere(known != known.T)[:1]:
        raise PreferenceError(
            f"counts[{i}, {j}] is {known[i, j]:g} and counts[{j}, {i}] is {known[j, i]:g}; give the number "
            "of comparisons of the pair in both, as MatrixProblem.counts has it."
        )
    return known


def _without_rounding(strengths: FloatArray) -> FloatArray:
    """Return the strengths with each that lies next to a smaller one, up to rounding, set to that."""
    values, places = np.unique(strengths, return_inverse=True)
    apart = np.diff(values) > ROUNDING * np.maximum(values[1:], 1.0)
    first = np.append(True, apart)
    merged = values[first][np.cumsum(first) - 1]
    return np.asarray(merged[places].reshape(strengths.shape))
