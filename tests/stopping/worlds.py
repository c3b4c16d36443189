"""Worlds in which stopping is tried out: chances of all pairs, and votes drawn with them."""

import os

import numpy as np
from numpy.random import Generator
from scipy.stats import binom

from duelist import Study, Votes
from duelist.duel import FloatArray

NAMES = "abcdefg"
"""Arms of live studies, in the order of the chances."""
LONG = "DUELIST_LONG" in os.environ
EACH = 10_000
"""Recorded votes on every pair: shares have four digits."""


def in_order(*utilities: float) -> FloatArray:
    """Return the chances of a Bradley-Terry model."""
    known = np.array(utilities, np.float64)
    return np.asarray(1.0 / (1.0 + np.exp(known - known[:, None])))


def in_circle(k: int, chance: float) -> FloatArray:
    """Return chances where each of an odd number of arms beats the next (k - 1) / 2 in a circle."""
    ahead = (np.arange(k) - np.arange(k)[:, None]) % k
    return np.where(ahead == 0, 0.5, np.where(2 * ahead < k, chance, 1.0 - chance))


def above(top: FloatArray, rest: FloatArray, chance: float) -> FloatArray:
    """Return the chances where every arm of one group beats every arm of another."""
    k, n = len(top), len(rest)
    return np.block([[top, np.full((k, n), chance)], [np.full((n, k), 1.0 - chance), rest]])


def votes_with(chances: FloatArray, ties: float = 0.0) -> Votes:
    """Return votes with these shares among those that are no ties."""
    others = 1.0 - np.eye(len(chances))
    wins = np.triu(np.round(EACH * (1.0 - ties) * chances), 1)
    wins += np.triu(round(EACH * (1.0 - ties)) - wins, 1).T
    return Votes.from_counts(wins * others, round(EACH * ties) * others)


def answer_one(study: Study, chances: FloatArray, rng: Generator) -> None:
    """Ask a study for a duel of named arms, and answer it with its chance."""
    duel = study.ask()
    chance = chances[NAMES.index(str(duel.left)), NAMES.index(str(duel.right))]
    study.tell(duel, "left" if rng.random() < chance else "right")


def most_wrong(runs: int, delta: float) -> int:
    """Return the number of wrong runs that is exceeded once in a thousand if a share delta is wrong."""
    return int(binom.ppf(0.999, runs, delta))
