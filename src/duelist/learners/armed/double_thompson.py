"""Double Thompson Sampling (Wu, Liu 2016, Algorithm 1)."""

from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_above
from duelist.kernels.arms import ArmMenu, book, is_active
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run, step
from duelist.kernels.random import draw_key, failures
from duelist.learners.armed.base import ArmedLearner, best_of_all, record
from duelist.learners.armed.clock import LOG_LAST, time_before
from duelist.learners.armed.posteriors import sample_lead
from duelist.learners.armed.proofs import (
    NEVER,
    State,
    blank_state,
    fewest_losses,
    losses_on,
    recount,
    restate,
    sole_candidate,
)
from duelist.learners.armed.tournaments import Tournament, chance_above, first_above, pick_first
from duelist.learners.base import playing

STALE = -1.0  # in place of a chance: the pair was compared since


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    alpha: float
    plus: bool


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
def pick_second(state: State, menu: ArmMenu, first: int, width: float, luck: float, rng: Generator) -> int:
    """Lines 13 and 14: of the arms not proven to beat the first, that with the largest sample, or the first.

    The first has the sample 1/2. How far others exceed it must be known only where several do.
    """
    second, highest = first_above(state, menu, first, width, luck), 0.0
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
    for place in range(len(outcomes)):
        left, right = duels.sides[place, 0], duels.sides[place, 1]
        state.told[0] += 1
        if left != right:
            record(state.wins, left, right, outcomes[place])
            state.chance[left, right] = STALE
    for place in range(len(outcomes)):
        left, right = duels.sides[place, 0], duels.sides[place, 1]
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
            first, luck, luck_of_second = arm, lost * rng.random(), rng.random()
            if luck < lost_first:
                tournament = Tournament(draw_key(rng), arm, first_above(state, menu, arm, NEVER, luck))
                first = pick_first(rules.plus, state, menu, width, tournament, rng)
            else:
                luck_of_second *= lost_second
            run.duel.sides[0] = first
            run.duel.sides[1] = pick_second(state, menu, first, width, luck_of_second, rng)
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
    `proofs` and `tournaments`. Simulations pass rounds in which a candidate wins every sample, and so meets
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

    alpha: float = 0.51
    plus: bool = False

    card = Card(
        seeks="Copeland winner",
        assumes="no two arms tie",
        regret="O(K² log t); with a Condorcet winner O(K log t + K² log log t)",
        citation="Wu, Liu (2016). Double Thompson Sampling for Dueling Bandits",
        arms_may_change=True,
    )
    kernels = Kernels(ask, tell, best_of_all, play, fold)

    def __post_init__(self) -> None:
        """Refuse an alpha for which the guarantee is empty, and a plus that is neither true nor false."""
        require_above("alpha", self.alpha, 0.5, "Theorem 1 of the paper", 0.51)
        if not isinstance(self.plus, int | np.bool_) or self.plus not in (False, True):
            raise ParameterError(f"plus must be True or False, or 1 or 0; got {self.plus!r}.")

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(float(self.alpha), bool(self.plus))

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel (line 1)."""
        return blank_state(k, rng)
