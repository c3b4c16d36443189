"""Fit the Bradley-Terry model, with ties, covariates and clusters.

A bootstrap sample draws as many votes (or clusters) as there are, with replacement.
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, number_or_nan, require_confidence, require_whole
from duelist.ratings.clusters import (
    AUTO,
    FEWEST,
    Clusters,
    Grouping,
    Sparse,
    group_rows,
    model_covariance,
    sandwich,
    score_rows,
    uncertainty,
    vote_gram,
)
from duelist.ratings.evidence import SIDE, Evidence, evidence_of, reordered, require_identified
from duelist.ratings.existence import require_davidson, select_arms
from duelist.ratings.newton import information, maximize, moments, summed
from duelist.ratings.result import Ratings, summarize
from duelist.votes.counting import Repeats, grouped
from duelist.votes.loading import Source, as_votes

Ties: TypeAlias = Literal["half", "davidson"]
Intervals: TypeAlias = Literal["sandwich", "bootstrap", "none"]
TOLERANCE = 1e-9  # maximum last step of Newton's method; the error is about its square
SLIGHT_RIDGE = 1e-3  # keeps ratings finite in bootstrap samples in which an arm won or lost every vote
SAMPLE_TOLERANCE = 1e-6
CELLS_AT_ONCE = 4_000_000  # maximum number of elements of a temporary array


def fit_bradley_terry(
    votes: Source,
    *,
    ties: Ties = "half",
    ridge: float = 0.0,
    intervals: Intervals = "sandwich",
    clusters: Clusters = AUTO,
    confidence: float = 0.95,
    bootstrap: int = 1000,
    seed: int = 0,
    repeats: Repeats = "first",
    minimum_votes: int = 0,
    covariates: Sequence[str] = (),
    side_effect: bool = False,
) -> Ratings:
    """Fit Bradley-Terry ratings, with confidence intervals and rank ranges.

    In the model, an arm beats another with probability 1 / (1 + exp(-d)), where d is the difference of their
    ratings. The ratings are maximum-likelihood estimates in natural log-odds, relative to the mean of all
    rated arms.

    Arms whose ratings would be infinite, and arms that were not compared with the others, are listed in
    `Ratings.unrated`. The other arms are rated by the votes between them.

    Parameters
    ----------
    votes : Votes, path, data frame, table of counts, or problem
        The votes; `load_votes` describes files and data frames. In a table of counts, `votes[i, j]` is how
        often arm i beat arm j. `Votes.weights` multiply each vote in the likelihood and in the covariance.
    ties : {"half", "davidson"}, default "half"
        Count a tie as half a win each way, or model it as a third outcome: in Davidson's model the
        probabilities of a win, a loss and a tie are in the proportion exp(d / 2) : exp(-d / 2) : nu, and nu
        is estimated.
    ridge : float, default 0
        The penalty ridge / 2 on the sum of squared ratings and effects, equivalent to a normal prior with
        variance 1 / ridge. If positive, an arm that won or lost every vote has a finite rating.
    intervals : {"sandwich", "bootstrap", "none"}, default "sandwich"
        How to compute intervals: from the robust covariance, which does not require the model to hold, or
        from quantiles of bootstrap samples.
    clusters : str, default "auto"
        The column whose equal values form a cluster of possibly correlated votes: "voter", "item", "ranking"
        or an extra column. A vote without a value is a cluster by itself. "none" treats all votes as
        independent. "auto" uses rankings if the votes come from rankings; else voters if votes have voters
        and there are at least five clusters; else none. `Ratings.clusters` holds the choice.
    confidence : float, default 0.95
        The confidence level: of each rating's own interval, and of the rank ranges of all arms
        simultaneously.
    bootstrap : int, default 1000
        The number of bootstrap samples.
    seed : int, default 0
        The seed of the bootstrap.
    repeats : {"first", "all"}, default "first"
        Whether to count only the first or all of a named voter's votes on the same pair and item.
    minimum_votes : int, default 0
        The minimum number of votes of a rated arm.
    covariates : sequence of str, default ()
        The names of covariates to control for. The log-odds of the left arm gain the effect times the
        difference of the covariate, left minus right. The differences come from the extra columns NAME_left
        and NAME_right, or NAME_a and NAME_b, or from NAME, which holds the difference itself. They are
        divided by their standard deviation. Ratings apply at equal covariates.
    side_effect : bool, default False
        Estimate how much the left side adds to the log-odds, such as a position bias or a home advantage.

    Returns
    -------
    Ratings
        The ratings, with intervals, rank ranges and effects.

    Raises
    ------
    PreferenceError
        If no two arms can be rated, or the votes are invalid.
    ParameterError
        If an option is invalid, a covariate is not identified, or there is only one cluster.
    UnknownNameError
        If the votes have no column of this name for clusters or a covariate.

    Notes
    -----
    A rank range excludes only those ranks that simultaneous intervals of all pairwise differences exclude.
    The width of these intervals is the quantile of the largest standardised difference, simulated with a
    fixed seed. With clusters, intervals use Student's t, with the effective number of clusters minus one as
    degrees of freedom. Names and order of the arms do not affect the result beyond rounding.

    References
    ----------
    Bradley, Terry (1952). Rank analysis of incomplete block designs. Biometrika 39.
    Davidson (1970). On extending the Bradley-Terry model to accommodate ties. JASA 65.

    Examples
    --------
    >>> wins = [[0, 7, 9], [3, 0, 6], [1, 4, 0]]
    >>> fit_bradley_terry(wins, intervals="none").rating.round(2).tolist()
    [0.94, -0.16, -0.78]
    >>> fit_bradley_terry([[0, 4], [0, 0]])
    Traceback (most recent call last):
    duelist.errors.PreferenceError: no two arms have both won and lost ... give a ridge, ...
    """
    check_choice("ties", ties, get_args(Ties))
    check_choice("intervals", intervals, get_args(Intervals))
    check_options(ridge, clusters, confidence, minimum_votes)
    require_whole("bootstrap", bootstrap, 2)
    require_whole("seed", seed, 0)
    recorded = grouped(as_votes(votes))
    chosen = select_arms(recorded, repeats, ridge, minimum_votes)
    within = np.ix_(chosen.members, chosen.members)
    won, tied = chosen.tally.wins[within], chosen.tally.ties[within]
    if ties == "davidson":
        require_davidson(won, tied, ridge)
    named = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    evidence, rows = evidence_of(recorded, chosen, named, side_effect)
    names, cells = (*named, SIDE)[: len(named) + side_effect], evidence.cells()
    if names and ridge == 0.0:
        require_identified(cells, names)
    free = ties == "davidson" and bool(tied.any())  # without ties, nu is 0
    point = maximize(cells, np.zeros((1, cells.width + free)), ridge, free, TOLERANCE)
    nu = (float(np.exp(point[0, -1])) if free else 0.0) if ties == "davidson" else None
    about: dict[str, Any] = {"names": names, "nu": nu}
    if intervals == "none":
        return summarize(recorded, chosen, point[0], **about)
    grouping = group_rows(recorded, rows, evidence.counts, clusters)
    about["clusters"] = grouping and grouping.used
    if grouping is not None and grouping.used.number < FEWEST:
        return summarize(recorded, chosen, point[0], **about)
    k, found = evidence.k, moments(cells, point, free)
    inverse = np.linalg.inv(information(cells, found, ridge, free)[0])
    model, numbers, drawn = model_covariance(inverse, k), None, None
    if grouping is None:
        varied = vote_gram(evidence, found, free)
    else:
        scores = score_rows(evidence, found, free, grouping)
        varied, numbers = scores.gram(), scores.effective_numbers()
    if intervals == "sandwich":
        covariance = sandwich(inverse, varied, k, len(names), ridge)
    else:
        # in an order that depends on the votes, so that the arms' names do not change the random draws
        order = chosen.order(point[0, :k])
        indices = np.append(order, np.arange(k, len(inverse)))
        again = reordered(evidence, order)
        drawn = draw_estimates(again, point[0, indices], ridge, free, grouping, bootstrap, seed)
        drawn = drawn[:, np.argsort(indices)]
        covariance = np.cov(drawn, rowvar=False)
    measured = uncertainty(point[0], covariance, model, k, numbers, confidence, drawn)
    return summarize(recorded, chosen, point[0], measured, confidence, **about)


def check_options(ridge: float, clusters: Clusters, confidence: float, minimum_votes: int) -> None:
    """Check the parameters that all models share."""
    if not 0.0 <= number_or_nan(ridge) < inf:
        raise ParameterError(f"ridge must be a finite number, 0 or more; got {ridge!r}.")
    if not isinstance(clusters, str):
        raise ParameterError(f'clusters must be the name of a column, "auto" or "none"; got {clusters!r}.')
    require_confidence(confidence)
    require_whole("minimum_votes", minimum_votes, 0)


def check_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(known)}; got {value!r}.")


class Units(NamedTuple):
    """The units of resampling; the tables have a row for each unit and a column for each cell."""

    times: FloatArray
    """The number of equal units that each unit stands for."""
    votes: Sparse
    margins: Sparse
    ties: Sparse


def draw_estimates(
    evidence: Evidence,
    point: FloatArray,
    ridge: float,
    ties: bool,
    grouping: Grouping | None,
    samples: int,
    seed: int,
) -> FloatArray:
    """Return the estimates of bootstrap samples, one row per sample."""
    rng, cells = default_rng(seed), evidence.cells()
    units = votes_alone(evidence) if grouping is None else clusters_of(evidence, grouping)
    total = units.times.sum()
    at_once = max(CELLS_AT_ONCE // max(point.size**2, len(units.times), len(cells.first)), 1)
    found = []
    for start in range(0, samples, at_once):
        many = min(at_once, samples - start)
        drawn = rng.multinomial(int(total), units.times / total, size=many).astype(np.float64)
        sample = cells._replace(
            votes=drawn @ units.votes, margins=drawn @ units.margins, ties=drawn @ units.ties
        )
        begin = np.repeat(point[None], many, axis=0)
        found.append(maximize(sample, begin, max(ridge, SLIGHT_RIDGE), ties, SAMPLE_TOLERANCE))
    return np.concatenate(found)


def votes_alone(evidence: Evidence) -> Units:
    """Return single votes as units, merging votes that are equal in every respect."""
    _, margin = np.unique(evidence.margin, return_inverse=True)
    _, weight = np.unique(evidence.weights, return_inverse=True)
    kinds = (evidence.cell * (margin.max() + 1) + margin) * (weight.max() + 1) + weight
    _, rows, kind = np.unique(kinds, return_index=True, return_inverse=True)
    times = summed(kind, evidence.counts, len(rows))
    return _units(evidence, times, rows, np.arange(len(rows)), np.ones(len(rows)))


def clusters_of(evidence: Evidence, grouping: Grouping) -> Units:
    rows = np.arange(len(evidence.cell))
    return _units(evidence, grouping.times, rows, grouping.unit, grouping.share)


def _units(evidence: Evidence, times: FloatArray, rows: IntArray, unit: IntArray, share: FloatArray) -> Units:
    from scipy.sparse import csr_array

    weighted = share * evidence.weights[rows]
    cells, shape = (unit, evidence.cell[rows]), (len(times), len(evidence.first))
    votes, margins, ties = (
        csr_array((values, cells), shape=shape)
        for values in (weighted, weighted * evidence.margin[rows], weighted * evidence.tie[rows])
    )
    return Units(times, votes, margins, ties)
