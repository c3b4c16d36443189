"""Double Thompson Sampling (Wu, Liu 2016, Algorithm 1).

The first candidate is the one with the fewest losses in a tournament of samples, one for every pair. Results
are read from a table of random numbers and need not be kept; an arm's are read until it has lost too often,
so that few of the K^2 pairs are looked at.
"""

from dataclasses import dataclass
from math import log
from typing import Annotated, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Range
from duelist.duel import FloatArray
from duelist.kernels.arms import ArmMenu, book, is_active
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run, step
from duelist.kernels.random import draw_key, failures, number_at
from duelist.learners.armed.base import ArmedLearner, best_of_all, record
from duelist.learners.armed.clock import LOG_LAST, time_before
from duelist.learners.armed.proofs import (
    NEVER,
    State,
    blank_state,
    divergence_from_half,
    fewest_losses,
    losses_on,
    recount,
    restate,
    sample_lead,
    sole_candidate,
)
from duelist.learners.base import playing

STALE = -1.0  # in place of a chance: the pair was compared since


class Rules(NamedTuple):
    alpha: float
    plus: bool


class Tournament(NamedTuple):
    """The key of its table, and what is known of it beforehand."""

    key: int
    loser: int  # an arm that loses; -1 if that is not known of any
    winner: int  # to which arm: the first in their order that beats it


@borrowing
def loses(state: State, tournament: Tournament, i: int, j: int) -> bool:
    if i == tournament.loser and j <= tournament.winner:
        return j == tournament.winner
    if j == tournament.loser and i <= tournament.winner:
        return i != tournament.winner
    low, high = min(i, j), max(i, j)
    high_wins = number_at(tournament.key, low * len(state.fall) + high) < state.chance[low, high]
    return bool(high_wins == (i == low))


@borrowing
def losses_in(state: State, menu: ArmMenu, tournament: Tournament, i: int, most: int) -> int:
    """Return how many arms beat i; if more than `most` do, a number above `most`."""
    losses = 0
    for j in range(len(state.fall)):
        if losses > most:
            break
        if j != i and is_active(menu, j):
            losses += loses(state, tournament, i, j)
    return losses


@borrowing
def by_lot(state: State, tournament: Tournament, i: int, j: int) -> int:
    """Return the arm with the larger number of its own in the table: a fair way to choose among many."""
    own = len(state.fall) + 1
    return j if number_at(tournament.key, j * own) > number_at(tournament.key, i * own) else i


@borrowing
def pick_first(
    plus: bool, state: State, menu: ArmMenu, width: float, tournament: Tournament, rng: Generator
) -> int:
    """Lines 4 to 11: of the arms with the fewest proven losses, that with the fewest in a tournament."""
    k, proven = len(state.fall), fewest_losses(state, menu, width)
    first, fewest, ties = -1, k, 0
    for i in range(k):
        if losses_on(state, menu, i, width) == proven:
            losses = losses_in(state, menu, tournament, i, fewest)
            if losses < fewest:
                first, fewest, ties = i, losses, 1
            elif losses == fewest:
                ties += 1
                first = by_lot(state, tournament, first, i)
    if plus and ties > 1:
        first = least_regret(state, menu, width, tournament, proven, fewest, rng)
    return first


@borrowing
def first_above(state: State, menu: ArmMenu, arm: int, width: float, draw: float) -> int:
    """Return the first, by number, whose sample against an arm exceeds 1/2; the arm itself if none does.

    Only those are asked that are not proven to beat it at `width`, which is alpha ln t. One of them does if
    `draw`, uniform on [0, 1), is below the chance of it.
    """
    some, none = 0.0, 1.0
    for i in range(len(state.fall)):
        if state.hold[arm, i] <= width and is_active(menu, i):
            some += none * state.chance[arm, i]
            none *= 1.0 - state.chance[arm, i]
            if draw < some:
                return i
    return arm


@borrowing
def chance_above(state: State, menu: ArmMenu, arm: int, width: float) -> float:
    """Return the chance that one of them does, added up in the same order."""
    some, none = 0.0, 1.0
    for i in range(len(state.fall)):
        if state.hold[arm, i] <= width and is_active(menu, i):
            some += none * state.chance[arm, i]
            none *= 1.0 - state.chance[arm, i]
    return some


@compiled
def least_regret(
    state: State,
    menu: ArmMenu,
    width: float,
    tournament: Tournament,
    proven: int,
    fewest: int,
    rng: Generator,
) -> int:
    """Return which of the candidates that tie with the fewest losses has the least estimated regret: D-TS+.

    Telling a pair apart takes 1 / d(theta, 1/2) duels, and each costs by how much the scores of the two, on
    average, are below the highest; all of it as it is in the tournament.
    """
    k = len(state.fall)
    least, losses, tied, regret = k, np.zeros(k, np.int64), np.zeros(k, np.bool_), np.zeros(k)
    for i in range(k):
        if is_active(menu, i):
            losses[i] = losses_in(state, menu, tournament, i, k)
            tied[i] = losses[i] == fewest and losses_on(state, menu, i, width) == proven
            least = min(least, losses[i])
    for i in range(k):
        for j in range(i):
            cost = losses[i] + losses[j] - 2 * least
            if (tied[i] or tied[j]) and cost > 0 and is_active(menu, i) and is_active(menu, j):
                duels = 1.0 / divergence_from_half(sampled_lead(state, tournament, i, j, rng))
                regret[i] += cost * duels
                regret[j] += cost * duels
    first = -1
    for i in range(k):
        if tied[i] and (first < 0 or regret[i] < regret[first]):
            first = i
        elif tied[i] and regret[i] == regret[first]:
            first = by_lot(state, tournament, first, i)
    return first


@borrowing
def sampled_lead(state: State, tournament: Tournament, i: int, j: int, rng: Generator) -> float:
    """Return the sample by which one of a pair beats the other."""
    winner, loser = (j, i) if loses(state, tournament, i, j) else (i, j)
    return sample_lead(state.wins[winner, loser], state.wins[loser, winner], state.chance[loser, winner], rng)


@borrowing
def optimism(rules: Rules, state: State) -> float:
    """Return alpha ln t, for the round t that comes next."""
    return rules.alpha * log(state.told[0] + 1.0)


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the first and the second candidate, each by a sample of its own."""
    width = optimism(rules, state)
    first = sole_candidate(state, menu, width)
    if first < 0:
        first = pick_first(rules.plus, state, menu, width, Tournament(draw_key(rng), -1, -1), rng)
    duel.sides[0] = first
    if menu.self_duels:
        duel.sides[1] = pick_second(state, menu, first, width, rng.random(), rng)
    else:
        duel.sides[1] = pick_other(state, menu, first, width, rng)


@borrowing
def pick_second(state: State, menu: ArmMenu, first: int, width: float, draw: float, rng: Generator) -> int:
    """Lines 13 and 14: of the arms not proven to beat the first, that with the largest sample, or the first.

    The first has the sample 1/2. How far others exceed it must be known only where several do.
    """
    second, highest = first_above(state, menu, first, width, draw), 0.0
    for i in range(second + 1, len(state.fall) if second != first else 0):
        uncertain = i != first and state.hold[first, i] <= width and is_active(menu, i)
        if uncertain and rng.random() < state.chance[first, i]:
            for arm in (second, i):
                if arm == i or highest == 0.0:
                    won, lost = state.wins[arm, first], state.wins[first, arm]
                    sample = sample_lead(won, lost, state.chance[first, arm], rng)
                    if sample > highest:
                        second, highest = arm, sample
    return second


@borrowing
def pick_other(state: State, menu: ArmMenu, first: int, width: float, rng: Generator) -> int:
    """Return the arm that line 14 would take if the first were left out.

    There is one: no arm with the fewest proven losses loses to all others.
    """
    other, highest = -1, -1.0
    for i in range(len(state.fall)):
        if i != first and state.hold[first, i] <= width and is_active(menu, i):
            sample = rng.beta(state.wins[i, first] + 1.0, state.wins[first, i] + 1.0)
            if sample > highest:
                other, highest = i, sample
    return other


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Line 17: count the win; then restate what it changes."""
    left, right = duel.sides[0], duel.sides[1]
    state.told[0] += 1
    if left != right:
        record(state.wins, left, right, outcome)
        restate(state, left, right)
    recount(state, optimism(rules, state))


@compiled
def fold(rules: Rules, state: State, duels: DuelBuffer, outcomes: FloatArray) -> None:
    """Tell a batch of duels, and restate each pair once."""
    for index in range(len(outcomes)):
        left, right = duels.sides[index, 0], duels.sides[index, 1]
        state.told[0] += 1
        if left != right:
            record(state.wins, left, right, outcomes[index])
            state.chance[left, right] = STALE
    for index in range(len(outcomes)):
        left, right = duels.sides[index, 0], duels.sides[index, 1]
        if state.chance[left, right] == STALE:
            restate(state, left, right)
    recount(state, optimism(rules, state))


@borrowing
def rounds_alike(rules: Rules, state: State) -> float:
    """Return for how many rounds ln t alone changes no arm's number of proven losses."""
    wake = NEVER
    for i in range(len(state.fall)):
        wake = min(wake, state.fall[i])
    told = float(state.told[0])
    return time_before(min(wake / rules.alpha, LOG_LAST), told, LOG_LAST) - told


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Pass rounds in which a candidate wins every sample, and so meets itself; play the next one.

    Nothing is learned in them: they are alike, and independent, until ln t changes an arm's proven losses.
    """
    arm, menu, rng = run.duel.sides[0], run.menu, run.rng
    width = optimism(rules, state)
    if arm == run.duel.sides[1] and losses_on(state, menu, arm, width) == fewest_losses(state, menu, width):
        lost_first = chance_above(state, menu, arm, NEVER)
        lost_second = chance_above(state, menu, arm, width)
        lost = lost_first + (1.0 - lost_first) * lost_second
        alike = min(rounds_alike(rules, state), float(limit))
        passed = int(min(failures(lost, rng), alike))
        state.told[0] += passed
        book(run.world, run.ledger, arm, arm, passed)
        if passed < alike:
            first, draw, draw_of_second = arm, lost * rng.random(), rng.random()
            if draw < lost_first:
                tournament = Tournament(draw_key(rng), arm, first_above(state, menu, arm, NEVER, draw))
                first = pick_first(rules.plus, state, menu, width, tournament, rng)
            else:
                draw_of_second *= lost_second
            run.duel.sides[0] = first
            run.duel.sides[1] = pick_second(state, menu, first, width, draw_of_second, rng)
            tell(rules, state, run.duel, step(run.world, run.ledger, run.duel, run.world_rng))


play = playing(ask, tell, best_of_all, skip_idle)


@dataclass(frozen=True)
class DoubleThompsonSampling(ArmedLearner[State]):
    """Find the Copeland winner, the arm that beats the most others, without knowing the horizon.

    Two samples of the posterior choose the two arms of a duel: the first arm is the Copeland winner of one
    sample, among the arms that may still be it by their upper confidence bounds; the second is the arm most
    likely, by a fresh sample, to beat the first, among those that are not known to. A Condorcet winner is a
    Copeland winner, but none is needed. Copeland regret is O(K^2 log t) (Theorem 1), with a Condorcet winner
    O(K log t + K^2 log log t), if no two arms are equally good; in practice regret is far below RUCB's.

    Parameters
    ----------
    alpha : float, default 0.51
        Width of the confidence bounds; must exceed 0.5 (Theorem 1).
    plus : bool, default False
        Whether candidates for the first arm that tie in the sample are compared by their estimated regret,
        which is the paper's D-TS+, or drawn at random.

    Notes
    -----
    Deviations from Algorithm 1: none in distribution. Samples are drawn as far as decisions need them: for
    the first arm on which side of 1/2 they are, until an arm has lost too often, and not at all where there
    is one candidate; for the second arm in full where several exceed 1/2. A round costs about O(K): see
    `proofs`. Simulations pass rounds in which a candidate wins every sample, and so meets
    itself, by a geometric draw: played singly, runs have the same distribution, but not the same duels.

    D-TS+ takes, of the candidates that tie with the highest score in the first sample theta, the one with the
    smallest sum over j of (z - (z_i + z_j) / 2) / d(theta_ij, 1/2), where z_i is the Copeland score of i in
    the sample, z the highest score of all arms, and d the Kullback-Leibler divergence of Bernoulli trials;
    of equal sums, one is drawn. (The authors' program takes z among the candidates.)

    Arms that beat equally many are named best in an order drawn at the start; a pair never compared counts
    for neither. A tie counts as half a win for each side. On a menu without self-duels, the second arm is the
    one with the largest sample of all others not proven to beat the first, above 1/2 or not. There always is
    one: candidates are proven to lose to the fewest arms, and not every arm can lose to all others. So no
    round is passed over, and time counts the duels told.

    References
    ----------
    Wu, Liu (2016). Double Thompson Sampling for Dueling Bandits. NIPS, Algorithm 1; arXiv:1604.07101.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = DoubleThompsonSampling()
    >>> result = simulate(learner, worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)
    >>> result["DoubleThompsonSampling"].best.tolist()
    [0, 0, 0]
    """

    alpha: Annotated[float, Range(above=0.5, reason="Theorem 1 of the paper")] = 0.51
    plus: bool = False

    card = Card(
        seeks="Copeland winner",
        assumes="no two arms tie",
        regret="O(K² log t); with a Condorcet winner O(K log t + K² log log t)",
        citation="Wu, Liu (2016). Double Thompson Sampling for Dueling Bandits",
        arms_may_change=True,
    )
    kernels = Kernels(ask, tell, best_of_all, play, fold)

    def rules(self, k: int) -> Rules:
        return Rules(float(self.alpha), bool(self.plus))

    def blank(self, k: int, rng: Generator) -> State:
        return blank_state(k, rng)
