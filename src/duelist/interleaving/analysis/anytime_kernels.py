"""Kernels of a confidence sequence for the mean of outcomes from 0 to 1.

For a bet b from 0 to 1 and any guess g of the next outcome x, made before it is seen, Fan's inequality
``exp(b (x - g) - price(b) (x - g)^2) <= 1 + b (x - g)`` with ``price(b) = -log(1 - b) - b`` makes
``exp(b sum(x - mean) - price(b) sum (x - g)^2)`` a supermartingale, if `mean` is the true one, and likewise
with the opposite sign. The evidence against a mean is the average of both signs over eight bets: it exceeds
1/alpha at *any* time with probability at most alpha (Ville's inequality).
"""

from math import exp, log
from typing import NamedTuple

import numpy as np

from duelist.duel import TIE, FloatArray
from duelist.kernels.compile import compiled

# From a handful of impressions to hundreds of millions: a third of a bet suits nine times as many.
BETS = 0.75 / 3.0 ** np.arange(8)
PRICES = -np.log1p(-BETS) - BETS

HOPELESS = 10**9  # more impressions than anybody waits for


class AnytimeState(NamedTuple):
    """The state of the test: five numbers, however many outcomes there were."""

    impressions: int
    total: float  # the sum of the outcomes
    surprise: float  # the sum of their squared distances from the guesses
    peak: float  # the highest logarithm of the evidence against a tie so far
    side: float  # the preference beyond a tie at that time


@compiled
def log_evidence(distance: float, surprise: float) -> tuple[float, float]:
    """Return the logarithm of the evidence against a mean, and its slope in the distance from it."""
    away = abs(distance)
    top = -np.inf
    for i in range(len(BETS)):
        top = max(top, BETS[i] * away - PRICES[i] * surprise)
    weight, tilt = 0.0, 0.0
    # exp(-2 bet away) of the smallest bet; of each larger one it is the cube of the one before
    fading = exp(-2.0 * BETS[-1] * away)
    for i in range(len(BETS) - 1, -1, -1):
        share = exp(BETS[i] * away - PRICES[i] * surprise - top)
        weight += share * (1.0 + fading)
        tilt += share * (1.0 - fading) * BETS[i]
        fading *= fading * fading
    return top + log(weight / (2.0 * len(BETS))), tilt / weight


@compiled
def reach(surprise: float, limit: float) -> float:
    """Return the distance at which the logarithm of the evidence reaches a limit above 0."""
    distance = np.inf
    for i in range(len(BETS)):
        distance = min(distance, (limit + log(2.0 * len(BETS)) + PRICES[i] * surprise) / BETS[i])
    # The logarithm is convex and each bet alone overshoots, so Newton's steps come down to the root.
    for _ in range(100):
        evidence, slope = log_evidence(distance, surprise)
        step = (evidence - limit) / slope
        distance -= step
        if step <= 1e-12 * distance:
            break
    return distance


@compiled
def absorb(state: AnytimeState, outcome: float) -> tuple[AnytimeState, float]:
    """Return the state after an outcome, and the logarithm of the evidence against a tie."""
    guess = (TIE + state.total) / (1.0 + state.impressions)
    impressions = state.impressions + 1
    total = state.total + outcome
    surprise = state.surprise + (outcome - guess) ** 2
    distance = total - TIE * impressions
    evidence, _ = log_evidence(distance, surprise)
    peak, side = state.peak, state.side
    if evidence > peak:
        peak, side = evidence, distance / impressions
    return AnytimeState(impressions, total, surprise, peak, side), evidence


@compiled
def absorb_all(state: AnytimeState, outcomes: FloatArray) -> AnytimeState:
    """Return the state after outcomes, in their order."""
    for i in range(len(outcomes)):
        state, _ = absorb(state, outcomes[i])
    return state


@compiled
def trace(state: AnytimeState, outcomes: FloatArray, limit: float, rows: FloatArray) -> AnytimeState:
    """Write the mean, its interval's half-width, the evidence and its peak after each outcome."""
    for i in range(len(outcomes)):
        state, rows[2, i] = absorb(state, outcomes[i])
        rows[0, i] = state.total / state.impressions
        rows[1, i] = reach(state.surprise, limit) / state.impressions
        rows[3, i] = state.peak
    return state


def expect_more(state: AnytimeState, limit: float) -> int | None:
    """Return about how many more outcomes bring the evidence to a limit, if the trend continues."""
    if state.impressions == 0:
        return None
    drift = abs(state.total / state.impressions - TIE)
    noise = state.surprise / state.impressions
    few, enough = state.impressions, 2 * state.impressions
    while reach(enough * noise, limit) > enough * drift:
        few, enough = enough, 2 * enough
        if enough > HOPELESS:
            return None
    while enough - few > 1 + few // 100:
        middle = (few + enough) // 2
        few, enough = (few, middle) if reach(middle * noise, limit) <= middle * drift else (middle, enough)
    more = enough - state.impressions
    return max(1, round(more, -max(0, len(str(more)) - 2)))
