"""Fit the Plackett-Luce model to whole rankings.

A ranking is a sequence of choices: first the best of all its arms, then the best of the others, and so on. An
arm is chosen with a probability proportional to exp(rating). For rankings of two arms this is the
Bradley-Terry model.

Tied arms share their choices. A level of m tied arms stands for m choices, or m - 1 if it is the last level.
In each of these choices, every tied arm counts as 1/m of the chosen arm. In the choice set, a tied arm counts
as 1 in the first of these choices, as (m - 1) / m in the second, and so on. This is Efron's method for tied
times. In a ranking of two arms a tie is half a win each way.

References
----------
Robin L. Plackett (1975). The analysis of permutations. Applied Statistics 24.
R. Duncan Luce (1959). Individual choice behavior.
Bradley Efron (1977). The efficiency of Cox's likelihood function for censored data. JASA 72.
David R. Hunter (2004). MM algorithms for generalized Bradley-Terry models. Annals of Statistics 32.
"""

from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import PreferenceError
from duelist.ratings.clusters import (
    AUTO,
    FEWEST,
    Clusters,
    Grouping,
    Scores,
    group_rows,
    model_covariance,
    sandwich,
    uncertainty,
)
from duelist.ratings.existence import select_arms
from duelist.ratings.fitting import TOLERANCE, check_choice, check_options
from duelist.ratings.newton import climb, summed
from duelist.ratings.result import Ratings, summarize
from duelist.text import counted
from duelist.votes.counting import Repeats, counted_rows
from duelist.votes.loading import Source, as_votes
from duelist.votes.table import Votes, replace_columns

Intervals: TypeAlias = Literal["sandwich", "none"]
N = TypeVar("N", np.float64, np.int64)


class Choices(NamedTuple):
    """All choices of all rankings; the entries are the arms of the choice sets, sorted by choice."""

    k: int
    arm: IntArray
    """The arm of each entry."""
    log_share: FloatArray
    """The logarithm of the share with which the arm counts in the choice set."""
    target: FloatArray
    """The share of the choice that went to the arm."""
    starts: IntArray
    """The first entry of each choice."""
    sizes: IntArray
    """The number of entries of each choice."""
    ranking: IntArray
    """The ranking of each choice."""
    rows: IntArray
    """A row of the table of votes for each ranking."""
    counts: FloatArray
    """The number of equal rankings that each ranking stands for."""
    weights: FloatArray
    """The weight of each ranking."""

    def by_entry(self, of_rankings: NDArray[N]) -> NDArray[N]:
        """Expand one value per ranking to one value per entry."""
        return np.repeat(of_rankings[self.ranking], self.sizes)


def fit_plackett_luce(
    votes: Source,
    *,
    ridge: float = 0.0,
    intervals: Intervals = "sandwich",
    clusters: Clusters = AUTO,
    confidence: float = 0.95,
    repeats: Repeats = "first",
    minimum_votes: int = 0,
) -> Ratings:
    """Fit Plackett-Luce ratings to whole rankings, with confidence intervals and rank ranges.

    In the model, the next arm of a ranking is drawn from the arms not yet ranked, with probabilities
    proportional to exp(rating). The ratings are maximum-likelihood estimates, relative to the mean of all
    rated arms. The difference of two ratings is the log-odds of their order, as in `fit_bradley_terry`. Votes
    that do not belong to a ranking are rankings of two arms.

    Parameters
    ----------
    votes : Votes, path, data frame, table of counts, or problem
        The rankings, as pairwise votes; see `fit_bradley_terry`. The weight of a ranking is the mean weight
        of its votes.
    ridge : float, default 0
        The penalty ridge / 2 on the sum of squared ratings.
    intervals : {"sandwich", "none"}, default "sandwich"
        Whether to compute intervals, from the robust covariance, which does not require the model to hold.
    clusters : str, default "auto"
        The column whose equal values form a cluster, as in `fit_bradley_terry`. Rankings in different
        clusters, or without clusters, are treated as independent.
    confidence : float, default 0.95
        The confidence level: of each rating's own interval, and of the rank ranges of all arms
        simultaneously.
    repeats : {"first", "all"}, default "first"
        With "first", a ranking by a named voter is left out if the voter had already compared all of its
        pairs on the same item.
    minimum_votes : int, default 0
        The minimum number of votes of a rated arm; a ranking of n arms gives each arm n - 1 votes.

    Returns
    -------
    Ratings
        The ratings, with intervals and rank ranges.

    Raises
    ------
    PreferenceError
        If no two arms can be rated, or the votes of a ranking are incomplete or contradictory.
    ParameterError
        If an option is invalid, or there is only one cluster.

    Notes
    -----
    Tied arms share their choices by Efron's method. Arms without a finite rating are listed in
    `Ratings.unrated`; the others are rated as if these arms were removed from the rankings.

    References
    ----------
    Plackett (1975). The analysis of permutations. Applied Statistics 24.
    Efron (1977). The efficiency of Cox's likelihood function for censored data. JASA 72.

    Examples
    --------
    >>> from duelist import load_votes
    >>> votes = load_votes({"ranking": ["a > b > c", "b > a > c", "a > c > b", "c > a > b"]})
    >>> fit_plackett_luce(votes, intervals="none").rating.round(2).tolist()
    [0.78, -0.39, -0.39]
    """
    check_choice("intervals", intervals, get_args(Intervals))
    check_options(ridge, clusters, confidence, minimum_votes)
    recorded, ranking = whole_rankings(as_votes(votes), repeats)
    chosen = select_arms(recorded, "all", ridge, minimum_votes)
    choices = choices_of(recorded, ranking, chosen.members)
    point = maximize(choices, ridge)
    if intervals == "none":
        return summarize(recorded, chosen, point)
    grouping = group_rows(recorded, choices.rows, choices.counts, clusters)
    used = grouping and grouping.used
    if grouping is not None and grouping.used.number < FEWEST:
        return summarize(recorded, chosen, point, clusters=used)
    taken, _ = shares(choices, point)
    inverse = np.asarray(np.linalg.inv(information(choices, taken, ridge)), np.float64)
    scores = score_rankings(choices, taken, grouping)
    covariance = sandwich(inverse, scores.gram(), choices.k, 0, ridge)
    numbers = None if grouping is None else scores.effective_numbers()
    model = model_covariance(inverse, choices.k)
    found = uncertainty(point, covariance, model, choices.k, numbers, confidence)
    return summarize(recorded, chosen, point, found, confidence, clusters=used)


def whole_rankings(votes: Votes, repeats: Repeats) -> tuple[Votes, IntArray]:
    """Return the votes of all rankings that count, and the number of each vote's ranking.

    A ranking counts as a whole: unless all of its votes are repeats, all of them count.
    """
    counts = counted_rows(votes, repeats)
    codes = np.full(len(counts), -1) if votes.rankings is None else votes.rankings.codes
    named = codes >= 0
    if named.any():
        most = np.zeros(codes.max() + 1, np.int64)
        np.maximum.at(most, codes[named], counts[named])
        counts = np.where(named & votes.is_counted, most[codes], counts)
    rows = np.flatnonzero(counts)
    whole = replace_columns(votes.take(rows), counts=counts[rows])
    # a vote without a ranking is a ranking by itself
    alone = codes.max(initial=-1) + 1 + np.arange(len(rows))
    _, ranking = np.unique(np.where(named[rows], codes[rows], alone), return_inverse=True)
    return whole, ranking.astype(np.int64)


def choices_of(votes: Votes, ranking: IntArray, members: IntArray) -> Choices:
    """Convert rankings, given as one vote for every pair of their arms, to choices between rated arms."""
    k = len(members)
    index = np.full(votes.k, -1)
    index[members] = np.arange(k)
    rows = np.flatnonzero((index[votes.left] >= 0) & (index[votes.right] >= 0))
    weights = np.ones(len(ranking))
    if votes.weights is not None:
        weights = (summed(ranking, votes.weights, ranking.max() + 1) / np.bincount(ranking))[ranking]
        rows = rows[weights[rows] > 0.0]
    _, first, number = np.unique(ranking[rows], return_index=True, return_inverse=True)
    left, right, outcomes = index[votes.left[rows]], index[votes.right[rows]], votes.outcomes[rows]
    keys = np.concatenate([number * k + left, number * k + right])
    entries, entry = np.unique(keys, return_inverse=True)
    scores = summed(entry, np.concatenate([outcomes, 1.0 - outcomes]), len(entries))
    owner = entries // k
    sizes = np.bincount(owner)
    _require_whole(votes, rows, number, sizes, scores[entry].reshape(2, -1))
    # by ranking, best first; equal scores are one level
    order = np.lexsort((entries % k, -scores, owner))
    arms, scores, owner = entries[order] % k, scores[order], owner[order]
    begins = np.cumsum(sizes) - sizes
    position = np.arange(len(arms)) - begins[owner]
    pair = sizes[owner] == 2
    new = (position == 0) | (~pair & (np.diff(scores, prepend=np.inf) < 0.0))
    level = np.cumsum(new) - 1
    heads, width = np.flatnonzero(new), np.bincount(level)
    choice = np.flatnonzero(position < sizes[owner] - 1)
    start, many = heads[level[choice]], width[level[choice]]
    length = begins[owner[choice]] + sizes[owner[choice]] - start
    ends = np.cumsum(length)
    at = np.repeat(start - ends + length, length) + np.arange(int(length.sum()))
    tied = level[at] == np.repeat(level[choice], length)
    left_over = np.repeat(1.0 - (choice - start) / many, length)
    target = np.where(pair[at], scores[at], np.where(tied, 1.0 / np.repeat(many, length), 0.0))
    return Choices(
        k,
        arms[at],
        np.log(np.where(tied, left_over, 1.0)),
        target,
        ends - length,
        length,
        owner[choice],
        rows[first],
        votes.counts[rows[first]].astype(np.float64),
        weights[rows[first]],
    )


def maximize(choices: Choices, ridge: float) -> FloatArray:
    """Return the maximum-likelihood ratings, which sum to 0."""
    weighted = choices.by_entry(choices.counts * choices.weights)
    of_choices = weighted[choices.starts]

    def evaluate(point: FloatArray) -> tuple[FloatArray, FloatArray]:
        taken, log_total = shares(choices, point[0])
        likely = (weighted * choices.target) @ point[0][choices.arm] - of_choices @ log_total
        return np.array([likely - ridge / 2.0 * (point[0] @ point[0])]), taken

    def differentiate(point: FloatArray, taken: FloatArray) -> tuple[FloatArray, FloatArray]:
        slope = summed(choices.arm, weighted * (choices.target - taken), choices.k)
        return (slope - ridge * point[0])[None], information(choices, taken, ridge)[None]

    found = climb(np.zeros((1, choices.k)), choices.k, evaluate, differentiate, ridge, TOLERANCE)
    return np.asarray(found[0])


def shares(choices: Choices, point: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each entry's probability of being chosen, and the log of each choice's normalizing constant."""
    value = point[choices.arm] + choices.log_share
    largest = np.maximum.reduceat(value, choices.starts)
    weight = np.exp(value - np.repeat(largest, choices.sizes))
    total = np.add.reduceat(weight, choices.starts)
    return weight / np.repeat(total, choices.sizes), largest + np.log(total)


def information(choices: Choices, taken: FloatArray, ridge: float) -> FloatArray:
    """Return the negative Hessian, made invertible as in `newton.information`."""
    from scipy.sparse import csr_array

    k, weighted = choices.k, choices.by_entry(choices.counts * choices.weights)
    pointers = np.append(choices.starts, len(choices.arm))
    shape = (len(choices.starts), k)
    table = csr_array((np.sqrt(weighted) * taken, choices.arm, pointers), shape=shape)
    matrix = -np.asarray((table.T @ table).toarray())
    diagonal = np.arange(k)
    matrix[diagonal, diagonal] += summed(choices.arm, weighted * taken, k) + ridge
    return np.asarray(matrix + float(np.trace(matrix)) / k**2, np.float64)


def score_rankings(choices: Choices, taken: FloatArray, grouping: Grouping | None) -> Scores:
    """Return gradients and information of each cluster of rankings, or of each ranking by itself."""
    from scipy.sparse import csr_array

    unit, times, share = np.arange(len(choices.rows)), choices.counts, np.ones(len(choices.rows))
    if grouping is not None:
        unit, times, share = grouping.unit, grouping.times, grouping.share
    weighted, owner = choices.by_entry(share * choices.weights), choices.by_entry(unit)
    cells, shape = (owner, choices.arm), (len(times), choices.k)
    slopes = csr_array((weighted * (choices.target - taken), cells), shape=shape)
    information = csr_array((weighted * taken * (1.0 - taken), cells), shape=shape)
    return Scores(slopes, information, times)


def _require_whole(
    votes: Votes, rows: IntArray, number: IntArray, sizes: IntArray, scores: FloatArray
) -> None:
    """Check that every ranking has a vote for each of its pairs, and that its votes are consistent."""
    found = np.bincount(number)
    wrong = found != sizes * (sizes - 1) // 2
    fitting = 0.5 + 0.5 * np.sign(scores[0] - scores[1])
    odd = (sizes[number] > 2) & (votes.outcomes[rows] != fitting)
    wrong[number[odd]] = True
    for one in np.flatnonzero(wrong)[:1]:
        row = rows[np.flatnonzero(number == one)[0]]
        name = "" if votes.rankings is None else votes.rankings.names[votes.rankings.codes[row]]
        raise PreferenceError(
            f"ranking {name!r:.60} has {counted(int(sizes[one]), 'arm')} and "
            f"{counted(int(found[one]), 'vote')}, which do not form one order; give consistent votes for "
            "every pair of its arms, or rate the votes with fit_bradley_terry."
        )
