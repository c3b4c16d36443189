"""Win rates of a mixture of policies against others, estimated from logged duels.

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

FOLDS = 5  # how many parts a log is divided into; each is predicted from the others
CATEGORIES = 12  # a context column with at most this many distinct values is treated as categorical

# how many tied duels every pair is taken to have had before: with less, intervals are too narrow where some
# pairs are rare, as predictions that lean on few duels are uncertain together
PRIOR = 20.0

A_LOOK = 1000  # rows looked at first: most columns have more distinct values than that already there
METHODS = ("doubly_robust", "inverse_propensity")
FEW = 2.0  # with fewer effective duels, nothing can be said about the error of an estimate
ROUNDING = 1e-12  # how far a sum of chances may be from 1 by rounding


class Prediction(NamedTuple):
    """Predictions for each duel from duels without it; from -1, right wins, to 1, left wins."""

    signs: FloatArray  # of the outcomes
    preferences: FloatArray  # of the mixture, which draws its action, over every action in each context


def predict(log: DuelLog, chances: FloatArray) -> Prediction:
    """Return predictions of each duel from the folds without it, by ridge regression on the context."""
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
    """Return a one and, for each column, its standard score or a flag for each of a few values."""
    features = [np.ones((len(contexts), 1))]
    for column in contexts.T:
        values = np.unique(column[:A_LOOK])
        if len(values) <= CATEGORIES:
            values = np.unique(column)
        if len(values) == 1:
            continue
        if len(values) <= CATEGORIES:
            features.append((column[:, None] == values).astype(np.float64))
        else:
            # twice scaled, so that not even the largest numbers overflow when they are squared
            scaled = column / np.abs(column).max()
            features.append(((scaled - scaled.mean()) / scaled.std())[:, None])
    return np.hstack(features)


def fit_pairs(features: FloatArray, log: DuelLog) -> FloatArray:
    """Return the slopes of every ordered pair, of shape (k, k, features); minus those of the reverse."""
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
    """Return estimates of a mixture's win rate against each of several policies."""
    require_known("method", method, METHODS)
    for name in ("actions", "columns"):
        ours, theirs = tuple(getattr(mixture, name)), tuple(getattr(log, name))
        if ours != theirs:
            raise ParameterError(
                f"the mixture has the {name} {', '.join(ours)}, the log {', '.join(theirs)}; they must be "
                "the same, in the same order."
            )
    if len(log) < 2:
        raise ParameterError(f"log must hold at least two duels; got {len(log)}.")
    table = share_out(mixture.chances(log.contexts), log, method)
    columns = []
    for number, policy in enumerate(policies):
        actions = np.ascontiguousarray(policy.act(log.contexts), np.int64)
        if actions.shape != (len(log),) or not 0 <= int(actions.min()) <= int(actions.max()) < log.k:
            raise ParameterError(
                f"policy {number} must give an action from 0 to {log.k - 1} for each of "
                f"{counted(len(log), 'context')}."
            )
        columns.append(add_up(log.left, log.right, table, actions))
    return RateEstimates(len(log), *np.array(columns).reshape(-1, 6).T)


class Weights(NamedTuple):
    """The weight of each duel, whatever policy the mixture meets."""

    for_left: FloatArray  # how much the duel says about the mixture, as it takes the left action
    for_right: FloatArray
    surprises: FloatArray  # the sign of the outcome, less what was expected
    expected: FloatArray  # the expected preference over every action, a row for each duel
    chances: FloatArray  # the mixture's, of every action


def share_out(chances: FloatArray, log: DuelLog, method: str) -> Weights:
    """Return the weight of each duel."""
    rows = np.arange(len(log))
    # an action's duel with itself tells nothing
    share = np.where(log.left == log.right, 0.0, 0.5 / log.propensities)
    signs, preferences = np.zeros(len(log)), np.zeros_like(chances)
    if method == "doubly_robust":
        signs, preferences = predict(log, chances)
    for_left, for_right = share * chances[rows, log.left], share * chances[rows, log.right]
    return Weights(for_left, for_right, log.signs - signs, preferences, chances)


@compiled
def add_up(
    left: IntArray, right: IntArray, table: Weights, actions: IntArray
) -> tuple[float, float, float, float, float, float]:
    """Return the estimates against one policy's actions, in the order of `RateEstimates`."""
    many = len(actions)
    total = squares = differs = matched = matched_squares = weight = weight_squares = 0.0
    for row in range(many):
        action = actions[row]
        for_mixture = table.for_left[row] if action == right[row] else 0.0
        for_policy = table.for_right[row] if action == left[row] else 0.0
        preference = table.surprises[row] * (for_mixture - for_policy) + table.expected[row, action]
        tie = table.chances[row, action]
        total += preference
        squares += preference**2
        differs += 1.0 - tie
        matched += for_mixture + for_policy
        matched_squares += (for_mixture + for_policy) ** 2
        # counted from 1, where the sum should be, so that rounding does not hide it
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
    """Return lower and upper bounds, each of which by itself errs with a chance of 1 - level."""
    from scipy.special import ndtri, stdtrit

    reach = stdtrit(np.maximum(found.duels, FEW) - 1.0, level) * found.error
    noise = ndtri(level) ** 2 / found.log_size
    spread = np.sqrt(noise * (found.differs * (1.0 - found.differs) + noise / 4.0))
    most = 0.5 * (found.differs + noise / 2.0 + spread) / (1.0 + noise)
    few = found.duels < FEW
    lower = np.where(few, 0.5 - most, found.value - reach)
    upper = np.where(few, 0.5 + most, found.value + reach)
    return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
