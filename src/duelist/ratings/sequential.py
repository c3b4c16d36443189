"""Elo's ratings, which move after every vote.

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

LARGEST = 700.0  # beyond which exp has no finite value


def elo(
    votes: Source,
    *,
    k: float = 4.0,
    scale: float = 400.0,
    base: float = 10.0,
    start: float = 1000.0,
    repeats: Repeats = "first",
) -> Ratings:
    """Rate arms vote by vote: the winner gains points from the loser, more if the win was not expected.

    After a vote, the left arm's rating rises by k (outcome - expected), where the expected outcome is
    1 / (1 + base^((right - left) / scale)), and the right arm's falls by as much. A weight multiplies k.
    Arms without votes stay at the start.

    Votes are processed in the order of their times if all times are known, else in the order of rows. The
    order matters, the last votes most. `fit_bradley_terry` rates arms that do not change, with intervals.

    Parameters
    ----------
    votes : Votes, path, data frame, table of counts, or problem
        As for `fit_bradley_terry`. A row that stands for several votes is processed as often.
    k : float, default 4
        The most that a rating moves after one vote.
    scale, base : float, default 400 and 10
        A difference of `scale` is odds of `base` to 1.
    start : float, default 1000
        The rating of every arm at the beginning.
    repeats : {"first", "all"}, default "first"
        Which of a named voter's votes on one pair and item count.

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
        raise ParameterError(f"base must be above 1; got {base!r}.")
    if not -inf < number_or_nan(start) < inf:
        raise ParameterError(f"start must be a finite number; got {start!r}.")
    told = as_votes(votes)
    counts = counted_rows(told, repeats)
    rows = np.flatnonzero(counts)
    if told.times is not None and not np.isnan(told.times[rows]).any():
        rows = rows[np.argsort(told.times[rows], kind="stable")]
    rows = np.repeat(rows, counts[rows])
    moves = np.full(len(rows), float(k)) if told.weights is None else k * told.weights[rows]
    ratings = [float(start)] * told.k
    slope = log(base) / scale
    columns = (column[rows].tolist() for column in (told.left, told.right, told.outcomes))
    for left, right, outcome, most in zip(*columns, moves.tolist(), strict=True):
        behind = min(slope * (ratings[right] - ratings[left]), LARGEST)
        gain = most * (outcome - 1.0 / (1.0 + exp(behind)))
        ratings[left] += gain
        ratings[right] -= gain
    shown = sum(np.bincount(side[rows], minlength=told.k) for side in (told.left, told.right))
    return Ratings.without_intervals(
        told.arms,
        np.array(ratings),
        np.asarray(shown, np.int64),
        scale="elo",
        points=1.0 / slope,
        weighted=told.weights is not None,
    )
