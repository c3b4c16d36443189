"""Duels of actions: pairs drawn without learning, their outcomes, and checks of chances."""

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, PreferenceError, require_generator
from duelist.preferences import as_preferences


def draw_pairs(
    k: int, duels: int, rng: Generator, chances: ArrayLike | None = None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the left and right actions of duels drawn at random, and the chance of each ordered pair.

    `chances[a, b]` is the chance that a stands left and b right; by default equal for all pairs.
    """
    pairs = np.full((k, k), 1.0 / k**2) if chances is None else np.array(chances, np.float64)
    if pairs.shape != (k, k):
        raise ParameterError(f"chances must have {k} rows of {k}, one for each pair; got {pairs.shape}.")
    flat = as_distribution("chances", pairs.ravel())
    shown = rng.choice(k * k, size=duels, p=flat)
    left, right = np.divmod(shown, k)
    return left, right, flat[shown]


def as_distribution(name: str, chances: ArrayLike) -> FloatArray:
    """Return a checked array of chances that add up to 1."""
    array = np.array(chances, np.float64)
    if array.ndim != 1 or len(array) == 0 or not np.isfinite(array).all():
        raise ParameterError(f"{name} must be finite numbers in a row; got shape {array.shape}.")
    if array.min() < 0.0 or abs(array.sum() - 1.0) > 1e-6:
        raise ParameterError(f"{name} must be 0 or more and add up to 1; the sum is {array.sum():.6g}.")
    return array / float(array.sum())


def draw_outcomes(left: IntArray, right: IntArray, chances: FloatArray, rng: Generator) -> FloatArray:
    """Return the outcomes of duels that the left side wins with these chances; an action ties with itself."""
    won = rng.random(len(left)) < chances
    return np.where(left == right, TIE, np.where(won, LEFT_WINS, RIGHT_WINS))


def play_duel(preferences: FloatArray, duel: Duel, rng: Generator, kind: str = "an action") -> float:
    """Return the outcome of a duel under these preferences; whatever meets itself ties, for certain."""
    require_choices(duel, len(preferences), kind)
    require_generator(rng)
    if duel.left == duel.right:
        return TIE
    return LEFT_WINS if rng.random() < preferences[duel.left, duel.right] else RIGHT_WINS


def require_choices(duel: Duel, k: int, kind: str) -> None:
    """Refuse a duel of which a side is not a number from 0 to `k` - 1; `kind` says what is chosen."""
    for side, choice in (("left", duel.left), ("right", duel.right)):
        # a flag is a whole number too, but as an index it means something else
        if isinstance(choice, bool) or not isinstance(choice, int | np.integer) or not 0 <= choice < k:
            raise OutcomeError(f"{side} is {choice!r}, not {kind}; choose one from 0 to {k - 1}.")


def as_matrices(preferences: ArrayLike) -> FloatArray:
    """Return a checked copy of every context's preference matrix."""
    given = np.asarray(preferences, np.float64)
    if given.ndim != 3 or len(given) == 0:
        raise PreferenceError(f"preferences must be K rows of K for each context; got shape {given.shape}.")
    matrices = []
    for number, matrix in enumerate(given):
        try:
            matrices.append(as_preferences(matrix))
        except PreferenceError as error:
            raise PreferenceError(f"context {number}: {error}") from error
    return np.stack(matrices)
