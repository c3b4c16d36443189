"""Double Thompson Sampling (Wu, Liu 2016, Algorithm 1).

The first arm is the candidate with the fewest losses in a tournament that has one posterior sample per pair.
The samples are read from a table of random numbers and need not be stored. Reading an arm's samples stops as
soon as it has lost too often, so only a few of the K^2 pairs are looked at.
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

STALE = -1.0  # replaces a probability after the pair has been compared again


class Rules(NamedTuple):
    alpha: float
    plus: bool


class Tournament(NamedTuple):
    """The key of the table of samples, and one result that is fixed in advance."""

    key: int
    loser: int  # an arm that is known to lose; -1 if none is
    winner: int  # the first arm, in order, that beats it


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
    """Return the number of arms that beat i; once it exceeds `most`, counting stops."""
    losses = 0
    for j in range(len(state.fall)):
        if losses > most:
            break
        if j != i and is_active(menu, j):
            losses += loses(state, tournament, i, j)
    return losses


@borrowing
def by_lot(state: State, tournament: Tournament, i: int, j: int) -> int:
    """Return the arm with the larger random number in the table: an unbiased way to break ties."""
    own = len(state.fall) + 1
    return j if number_at(tournament.key, j * own) > number_at(tournament.key, i * own) else i


@borrowing
def pick_first(
    plus: bool, state: State, menu: ArmMenu, width: float, tournament: Tournament, rng: Generator
) -> int:
    """Lines 4-11: of the arms with the fewest proven losses, the one with the fewest in a tournament."""
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
    """Return the first arm whose sample against `arm` exceeds 1/2, or `arm` itself if there is none.

    Arms that are proven to beat `arm` at `width`, which is alpha ln t, are not considered. `draw` is uniform
    on [0, 1), and is compared with the cumulative probabilities.
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
    """Return the probability that `first_above` finds another arm, summed in the same order."""
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
    """Return the candidate with the least estimated regret among those with the fewest losses (D-TS+).

    In the tournament's sample theta, deciding a pair takes 1 / d(theta, 1/2) duels. Each of them costs the
    difference between the highest score and the mean score of the two arms.
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
    """Return the winner's sample of a pair in the tournament, which exceeds 1/2."""
    winner, loser = (j, i) if loses(state, tournament, i, j) else (i, j)
    return sample_lead(state.wins[winner, loser], state.wins[loser, winner], state.chance[loser, winner], rng)


@borrowing
def optimism(rules: Rules, state: State) -> float:
    """Return alpha ln t for the next round t."""
    return rules.alpha * log(state.told[0] + 1.0)


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the first and the second candidate, each by a separate sample."""
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
    """Lines 13 and 14: the arm with the largest sample among those not proven to beat the first.

    The first arm itself has the sample 1/2. The exact samples of other arms are needed only if several of
    them exceed 1/2.
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
    """Return the arm that line 14 would choose if the first were excluded.

    Such an arm exists: no arm with the fewest proven losses loses to all others.
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
    """Line 17: count the win, then update the statistics derived from it."""
    left, right = duel.sides[0], duel.sides[1]
    state.told[0] += 1
    if left != right:
        record(state.wins, left, right, outcome)
        restate(state, left, right)
    recount(state, optimism(rules, state))


@compiled
def fold(rules: Rules, state: State, duels: DuelBuffer, outcomes: FloatArray) -> None:
    """Tell a batch of duels, and update the statistics of each pair once."""
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
    """Return the number of rounds before ln t changes the proven losses of any arm."""
    wake = NEVER
    for i in range(len(state.fall)):
        wake = min(wake, state.fall[i])
    told = float(state.told[0])
    return time_before(min(wake / rules.alpha, LOG_LAST), told, LOG_LAST) - told


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Skip rounds in which a candidate wins every sample, and so meets itself, and play the next round.

    Nothing is learned in these rounds: they are independent and identically distributed until ln t changes
    the proven losses of an arm.
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

    Each arm of a duel is chosen by a posterior sample. The first arm is the Copeland winner of one sample,
    among the arms that can still be the Copeland winner according to their upper confidence bounds. The
    second arm has the best chance of beating the first in a new sample, among those not proven to beat it.
    A Condorcet winner is a Copeland winner, but need not exist. If no two arms tie, Copeland regret is
    O(K^2 log t) (Theorem 1), and O(K log t + K^2 log log t) if there is a Condorcet winner; in practice
    regret is far below that of RUCB.

    Parameters
    ----------
    alpha : float, default 0.51
        Width of the confidence bounds; must exceed 0.5 (Theorem 1).
    plus : bool, default False
        How to choose among candidates for the first arm that tie in the sample: by their estimated regret
        (True: the paper's D-TS+), or at random (False).

    Notes
    -----
    Deviations from Algorithm 1: none in distribution. Samples are drawn only as far as decisions need them.
    For the first arm, only the side of 1/2 matters, drawing stops once an arm has lost too often, and nothing
    is drawn if there is a single candidate. For the second arm, samples are drawn in full only if several
    exceed 1/2. A round costs about O(K): see `proofs`. Simulations skip rounds in which a candidate wins
    every sample, and so meets itself, by a geometric draw: runs played round by round have the same
    distribution, but not the same duels.

    Among the candidates that tie with the highest score in the first sample theta, D-TS+ chooses the one with
    the smallest sum over j of (z - (z_i + z_j) / 2) / d(theta_ij, 1/2), where z_i is the Copeland score of i
    in the sample, z is the highest score of all arms, and d is the Kullback-Leibler divergence of Bernoulli
    trials. Equal sums are broken at random. (The authors' program takes z among the candidates only.)

    If several arms beat equally many others, the best arm is the first of them in a random order drawn at the
    start; a pair that was never compared counts for neither arm. A tie counts as half a win for each side. On
    a menu without self-duels, the second arm is the one with the largest sample, above 1/2 or not, among all
    others not proven to beat the first. Such an arm always exists: candidates have the fewest proven losses,
    and not every arm can lose to all others. So no round is skipped, and time counts the duels told.

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
