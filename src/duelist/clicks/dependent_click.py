"""The dependent click model: a cascade in which reading on after a click depends on its place.

Guo, Liu and Wang (2009). Efficient multiple-click models in web search. WSDM.
"""

from functools import partial
from math import log as ln

import numpy as np

from duelist.clicks.fitted import FittedClicks, length_of, maximise, numbered_pairs, renew
from duelist.clicks.log import NOTHING, ClickLog
from duelist.clicks.model import Row, TableClickModel, as_chances
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.compile import compiled


def dependent_click(attraction: Row, continuation: Row) -> TableClickModel:
    """Return a user who reads on after a click with a probability that depends on the click's place.

    Parameters
    ----------
    attraction : sequence of float
        The probability of a click, for each grade.
    continuation : sequence of float
        The probability of reading on after a click, for each place; the last one also applies below.

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
    >>> dependent_click(attraction=[0.5], continuation=[0.0, 1.0]).chances([0, 0, 0])
    array([0.5 , 0.25, 0.25])
    """
    stop = tuple((1.0 - chance,) for chance in as_chances("continuation", continuation).tolist())
    return TableClickModel("dependent click", tuple(attraction), examination=((1.0,),), stop=stop)


@compiled
def improve(
    pages: IntArray,
    clicked: BoolArray,
    attraction: FloatArray,
    continuation: FloatArray,
    looks: FloatArray,
    usual: float,
    prior: float,
) -> float:
    """Run one round of expectation maximisation and return the objective before it."""
    looks[:] = 0.0
    clicks = np.zeros_like(attraction)
    left, stayed = np.zeros_like(continuation), np.zeros_like(continuation)
    total = 0.0
    for k in range(len(pages)):
        page, flags = pages[k], clicked[k]
        shown = length_of(page)
        last = shown - 1
        while last >= 0 and not flags[last]:
            last -= 1
        for place in range(shown if last < 0 else last + 1):
            a = attraction[page[place]]
            looks[page[place]] += 1.0
            if flags[place]:
                clicks[page[place]] += 1.0
                total += ln(a)
            else:
                total += ln(1.0 - a)
            if flags[place] and place < last:
                stayed[place] += 1.0
                total += ln(continuation[place])
        # the hidden variable: the user left after the last click, or read on without a click
        if 0 <= last < shown - 1:
            on = continuation[last]
            for place in range(last + 1, shown):
                on *= 1.0 - attraction[page[place]]
            ending = 1.0 - continuation[last] + on
            total += ln(ending)
            on /= ending
            left[last] += 1.0 - on
            stayed[last] += on
            for place in range(last + 1, shown):
                looks[page[place]] += on
    total = renew(attraction, clicks, looks, usual, prior, total)
    return renew(continuation, stayed, left + stayed, 0.5, prior, total)


def fit_dependent_click(
    log: ClickLog, prior: float = 1.0, rounds: int = 10_000, tolerance: float = 1e-9
) -> FittedClicks:
    """Fit a dependent click model to a log by expectation maximisation.

    Parameters
    ----------
    log : ClickLog
        The impressions and their clicks.
    prior : float, default 1.0
        The weight of the prior, in pseudo-impressions: it pulls attractions towards the click rate down to a
        page's last click, and continuations towards one half. 0 maximises the likelihood.
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
    The paper assumes that users always leave after the last click, which maximises a lower bound of the
    likelihood. This function maximises the likelihood itself.

    Examples
    --------
    >>> shown = [("svm", ["a", "b"], [1, 0]), ("svm", ["b", "a"], [1, 1])] * 500
    >>> model = fit_dependent_click(ClickLog.from_records(shown))
    >>> model.chances("svm", ["a", "b"]).round(2)
    array([1. , 0.5])
    """
    pairs, pages = numbered_pairs(log)
    # the mean attraction, kept off 0 and 1, where EM cannot move
    down_to_last = np.maximum.accumulate(log.clicked[:, ::-1], axis=1)[:, ::-1]
    met = down_to_last.sum() + (pages[~log.clicked.any(1)] != NOTHING).sum()
    usual = float((log.clicked.sum() + 0.5) / (met + 1.0))
    attraction = np.full(len(pairs), usual)
    continuation = np.full(max(log.places - 1, 1), 0.5)
    looks = np.empty(len(pairs))
    step = partial(improve, pages, log.clicked, attraction, continuation, looks, usual, prior)
    trace = maximise(step, log, prior, rounds, tolerance)
    tables = np.append(attraction, usual), np.ones((1, 1)), 1.0 - continuation[:, None]
    return FittedClicks("dependent click", pairs, *tables, looks, trace, len(trace) < rounds)
