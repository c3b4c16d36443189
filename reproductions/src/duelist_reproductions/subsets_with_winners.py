"""Chances that random subsets of arms have a Condorcet winner: counted, not sampled."""

from math import comb

import numpy as np

from duelist.duel import BoolArray, FloatArray


def winner_chances(defeated: BoolArray) -> FloatArray:
    """Return the chance that a random subset of 1, 2, ... arms has a Condorcet winner, exactly.

    An arm that beats N others wins the subsets made of itself and others of those: C(N, K - 1) of size K.
    Zoghi et al. (2014, Section 8.1) print C(N, K), by which no set of all arms would have a winner.

    Parameters
    ----------
    defeated : array of bool
        Whether the arm of the row beats the arm of the column.
    """
    arms = len(defeated)
    beaten = defeated.sum(axis=1).tolist()
    counts = [sum(comb(n, k - 1) for n in beaten) / comb(arms, k) for k in range(1, arms + 1)]
    return np.array(counts)
