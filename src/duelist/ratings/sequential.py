"""Elo ratings, which are updated after every vote.

References
----------
Arpad E. Elo (1978). The rating of chessplayers, past and present.
"""

from math import exp, inf, log

import numpy as np

from duelist.errors import ParameterError, number_or_nan, require_positive
from duelist.ratings.result import Ratings
from duelist.votes.counting import Repeats, counted_rows
from duelist.votes.loading import Source, as_votes

LARGEST = 700.0  # exponents above this overflow


def elo(
    votes: Source,
    *,
    k: float = 4.0,
    scale: float = 400.0,
    base: float = 10.0,
    start: float = 1000.0,
    repeats: Repeats = "first",
) -> Ratings:
    """Compute Elo ratings: the winner of each vote gains points from the loser, more after an upset.

    After a vote, the left arm's rating rises by k (outcome - expected), where the expected outcome is
    1 / (1 + base^((right - left) / scale)), and the right arm's rating falls by the same amount. A weight
    multiplies k. Arms without votes keep the initial rating.

    Votes are processed in chronological order if all times are known, else in the order of rows. The order
    matters, and the last votes matter most. For arms that do not change, `fit_bradley_terry` computes ratings
    with intervals.

    Parameters
    ----------
    votes : Votes, path, data frame, table of counts, or problem
        The votes, as in `fit_bradley_terry`. A row that stands for n votes is processed n times.
    k : float, default 4
        The maximum change of a rating after one vote.
    scale : float, default 400
        The difference of ratings that corresponds to odds of `base` to 1.
    base : float, default 10
        The base of the odds.
    start : float, default 1000
        The initial rating of every arm.
    repeats : {"first", "all"}, default "first"
        Whether to count only the first or all of a named voter's votes on the same pair and item.

    Returns
    -------
    Ratings
        The ratings, without intervals.

    Raises
    ------
    ParameterError
        If an option is invalid.
    PreferenceError
        If the votes are invalid.

    References
    ----------
    Elo (1978). The rating of chessplayers, past and present.

    Examples
    --------
    >>> from duelist import load_votes
    >>> votes = load_votes([("dense", "bm25"), ("dense", "splade"), ("splade", "bm25")])
    >>> elo(votes)
    arm      rating  rank  votes
    dense   1003.99     1      2
    splade  1000.01     2      2
    bm25     996.00     3      2
    """
    require_positive("k", k)
    require_positive("scale", scale)
    if not 1.0 < number_or_nan(base) < inf:
        raise ParameterError(f"base must exceed 1; got {base!r}.")
    if not -inf < number_or_nan(start) < inf:
        raise ParameterError(f"start must be a finite number; got {start!r}.")
    recorded = as_votes(votes)
    counts = counted_rows(recorded, repeats)
    rows = np.flatnonzero(counts)
    if recorded.times is not None and not np.isnan(recorded.times[rows]).any():
        rows = rows[np.argsort(recorded.times[rows], kind="stable")]
    rows = np.repeat(rows, counts[rows])
    moves = np.full(len(rows), float(k)) if recorded.weights is None else k * recorded.weights[rows]
    ratings = [float(start)] * recorded.k
    slope = log(base) / scale
    columns = (column[rows].tolist() for column in (recorded.left, recorded.right, recorded.outcomes))
    for left, right, outcome, most in zip(*columns, moves.tolist(), strict=True):
        behind = min(slope * (ratings[right] - ratings[left]), LARGEST)
        gain = most * (outcome - 1.0 / (1.0 + exp(behind)))
        ratings[left] += gain
        ratings[right] -= gain
    many = sum(np.bincount(side[rows], minlength=recorded.k) for side in (recorded.left, recorded.right))
    return Ratings.without_intervals(
        recorded.arms,
        np.array(ratings),
        np.asarray(many, np.int64),
        scale="elo",
        points=1.0 / slope,
        weighted=recorded.weights is not None,
    )
