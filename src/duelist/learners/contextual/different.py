"""Duels of two different actions, for menus without self-duels."""

from collections.abc import Callable

import numpy as np

from duelist.duel import Duel, FloatArray

REDRAWS = 100  # the most draws of a pair of actions that differ


def draw_different(draw: Callable[[], Duel]) -> Duel:
    """Draw a duel until its actions differ; return one with equal actions after too many draws."""
    for _ in range(REDRAWS):
        duel = draw()
        if duel.left != duel.right:
            break
    return duel


def given_different(duel: Duel) -> Duel:
    """Return a duel whose note and propensities are conditional on its two actions being different."""
    if duel.left == duel.right:
        return duel
    chances = np.array(chances_if_different(*duel.note))
    propensity = (float(chances[0, duel.left]), float(chances[1, duel.right]))
    return duel._replace(propensity=propensity, note=chances)


def chances_if_different(left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each action on each side, given that two independent draws differ.

    Examples
    --------
    >>> left, right = chances_if_different(np.array([0.5, 0.5]), np.array([0.9, 0.1]))
    >>> left.round(9).tolist(), right.round(9).tolist()
    ([0.1, 0.9], [0.9, 0.1])
    """
    differ = 1.0 - left @ right
    # rounding must not make a probability exceed 1
    return np.minimum(left * (1.0 - right) / differ, 1.0), np.minimum(right * (1.0 - left) / differ, 1.0)
