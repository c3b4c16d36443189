"""Preferences from who beat whom how often: shares of wins, and how sure they are.

Edwin B. Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
"""

from math import isfinite
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_confidence
from duelist.preferences import as_preferences
from duelist.preferences import as_counts


def estimate(wins: ArrayLike, prior: float = 0.0) -> FloatArray:
    """Estimate the preferences: the share of its duels that arm i won against arm j, `wins[i, j]` times.

    The prior is added to the wins on both sides of every pair, which draws rarely compared ones towards 1/2,
    the estimate of a pair never compared.

    Examples
    --------
    >>> estimate([[0, 3], [1, 0]]).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    >>> estimate([[0, 3], [1, 0]], prior=1.0)[0, 1].round(3).item()
    0.667
    """
    if not (isfinite(prior) and prior >= 0.0):
        raise ParameterError(f"prior must be a finite number of wins, 0 or more; got {prior}.")
    won = as_counts("wins", wins) + prior
    played = won + won.T
    matrix = np.divide(won, played, out=np.full_like(won, 0.5), where=played > 0.0)
    np.fill_diagonal(matrix, 0.5)
    return as_preferences(matrix)


def wilson_interval(wins: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds of each preference: Wilson's score interval, also valid for few duels.

    The bounds of a pair never compared are 0 and 1.

    Examples
    --------
    >>> lower, upper = wilson_interval([[0, 30], [10, 0]])
    >>> lower[0, 1].round(3).item(), upper[0, 1].round(3).item()
    (0.598, 0.858)
    """
    require_confidence(confidence)
    won = as_counts("wins", wins)
    played = won + won.T
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    variance = np.divide(won * won.T, played, out=np.zeros_like(won), where=played > 0.0)
    lower = (won + z * z / 2.0 - z * np.sqrt(variance + z * z / 4.0)) / (played + z * z)
    lower = np.clip(lower, 0.0, 1.0)
    np.fill_diagonal(lower, 0.5)
    # Arm i wins as often as arm j loses, so the two bounds are one.
    return lower, 1.0 - lower.T
