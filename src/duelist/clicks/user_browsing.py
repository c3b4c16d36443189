"""The user browsing model: whether a place is looked at depends on it and on the last click above it.

Dupret and Piwowarski (2008). A user browsing model to predict search engine click data from past
observations. SIGIR.
"""

from collections.abc import Sequence

import numpy as np

from duelist.clicks.fitted import FittedClicks
from duelist.clicks.log import ClickLog
from duelist.clicks.model import ClickModel
from duelist.clicks.place_habits import fit_habits
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError


def user_browsing(
    attraction: Sequence[float] | FloatArray, examination: Sequence[Sequence[float]] | FloatArray
) -> ClickModel:
    """Return a person who looks at a place with a chance that depends on the last click above it.

    Parameters
    ----------
    attraction : sequence of float
        The chance of a click on a document looked at, for every grade.
    examination : sequence of sequences of float
        `examination[place]`, with 0 for the top: the chance of a look while nothing is clicked, after a last
        click at the top place, and so on down to the place above; one number more in every row. What a row
        has beyond these is not read. Places further down are taken for the last one.

    Notes
    -----
    The paper writes the chance by the distance to the last click; place and distance give its place.

    Examples
    --------
    >>> model = user_browsing([0.0, 1.0], examination=[[0.9], [0.5, 0.8]])
    >>> model.chances([1, 1]).round(2)
    array([0.9 , 0.77])
    """
    rows = [list(row) for row in examination]
    for place, row in enumerate(rows):
        if len(row) <= place:
            raise ParameterError(f"examination[{place}] has {len(row)} chances; give {place + 1} or more.")
    # above the diagonal stands what cannot happen: a last click not above the place
    table = tuple(tuple(row[min(last, place)] for last in range(len(rows))) for place, row in enumerate(rows))
    return ClickModel("user browsing", tuple(attraction), examination=table, stop=((0.0,),))


def fit_user_browsing(
    log: ClickLog, prior: float = 1.0, rounds: int = 10_000, tolerance: float = 1e-9
) -> FittedClicks:
    """Fit a user browsing model to a log, by expectation maximisation.

    Parameters
    ----------
    log : ClickLog
        What was shown and clicked.
    prior, rounds, tolerance
        As in `fit_position_based`.

    Notes
    -----
    As with `fit_position_based`, the top place is taken to be always looked at. Pairs of a place and a last
    click that the log does not hold keep an examination of one half.

    Examples
    --------
    >>> shown = [("svm", ["a", "b"], [1, 1]), ("svm", ["b", "a"], [0, 1])] * 500
    >>> fit_user_browsing(ClickLog.from_records(shown)).converged
    True
    """
    return fit_habits("user browsing", log, last_clicks(log), log.places, prior, rounds, tolerance)


def last_clicks(log: ClickLog) -> IntArray:
    """Return, for every place of every page, 1 + the place of the last click above it, or 0.

    Examples
    --------
    >>> last_clicks(ClickLog.from_records([("svm", list("abcd"), [0, 1, 0, 1])])).tolist()
    [[0, 0, 2, 2]]
    """
    marks = np.where(log.clicked, np.arange(1, log.places + 1), 0)
    lasts = np.zeros_like(marks)
    lasts[:, 1:] = np.maximum.accumulate(marks, axis=1)[:, :-1]
    return lasts
