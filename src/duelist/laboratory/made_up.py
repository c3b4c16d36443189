"""Made-up preferences that look like those of rankers, for when there is no file."""

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray
from duelist.errors import require_whole

QUALITY_SPREAD = 0.5
PAIR_SPREAD = 0.2
"""In logits: how much rankers differ in quality, and pairs from what quality says; that makes cycles."""
LEAST_LEAD = 0.01
"""What a Condorcet winner is made to lead by, about as much as the best of LETOR's NP2004 rankers does."""


def made_up_preferences(k: int, seed: int = 0, winner: bool = True) -> FloatArray:
    """Return a preference matrix of rankers that differ in quality, with cycles among those nearly as good.

    Parameters
    ----------
    k : int
        The number of rankers.
    seed : int, default 0
        Equal seeds give equal matrices.
    winner : bool, default True
        Make the ranker of the highest quality beat all others, as a Condorcet winner does.

    Examples
    --------
    >>> made_up_preferences(3).round(2)
    array([[0.5 , 0.56, 0.42],
           [0.44, 0.5 , 0.44],
           [0.58, 0.56, 0.5 ]])
    """
    require_whole("k", k, 2)
    require_whole("seed", seed, 0)
    rng = default_rng(seed)
    quality = QUALITY_SPREAD * rng.standard_normal(k)
    pairs = np.triu(PAIR_SPREAD * rng.standard_normal((k, k)), 1)
    chances = 1.0 / (1.0 + np.exp(quality[np.newaxis, :] - quality[:, np.newaxis] + pairs - pairs.T))
    if winner:
        best = int(quality.argmax())
        chances[best] = np.maximum(chances[best], 0.5 + LEAST_LEAD)
        chances[:, best] = 1.0 - chances[best]
        chances[best, best] = 0.5
    return chances
