"""Top-two sampling from a Bradley-Terry posterior, which `Auto` uses while the votes fit a total order."""

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Positive
from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.bradley_terry import PRECISION, draw_best, fit, next_fit
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels
from duelist.learners.armed.base import ArmedLearner, record, square
from duelist.learners.base import folding, playing
from duelist.stopping.evidence import Bets, bets_on, log_evidence

TRIES = 20  # how often the second arm is drawn until it differs from the first

PROOF = 0.5
"""The leader meets itself only if its log-evidence against every rival is at least this times ln t."""

EQUAL = 1e-9  # utilities closer than this differ by rounding only

ANSWERS, DECISIVE, DUE = 0, 1, 2  # indices into `votes`


class Rules(NamedTuple):
    precision: float
    bets: Bets


class State(NamedTuple):
    wins: FloatArray  # wins[i, j]: how often i beat j
    decisive: FloatArray  # the same without ties; an outcome of 0.8 counts 0.6
    proof: FloatArray  # proof[i, j]: the logarithm of the evidence that i beats j
    mode: FloatArray  # the most probable utilities
    root: FloatArray  # square root of their covariance: utilities are drawn as mode + root.T @ normal
    votes: FloatArray  # number of answers, of decisive ones, and of answers at the next fit of the model
    told: FloatArray  # the time: rounds so far
    order: IntArray  # random permutation of the arms, drawn at the start, which breaks ties for the best


@compiled
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the best arms of two posterior draws; without self-duels, redraw the second until it differs.

    If it never does, the first arm is a clear leader; it meets the rival it is least proven to beat.
    """
    width, drawn = spread(state), np.empty(len(state.mode))
    first, second = -1, -1
    for attempt in range(TRIES + 1):  # a single call, because every call is compiled separately
        arm = draw_best(state.mode, state.root, width, menu, drawn, rng)
        if attempt == 0:
            first = arm
        else:
            second = arm
            if second != first or menu.self_duels:
                break
    if second == first:
        enough = PROOF * log(state.told[0] + 1.0) if menu.self_duels else inf
        second = least_proven(state, menu, first, enough)
    duel.sides[0] = first
    duel.sides[1] = second


@borrowing
def spread(state: State) -> float:
    """Return the standard deviation of an outcome relative to outcomes without ties, which vary more."""
    return sqrt((state.votes[DECISIVE] + 1.0) / (state.votes[ANSWERS] + 1.0))


@borrowing
def least_proven(state: State, menu: ArmMenu, leader: int, enough: float) -> int:
    """Return the rival on the menu with the least evidence that it loses to the leader.

    If there is enough evidence against all rivals, return the leader itself.
    """
    rival, least = leader, enough
    for j in range(len(state.wins)):
        if state.proof[leader, j] < least and j != leader and is_active(menu, j):
            rival, least = j, state.proof[leader, j]
    return rival


@compiled
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Count the outcome, and fit the model if a fit is due."""
    left, right = duel.sides[0], duel.sides[1]
    state.told[0] += 1.0
    if left != right:
        record(state.wins, left, right, outcome)
        state.decisive[left, right] += max(2.0 * outcome - 1.0, 0.0)
        state.decisive[right, left] += max(1.0 - 2.0 * outcome, 0.0)
        won, lost = state.decisive[left, right], state.decisive[right, left]
        state.proof[left, right] = log_evidence(rules.bets, won, lost, 0.0)
        state.proof[right, left] = log_evidence(rules.bets, lost, won, 0.0)
        state.votes[ANSWERS] += 1.0
        state.votes[DECISIVE] += abs(2.0 * outcome - 1.0)
        answers = state.votes[ANSWERS]
        if answers >= state.votes[DUE]:
            fit(rules.precision, state.wins, state.mode, state.root)
            state.votes[DUE] = next_fit(answers, len(state.wins))


@borrowing
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    """Fill in the arm with the highest utility; ties go to the first in the state's order."""
    found = -1
    for index in range(len(state.order)):
        i = state.order[index]
        if is_active(menu, i) and (found < 0 or state.mode[i] > state.mode[found] + EQUAL):
            found = i
    answer[0] = found


play = playing(ask, tell, best)
fold = folding(tell)


@dataclass(frozen=True)
class TopTwoBradleyTerry(ArmedLearner[State]):
    """Find the best arm with few votes if the votes follow a Bradley-Terry model.

    Utilities are drawn twice from their posterior, and the best arms of the two draws meet, so duels focus on
    pairs that may change the winner. Every vote informs the estimates of all arms, so few votes are needed.
    If the votes contradict a total order (a cycle, an arm that loses to one it should beat), the model is
    misleading: use `Auto` instead.

    Parameters
    ----------
    precision : float, default 0.5
        Precision of the prior on utilities: the inverse of its variance, in squared log-odds.

    Notes
    -----
    The learner follows no single paper: it is top-two Thompson sampling (Russo 2016) with a Laplace
    approximation to the posterior of a Bradley-Terry model. A tie is half a win for each side, and the draws
    are narrowed according to the share of ties. The model is fitted after every vote (with K > 16 arms, after
    every K / 16 votes), and later whenever the votes have grown by 0.5%. On a menu with self-duels, the two
    draws are played as they are, except that an arm meets itself only once the evidence (`duelist.stopping`)
    that it beats every rival has reached the square root of t; this detects rivals that contradict the model.
    Without self-duels, the second arm is drawn up to 20 times until it differs from the first; if it never
    does, the first arm meets the rival it is least proven to beat.

    References
    ----------
    Russo (2016). Simple Bayesian algorithms for best-arm identification. COLT. Bradley, Terry (1952). Rank
    analysis of incomplete block designs. Biometrika.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> found = simulate(TopTwoBradleyTerry(), worst_case(5, 0.2), horizon=5_000, runs=3, seed=0)
    >>> found["TopTwoBradleyTerry"].best.tolist()
    [0, 0, 0]
    """

    precision: Positive = PRECISION

    card = Card(
        seeks="best arm of a total order",
        assumes="a Bradley-Terry model",
        regret="not proven",
        citation="Russo (2016). Simple Bayesian algorithms for best-arm identification",
        arms_may_change=True,
        rounds=120,
    )
    kernels = Kernels(ask, tell, best, play, fold)

    def rules(self, k: int) -> Rules:
        return Rules(float(self.precision), bets_on())

    def blank(self, k: int, rng: Generator) -> State:
        root = np.eye(k) / sqrt(self.precision)
        return State(
            square(k), square(k), square(k), np.zeros(k), root, np.zeros(3), np.zeros(1), rng.permutation(k)
        )
