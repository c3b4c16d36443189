"""Statistics of Double Thompson Sampling: posteriors of pairs, and the number of proven losses of each arm.

An arm j that leads i is proven to beat it while u_ij <= 1/2, that is, until alpha ln t reaches
n (1/2 - mean_ij)^2. An arm's proven losses, K - 1 minus its optimistic Copeland score, are recomputed only
after a duel of the arm, or when alpha ln t reaches the smallest of these numbers. So a round costs O(K)
instead of O(K^2).

The posterior of a pair's preference is Beta(wins + 1, losses + 1), with a uniform prior. Most decisions
depend only on whether a sample exceeds 1/2. The probability of that changes only when the pair is compared;
it is stored with the wins, so most samples need not be drawn.
"""

from math import exp, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing
from duelist.learners.armed.base import number, square

NEVER = np.finfo(np.float64).max  # an alpha ln t that is never reached
PRECISION = 1e-14  # how close to 1 the last factor of a continued fraction is
LARGE = 10.0  # from here on, four terms of Stirling's series are exact to 13 digits
LIKELY = 0.1  # samples at least this likely to exceed 1/2 are drawn by plain rejection


class State(NamedTuple):
    """All fields but `wins`, `told` and `order` are derived from them, so that a round reads rows only."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    chance: FloatArray  # chance[i, j]: posterior probability that j beats i; 0 for i itself
    hold: FloatArray  # hold[i, j]: j is proven to beat i until alpha ln t reaches this
    losses: IntArray  # losses[i]: number of arms that are proven to beat i
    fall: FloatArray  # fall[i]: the alpha ln t at which losses[i] decreases
    told: IntArray  # one number: rounds so far
    order: IntArray  # random permutation of the arms, drawn at the start, which breaks ties for the best


def blank_state(k: int, rng: Generator) -> State:
    return State(
        wins=square(k),
        chance=0.5 * (1.0 - np.eye(k)),
        hold=square(k),
        losses=np.zeros(k, np.int64),
        fall=np.full(k, NEVER),
        told=number(),
        order=rng.permutation(k),
    )


@borrowing
def restate(state: State, i: int, j: int) -> None:
    """Recompute the statistics of a pair, and mark the losses of both arms as outdated."""
    won, lost = state.wins[i, j], state.wins[j, i]
    lead = won - lost
    proof = lead * lead / (4.0 * (won + lost))
    state.hold[i, j] = proof if lead < 0.0 else 0.0
    state.hold[j, i] = proof if lead > 0.0 else 0.0
    upset = chance_of_upset(min(won, lost), max(won, lost))
    state.chance[i, j] = upset if lead > 0.0 else 1.0 - upset
    state.chance[j, i] = 1.0 - upset if lead > 0.0 else upset
    state.fall[i] = state.fall[j] = 0.0


@borrowing
def recount(state: State, width: float) -> None:
    """Recount the losses that may have changed, for `width`, which is alpha ln t."""
    for i in range(len(state.fall)):
        if state.fall[i] <= width:
            losses, fall = 0, NEVER
            for j in range(len(state.fall)):
                if state.hold[i, j] > width:
                    losses += 1
                    fall = min(fall, state.hold[i, j])
            state.losses[i] = losses
            state.fall[i] = fall


@borrowing
def losses_on(state: State, menu: ArmMenu, i: int, width: float) -> int:
    """Return how many arms on the menu are proven to beat an arm; an arm not on the menu loses to all."""
    k = len(state.fall)
    if len(menu.active) == 0 and width < state.fall[i]:
        return int(state.losses[i])
    if not is_active(menu, i):
        return k
    losses = 0
    for j in range(k):
        losses += state.hold[i, j] > width and is_active(menu, j)
    return losses


@borrowing
def fewest_losses(state: State, menu: ArmMenu, width: float) -> int:
    """Return the smallest number of proven losses; arms with this number are the candidates."""
    fewest = len(state.fall)
    for i in range(len(state.fall)):
        fewest = min(fewest, losses_on(state, menu, i, width))
    return fewest


@borrowing
def sole_candidate(state: State, menu: ArmMenu, width: float) -> int:
    """Return the only candidate: the arm with the fewest losses; -1 if there are several."""
    sole, fewest = -1, fewest_losses(state, menu, width)
    for i in range(len(state.fall)):
        if losses_on(state, menu, i, width) == fewest:
            if sole >= 0:
                return -1
            sole = i
    return sole


@borrowing
def chance_of_upset(wins: float, losses: float) -> float:
    """Return the posterior probability that the preference exceeds 1/2, for wins <= losses.

    Examples
    --------
    >>> chance_of_upset(0.0, 0.0), round(chance_of_upset(0.0, 1.0), 12), round(chance_of_upset(0.0, 2.0), 12)
    (0.5, 0.25, 0.125)
    """
    return upper_tail(wins + 1.0, losses + 1.0) if wins < losses else 0.5


@borrowing
def upper_tail(a: float, b: float) -> float:
    """Return the probability that Beta(a, b) exceeds 1/2, for 1 <= a < b.

    Uses the continued fraction of DiDonato and Morris (1992) for the incomplete beta function.
    """
    fraction = 0.5 * (b * (b - a + 2.0)) / (b + 1.0)
    above, below, step, m = fraction, 0.0, 0.0, 0.0
    while abs(step - 1.0) > PRECISION:
        m += 1.0
        edge = b + 2.0 * m
        numerator = 0.25 * m * (a - m) * (b + m - 1.0) * (a + b + m - 1.0) / ((edge - 1.0) * (edge - 1.0))
        denominator = m + 0.5 * m * (a - m) / (edge - 1.0)
        denominator += (b + m) * (0.5 * (b - a) + 1.0 + 1.5 * m) / (edge + 1.0)
        below = 1.0 / (denominator + numerator * below)
        above = denominator + numerator / above
        step = above * below
        fraction *= step
    return height_at_half(a, b) / fraction


@borrowing
def height_at_half(a: float, b: float) -> float:
    """Return 2^-(a + b) / B(a, b), a quarter of the density of Beta(a, b) at 1/2."""
    n, lead = a + b, (b - a) / (a + b)
    exponent = stirling_excess(n) - stirling_excess(a) - stirling_excess(b)
    exponent -= a * log1p(-lead) + b * log1p(lead)
    return sqrt(a * b / (2.0 * pi * n)) * exp(exponent)


@borrowing
def stirling_excess(x: float) -> float:
    """Return ln Gamma(x) minus Stirling's approximation, (x - 1/2) ln x - x + ln(2 pi) / 2."""
    excess = 0.0
    while x < LARGE:
        excess += (x + 0.5) * log1p(1.0 / x) - 1.0
        x += 1.0
    y = 1.0 / (x * x)
    return excess + (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x


@borrowing
def sample_lead(wins: float, losses: float, chance: float, rng: Generator) -> float:
    """Return a posterior sample given that it exceeds 1/2, which has the probability `chance`.

    If that is rare, use rejection sampling from an exponential: the log-density is concave, so it lies below
    its tangent at 1/2.
    """
    if chance >= LIKELY:
        sample = 0.0
        while not 0.5 < sample < 1.0:
            sample = rng.beta(wins + 1.0, losses + 1.0)
        return sample
    excess, accepted, slope = 1.0, False, losses - wins
    while not accepted:
        excess = -log(1.0 - rng.random()) / slope
        accepted = excess < 1.0 and rng.random() < exp(
            wins * log1p(excess) + losses * log1p(-excess) + slope * excess
        )
    return 0.5 + 0.5 * excess


@borrowing
def divergence_from_half(p: float) -> float:
    """Return d(p, 1/2) for Bernoulli trials, for p between 1/2 and 1."""
    lead = 2.0 * p - 1.0
    return 0.5 * ((1.0 + lead) * log1p(lead) + (1.0 - lead) * log1p(-lead))
