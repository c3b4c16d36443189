"""Choose the pair whose confidence interval a vote shortens most: for the ratings of a whole leaderboard."""

from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.duel import Duel, FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.bradley_terry import PRECISION, fit, next_fit
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, record, square
from duelist.learners.armed.top_two import best
from duelist.learners.base import KernelLearner, folding, playing
from duelist.menus import Arms

EQUAL = 1e-9  # gains within this relative distance differ by rounding only, and count as ties

ANSWERS, DUE = 0, 1  # indices into `votes`


class Rules(NamedTuple):
    precision: float  # of the prior on utilities


class State(NamedTuple):
    wins: FloatArray  # wins[i, j]: how often i beat j
    mode: FloatArray  # the most probable utilities
    root: FloatArray  # square root of their covariance at the last fit
    covariance: FloatArray  # of the utilities, including the votes since the last fit
    votes: FloatArray  # number of answers, and of answers at the next fit of the model
    order: IntArray  # random permutation of the arms, drawn at the start, which breaks ties for the best


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the pair on the menu on which a vote gains the most; ties are broken at random."""
    k, most = len(state.mode), -inf
    for i in range(k):
        for j in range(i + 1, k):
            if is_active(menu, i) and is_active(menu, j):
                gained = gain(state, menu, i, j)
                if gained > most:
                    most = gained
    equals = 0
    for i in range(k):
        for j in range(i + 1, k):
            if is_active(menu, i) and is_active(menu, j) and gain(state, menu, i, j) >= most - EQUAL * most:
                equals += 1
                if below(equals, rng) == 0:
                    duel.sides[0] = i
                    duel.sides[1] = j


@borrowing
def gain(state: State, menu: ArmMenu, i: int, j: int) -> float:
    """Return how much a vote on a pair reduces the variance of the difference of its utilities.

    Open duels of this pair, but not of other pairs, count as answered.
    """
    covariance, weight = state.covariance, information(state.mode, i, j)
    variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
    if len(menu.open) > 0:
        variance /= 1.0 + menu.open[i, j] * weight * variance
    return float(weight * variance * variance / (1.0 + weight * variance))


@borrowing
def information(mode: FloatArray, i: int, j: int) -> float:
    """Return the Fisher information of a vote about the difference of two utilities."""
    chance = 1.0 / (1.0 + exp(mode[j] - mode[i]))
    return float(chance * (1.0 - chance))


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Count the outcome; fit the model if a fit is due, otherwise only update its covariance."""
    left, right = duel.sides[0], duel.sides[1]
    if left != right:
        record(state.wins, left, right, outcome)
        state.votes[ANSWERS] += 1.0
        answers = state.votes[ANSWERS]
        if answers >= state.votes[DUE]:
            fit(rules.precision, state.wins, state.mode, state.root)
            multiply_out(state.root, state.covariance)
            state.votes[DUE] = next_fit(answers, len(state.wins))
        else:
            narrow(state.mode, state.covariance, min(left, right), max(left, right))


@borrowing
def multiply_out(root: FloatArray, covariance: FloatArray) -> None:
    """Write the covariance root^T root, where `root` is lower triangular."""
    k = len(root)
    for i in range(k):
        for j in range(i, k):
            total = 0.0
            for row in range(j, k):
                total += root[row, i] * root[row, j]
            covariance[i, j] = total
            covariance[j, i] = total


@compiled
def narrow(mode: FloatArray, covariance: FloatArray, i: int, j: int) -> None:
    """Update the covariance for one more vote on a pair, without moving the mode (Sherman-Morrison)."""
    k = len(mode)
    along = np.empty(k)
    for arm in range(k):
        along[arm] = covariance[arm, i] - covariance[arm, j]
    weight = information(mode, i, j)
    share = weight / (1.0 + weight * (along[i] - along[j]))
    for one in range(k):
        for other in range(k):
            covariance[one, other] -= share * along[one] * along[other]


play = playing(ask, tell, best)
fold = folding(tell)


@dataclass(frozen=True)
class WidestInterval(ArmedLearner[State]):
    """Estimate the ratings of all arms precisely, for a whole leaderboard, instead of finding the best arm.

    It asks for the pair whose confidence interval, under a Bradley-Terry model, a vote would shorten most.
    This is usually a pair with a wide interval, but not one of a strong and a weak arm, whose votes carry
    little information.

    Notes
    -----
    The learner follows no single paper: it is greedy experimental design by expected variance (Cohn,
    Ghahramani, Jordan 1996) on the posterior of `TopTwoBradleyTerry`. Let v be the posterior variance of the
    difference of two utilities, and p the probability, at the mode, that the first arm wins. A vote has
    information w = p (1 - p) about the difference, and reduces v by w v² / (1 + w v). The pair that maximises
    this is asked; ties are broken at random. Open duels count as answered for their own pair. An arm never
    meets itself.

    The greedy D-optimal design for paired comparisons (Graßhoff, Schwabe 2008) would ask for the pair with
    the largest w v. With few votes it is worse than random pairs: an arm with a few chance wins seems far
    away from the others, where votes carry little information, so it is shown less and its rating is never
    corrected. The square of v brings such arms back.

    Regret is linear, because all arms are shown indefinitely. To find only the best arm, `Auto` needs far
    fewer votes.

    References
    ----------
    Cohn, Ghahramani, Jordan (1996). Active learning with statistical models. JAIR. Graßhoff, Schwabe (2008).
    Optimal design for the Bradley-Terry paired comparison model. Statistical Methods and Applications.
    Bradley, Terry (1952). Rank analysis of incomplete block designs. Biometrika.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import bradley_terry
    >>> found = simulate(WidestInterval(), bradley_terry([1, 2, 4, 8]), horizon=2_000, runs=3, seed=0)
    >>> found["WidestInterval"].best.tolist()
    [3, 3, 3]
    """

    card = Card(
        seeks="ratings of all arms",
        assumes="a Bradley-Terry model",
        regret="linear: all arms are shown indefinitely",
        citation="Cohn, Ghahramani, Jordan (1996). Active learning with statistical models",
        arms_may_change=True,
        unmet={"late_regret": "rating all arms needs votes on all arms, including bad ones"},
        rounds=120,
    )
    kernels = Kernels(ask, tell, best, play, fold)

    def rules(self, k: int) -> Rules:
        return Rules(PRECISION)

    def blank(self, k: int, rng: Generator) -> State:
        prior = np.eye(k)
        return State(
            square(k),
            np.zeros(k),
            prior / sqrt(PRECISION),
            prior / PRECISION,
            np.zeros(2),
            rng.permutation(k),
        )

    def kernel_menu(self, state: State, menu: Arms) -> ArmMenu:
        arms = super().kernel_menu(state, menu)
        if not menu.open:
            return arms
        counts = square(menu.k)
        for (left, right), n in menu.open.items():
            counts[left, right] = n
        return arms._replace(open=counts)

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        # the kernel already respects the menu and its open duels, so nothing is drawn again
        return KernelLearner.ask(self, state, menu, rng)
