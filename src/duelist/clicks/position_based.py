"""The position-based model: a place is looked at with a chance of its own, whatever was clicked.

Richardson, Dominowska and Ragno (2007). Predicting clicks: estimating the click-through rate for new ads.
WWW.
Craswell, Zoeter, Taylor and Ramsey (2008). An experimental comparison of click position-bias models. WSDM.
"""

from collections.abc import Sequence

import numpy as np

from duelist.clicks.fitted import FittedClicks
from duelist.clicks.log import ClickLog
from duelist.clicks.model import ClickModel, as_chances
from duelist.clicks.place_habits import fit_habits
from duelist.duel import FloatArray


def position_based(
    attraction: Sequence[float] | FloatArray, examination: Sequence[float] | FloatArray
) -> ClickModel:
    """Return a person who looks at every place with a chance of its own, and clicks what attracts.

    Parameters
    ----------
    attraction : sequence of float
        The chance of a click on a document looked at, for every grade.
    examination : sequence of float
        The chance of a look, for every place; the last of them for all places further down.

    Examples
    --------
    >>> position_based(attraction=[0.1, 0.9], examination=[1.0, 0.5]).chances([1, 1, 1])
    array([0.9 , 0.45, 0.45])
    """
    places = as_chances("examination", examination)
    return ClickModel(
        "position-based",
        tuple(attraction),
        examination=tuple((chance,) for chance in places.tolist()),
        stop=((0.0,),),
    )


def fit_position_based(
    log: ClickLog, prior: float = 1.0, rounds: int = 10_000, tolerance: float = 1e-9
) -> FittedClicks:
    """Fit a position-based model to a log, by expectation maximisation.

    Parameters
    ----------
    log : ClickLog
        What was shown and clicked.
    prior : float, default 1.0
        The number of looks added to every chance: those at a document are clicked as often as documents
        are on the whole at the top place, which is also what an unseen document gets; examinations are drawn
        towards one half. 0 for the greatest likelihood.
    rounds : int, default 10000
        The most rounds; `converged` says whether they were enough.
    tolerance : float, default 1e-9
        Stop when a round gains less log-likelihood than this per impression.

    Notes
    -----
    A click tells about the product of attraction and examination alone. The top place is therefore taken to
    be always looked at, and the others' examination is relative to it. It can be told from attraction only
    where the same documents are shown at several places.

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
