"""Duels of actions: sampling of pairs and outcomes, and validation of probabilities."""

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, PreferenceError, require_generator
from duelist.preferences import as_preferences


def draw_pairs(
    k: int, duels: int, rng: Generator, chances: ArrayLike | None = None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the left and right actions of random duels, and the probability of each ordered pair.

    `chances[a, b]` is the probability that a is on the left and b on the right; uniform by default.
    """
    pairs = np.full((k, k), 1.0 / k**2) if chances is None else np.array(chances, np.float64)
    if pairs.shape != (k, k):
        raise ParameterError(f"chances must have {k} rows of {k}, one per pair; got shape {pairs.shape}.")
    flat = as_distribution("chances", pairs.ravel())
    drawn = rng.choice(k * k, size=duels, p=flat)
    left, right = np.divmod(drawn, k)
    return left, right, flat[drawn]


def as_distribution(name: str, chances: ArrayLike) -> FloatArray:
    array = np.array(chances, np.float64)
    if array.ndim != 1 or len(array) == 0 or not np.isfinite(array).all():
        raise ParameterError(f"{name} must be a non-empty row of finite numbers; got shape {array.shape}.")
    if array.min() < 0.0 or abs(array.sum() - 1.0) > 1e-6:
        raise ParameterError(f"{name} must not be negative and must sum to 1; the sum is {array.sum():.6g}.")
    return array / float(array.sum())


def draw_outcomes(left: IntArray, right: IntArray, chances: FloatArray, rng: Generator) -> FloatArray:
    """Draw outcomes from the left side's win probabilities; an action always ties with itself."""
    won = rng.random(len(left)) < chances
    return np.where(left == right, TIE, np.where(won, LEFT_WINS, RIGHT_WINS))


def play_duel(preferences: FloatArray, duel: Duel, rng: Generator, kind: str = "an action") -> float:
    """Draw the outcome of a duel; a choice always ties with itself."""
    require_choices(duel, len(preferences), kind)
    require_generator(rng)
    if duel.left == duel.right:
        return TIE
    return LEFT_WINS if rng.random() < preferences[duel.left, duel.right] else RIGHT_WINS


def require_choices(duel: Duel, k: int, kind: str) -> None:
    """Raise OutcomeError if a side of the duel is not a whole number from 0 to `k` - 1.

    `kind` is the noun of the error message.
    """
    for side, choice in (("left", duel.left), ("right", duel.right)):
        # bool is a subclass of int, but as an index it is a mask
        if isinstance(choice, bool) or not isinstance(choice, int | np.integer) or not 0 <= choice < k:
            raise OutcomeError(f"{side} is {choice!r}, not {kind}; choose one from 0 to {k - 1}.")


def as_matrices(preferences: ArrayLike) -> FloatArray:
    given = np.asarray(preferences, np.float64)
    if given.ndim != 3 or len(given) == 0:
        raise PreferenceError(f"preferences must have shape (contexts, K, K); got shape {given.shape}.")
    matrices = []
    for number, matrix in enumerate(given):
        try:
            matrices.append(as_preferences(matrix))
        except PreferenceError as error:
            raise PreferenceError(f"context {number}: {error}") from error
    return np.stack(matrices)
