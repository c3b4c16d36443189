"""The exact length of a match of two arms, which reveals a wrong confidence radius of a learner.

Regret bounds are one-sided, so a radius that is too small meets them; the length of a match does not.
"""

from math import log, sqrt

import numpy as np

from duelist.duel import FloatArray, IntArray

NEVER = 1e-9
"""Chances below this are neglected."""


def match_chances(spread: float, win: float) -> FloatArray:
    """Return the exact chances that a match is decided after 0, 1, 2, ... duels.

    It is decided when 1/2 is not inside the confidence interval, whose radius after t duels is
    sqrt(spread / t). Counts of wins are followed duel by duel, with their chances.

    Parameters
    ----------
    spread : float
        The squared confidence radius after one duel.
    win : float
        The chance that one of both wins a duel.
    """
    chances, fewest, undecided = [0.0], 0, np.ones(1)
    while undecided.sum() > NEVER:
        undecided = np.append(undecided * (1.0 - win), 0.0) + np.append(0.0, undecided * win)
        duels = len(chances)
        wins = np.arange(fewest, fewest + len(undecided))
        decided = np.abs(wins / duels - 0.5) >= sqrt(spread / duels)
        chances.append(float(undecided[decided].sum()))
        # undecided matches have neither few nor many wins: only this interval of counts is stored
        fewest, undecided = int(wins[~decided].min(initial=duels)), undecided[~decided]
    return np.array(chances)


def mean_length(chances: FloatArray) -> float:
    return float((chances * np.arange(len(chances))).sum())


def farthest(duels: IntArray, chances: FloatArray) -> float:
    """Return the largest deviation between the shares of matches decided by each duel and their chances."""
    counts = np.bincount(duels, minlength=len(chances))
    exact = np.append(chances, np.zeros(len(counts) - len(chances)))
    return float(np.abs(np.cumsum(counts / len(duels)) - np.cumsum(exact)).max())


def allowed(matches: int, level: float) -> float:
    """Return the critical value of `farthest` at this level (Dvoretzky, Kiefer, Wolfowitz, Massart)."""
    return sqrt(log(2.0 / level) / (2.0 * matches))
