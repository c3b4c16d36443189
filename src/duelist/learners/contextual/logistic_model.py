"""Bayesian logistic regression of duels, one answer at a time (Spiegelhalter, Lauritzen, 1990).

What is believed of the weights is a normal distribution. After each answer it is replaced by the normal
distribution with the mode and the curvature of the exact posterior (Laplace's approximation). The new mode
lies on a known line, so it is found exactly with one unknown, and the covariance changes by rank one.
"""

from math import sqrt, tanh
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.menus import Actions

SETTLED = 1e-15  # a relative step of Newton's method as short as this has arrived

NEWTON_STEPS = 100  # more than are ever needed

FEATURED = -1  # stands for the number of columns of a context where actions have features of their own


class Belief(NamedTuple):
    """What is believed of the weights: normal, with a mean and the covariance `root @ root.T`.

    Kept as a root, the covariance stays positive whatever the rounding (Potter's square-root filter).
    """

    mean: FloatArray
    root: FloatArray


def features_of(menu: Actions) -> FloatArray:
    """Return the features of every action, a row each.

    Where the menu has none, an action's features are the context and a 1, in columns of the action's own, so
    that every action has weights of its own: any contextual problem is linear in this sense.
    """
    if not isinstance(menu, Actions):
        raise ParameterError(f"this learner needs Actions, in a context, to choose from; got {menu!r}.")
    if menu.features is not None:
        return menu.features
    crossed = np.zeros((menu.k, menu.k, len(menu.context) + 1))
    actions = np.arange(menu.k)
    crossed[actions, actions] = np.append(menu.context, 1.0)
    return crossed.reshape(menu.k, -1)


def width_of(menu: Actions) -> int:
    """Return the number of columns of a context that is weighed, or FEATURED."""
    return len(menu.context) if menu.features is None else FEATURED


@compiled
def cross_difference(context: FloatArray, left: int, right: int, difference: FloatArray) -> None:
    """Write the left action's features minus the right's, where an action's are the context and a 1."""
    d = len(context)
    difference[:] = 0.0
    for i in range(d + 1):
        known = context[i] if i < d else 1.0
        difference[left * (d + 1) + i] += known
        difference[right * (d + 1) + i] -= known


@compiled
def multiply(table: FloatArray, vector: FloatArray, product: FloatArray) -> None:
    """Write `table @ vector`."""
    d = len(vector)
    whole = d - d % 4
    for i in range(len(product)):
        # four sums that do not wait for each other
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            a += table[i, j] * vector[j]
            b += table[i, j + 1] * vector[j + 1]
            c += table[i, j + 2] * vector[j + 2]
            e += table[i, j + 3] * vector[j + 3]
        for j in range(whole, d):
            a += table[i, j] * vector[j]
        product[i] = (a + b) + (c + e)


@compiled
def unroot(belief: Belief, direction: FloatArray, spread: FloatArray) -> float:
    """Write `root.T @ direction`, and return its squared length: the variance along the direction."""
    spread[:] = 0.0
    for i in range(len(direction)):
        share = direction[i]
        if share != 0.0:
            for j in range(len(spread)):
                spread[j] += share * belief.root[i, j]
    variance = 0.0
    for j in range(len(spread)):
        variance += spread[j] * spread[j]
    return variance


@compiled
def find_pull(lead: float, variance: float, surprise: float) -> float:
    """Return how far the mode moves along the covariance times the features' difference.

    That is the pull for which `pull + tanh((lead + variance * pull) / 2) / 2 == surprise`, where the lead is
    that of the left action before, and the surprise the outcome minus 1/2.
    """
    # In the new lead, x + variance * tanh(x / 2) / 2 is to be `target`. It is concave above 0 and convex
    # below, so that Newton's method from 0 goes one way; a step back is rounding.
    target = lead + variance * surprise
    x, expected = 0.0, 0.0
    for _ in range(NEWTON_STEPS):
        step = (target - x - variance * expected) / (1.0 + variance * (0.25 - expected * expected))
        x += step
        expected = 0.5 * tanh(0.5 * x)
        if abs(step) <= SETTLED * abs(x) or (step > 0.0) != (target > 0.0):
            break
    return surprise - expected


@compiled
def learn(belief: Belief, difference: FloatArray, outcome: float) -> None:
    """Learn from one duel: the left action's features minus the right's, and the outcome."""
    f = len(difference)
    spread = np.empty(f)
    variance = unroot(belief, difference, spread)
    if variance == 0.0:
        return
    lead = 0.0
    for i in range(f):
        lead += belief.mean[i] * difference[i]
    pull = find_pull(lead, variance, outcome - 0.5)
    expected = 0.5 * tanh(0.5 * (lead + variance * pull))
    curvature = 0.25 - expected * expected
    shrink = (1.0 - 1.0 / sqrt(1.0 + curvature * variance)) / variance
    along = np.empty(f)
    multiply(belief.root, spread, along)
    for i in range(f):
        belief.mean[i] += pull * along[i]
        less = shrink * along[i]
        for j in range(f):
            belief.root[i, j] -= less * spread[j]


@compiled
def draw_weights(belief: Belief, width: float, luck: FloatArray, weights: FloatArray, rng: Generator) -> None:
    """Write weights drawn from the belief, its deviation multiplied by the width; `luck` is room for them."""
    for i in range(len(luck)):
        luck[i] = rng.standard_normal()
    multiply(belief.root, luck, weights)
    for i in range(len(weights)):
        weights[i] = belief.mean[i] + width * weights[i]
