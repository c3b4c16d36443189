"""The most likely ratings by Newton's method, for many samples of the votes at once.

A vote between arms with ratings s and t is a win of the first, a win of the second or a tie, with chances in
the proportion exp(d / 2) : exp(-d / 2) : nu, where d = s - t. With nu = 0 this is Bradley and Terry's model,
in which a tie counts as half a win each way; with nu estimated it is Davidson's. Either way the likelihood's
logarithm is concave in the ratings and ln nu, and depends on each pair's margin and number of ties alone.

Ralph A. Bradley, Milton E. Terry (1952). Rank analysis of incomplete block designs. Biometrika 39.
Roger R. Davidson (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments. JASA 65.
"""

from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.ratings.pairs import Pairs

MOST_STEPS = 200
MOST_HALVINGS = 40
ROUNDING = 1e-12  # by which share of itself a log-likelihood may fall and still count as not fallen


class Fit(NamedTuple):
    """Ratings that sum to 0, and ln nu, a row for each sample; where ties are halved, nu is 0."""

    ratings: FloatArray
    log_nu: FloatArray


class Moments(NamedTuple):
    """Of a vote of each pair, under the model: its margin is 1/2, -1/2 or 0, and it is a tie or not."""

    margin: FloatArray
    tie: FloatArray
    log_total: FloatArray
    """The logarithm of what the three chances are divided by."""

    @property
    def variance(self) -> FloatArray:
        """The variance of the margin."""
        return (1.0 - self.tie) / 4.0 - self.margin**2


def moments(pairs: Pairs, fit: Fit) -> Moments:
    """Return what the model expects of a vote of each pair."""
    half = (fit.ratings[:, pairs.first] - fit.ratings[:, pairs.second]) / 2.0
    log_nu = fit.log_nu[:, None]
    largest = np.maximum(np.abs(half), log_nu)
    won, lost, tied = np.exp(half - largest), np.exp(-half - largest), np.exp(log_nu - largest)
    total = won + lost + tied
    return Moments((won - lost) / (2.0 * total), tied / total, largest + np.log(total))


def log_likelihood(pairs: Pairs, fit: Fit, found: Moments, ridge: float) -> FloatArray:
    """Return the logarithm of the likelihood of each sample, less the penalty on large ratings."""
    half = (fit.ratings[:, pairs.first] - fit.ratings[:, pairs.second]) / 2.0
    likely = (half * (pairs.won - pairs.lost) - pairs.votes * found.log_total).sum(axis=1)
    ties = pairs.tied.sum(axis=1)
    likely += np.multiply(ties, fit.log_nu, where=np.isfinite(fit.log_nu), out=np.zeros_like(ties))
    return np.asarray(likely - ridge / 2.0 * (fit.ratings**2).sum(axis=1))


def information(pairs: Pairs, found: Moments, ridge: float, ties: bool) -> FloatArray:
    """Return the negative second derivative by ratings, and by ln nu last if `ties`, made invertible.

    Ratings that all rise by the same are the same; the matrix is given weight in that direction, which no
    difference of ratings sees.
    """
    votes = pairs.votes
    matrix = pairs.laplacian(votes * found.variance)
    arms = np.arange(pairs.k)
    matrix[:, arms, arms] += ridge
    matrix += (matrix[:, arms, arms].sum(axis=1) / pairs.k**2)[:, None, None]
    if not ties:
        return matrix
    across = pairs.by_arm(-votes * found.tie * found.margin)
    return bordered(matrix, across, (votes * found.tie * (1.0 - found.tie)).sum(axis=1))


def bordered(matrix: FloatArray, across: FloatArray, corner: FloatArray) -> FloatArray:
    """Return symmetric matrices with one more row and column."""
    right = np.concatenate([matrix, across[:, None, :]], axis=1)
    return np.concatenate([right, np.append(across, corner[:, None], axis=1)[:, :, None]], axis=2)


def maximize(pairs: Pairs, start: Fit, ridge: float, ties: bool, tolerance: float) -> Fit:
    """Return the most likely ratings, from a start; they must exist, or `ridge` be above 0.

    Steps that would lower the likelihood are halved, so that a concave one always rises to its maximum.
    """
    fit = start
    found = moments(pairs, fit)
    likely = log_likelihood(pairs, fit, found, ridge)
    for _ in range(MOST_STEPS):
        surprise = (pairs.won - pairs.lost) / 2.0 - pairs.votes * found.margin
        slope = pairs.by_arm(surprise) - ridge * fit.ratings
        if ties:
            of_ties = (pairs.tied - pairs.votes * found.tie).sum(axis=1)
            slope = np.append(slope, of_ties[:, None], axis=1)
        try:
            step = np.linalg.solve(information(pairs, found, ridge, ties), slope[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            break
        step[:, : pairs.k] -= step[:, : pairs.k].mean(axis=1, keepdims=True)
        share = np.ones(len(step))
        for _ in range(MOST_HALVINGS):
            ratings = fit.ratings + share[:, None] * step[:, : pairs.k]
            log_nu = fit.log_nu + share * step[:, -1] if ties else fit.log_nu
            tried = Fit(ratings, log_nu)
            found = moments(pairs, tried)
            now = log_likelihood(pairs, tried, found, ridge)
            worse = ~(now >= likely - ROUNDING * np.abs(likely))
            if not worse.any():
                break
            share[worse] /= 2.0
        fit, likely = tried, now
        if np.abs(step).max() <= tolerance:
            return fit
    larger = f"a ridge larger than {ridge:g}" if ridge > 0.0 else "a ridge"
    raise PreferenceError(
        f"the ratings do not settle within {MOST_STEPS} steps of Newton's method: some are nearly infinite; "
        f"give {larger}, such as ridge={max(0.1, 10.0 * ridge):g}."
    )
