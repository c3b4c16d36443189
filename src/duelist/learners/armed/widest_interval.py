"""The pair whose interval a vote shortens most, under a Bradley-Terry model: for a whole leaderboard."""

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

EQUAL = 1e-9  # gains that differ by this share or less are equal: they differ by rounding alone

ANSWERS, DUE = 0, 1  # places in `votes`


class Rules(NamedTuple):
    """What the kernels read beside the state."""

    precision: float  # of the prior on utilities


class State(NamedTuple):
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
    """Return by how much a vote on a pair lowers the variance of the difference of its arms' utilities.

    Duels that are open count as answered, for this pair alone.
    """
    covariance, weight = state.covariance, information(state.mode, i, j)
    variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
    if len(menu.open) > 0:
        variance /= 1.0 + menu.open[i, j] * weight * variance
    return float(weight * variance * variance / (1.0 + weight * variance))


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

    It asks for the pair whose difference in strength has the widest interval, as a Bradley-Terry model sees
    it; more exactly, for the one whose interval a vote would shorten most, since a vote between a strong and
    a weak arm tells little.

    Notes
    -----
    There is no paper to follow: it is greedy design by expected variance (Cohn, Ghahramani, Jordan 1996) on
    the posterior of `TopTwoBradleyTerry`. Let v be the posterior variance of the difference of two utilities
    and p the chance, at the mode, that the first arm wins. A vote has information w = p (1 - p) on the
    difference, and lowers v by w v² / (1 + w v): the pair where that is most is asked; of equal ones, any.
    Duels that are open count as answered, for their own pair. An arm never meets itself.

    The greedy D-optimal design for paired comparisons (Graßhoff, Schwabe 2008) would ask for the pair with
    the largest w v. With few votes it is worse than random pairs: an arm that had luck seems far away, where
    votes tell little, is shown less, and so stays there. The square of v leads back to such arms.

    No regret is promised, and it is linear: all arms are shown for ever. To find the best arm alone, `Auto`
    needs far fewer votes.

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
        regret="linear: all arms are shown for ever",
        citation="Cohn, Ghahramani, Jordan (1996). Active learning with statistical models",
        arms_may_change=True,
        unmet={"late_regret": "ratings of all arms need votes on all arms, the bad ones too"},
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
