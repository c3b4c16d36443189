"""Ratings by Bradley and Terry's model, with or without Davidson's ties."""

from math import inf
from statistics import NormalDist
from typing import Literal, TypeAlias, get_args

import numpy as np

from duelist.errors import ParameterError, number_or_nan, require_confidence, require_whole
from duelist.ratings.clusters import Clusters, cluster_counts
from duelist.ratings.covariance import bootstrap as draw_ratings
from duelist.ratings.covariance import sandwich
from duelist.ratings.existence import require_ratings
from duelist.ratings.newton import Fit, maximize
from duelist.ratings.pairs import pairs_of
from duelist.ratings.ranks import rank_ranges
from duelist.ratings.result import Ratings
from duelist.votes.loading import Source, as_votes

Ties: TypeAlias = Literal["half", "davidson"]
Intervals: TypeAlias = Literal["sandwich", "bootstrap", "none"]

SETTLED = 1e-9  # a last step of Newton's method, after which the error is about its square


def bradley_terry(
    votes: Source,
    *,
    ties: Ties = "half",
    ridge: float = 0.0,
    intervals: Intervals = "sandwich",
    clusters: Clusters | None = None,
    confidence: float = 0.95,
    bootstrap: int = 1000,
    seed: int = 0,
) -> Ratings:
    """Rate arms by the chances that they beat each other, with intervals and ranges of ranks.

    An arm beats another with the chance 1 / (1 + exp(-d)), where d is the difference of their ratings. These
    are the most likely ones: natural log-odds, relative to the mean of all arms.

    Parameters
    ----------
    votes : Votes, path, data frame, table of counts, or problem
        `load_votes` says what files and frames look like. In a table of counts, `votes[i, j]` is how often
        arm i beat arm j; a `MatrixProblem` that was estimated from comparisons holds one.
    ties : {"half", "davidson"}, default "half"
        A tie is half a win each way, or an outcome of its own: in Davidson's model a win, a loss and a tie
        have chances in the proportion exp(d / 2) : exp(-d / 2) : nu, with nu estimated too.
    ridge : float, default 0
        The penalty ridge / 2 on the sum of squared ratings, as of a normal prior with variance 1 / ridge.
        Above 0, ratings are finite whatever the votes.
    intervals : {"sandwich", "bootstrap", "none"}, default "sandwich"
        From the robust covariance, which does not need the model to hold, or from quantiles of samples drawn
        from the votes with replacement.
    clusters : {"voter", "item"}, optional
        Votes of the same voter, or on the same item, may resemble each other: intervals then take whole
        clusters of votes to be independent, of which there should be dozens. By default single votes are,
        and whole rankings where votes are parts of them.
    confidence : float, default 0.95
        Of each rating's interval by itself, and of the ranges of ranks, of all arms at once.
    bootstrap : int, default 1000
        How many samples are drawn.
    seed : int, default 0
        Of the samples.

    Notes
    -----
    An arm's range of ranks leaves out only those that simultaneous intervals of all differences exclude: of
    the largest standardized difference, by simulation from the covariance with a seed that is always the
    same. The order and the names of the arms change nothing beyond rounding.

    References
    ----------
    Bradley, Terry (1952). Rank analysis of incomplete block designs. Biometrika 39.
    Davidson (1970). On extending the Bradley-Terry model to accommodate ties. JASA 65.

    Examples
    --------
    >>> wins = [[0, 7, 9], [3, 0, 6], [1, 4, 0]]
    >>> bradley_terry(wins, intervals="none").rating.round(2).tolist()
    [0.94, -0.16, -0.78]
    >>> bradley_terry([[0, 4], [0, 0]])
    Traceback (most recent call last):
    duelist.errors.PreferenceError: 0 won all its votes, 1 lost all its votes: such ratings are infinite; ...
    """
    if ties not in get_args(Ties):
        raise ParameterError(f"ties must be one of {', '.join(get_args(Ties))}; got {ties!r}.")
    if intervals not in get_args(Intervals):
        raise ParameterError(f"intervals must be one of {', '.join(get_args(Intervals))}; got {intervals!r}.")
    if not 0.0 <= number_or_nan(ridge) < inf:
        raise ParameterError(f"ridge must be a finite number, 0 or more; got {ridge!r}.")
    if clusters not in (None, *get_args(Clusters)):
        raise ParameterError(f"clusters must be one of {', '.join(get_args(Clusters))}; got {clusters!r}.")
    require_confidence(confidence)
    require_whole("bootstrap", bootstrap, 2)
    require_whole("seed", seed, 0)
    counted = as_votes(votes)
    wins, tied = counted.tallies()
    require_ratings(counted.arms, wins, tied, ties == "davidson", ridge)
    free = ties == "davidson" and bool(tied.any())  # without ties, nu is 0
    k = len(counted.arms)
    start = Fit(np.zeros((1, k)), np.full(1, 0.0 if free else -inf))
    fit = maximize(pairs_of(wins, tied), start, ridge, free, SETTLED)
    rating, shown = fit.ratings[0], (wins + wins.T + tied).sum(axis=1)
    nu = float(np.exp(fit.log_nu[0])) if ties == "davidson" else None
    if intervals == "none":
        return Ratings.without_intervals(counted.arms, rating, shown, nu)
    # In an order that the votes decide, so that the same luck meets the same arms whatever they are called.
    order = np.lexsort((wins.sum(axis=1), shown, -rating.round(9)))
    within = np.ix_(order, order)
    pairs, fit = pairs_of(wins[within], tied[within]), fit._replace(ratings=fit.ratings[:, order])
    together = clusters or ("ranking" if counted.rankings is not None else None)
    groups = None if together is None else cluster_counts(counted, pairs, order, together)
    if intervals == "sandwich":
        covariance = sandwich(pairs, fit, ridge, free, groups)
        reach = NormalDist().inv_cdf((1.0 + confidence) / 2.0) * np.sqrt(np.diag(covariance))
        low, high = fit.ratings[0] - reach, fit.ratings[0] + reach
    else:
        drawn = draw_ratings(pairs, fit, ridge, free, groups, bootstrap, seed)
        covariance = np.cov(drawn, rowvar=False)
        low, high = np.quantile(drawn, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
    best, worst = rank_ranges(fit.ratings[0], covariance, confidence)
    back = np.argsort(order)
    covariance = covariance[np.ix_(back, back)]
    low, high, best, worst = low[back], high[back], best[back], worst[back]
    return Ratings(counted.arms, rating, low, high, best, worst, covariance, shown, confidence, nu)
