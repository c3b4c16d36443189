"""Estimate win rates of a mixture of policies against other policies from logged duels.

Doubly robust estimates predict the outcome of each duel by regression on the other duels of the log.
"""

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, require_known
from duelist.kernels.compile import compiled
from duelist.logs import DuelLog
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import counted

FOLDS = 5  # number of folds of a log; each is predicted from the others
CATEGORIES = 12  # a context column with at most this many distinct values is treated as categorical

# number of prior ties of every pair: with fewer, intervals are too narrow if some pairs are rare, because
# the errors of predictions from few duels are correlated
PRIOR = 20.0

FIRST_ROWS = 1000  # rows that are scanned first: most numeric columns exceed CATEGORIES within them
METHODS = ("doubly_robust", "inverse_propensity")
FEW = 2.0  # minimum effective number of duels for an estimate of the standard error
ROUNDING = 1e-12  # tolerance for rounding in sums of probabilities


class Prediction(NamedTuple):
    """Cross-fitted predictions for each duel, from -1 (right wins) to 1 (left wins)."""

    signs: FloatArray  # the expected outcome
    preferences: FloatArray  # the mixture's expected preference over every action, in each context


def predict(log: DuelLog, chances: FloatArray) -> Prediction:
    """Predict each duel from the folds without it, by ridge regression on the context."""
    features = context_features(log.contexts)
    folds = np.arange(len(log)) % FOLDS
    signs, preferences = np.empty(len(log)), np.zeros((len(log), log.k))
    for fold in range(FOLDS):
        slopes = fit_pairs(features[folds != fold], log.subset(folds != fold))
        rows = np.flatnonzero(folds == fold)
        known, left, right = features[rows], log.left[rows], log.right[rows]
        signs[rows] = np.clip(np.einsum("nf,nf->n", known, slopes[left, right]), -1.0, 1.0)
        for action in range(log.k):
            taken = rows[chances[rows, action] > 0.0]
            expected = np.clip(features[taken] @ slopes[action].T, -1.0, 1.0)
            preferences[taken] += chances[taken, action, None] * expected
    return Prediction(signs, preferences)


def context_features(contexts: FloatArray) -> FloatArray:
    """Return a constant and, for each column, its standard score or one-hot flags of few distinct values."""
    features = [np.ones((len(contexts), 1))]
    for column in contexts.T:
        values = np.unique(column[:FIRST_ROWS])
        if len(values) <= CATEGORIES:
            values = np.unique(column)
        if len(values) == 1:
            continue
        if len(values) <= CATEGORIES:
            features.append((column[:, None] == values).astype(np.float64))
        else:
            # scaled first, because the squares of the largest numbers would overflow
            scaled = column / np.abs(column).max()
            features.append(((scaled - scaled.mean()) / scaled.std())[:, None])
    return np.hstack(features)


def fit_pairs(features: FloatArray, log: DuelLog) -> FloatArray:
    """Return the coefficients of every ordered pair, of shape (k, k, features); antisymmetric in the pair."""
    width = features.shape[1]
    slopes = np.zeros((log.k, log.k, width))
    penalty = PRIOR * np.eye(width) * np.mean(np.sum(features**2, axis=1))
    first, second = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
    signs = np.where(log.left == first, log.signs, -log.signs)
    pairs = first * log.k + second
    order = np.argsort(pairs, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(pairs[order])) + 1):
        a, b = first[rows[0]], second[rows[0]]
        if a != b:
            known = features[rows]
            slopes[a, b] = np.linalg.solve(known.T @ known + penalty, known.T @ signs[rows])
            slopes[b, a] = -slopes[a, b]
    return slopes


class RateEstimates(NamedTuple):
    """Estimates of a mixture's win rate against each of several policies; see `WinRate`."""

    log_size: int
    value: FloatArray
    error: FloatArray
    differs: FloatArray
    duels: FloatArray
    weight: FloatArray
    weight_error: FloatArray


def estimate_rates(
    mixture: PolicyMixture, policies: Iterable[Policy], log: DuelLog, method: str
) -> RateEstimates:
    require_known("method", method, METHODS)
    for name in ("actions", "columns"):
        ours, theirs = tuple(getattr(mixture, name)), tuple(getattr(log, name))
        if ours != theirs:
            raise ParameterError(
                f"the mixture's {name} are {', '.join(ours)}, the log's {', '.join(theirs)}; they must be "
                "equal and in the same order."
            )
    if len(log) < 2:
        raise ParameterError(f"log must have at least two duels; got {len(log)}.")
    table = weigh_duels(mixture.chances(log.contexts), log, method)
    columns = []
    for number, policy in enumerate(policies):
        actions = np.ascontiguousarray(policy.act(log.contexts), np.int64)
        if actions.shape != (len(log),) or not 0 <= int(actions.min()) <= int(actions.max()) < log.k:
            raise ParameterError(
                f"policy {number} must return an action from 0 to {log.k - 1} for each of "
                f"{counted(len(log), 'context')}."
            )
        columns.append(sum_duels(log.left, log.right, table, actions))
    return RateEstimates(len(log), *np.array(columns).reshape(-1, 6).T)


class Weights(NamedTuple):
    """The weight of each duel, regardless of the opponent."""

    for_left: FloatArray  # the duel's weight as a duel in which the mixture takes the left action
    for_right: FloatArray
    residuals: FloatArray  # the sign of the outcome minus its prediction
    expected: FloatArray  # the expected preference over every action, one row per duel
    chances: FloatArray  # the mixture's probability of every action


def weigh_duels(chances: FloatArray, log: DuelLog, method: str) -> Weights:
    rows = np.arange(len(log))
    # a duel of an action with itself carries no information
    share = np.where(log.left == log.right, 0.0, 0.5 / log.propensities)
    signs, preferences = np.zeros(len(log)), np.zeros_like(chances)
    if method == "doubly_robust":
        signs, preferences = predict(log, chances)
    for_left, for_right = share * chances[rows, log.left], share * chances[rows, log.right]
    return Weights(for_left, for_right, log.signs - signs, preferences, chances)


@compiled
def sum_duels(
    left: IntArray, right: IntArray, table: Weights, actions: IntArray
) -> tuple[float, float, float, float, float, float]:
    """Return the estimates for one policy's actions, in the order of the fields of `RateEstimates`."""
    many = len(actions)
    total = squares = differs = matched = matched_squares = weight = weight_squares = 0.0
    for row in range(many):
        action = actions[row]
        for_mixture = table.for_left[row] if action == right[row] else 0.0
        for_policy = table.for_right[row] if action == left[row] else 0.0
        preference = table.residuals[row] * (for_mixture - for_policy) + table.expected[row, action]
        tie = table.chances[row, action]
        total += preference
        squares += preference**2
        differs += 1.0 - tie
        matched += for_mixture + for_policy
        matched_squares += (for_mixture + for_policy) ** 2
        # measured from 1, the expected sum, to limit rounding errors
        excess = for_mixture + for_policy + tie - 1.0
        weight += excess
        weight_squares += excess**2
    return (
        0.5 + 0.5 * total / many,
        0.5 * sqrt(max(squares - total**2 / many, 0.0) / (many - 1) / many),
        differs / many if differs > ROUNDING * many else 0.0,
        matched**2 / matched_squares if matched_squares > 0.0 else 0.0,
        1.0 + weight / many,
        sqrt(max(weight_squares - weight**2 / many, 0.0) / (many - 1) / many),
    )


def bound(found: RateEstimates, level: float) -> tuple[FloatArray, FloatArray]:
    """Return one-sided lower and upper bounds; each one fails with probability 1 - level on its own."""
    from scipy.special import ndtri, stdtrit

    reach = stdtrit(np.maximum(found.duels, FEW) - 1.0, level) * found.error
    noise = ndtri(level) ** 2 / found.log_size
    spread = np.sqrt(noise * (found.differs * (1.0 - found.differs) + noise / 4.0))
    most = 0.5 * (found.differs + noise / 2.0 + spread) / (1.0 + noise)
    few = found.duels < FEW
    lower = np.where(few, 0.5 - most, found.value - reach)
    upper = np.where(few, 0.5 + most, found.value + reach)
    return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
