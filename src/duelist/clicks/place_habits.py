"""Expectation maximisation for people who never leave: an attraction a document, an examination a habit.

A habit is a place and what was clicked last above it. The position-based model ignores the last click, the
user browsing model does not; otherwise the two are one.
"""

from math import log as ln
from typing import NamedTuple

import numpy as np

from duelist.clicks.fitted import FittedClicks, belief, check_fit, numbered_pairs, share
from duelist.clicks.log import NOTHING, ClickLog
from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled


class Counts(NamedTuple):
    """How often a document was clicked and not clicked under a habit; other combinations did not occur."""

    pairs: IntArray
    habits: IntArray
    clicks: FloatArray
    skips: FloatArray


@compiled
def improve(
    counts: Counts,
    attraction: FloatArray,
    examination: FloatArray,
    usual: float,
    prior: float,
    rounds: int,
    gain: float,
    trace: FloatArray,
) -> int:
    """Run expectation maximisation until a round gains too little; return how many rounds there were.

    The first habit, the top place, is looked at for certain and stays so.
    """
    attracted, shown = np.empty_like(attraction), np.empty_like(attraction)
    looked, met = np.empty_like(examination), np.empty_like(examination)
    for i in range(rounds):
        attracted[:], shown[:], looked[:], met[:] = 0.0, 0.0, 0.0, 0.0
        total = 0.0
        for k in range(len(counts.pairs)):
            pair, habit, clicks, skips = counts.pairs[k], counts.habits[k], counts.clicks[k], counts.skips[k]
            a, e = attraction[pair], examination[habit]
            missed = 1.0 - a * e
            hidden = 0.0 if missed == 0.0 else skips / missed
            total += 0.0 if clicks == 0.0 else clicks * ln(a * e)
            total += 0.0 if skips == 0.0 else skips * ln(missed)
            attracted[pair] += clicks + hidden * a * (1.0 - e)
            looked[habit] += clicks + hidden * e * (1.0 - a)
            shown[pair] += clicks + skips
            met[habit] += clicks + skips
        for pair in range(len(attraction)):
            total += belief(attraction[pair], usual, prior)
            attraction[pair] = share(attracted[pair], shown[pair], usual, prior, attraction[pair])
        for habit in range(1, len(examination)):
            total += belief(examination[habit], 0.5, prior)
            examination[habit] = share(looked[habit], met[habit], 0.5, prior, examination[habit])
        trace[i] = total
        if i > 0 and total - trace[i - 1] < gain:
            return i + 1
    return rounds


def fit_habits(
    name: str, log: ClickLog, lasts: IntArray, columns: int, prior: float, rounds: int, tolerance: float
) -> FittedClicks:
    """Fit attractions and examinations; `lasts` says which of a place's columns each document was met in."""
    check_fit(log, prior, rounds, tolerance)
    names, pages = numbered_pairs(log)
    habits = np.arange(log.places) * columns + lasts
    counts = counted(pages, habits, log)
    # the attraction if all documents were alike; kept off 0 and 1, where nothing could be learned
    usual = float((log.clicked[:, 0].sum() + 0.5) / (len(log) + 1.0))
    attraction = np.full(len(names), usual)
    examination = np.full(log.places * columns, 0.5)
    examination[0] = 1.0
    trace = np.empty(rounds)
    done = improve(counts, attraction, examination, usual, prior, rounds, tolerance * len(log), trace)
    return FittedClicks(
        name,
        {pair: number for number, pair in enumerate(names)},
        np.append(attraction, usual),
        examination.reshape(log.places, columns),
        np.zeros((1, 1)),
        np.bincount(pages[pages != NOTHING], minlength=len(names)).astype(np.float64),
        trace[:done].copy(),
        done < rounds,
    )


def counted(pages: IntArray, habits: IntArray, log: ClickLog) -> Counts:
    """Return how often each document met each habit: all that these models ask of a log.

    Examples
    --------
    >>> log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["a"], [1])])
    >>> counted(log.documents, np.zeros_like(log.documents), log)
    Counts(pairs=array([0]), habits=array([0]), clicks=array([2.]), skips=array([1.]))
    """
    shown = pages != NOTHING
    size = int(habits.max()) + 1
    distinct, where = np.unique(pages[shown] * size + habits[shown], return_inverse=True)
    met = np.bincount(where, minlength=len(distinct)).astype(np.float64)
    clicks = np.bincount(where, log.clicked[shown], len(distinct)).astype(np.float64)
    pairs, kinds = np.divmod(distinct, size)
    return Counts(pairs, kinds, clicks, met - clicks)
