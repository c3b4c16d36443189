"""Ranks of arms: simultaneous rank ranges, and the probability of being first.

References
----------
Magne Mogstad, Joseph P. Romano, Azeem M. Shaikh, Daniel Wilhelm (2024). Inference for ranks with applications
to mobility across neighbourhoods and academic achievement across countries. Review of Economic Studies 91.
"""

from functools import lru_cache

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray

ROUNDING = 1e-9  # difference of two ratings that is attributed to rounding
SEED = 0
FEWEST_DRAWS, MOST_DRAWS = 1_000, 10_000
NUMBERS = 50_000_000  # total number of simulated differences, above which there are fewer draws


def quantiles(degrees: FloatArray, chance: float) -> FloatArray:
    """Return quantiles of Student's t; infinite degrees of freedom stand for the normal distribution."""
    from scipy.special import ndtri, stdtrit

    finite = np.isfinite(degrees)
    found = np.full(np.shape(degrees), ndtri(chance))
    found[finite] = stdtrit(degrees[finite], chance)
    return found


def rank_ranges(
    ratings: FloatArray,
    covariance: FloatArray,
    degrees: FloatArray,
    confidence: float,
    reference: FloatArray | None = None,
) -> tuple[IntArray, IntArray]:
    """Return simultaneous bounds on the rank of each arm.

    An arm is ranked below all arms whose rating is significantly higher, and above all arms whose rating is
    significantly lower, according to simultaneous intervals of all differences. The width of these intervals
    is the quantile of the largest standardised difference under `reference`, by default the covariance
    itself, converted to Student's t with the smaller degrees of freedom of the two arms.
    """
    from scipy.special import ndtr

    deviations = deviations_of(covariance)
    ahead = ratings[:, None] - ratings[None, :]
    normal = critical_value(covariance if reference is None else reference, confidence)
    reach = quantiles(degrees, float(ndtr(normal)))
    surely = ahead > np.maximum(reach[:, None], reach[None, :]) * deviations
    k = len(ratings)
    return 1 + surely.sum(axis=0), k - surely.sum(axis=1)


def ranks_of(ratings: FloatArray) -> IntArray:
    """Return the rank of each arm by rating, 1 for the best; equal ratings share the best of their ranks."""
    return np.asarray(1 + (ratings[:, None] < ratings[None, :] - ROUNDING).sum(axis=1))


def deviations_of(covariance: FloatArray) -> FloatArray:
    """Return the standard errors of all pairwise differences."""
    variances = np.diag(covariance)
    return np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2.0 * covariance, 0.0))


def critical_value(covariance: FloatArray, confidence: float) -> float:
    """Return the quantile of the largest absolute standardised difference, by simulation."""
    k, deviations = len(covariance), deviations_of(covariance)
    scale = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0.0)
    drawn = draw(covariance)
    largest = np.zeros(drawn.shape[1])
    for arm in range(k - 1):
        differences = drawn[arm + 1 :] - drawn[arm]
        differences *= scale[arm, arm + 1 :, None]
        np.maximum(largest, np.abs(differences, out=differences).max(axis=0), out=largest)
    return float(np.quantile(largest, confidence))


def chances_first(ratings: FloatArray, covariance: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return the share of draws from the ratings' estimated distribution in which each arm is first.

    The distribution is normal, or Student's t with the smallest degrees of freedom if there are clusters.
    """
    spread, least = draw(covariance), float(np.min(degrees))
    if np.isfinite(least):
        spread = spread * np.sqrt(least / default_rng(SEED).chisquare(least, spread.shape[1]))
    drawn = ratings[:, None] + spread
    first = drawn >= drawn.max(axis=0) - ROUNDING
    return np.asarray((first / first.sum(axis=0)).mean(axis=1))


def draw(covariance: FloatArray) -> FloatArray:
    """Return normal draws with this covariance, one per column, from a fixed seed."""
    k = len(covariance)
    values, vectors = np.linalg.eigh(covariance)
    # the symmetric root does not depend on the choice of eigenvectors for equal eigenvalues
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    draws = int(np.clip(2 * NUMBERS // (k * (k - 1)), FEWEST_DRAWS, MOST_DRAWS))
    return np.asarray(root @ standard_draws(k, draws))


@lru_cache(maxsize=1)
def standard_draws(k: int, draws: int) -> FloatArray:
    numbers = default_rng(SEED).standard_normal((k, draws))
    numbers.flags.writeable = False
    return numbers
