"""Beat the Mean (Yue, Joachims, ICML 2011, Algorithm 1)."""

from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Annotated, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Range
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer, duel_at
from duelist.kernels.loop import Kernels
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, number, skip_decided, square, take_out
from duelist.learners.base import folding, playing


class Rules(NamedTuple):
    radius: float  # 3 gamma^2 sqrt(log(1 / delta)): the confidence radius after n duels is radius / sqrt(n)


class State(NamedTuple):
    """The record of each arm of the working set W against the mean arm of W."""

    wins: FloatArray  # wins[b, o]: wins of b over o in duels with b on the left
    duels: IntArray  # duels[b, o]: duels of b with o with b on the left
    won: FloatArray  # w_b, the wins of b against W
    met: IntArray  # n_b, the duels of b against W
    mean: FloatArray  # P_b = w_b / n_b, or 1/2
    remains: BoolArray  # whether an arm is in W
    queue: IntArray  # W in an order drawn at the start, then unused entries
    size: IntArray  # number of arms in W
    fewest: IntArray  # n*, the smallest n_b
    ties: IntArray  # how many arms have n_b = n*


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Lines 11-12: an arm with the fewest duels, ties broken at random, against an arm drawn from W.

    Only the left arm's record is updated; the right arm stands for the mean of W, or on a menu without
    self-duels for the mean of the others in W.
    """
    size, left, passed = state.size[0], 0, below(state.ties[0], rng)
    for index in range(size):
        if state.met[state.queue[index]] == state.fewest[0]:
            left = index
            if passed == 0:
                break
            passed -= 1
    apart = size > 1 and not menu.self_duels
    right = below(size - apart, rng)
    duel.sides[0] = state.queue[left]
    duel.sides[1] = state.queue[right + (apart and right >= left)]


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Lines 13-14: count the left arm's outcome; outcomes of removed arms are ignored (lines 18-19)."""
    left, right = duel.sides[0], duel.sides[1]
    if state.size[0] == 1 or not (state.remains[left] and state.remains[right]):
        return
    state.wins[left, right] += outcome
    state.duels[left, right] += 1
    state.won[left] += outcome
    state.met[left] += 1
    state.mean[left] = state.won[left] / state.met[left]
    count_duel(state, left)
    remove_worst(rules, state)


@borrowing
def count_duel(state: State, left: int) -> None:
    """Update n* and the number of arms with n* duels after a duel of the left arm."""
    state.ties[0] -= state.met[left] == state.fewest[0] + 1
    if state.ties[0] == 0:
        recount(state)


@borrowing
def recount(state: State) -> None:
    """Line 7: recompute n* and the number of arms with n* duels."""
    state.fewest[0] = state.met[state.queue[0]]
    for index in range(state.size[0]):
        state.fewest[0] = min(state.fewest[0], state.met[state.queue[index]])
    state.ties[0] = 0
    for index in range(state.size[0]):
        state.ties[0] += state.met[state.queue[index]] == state.fewest[0]


@borrowing
def remove_worst(rules: Rules, state: State) -> None:
    """Lines 16-20: remove the empirically worst arm if it is worse than the best with confidence."""
    radius = rules.radius / sqrt(state.fewest[0]) if state.fewest[0] > 0 else 1.0  # line 8
    if 2.0 * radius > 1.0:
        return
    worst, lowest, highest = -1, inf, -inf
    for index in range(state.size[0]):
        arm = state.queue[index]
        if state.mean[arm] < lowest:
            worst, lowest = arm, state.mean[arm]
        highest = max(highest, state.mean[arm])
    if lowest + radius <= highest - radius:
        remove(state, worst)


@borrowing
def remove(state: State, worst: int) -> None:
    """Lines 18-19: remove the arm from W, and every duel with it from the records of the others."""
    take_out(state, worst)
    for index in range(state.size[0]):
        arm = state.queue[index]
        state.won[arm] -= state.wins[arm, worst]
        state.met[arm] -= state.duels[arm, worst]
        state.mean[arm] = state.won[arm] / state.met[arm] if state.met[arm] > 0 else 0.5
    recount(state)


@borrowing
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    winner = -1
    for index in range(state.size[0]):
        arm = state.queue[index]
        if is_active(menu, arm) and (winner < 0 or state.mean[arm] > state.mean[winner]):
            winner = arm
    answer[0] = winner if winner >= 0 else state.queue[0]


@compiled
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the pairs of the duels up to the first that may remove an arm; return their number.

    No arm is removed while the radius exceeds 1/2; until then the next arm depends on duel counts only.
    """
    enough = ceil(4.0 * rules.radius * rules.radius)
    wins, counts, won, met, mean, remains, queue, size, fewest, ties = state
    ahead = State(wins, counts, won, met.copy(), mean, remains, queue, size, fewest.copy(), ties.copy())
    planned = 0
    while planned < len(duels.sides) and state.size[0] > 1 and (planned == 0 or ahead.fewest[0] < enough):
        ask(rules, ahead, menu, duel_at(duels, planned), rng)
        left = duels.sides[planned, 0]
        ahead.met[left] += 1
        count_duel(ahead, left)
        planned += 1
    return planned


play = playing(ask, tell, best, skip_decided)
fold = folding(tell)


@dataclass(frozen=True)
class BeatTheMean(ArmedLearner[State]):
    """Find the best arm by comparing every arm with the mean of the remaining arms.

    The arm with the fewest duels meets a random one. The worst arm is removed once it is worse than the best
    with confidence, and all its duels are discarded. Needs a total order, relaxed stochastic transitivity
    with a known gamma, and the stochastic triangle inequality. Regret is O(gamma^7 K log T / eps) with high
    probability.

    Parameters
    ----------
    horizon : int
        Number of rounds T over which the bounds hold.
    gamma : float, default 1
        Degree of violation of strong stochastic transitivity; see `assumptions.relaxed_gamma`. If gamma is
        too small, the learner may find the Borda winner instead; if it is too large, it explores much longer.

    Notes
    -----
    Deviations from the paper: a duel of an arm with itself, which line 12 allows, counts as a tie instead of
    a coin toss, and is not drawn on a menu without self-duels. Only the left arm's record is updated, as in
    line 13, so swapping the sides changes the answer. Past the horizon, exploration continues until one arm
    remains. An arm that a study retires is removed.

    References
    ----------
    Yue, Joachims (2011). Beat the Mean Bandit. ICML. Algorithm 1, with delta = 1 / (2 T K) and
    c(n) = 3 gamma^2 sqrt(log(1 / delta) / n).

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = BeatTheMean(horizon=100_000)
    >>> simulate(learner, worst_case(5, 0.2), horizon=100_000, runs=3)["BeatTheMean"].best.tolist()
    [0, 0, 0]
    """

    horizon: Count
    gamma: Annotated[float, Range(least=1.0, reason="1 is strong stochastic transitivity")] = 1.0

    card = Card(
        seeks="best arm of a total order",
        assumes="a total order, relaxed stochastic transitivity with a known gamma, and the "
        "stochastic triangle inequality",
        regret="O(gamma⁷ K log T) with high probability",
        citation="Yue, Joachims (2011). Beat the Mean Bandit",
        needs_horizon=True,
        unmet={"swapped_sides": "only the left arm's record is updated: the right arm stands for the mean"},
        example={"horizon": 50_000},
    )
    kernels = Kernels(ask, tell, best, play, fold, plan)

    def rules(self, k: int) -> Rules:
        return Rules(3.0 * self.gamma**2 * sqrt(log(2.0 * self.horizon * k)))

    def eliminate(self, state: State, arm: int) -> bool:
        if state.remains[arm] and state.size[0] > 1:
            remove(state, arm)
        return not state.remains[arm]

    def blank(self, k: int, rng: Generator) -> State:  # lines 2-6
        return State(
            wins=square(k),
            duels=np.zeros((k, k), np.int64),
            won=np.zeros(k),
            met=np.zeros(k, np.int64),
            mean=np.full(k, 0.5),
            remains=np.ones(k, np.bool_),
            queue=rng.permutation(k),
            size=number(k),
            fewest=number(),
            ties=number(k),
        )
