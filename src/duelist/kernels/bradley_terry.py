"""A Bradley-Terry model of votes: the posterior of utilities with a normal prior.

Arm i beats j with probability 1 / (1 + exp(u_j - u_i)). The posterior is approximated by the normal
distribution with its mode and its curvature there (Laplace approximation). Newton's method finds the mode,
starting from the last one.
"""

from math import exp, sqrt

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing, compiled

PRECISION = 0.5
"""Default precision of the prior on utilities: the inverse of its variance, in squared log-odds."""

NEWTON_STEPS = 50
CONVERGED = 1e-3  # a step this short is far below the uncertainty, so Newton's method has converged

PAUSE = 0.005  # after n votes, the model is fitted again once n has grown by this share, at least by 1
MANY = 16.0
"""With k arms, the model is fitted again after k / MANY votes at the earliest, since a fit takes O(k³)."""


@compiled
def fit(precision: float, wins: FloatArray, mode: FloatArray, root: FloatArray) -> None:
    """Update the mode for the votes, and write the curvature H there: `root` is L^-1, where H = L L^T.

    `precision` is the precision of the prior. The mode plus root^T times standard normal numbers is a draw
    from the posterior.
    """
    k = len(mode)
    curvature, pull, step = np.empty((k, k)), np.empty(k), np.empty(k)
    for _ in range(NEWTON_STEPS):
        write_derivatives(precision, wins, mode, curvature, pull)
        invert(curvature, root)
        step[:] = 0.0
        for i in range(k):
            along = 0.0
            for j in range(i + 1):
                along += root[i, j] * pull[j]
            for j in range(i + 1):
                step[j] += along * root[i, j]
        longest = 0.0
        for i in range(k):
            mode[i] += step[i]
            longest = max(longest, abs(step[i]))
        if longest < CONVERGED:
            break


@borrowing
def next_fit(answers: float, k: int) -> float:
    """Return the number of answers at which to fit the model of k arms again, if it is fitted now."""
    return answers + max(1.0, float(int(PAUSE * answers)), k / MANY)


@compiled
def write_derivatives(
    precision: float, wins: FloatArray, mode: FloatArray, curvature: FloatArray, pull: FloatArray
) -> None:
    """Write the gradient of the log-posterior and the upper triangle of its negative Hessian."""
    k = len(mode)
    for i in range(k):
        pull[i] = -precision * mode[i]
        curvature[i, i] = precision
    for i in range(k):
        for j in range(i + 1, k):
            votes = wins[i, j] + wins[j, i]
            curvature[i, j] = 0.0
            if votes > 0.0:
                chance = 1.0 / (1.0 + exp(mode[j] - mode[i]))
                surprise, weight = wins[i, j] - votes * chance, votes * chance * (1.0 - chance)
                pull[i] += surprise
                pull[j] -= surprise
                curvature[i, i] += weight
                curvature[j, j] += weight
                curvature[i, j] = -weight


@compiled
def invert(upper: FloatArray, root: FloatArray) -> None:
    """Write L^-1 for the matrix L L^T, given its upper triangle, which is overwritten."""
    k = len(upper)
    for i in range(k):
        pivot = sqrt(upper[i, i])
        for j in range(i, k):
            upper[i, j] /= pivot
        for row in range(i + 1, k):
            factor = upper[i, row]
            if factor != 0.0:
                for j in range(row, k):
                    upper[row, j] -= factor * upper[i, j]
    for i in range(k):
        root[i, :] = 0.0
        root[i, i] = 1.0
        for row in range(i):
            factor = upper[row, i]
            if factor != 0.0:
                for j in range(row + 1):
                    root[i, j] -= factor * root[row, j]
        for j in range(i + 1):
            root[i, j] /= upper[i, i]


@compiled
def misfit(precision: float, wins: FloatArray, variance: float) -> float:
    """Return the misfit of the model, which is approximately standard normal if the model is right.

    It depends on the counts only, because the model is fitted again from scratch. Squared residuals are
    weighted, so that pairs with few votes or with a certain winner do not dominate. `variance` is the
    variance of an outcome relative to outcomes without ties.
    """
    k = len(wins)
    mode, root = np.zeros(k), np.empty((k, k))
    fit(precision, wins, mode, root)
    surprise, expected, spread, pairs = 0.0, 0.0, 0.0, 0
    for i in range(k):
        for j in range(i + 1, k):
            votes = wins[i, j] + wins[j, i]
            if votes > 0.0:
                chance = 1.0 / (1.0 + exp(mode[j] - mode[i]))
                gap, usual = wins[i, j] - votes * chance, votes * chance * (1.0 - chance) * variance
                surprise += gap * gap / (usual + 1.0)
                expected += usual / (usual + 1.0)
                spread += usual * (2.0 * usual + 1.0) / ((usual + 1.0) * (usual + 1.0))
                pairs += 1
    if pairs < k:  # without a cycle, votes fit some order
        return 0.0
    return (surprise - expected * (1.0 - (k - 1.0) / pairs)) / sqrt(spread)


@compiled
def draw_best(
    mode: FloatArray, root: FloatArray, width: float, menu: ArmMenu, drawn: FloatArray, rng: Generator
) -> int:
    """Return the best arm on the menu under a posterior draw with its deviation multiplied by `width`."""
    k = len(mode)
    for i in range(k):
        drawn[i] = mode[i]
    for i in range(k):
        noise = width * rng.standard_normal()
        for j in range(i + 1):
            drawn[j] += noise * root[i, j]
    best = -1
    for i in range(k):
        if is_active(menu, i) and (best < 0 or drawn[i] > drawn[best]):
            best = i
    return best
