"""Schulze's method: arms compared by the strongest chains of defeats between them."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.winners.defeats import defeat_strengths, strongest_paths


def schulze(matrix: ArrayLike, counts: ArrayLike | None = None) -> tuple[int, ...]:
    """Return the arms whose strongest path to each other arm is at least as strong as the path back.

    There is always at least one. A Condorcet winner is the only one, and all lie in the top cycle.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.
    counts : array of shape (K, K), optional
        How many comparisons each probability rests on; then defeats are as strong as their winning votes.

    References
    ----------
    Schulze (2011). A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent
    single-winner election method. Social Choice and Welfare.

    Examples
    --------
    In this cycle, arm 0 beats arm 1 clearly, arm 1 beats arm 2, and arm 2 beats arm 0 by little.

    >>> schulze([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
    (0,)
    """
    strengths = schulze_strengths(matrix, counts)
    return tuple(np.flatnonzero((strengths >= strengths.T).all(axis=1)).tolist())


def schulze_strengths(matrix: ArrayLike, counts: ArrayLike | None = None) -> FloatArray:
    """Return the strength of the strongest path from each arm to each other.

    A path is a chain of arms of which each beats the next, and as strong as its weakest defeat. Entries are 0
    on the diagonal and where there is no path.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.
    counts : array of shape (K, K), optional
        How many comparisons each probability rests on, as `MatrixProblem.counts` has it. By default a defeat
        is as strong as its margin, `P[i, j] - P[j, i]`, whatever it rests on. With counts it is as strong as
        its winning votes, `P[i, j] * counts[i, j]`, of which a tied vote is half a one.

    Examples
    --------
    >>> schulze_strengths([[0.5, 0.75, 0.375], [0.25, 0.5, 1.0], [0.625, 0.0, 0.5]])
    array([[0.  , 0.5 , 0.5 ],
           [0.25, 0.  , 1.  ],
           [0.25, 0.25, 0.  ]])
    """
    return strongest_paths(defeat_strengths(matrix, counts))
