"""Identification: whether the winner was found, and how often each arm was shown."""

from collections.abc import Collection

import numpy as np

from duelist.duel import FloatArray, IntArray


def accuracy(best: IntArray, winners: Collection[int]) -> FloatArray:
    """Return the share of runs whose best arm is a winner; `best` has one row per run.

    Examples
    --------
    >>> accuracy(np.array([0, 2, 0, 0]), (0,)).item()
    0.75
    """
    return np.asarray(np.isin(best, list(winners)).mean(axis=0), np.float64)


def shares(plays: IntArray) -> FloatArray:
    """Return the share of sides on which each arm was shown; `plays` has one row per run.

    Examples
    --------
    >>> shares(np.array([[6, 2], [4, 4]]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    return np.asarray(plays / plays.sum(axis=-1, keepdims=True), np.float64)
