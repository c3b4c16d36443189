"""Models of users who never leave: the position-based and the user browsing model, and their fits.

A habit is a place and, in the user browsing model, the place of the last click above it.
"""

from collections.abc import Sequence
from functools import partial
from math import log as ln
from typing import NamedTuple

import numpy as np

from duelist.clicks.fitted import FittedClicks, maximise, numbered_pairs, renew
from duelist.clicks.log import NOTHING, ClickLog
from duelist.clicks.model import Row, TableClickModel, as_chances
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled


class Counts(NamedTuple):
    """The numbers of clicks and skips of each document under each habit that occurred."""

    pairs: IntArray
    habits: IntArray
    clicks: FloatArray
    skips: FloatArray


@compiled
def improve(
    counts: Counts, attraction: FloatArray, examination: FloatArray, usual: float, prior: float
) -> float:
    """Run one round of expectation maximisation and return the objective before it."""
    attracted, shown = np.zeros_like(attraction), np.zeros_like(attraction)
    looked, met = np.zeros_like(examination), np.zeros_like(examination)
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
    total = renew(attraction, attracted, shown, usual, prior, total)
    # the first habit is the top place, which is always examined
    return renew(examination[1:], looked[1:], met[1:], 0.5, prior, total)


def fit_habits(
    name: str, log: ClickLog, lasts: IntArray, columns: int, prior: float, rounds: int, tolerance: float
) -> FittedClicks:
    """Fit attractions and examinations; `lasts` is the examination column of each document shown."""
    pairs, pages = numbered_pairs(log)
    counts = counted(pages, np.arange(log.places) * columns + lasts, log)
    # the mean attraction, kept off 0 and 1, where EM cannot move
    usual = float((log.clicked[:, 0].sum() + 0.5) / (len(log) + 1.0))
    attraction = np.full(len(pairs), usual)
    examination = np.full(log.places * columns, 0.5)
    examination[0] = 1.0
    step = partial(improve, counts, attraction, examination, usual, prior)
    trace = maximise(step, log, prior, rounds, tolerance)
    shows = np.bincount(pages[pages != NOTHING], minlength=len(pairs)).astype(np.float64)
    tables = np.append(attraction, usual), examination.reshape(log.places, columns), np.zeros((1, 1))
    return FittedClicks(name, pairs, *tables, shows, trace, len(trace) < rounds)


def counted(pages: IntArray, habits: IntArray, log: ClickLog) -> Counts:
    shown = pages != NOTHING
    size = int(habits.max()) + 1
    distinct, where = np.unique(pages[shown] * size + habits[shown], return_inverse=True)
    met = np.bincount(where, minlength=len(distinct)).astype(np.float64)
    clicks = np.bincount(where, log.clicked[shown], len(distinct)).astype(np.float64)
    pairs, kinds = np.divmod(distinct, size)
    return Counts(pairs, kinds, clicks, met - clicks)


def position_based(attraction: Row, examination: Row) -> TableClickModel:
    """Return a user who examines each place with its own probability, and clicks attractive documents.

    Parameters
    ----------
    attraction : sequence of float
        The probability of a click on an examined document, for each grade.
    examination : sequence of float
        The probability that a place is examined, from the top; the last one also applies below.

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If a probability is outside [0, 1], or a sequence is empty.

    Examples
    --------
    >>> position_based(attraction=[0.1, 0.9], examination=[1.0, 0.5]).chances([1, 1, 1])
    array([0.9 , 0.45, 0.45])
    """
    column = tuple((chance,) for chance in as_chances("examination", examination).tolist())
    return TableClickModel("position-based", tuple(attraction), examination=column, stop=((0.0,),))


def fit_position_based(
    log: ClickLog, prior: float = 1.0, rounds: int = 10_000, tolerance: float = 1e-9
) -> FittedClicks:
    """Fit a position-based model to a log by expectation maximisation.

    Parameters
    ----------
    log : ClickLog
        The impressions and their clicks.
    prior : float, default 1.0
        The weight of the prior, in pseudo-impressions: it pulls attractions towards the click rate at the top
        place, and examinations towards one half. 0 maximises the likelihood.
    rounds : int, default 10000
        The maximum number of rounds; `converged` tells whether they sufficed.
    tolerance : float, default 1e-9
        Stop when a round gains less log-likelihood than this per impression.

    Returns
    -------
    FittedClicks
        The fitted model.

    Raises
    ------
    ParameterError
        If the log has no clicks, or a number is out of range.

    Notes
    -----
    Clicks depend only on the product of attraction and examination, so the top place is taken as always
    examined. The log must show the same documents at several places; otherwise the two factors cannot be
    separated.

    References
    ----------
    Chuklin, Markov and de Rijke (2015). Click models for web search. Morgan & Claypool. Chapter 4.

    Examples
    --------
    >>> shown = [("svm", ["a", "b"], [1, 1]), ("svm", ["b", "a"], [1, 0])] * 500
    >>> model = fit_position_based(ClickLog.from_records(shown))
    >>> model.examination.round(2).tolist()
    [[1.0], [0.5]]
    >>> model.chances("svm", ["a", "b"]).round(2)
    array([1. , 0.5])
    """
    return fit_habits("position-based", log, np.zeros_like(log.documents), 1, prior, rounds, tolerance)


def user_browsing(attraction: Row, examination: Sequence[Sequence[float]] | FloatArray) -> TableClickModel:
    """Return a user who examines a place with a probability that depends on the last click above it.

    Parameters
    ----------
    attraction : sequence of float
        The probability of a click on an examined document, for each grade.
    examination : sequence of sequences of float
        `examination[place]`, from the top place, 0: the probability of examination without a click above,
        after a last click at the top place, and so on down to the place just above. The last row also applies
        below. (The paper indexes by the distance to the last click instead of its place.)

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If a probability is outside [0, 1], or a row is too short.

    Examples
    --------
    >>> model = user_browsing([0.0, 1.0], examination=[[0.9], [0.5, 0.8]])
    >>> model.chances([1, 1]).round(2)
    array([0.9 , 0.77])
    """
    rows = [list(row) for row in examination]
    for place, row in enumerate(rows):
        if len(row) <= place:
            raise ParameterError(f"examination[{place}] has {len(row)} numbers; give {place + 1} or more.")
    # entries above the diagonal are never read: the last click is always above the place
    table = tuple(tuple(row[min(last, place)] for last in range(len(rows))) for place, row in enumerate(rows))
    return TableClickModel("user browsing", tuple(attraction), examination=table, stop=((0.0,),))


def fit_user_browsing(
    log: ClickLog, prior: float = 1.0, rounds: int = 10_000, tolerance: float = 1e-9
) -> FittedClicks:
    """Fit a user browsing model to a log by expectation maximisation.

    Combinations of a place and a last click that are not in the log get an examination of one half.

    Parameters
    ----------
    log : ClickLog
        The impressions and their clicks.
    prior : float, default 1.0
        The weight of the prior, in pseudo-impressions: it pulls attractions towards the click rate at the top
        place, and examinations towards one half. 0 maximises the likelihood.
    rounds : int, default 10000
        The maximum number of rounds; `converged` tells whether they sufficed.
    tolerance : float, default 1e-9
        Stop when a round gains less log-likelihood than this per impression.

    Returns
    -------
    FittedClicks
        The fitted model.

    Raises
    ------
    ParameterError
        If the log has no clicks, or a number is out of range.

    Examples
    --------
    >>> shown = [("svm", ["a", "b"], [1, 1]), ("svm", ["b", "a"], [0, 1])] * 500
    >>> fit_user_browsing(ClickLog.from_records(shown)).converged
    True
    """
    return fit_habits("user browsing", log, last_clicks(log), log.places, prior, rounds, tolerance)


def last_clicks(log: ClickLog) -> IntArray:
    """Return for each place of each page 1 + the place of the last click above it; 0 without one."""
    clicks = np.where(log.clicked, np.arange(1, log.places + 1), 0)
    lasts = np.zeros_like(clicks)
    lasts[:, 1:] = np.maximum.accumulate(clicks, axis=1)[:, :-1]
    return lasts
