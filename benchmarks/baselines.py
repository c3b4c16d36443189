"""Plain loops that do what the pseudocode says in every round, compiled: the baselines of the benchmarks."""

from math import log, sqrt

import numba
import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray


@numba.njit(cache=True, error_model="numpy")
def plain_rucb(matrix: FloatArray, alpha: float, rounds: int, rng: Generator) -> int:
    """RUCB with all K^2 upper bounds computed anew in every round; returns its informative duels."""
    k = len(matrix)
    wins, upper = np.zeros((k, k)), np.empty((k, k))
    informative = 0
    for t in range(1, rounds + 1):
        for i in range(k):
            for j in range(k):
                n = wins[i, j] + wins[j, i]
                upper[i, j] = wins[i, j] / n + sqrt(alpha * log(t) / n) if n > 0 else 2.0
            upper[i, i] = 0.5
        champions = [i for i in range(k) if upper[i].min() >= 0.5]
        c = champions[int(rng.random() * len(champions))] if champions else int(rng.random() * k)
        d = int(upper[:, c].argmax())
        if c != d:
            informative += 1
            if rng.random() < matrix[c, d]:
                wins[c, d] += 1
            else:
                wins[d, c] += 1
    return informative


@numba.njit(cache=True, error_model="numpy")
def plain_interleaved_filter(
    matrix: FloatArray, horizon: int, rounds: int, prunes: bool, rng: Generator
) -> int:
    """Interleaved Filter, one comparison after another; returns the number of comparisons made."""
    k = len(matrix)
    spread = 4.0 * log(horizon * k**2)
    order = rng.permutation(k)
    incumbent, rest = order[0], order[1:].copy()
    wins = np.zeros(k)
    sweep, made = 0, 0
    while len(rest) > 0 and made < rounds:
        for b in rest:
            if rng.random() < matrix[incumbent, b]:
                wins[b] += 1
        made += len(rest)
        sweep += 1
        width = sqrt(spread * sweep)
        lead = wins[rest] - 0.5 * sweep
        if np.abs(lead).max() < width:
            continue
        beaten = rest[lead <= -width]
        rest, lead = rest[lead < width], lead[lead < width]
        if len(beaten) > 0:
            incumbent = beaten[0]
            rest = rest[((lead <= 0) if prunes else (lead < width)) & (rest != incumbent)]
            wins[:] = 0
            sweep = 0
    return made
