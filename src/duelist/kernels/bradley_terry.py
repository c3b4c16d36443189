"""A Bradley-Terry model of votes: utilities with a normal prior, and what votes tell of them.

Arm i beats j with chance 1 / (1 + exp(u_j - u_i)). The posterior is taken for the normal distribution with
its mode and its curvature there (Laplace's approximation), found by Newton's method from the last mode.
"""

from math import exp, sqrt

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing, compiled

PRECISION = 0.5
"""Of the prior on utilities, where nobody says otherwise: one over its variance, in squared log-odds."""

NEWTON_STEPS = 50
SETTLED = 1e-3  # a step of Newton's method as short as this has arrived: far below what is uncertain

PAUSE = 0.005  # after n votes, the model is fitted again once this share of n is new, and at least one vote
MANY = 16.0
"""With k arms, the model is fitted again after k / MANY votes at the earliest, since a fit takes O(k³)."""


@compiled
def fit(precision: float, wins: FloatArray, mode: FloatArray, root: FloatArray) -> None:
    """Move the mode to the votes, and restate the curvature H there: `root` becomes L^-1, where H = L L^T.

    `precision` is that of the prior. Draws are the mode plus root^T times standard normal numbers.
    """
    k = len(mode)
    curvature, pull, step = np.empty((k, k)), np.empty(k), np.empty(k)
    for _ in range(NEWTON_STEPS):
        look_around(precision, wins, mode, curvature, pull)
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
        if longest < SETTLED:
            break


@borrowing
def next_fit(answers: float, k: int) -> float:
    """Return at how many answers to fit the model of k arms again, if it is fitted now."""
    return answers + max(1.0, float(int(PAUSE * answers)), k / MANY)


@compiled
def look_around(
    precision: float, wins: FloatArray, mode: FloatArray, curvature: FloatArray, pull: FloatArray
) -> None:
    """Fill in the gradient of the log-posterior and, above the diagonal and on it, its negative curvature."""
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
    """Write L^-1 for the matrix L L^T of which `upper` has the upper half; it is overwritten."""
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
    """Return how far votes on pairs are from what the model expects of them: about a standard normal number.

    It is a function of the counts alone: the model is fitted anew. Squared surprises are weighed so that a
    pair with few votes, or with a sure winner, does not decide. `variance` is that of an outcome, in that of
    one without ties.
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
    if pairs < k:  # without a circle, votes fit any order
        return 0.0
    return (surprise - expected * (1.0 - (k - 1.0) / pairs)) / sqrt(spread)


@compiled
def draw_best(
    mode: FloatArray, root: FloatArray, width: float, menu: ArmMenu, drawn: FloatArray, rng: Generator
) -> int:
    """Return the best arm on the menu by utilities drawn from the posterior, its deviation times `width`."""
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
