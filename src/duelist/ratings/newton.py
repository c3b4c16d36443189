"""Maximum-likelihood estimation by Newton's method, vectorized over samples of the votes.

A vote is a win of the first arm, a win of the second arm or a tie, with probabilities in the proportion
exp(d / 2) : exp(-d / 2) : nu. Here d is the difference of the two ratings plus the effects of covariates.
With nu = 0 this is the Bradley-Terry model, in which a tie counts as half a win each way; with nu estimated
it is Davidson's model. The log-likelihood is concave in ratings, effects and ln nu.

References
----------
Ralph A. Bradley, Milton E. Terry (1952). Rank analysis of incomplete block designs. Biometrika 39.
Roger R. Davidson (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments. JASA 65.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import PreferenceError

T = TypeVar("T")
MOST_STEPS = 200
MOST_HALVINGS = 40
ROUNDING = 1e-12  # relative decrease of a log-likelihood that is attributed to rounding


def summed(indices: IntArray, values: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(indices, weights=values, minlength=size), np.float64)


class VoteCells(NamedTuple):
    """Votes summed by pair of arms, or row by row if votes have covariates.

    The sums `votes`, `margins` and `ties` have one row for each sample of the votes.
    """

    k: int
    """The number of arms."""
    first: IntArray
    second: IntArray
    effects: FloatArray
    """Covariates of each cell, with one column per effect."""
    votes: FloatArray
    margins: FloatArray
    """Sums of margins: 1/2 for a win of the first arm, -1/2 for a loss, 0 for a tie."""
    ties: FloatArray
    distinct: bool
    """Whether every cell has a different pair."""

    @property
    def width(self) -> int:
        return self.k + int(self.effects.shape[1])

    def differences(self, point: FloatArray) -> FloatArray:
        """Return the log-odds of each cell, given ratings and effects."""
        apart = point[:, self.first] - point[:, self.second]
        if self.effects.shape[1]:
            apart += point[:, self.k : self.width] @ self.effects.T
        return np.asarray(apart)

    def table(self, values: FloatArray) -> FloatArray:
        """Return sums over cells as K x K tables; rows are first arms, columns second arms."""
        if self.distinct:
            tables = np.zeros((len(values), self.k, self.k))
            tables[:, self.first, self.second] = values
            return tables
        pairs = self.first * self.k + self.second
        flat = [summed(pairs, row, self.k**2) for row in values]
        return np.reshape(flat, (len(values), self.k, self.k))

    def project(self, values: FloatArray) -> FloatArray:
        """Return X'v for each sample, where X has a row of 1, -1 and covariates for each cell."""
        tables = self.table(values)
        arms = tables.sum(axis=2) - tables.sum(axis=1)
        return np.concatenate([arms, values @ self.effects], axis=1)

    def gram(self, values: FloatArray) -> FloatArray:
        """Return X' diag(v) X for each sample."""
        tables = self.table(values)
        tables += tables.transpose(0, 2, 1)
        of_arms = tables.sum(axis=2)
        np.negative(tables, out=tables)
        arms = np.arange(self.k)
        tables[:, arms, arms] = of_arms
        if self.width == self.k:
            return tables
        whole = np.zeros((len(values), self.width, self.width))
        whole[:, : self.k, : self.k] = tables
        for index, column in enumerate(self.effects.T, start=self.k):
            whole[:, index] = whole[:, :, index] = self.project(values * column)
        return whole


class Moments(NamedTuple):
    """Expectations under the model for a vote in each cell."""

    margin: FloatArray
    tie: FloatArray
    log_total: FloatArray
    """The logarithm of the normalizing constant of the three probabilities."""

    @property
    def variance(self) -> FloatArray:
        return (1.0 - self.tie) / 4.0 - self.margin**2


def moments(cells: VoteCells, point: FloatArray, ties: bool) -> Moments:
    half = cells.differences(point) / 2.0
    log_nu = point[:, -1:] if ties else np.full((len(point), 1), -np.inf)
    largest = np.maximum(np.abs(half), log_nu)
    won, lost, tied = np.exp(half - largest), np.exp(-half - largest), np.exp(log_nu - largest)
    total = won + lost + tied
    return Moments((won - lost) / (2.0 * total), tied / total, largest + np.log(total))


def log_likelihood(
    cells: VoteCells, point: FloatArray, found: Moments, ridge: float, ties: bool
) -> FloatArray:
    likely = (cells.margins * cells.differences(point) - cells.votes * found.log_total).sum(axis=1)
    if ties:
        likely += cells.ties.sum(axis=1) * point[:, -1]
    return np.asarray(likely - ridge / 2.0 * (point[:, : cells.width] ** 2).sum(axis=1))


def information(cells: VoteCells, found: Moments, ridge: float, ties: bool) -> FloatArray:
    """Return the negative Hessian, made invertible.

    Adding a constant to all ratings changes no difference of ratings, so the Hessian is singular in that
    direction. Adding weight in that direction changes no difference either.
    """
    matrix = cells.gram(cells.votes * found.variance)
    diagonal, k = np.arange(cells.width), cells.k
    matrix[:, diagonal, diagonal] += ridge
    matrix[:, :k, :k] += (matrix[:, diagonal[:k], diagonal[:k]].sum(axis=1) / k**2)[:, None, None]
    if not ties:
        return matrix
    across = cells.project(-cells.votes * found.tie * found.margin)
    return bordered(matrix, across, (cells.votes * found.tie * (1.0 - found.tie)).sum(axis=1))


def bordered(matrix: FloatArray, across: FloatArray, corner: FloatArray) -> FloatArray:
    """Extend symmetric matrices by one row and column."""
    right = np.concatenate([matrix, across[:, None, :]], axis=1)
    return np.concatenate([right, np.append(across, corner[:, None], axis=1)[:, :, None]], axis=2)


def maximize(cells: VoteCells, start: FloatArray, ridge: float, ties: bool, tolerance: float) -> FloatArray:
    """Return the maximum-likelihood parameters: ratings that sum to 0, effects, and ln nu if `ties`."""

    def evaluate(point: FloatArray) -> tuple[FloatArray, Moments]:
        found = moments(cells, point, ties)
        return log_likelihood(cells, point, found, ridge, ties), found

    def differentiate(point: FloatArray, found: Moments) -> tuple[FloatArray, FloatArray]:
        slope = cells.project(cells.margins - cells.votes * found.margin)
        slope -= ridge * point[:, : cells.width]
        if ties:
            of_ties = (cells.ties - cells.votes * found.tie).sum(axis=1)
            slope = np.append(slope, of_ties[:, None], axis=1)
        return slope, information(cells, found, ridge, ties)

    return climb(start, cells.k, evaluate, differentiate, ridge, tolerance)


def climb(
    start: FloatArray,
    k: int,
    evaluate: Callable[[FloatArray], tuple[FloatArray, T]],
    differentiate: Callable[[FloatArray, T], tuple[FloatArray, FloatArray]],
    ridge: float,
    tolerance: float,
) -> FloatArray:
    """Maximize concave functions, one per sample, by Newton's method with step halving.

    `evaluate` returns the values, and an object that `differentiate` needs to return gradients and negative
    Hessians. A step that would lower a value is halved. The first `k` parameters keep a mean of 0.
    """
    point = start
    value, found = evaluate(point)
    for _ in range(MOST_STEPS):
        slope, matrix = differentiate(point, found)
        try:
            step = np.linalg.solve(matrix, slope[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            break
        step[:, :k] -= step[:, :k].mean(axis=1, keepdims=True)
        share = np.ones(len(step))
        for _ in range(MOST_HALVINGS):
            tried = point + share[:, None] * step
            now, found = evaluate(tried)
            worse = ~(now >= value - ROUNDING * np.abs(value))
            if not worse.any():
                break
            share[worse] /= 2.0
        point, value = tried, now
        if np.abs(step).max() <= tolerance:
            return point
    larger = f"a ridge larger than {ridge:g}" if ridge > 0.0 else "a ridge"
    raise PreferenceError(
        f"the estimates did not converge in {MOST_STEPS} steps of Newton's method, because some are nearly "
        f"infinite; give {larger}, such as ridge={max(0.1, 10.0 * ridge):g}."
    )
