"""The 64 rankers of LETOR's NP2004, one per feature, and the random subsets used in the runs."""

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.laboratory.sources import Sources, made_up_preferences
from duelist.preferences import gaps
from duelist.winners import condorcet

FILE = "preferences/np2004_64.csv"
RANKERS = 64


def all_preferences(sources: Sources) -> FloatArray:
    """Return the preferences of all rankers, or of made-up ones without data."""
    return sources.matrix(FILE, RANKERS) if sources.real else made_up_preferences(RANKERS)


def draw_rankers(preferences: FloatArray, k: int) -> IntArray:
    """Return `k` random rankers, always the same, redrawn until one beats all others."""
    rng = default_rng([k, 0])
    while True:
        drawn = np.sort(rng.permutation(len(preferences))[:k])
        if condorcet(preferences[np.ix_(drawn, drawn)]) is not None:
            return drawn


def subset_preferences(sources: Sources, k: int) -> FloatArray:
    """Return the preferences of the `k` rankers drawn."""
    preferences = all_preferences(sources)
    drawn = draw_rankers(preferences, k)
    return preferences[np.ix_(drawn, drawn)]


def gamma_of_table(preferences: FloatArray) -> float:
    """Return the gamma that relaxed transitivity needs for all pairs in the order of the table.

    The paper's definition (Section 8.1) asks it of pairs j < k in the order of the total ordering. Rankers
    have none, and its 47.3 for all 64 results from the table's order, regardless of who beats whom.
    """
    edges = gaps(preferences)
    winner = condorcet(preferences)
    others = np.arange(len(edges)) != winner
    leads = edges[winner, others].ravel()
    needed = np.maximum(leads[:, np.newaxis], edges[np.ix_(others, others)]) / leads
    return float(needed[np.triu_indices(len(leads), 1)].max())
