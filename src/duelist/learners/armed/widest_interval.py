"""The pair about which the least is known, under a Bradley-Terry model: for a leaderboard of all arms."""

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

EQUAL = 1e-9
"""Gains that differ by this share or less are equal: they differ by rounding alone."""

ANSWERS, DUE = 0, 1
"""Places in `votes`."""


class Rules(NamedTuple):
    """What the kernels read beside the state."""

    precision: float  # of the prior on utilities


class State(NamedTuple):
    """What has been learned."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    mode: FloatArray  # the likeliest utilities
    root: FloatArray  # of their covariance, when the model was fitted last
    covariance: FloatArray  # of the utilities, with the votes since then
    votes: FloatArray  # answers, and at which answer the model is fitted next
    order: IntArray  # of the arms, drawn at the start: who is named best among equals


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the pair on the menu from which a vote gains the most; of several, any with equal chances."""
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
    """Return the information of a vote on a pair, in that which is known of the difference of its arms.

    Duels that are open count as known, for this pair alone.
    """
    covariance = state.covariance
    variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
    gained = information(state.mode, i, j) * variance
    waiting = menu.open[i, j] if len(menu.open) > 0 else 0.0
    return float(gained / (1.0 + waiting * gained))


@borrowing
def information(mode: FloatArray, i: int, j: int) -> float:
    """Return the information of a vote on the difference of two utilities: the variance of its outcome."""
    chance = 1.0 / (1.0 + exp(mode[j] - mode[i]))
    return float(chance * (1.0 - chance))


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Count the outcome; fit the model when it is due, and narrow its covariance until then."""
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
    """Write the covariance of which the lower triangle `root` is the root: root^T root."""
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
    """Take one more vote on a pair into the covariance, where the mode stays (Sherman-Morrison)."""
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
    """Make the ratings of all arms precise, rather than find the best: pairs for a whole leaderboard.

    It asks for the pair about which the least is known, as a Bradley-Terry model sees it: whose difference
    has the widest interval, weighed by how much a vote tells, since a vote between a strong and a weak arm
    tells little.

    Notes
    -----
    There is no pseudocode to follow: it is the greedy D-optimal design for paired comparisons, with the
    posterior of `TopTwoBradleyTerry`. A vote on arms i and j, of which i wins with chance p, has information
    p (1 - p) on the difference of their utilities, and multiplies the determinant of the posterior's
    precision by 1 + p (1 - p) v, where v is the posterior variance of that difference. The pair with the
    largest gain p (1 - p) v is asked; of equal ones, any. Duels that are open count as answered, for their
    own pair. An arm never meets itself.

    No regret is promised, and it is linear: all arms are shown for ever. To find the best arm alone, `Auto`
    needs far fewer votes.

    References
    ----------
    Chaloner, Verdinelli (1995). Bayesian experimental design: a review. Statistical Science. Graßhoff,
    Schwabe (2008). Optimal design for the Bradley-Terry paired comparison model. Statistical Methods and
    Applications. Bradley, Terry (1952). Rank analysis of incomplete block designs. Biometrika.

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
        regret="linear: all arms are shown for ever",
        citation="Graßhoff, Schwabe (2008). Optimal design for the Bradley-Terry paired comparison model",
        arms_may_change=True,
        unmet={"late_regret": "ratings of all arms need votes on all arms, the bad ones too"},
        rounds=120,
    )
    kernels = Kernels(ask, tell, best, play, fold)

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(PRECISION)

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel."""
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
        """Return a menu as the kernels see it, with the duels that are open."""
        arms = super().kernel_menu(state, menu)
        if not menu.open:
            return arms
        counts = square(menu.k)
        for (left, right), n in menu.open.items():
            counts[left, right] = n
        return arms._replace(open=counts)

    def ask(self, state: State, menu: Arms, rng: Generator) -> Duel:
        """Return the duel to show next; the state stays as it is.

        The kernel keeps to the menu by itself, and has looked at what is open: nothing is drawn again.
        """
        return KernelLearner.ask(self, state, menu, rng)
