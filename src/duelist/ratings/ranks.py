"""The ranks that arms may have: bounds that hold for all arms at once.

Magne Mogstad, Joseph P. Romano, Azeem M. Shaikh, Daniel Wilhelm (2024). Inference for ranks with applications
to mobility across neighbourhoods and academic achievement across countries. Review of Economic Studies 91.
"""

from functools import lru_cache

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray

ROUNDING = 1e-9  # how far two ratings may lie apart and still count as equal
SEED = 0
FEWEST_DRAWS, MOST_DRAWS = 1_000, 10_000
NUMBERS = 50_000_000  # of differences in all, beyond which there are fewer draws


def rank_ranges(ratings: FloatArray, covariance: FloatArray, confidence: float) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank of each arm, which hold for all arms at once with this confidence.

    An arm is ranked below all whose rating is significantly larger, and above all whose rating is
    significantly smaller, by intervals of all differences that hold at once: as wide as the largest
    standardized difference exceeds with the chance 1 - confidence, by simulation from the covariance.
    """
    variances = np.diag(covariance)
    deviations = np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2.0 * covariance, 0.0))
    ahead = ratings[:, None] - ratings[None, :]
    surely = ahead > critical_value(covariance, deviations, confidence) * deviations
    k = len(ratings)
    return 1 + surely.sum(axis=0), k - surely.sum(axis=1)


def places(ratings: FloatArray) -> IntArray:
    """Return the rank of each arm by its rating, 1 for the best; equals share the best of their ranks."""
    return np.asarray(1 + (ratings[:, None] < ratings[None, :] - ROUNDING).sum(axis=1))


@lru_cache(maxsize=1)
def luck(k: int, draws: int) -> FloatArray:
    """Return normal numbers that are always the same; arms are mostly rated again and again."""
    numbers = default_rng(SEED).standard_normal((k, draws))
    numbers.flags.writeable = False
    return numbers


def critical_value(covariance: FloatArray, deviations: FloatArray, confidence: float) -> float:
    """Return what the largest absolute standardized difference of two ratings stays below."""
    k = len(covariance)
    draws = int(np.clip(2 * NUMBERS // (k * (k - 1)), FEWEST_DRAWS, MOST_DRAWS))
    scale = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0.0)
    values, vectors = np.linalg.eigh(covariance)
    # The symmetric root, for it is the only one that does not depend on how equal eigenvalues are told apart.
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    drawn = root @ luck(k, draws)
    largest = np.zeros(draws)
    for arm in range(k - 1):
        differences = drawn[arm + 1 :] - drawn[arm]
        differences *= scale[arm, arm + 1 :, None]
        np.maximum(largest, np.abs(differences, out=differences).max(axis=0), out=largest)
    return float(np.quantile(largest, confidence))
