"""Elo's ratings, which move after every vote.

Arpad E. Elo (1978). The rating of chessplayers, past and present.
"""

from math import exp, inf, log

import numpy as np

from duelist.errors import ParameterError, number_or_nan, require_positive
from duelist.ratings.result import Ratings
from duelist.votes.loading import Source, as_votes

LARGEST = 700.0  # beyond which exp has no finite value


def elo(
    votes: Source, *, k: float = 4.0, scale: float = 400.0, base: float = 10.0, start: float = 1000.0
) -> Ratings:
    """Rate arms vote by vote: the winner gains, and the loser loses, the more the less it was expected.

    After a vote, the left arm's rating rises by k (outcome - expected), where it is expected to win with the
    chance 1 / (1 + base^((right - left) / scale)), and the right arm's falls by as much. The order of the
    votes matters, the last ones most; `bradley_terry` rates arms that do not change, with intervals.

    Parameters
    ----------
    votes : Votes, path, data frame, table of counts, or problem
        As for `bradley_terry`, in the order of time; a row that stands for several votes is told so often.
    k : float, default 4
        The most that a rating moves after one vote.
    scale, base : float, default 400 and 10
        A difference of `scale` is odds of `base` to 1.
    start : float, default 1000
        The rating of every arm at the beginning.

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
    ratings = [float(start)] * len(told.arms)
    slope = log(base) / scale
    steps = (np.repeat(column, told.counts).tolist() for column in (told.left, told.right, told.outcomes))
    for left, right, outcome in zip(*steps, strict=True):
        behind = min(slope * (ratings[right] - ratings[left]), LARGEST)
        gain = k * (outcome - 1.0 / (1.0 + exp(behind)))
        ratings[left] += gain
        ratings[right] -= gain
    wins, ties = told.tallies()
    return Ratings.without_intervals(told.arms, np.array(ratings), (wins + wins.T + ties).sum(axis=1))
