"""Relative Upper Confidence Bound (Zoghi, Whiteson, Munos, de Rijke 2014, Algorithm 1).

An arm c is a possible champion (a member of the set C) if u_cj >= 1/2 for all j; that is, if alpha ln t is at
least n (1/2 - mean_cj)^2 for every j that leads c. The largest of these numbers is called the arm's barrier.
It decides for all j at once and changes only after a duel of c, so a round costs O(K) instead of O(K^2). The
set B of the proceedings holds at most one arm; the state stores the number of this arm.
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Annotated, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Range
from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, book, is_active
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, best_of_all, number, record, square
from duelist.learners.armed.clock import LOG_COUNTED, LOG_LAST, later, log_round, next_time, time_before
from duelist.learners.base import folding, playing

UNSEEN = 2.0  # the upper bound of a pair that was never compared: x/0 := 1 in both terms of line 3
NOBODY = -1  # no arm
MOST = np.finfo(np.float64).max  # above the barrier of every arm on the menu
EVERY_ARM = ArmMenu(np.zeros(0, np.bool_), True, np.zeros((0, 0)))  # the menu of all arms


class Rules(NamedTuple):
    alpha: float
    remembers_champion: bool


class State(NamedTuple):
    """`rate` and `doubt` are derived from `wins`, so that a round reads one row of each."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    rate: FloatArray  # rate[i, j]: the share of their duels that j won; 1/2 for i itself
    doubt: FloatArray  # doubt[i, j]: 1 / sqrt(n) after n duels; 0 before the first and for i itself
    barrier: FloatArray  # barrier[i]: i is a possible champion once alpha ln t reaches this
    keeper: IntArray  # keeper[i]: the arm that sets i's barrier
    told: FloatArray  # the time: rounds so far, or -ln t if they are too many to count
    order: IntArray  # random permutation of the arms, drawn at the start, which breaks ties for the best
    remembered: IntArray  # one number, the set B: the last arm that was the only possible champion, or -1


def blank_state(k: int, rng: Generator) -> State:
    rate = np.full((k, k), UNSEEN)
    np.fill_diagonal(rate, 0.5)
    return State(
        wins=square(k),
        rate=rate,
        doubt=square(k),
        barrier=np.zeros(k),
        keeper=np.zeros(k, np.int64),
        told=np.zeros(1),
        order=rng.permutation(k),
        remembered=number(NOBODY),
    )


@borrowing
def upper_bound(state: State, i: int, j: int, width: float) -> float:
    """Lines 3 and 4: u_ij = mean_ij + sqrt(alpha ln t / n), where `width` is the root of alpha ln t."""
    return float(state.rate[j, i] + width * state.doubt[j, i])


@borrowing
def hold(state: State, i: int, j: int) -> float:
    """Return the alpha ln t until which j rules out i as champion: n (1/2 - mean_ij)^2 if j leads i."""
    lead, doubt = state.rate[i, j] - 0.5, state.doubt[i, j]
    return (lead / doubt) * (lead / doubt) if lead > 0.0 and doubt > 0.0 else 0.0


@borrowing
def move_barrier(state: State, i: int, j: int) -> None:
    """Update barrier[i], the largest hold on i, after the hold of j has changed."""
    changed = hold(state, i, j)
    if changed >= state.barrier[i]:
        state.barrier[i] = changed
        state.keeper[i] = j
    elif state.keeper[i] == j:
        state.barrier[i] = 0.0
        for rival in range(len(state.barrier)):
            height = hold(state, i, rival)
            if height > state.barrier[i]:
                state.barrier[i] = height
                state.keeper[i] = rival


@borrowing
def barrier_on(state: State, menu: ArmMenu, i: int) -> float:
    """Return an arm's barrier with respect to rivals on the menu; infinite if the arm is not on the menu."""
    if len(menu.active) == 0:
        return float(state.barrier[i])
    if not menu.active[i]:
        return inf
    if menu.active[state.keeper[i]]:
        return float(state.barrier[i])
    height = 0.0
    for j in range(len(state.barrier)):
        if menu.active[j]:
            height = max(height, hold(state, i, j))
    return height


@borrowing
def count_candidates(state: State, menu: ArmMenu, width: float, first: int) -> int:
    """Return how many of the `first` arms have a barrier of at most `width`."""
    candidates = 0
    if len(menu.active) == 0:  # a separate loop, which the compiler vectorises
        for i in range(first):
            candidates += state.barrier[i] <= width
    else:
        for i in range(first):
            candidates += barrier_on(state, menu, i) <= width
    return candidates


@borrowing
def recall(state: State, menu: ArmMenu, width: float, remembered: int) -> int:
    """Return the arm in B: the only possible champion, or the previous one while it remains possible."""
    candidates, last = 0, NOBODY
    for i in range(len(state.barrier)):
        if barrier_on(state, menu, i) <= width:
            candidates, last = candidates + 1, i
    if candidates == 1:
        return last
    return remembered if remembered != NOBODY and barrier_on(state, menu, remembered) <= width else NOBODY


@borrowing
def pick_champion(state: State, menu: ArmMenu, width: float, remembered: int, rng: Generator) -> int:
    """Line 5: a random c with u_cj >= 1/2 for all j; a random arm if there is none.

    A remembered arm is a possible champion; it is drawn half of the time, or always if it is the only one.
    """
    k = len(state.barrier)
    candidates = count_candidates(state, menu, width, k)
    if candidates == 0:
        width = MOST
        candidates = count_candidates(state, menu, width, k)
    if remembered == NOBODY:
        index = below(candidates, rng)
    else:
        index = count_candidates(state, menu, width, remembered)
        if below(min(candidates, 2), rng) == 1:
            other = below(candidates - 1, rng)
            index = other + (other >= index)
    champion = 0
    for i in range(k):
        index -= barrier_on(state, menu, i) <= width
        if index < 0:
            champion = i
            break
    return champion


@borrowing
def pick_challenger(state: State, menu: ArmMenu, champion: int, width: float, rng: Generator) -> int:
    """Line 6: the j with the largest u_jc, ties broken at random; the champion if no bound exceeds 1/2."""
    k = len(state.barrier)
    challenger, highest, ties = champion, 0.5, 1
    for j in range(k):
        upper = upper_bound(state, j, champion, width)
        if upper > highest and is_active(menu, j):
            challenger, highest, ties = j, upper, 1
        elif upper == highest and is_active(menu, j):
            ties += highest > 0.5
    passed = below(ties, rng)
    for j in range(k if ties > 1 else 0):
        if upper_bound(state, j, champion, width) == highest and is_active(menu, j):
            if passed == 0:
                challenger = j
            passed -= 1
    return challenger


@borrowing
def optimism(rules: Rules, time: float) -> float:
    """Return alpha ln t for the next round t."""
    return rules.alpha * log_round(time)


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the champion, its challenger, and the round of their duel.

    If an arm may not meet itself, the rounds in which it would are skipped, exactly.
    """
    time, remembered, found = state.told[0], state.remembered[0], False
    if rules.remembers_champion:
        # once is enough: until the next answer, the set of possible champions can only grow
        remembered = recall(state, menu, optimism(rules, time), remembered)
    while not found:
        width = optimism(rules, time)
        champion = pick_champion(state, menu, width, remembered, rng)
        duel.sides[0] = champion
        duel.sides[1] = pick_challenger(state, menu, champion, sqrt(width), rng)
        duel.round[0] = time
        found = menu.self_duels or duel.sides[0] != duel.sides[1]
        if not found:
            time = wake_time(rules, state, menu, next_time(time), LOG_COUNTED)


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Line 7: count the win, then update the statistics derived from it."""
    left, right = duel.sides[0], duel.sides[1]
    if rules.remembers_champion:
        # at the time of the last answer, as in `ask`: nothing was learned between it and the round asked
        width, remembered = optimism(rules, state.told[0]), state.remembered[0]
        state.remembered[0] = recall(state, EVERY_ARM, width, remembered)
    state.told[0] = next_time(later(state.told[0], duel.round[0]))
    if left != right:
        record(state.wins, left, right, outcome)
        duels = state.wins[left, right] + state.wins[right, left]
        state.doubt[left, right] = state.doubt[right, left] = 1.0 / sqrt(duels)
        state.rate[left, right] = state.wins[right, left] / duels
        state.rate[right, left] = state.wins[left, right] / duels
        move_barrier(state, left, right)
        move_barrier(state, right, left)


@borrowing
def wake_time(rules: Rules, state: State, menu: ArmMenu, time: float, log_counted: float) -> float:
    """Return the time until which the only possible champion meets itself; `time` if it does not.

    Nothing is learned in these rounds, so the choice is the same until ln t changes it: when it reaches
    another arm's barrier, or when a challenger's upper bound reaches 1/2.
    """
    width, champion, wake = optimism(rules, time), -1, inf
    for i in range(len(state.barrier)):
        barrier = barrier_on(state, menu, i)
        if barrier > width:
            wake = min(wake, barrier)
        elif champion < 0:
            champion = i
        else:
            return time
    if champion < 0:
        return time
    for j in range(len(state.barrier)):
        if j != champion and is_active(menu, j):
            wake = min(wake, hold(state, j, champion))
    return time_before(wake / rules.alpha, time, log_counted)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Skip at most `limit` rounds in which the only possible champion meets itself."""
    left, right = run.duel.sides[0], run.duel.sides[1]
    if left == right:
        wake = wake_time(rules, state, run.menu, state.told[0], LOG_LAST)
        passed = limit if wake < 0.0 else int(min(wake - state.told[0], float(limit)))
        state.told[0] += passed
        book(run.world, run.ledger, left, right, passed)


play = playing(ask, tell, best_of_all, skip_idle)
fold = folding(tell)


@dataclass(frozen=True)
class RUCB(ArmedLearner[State]):
    """Find the Condorcet winner without knowing the horizon.

    Every pair has an upper confidence bound. The champion is drawn from the arms that no bound rules out, and
    meets the arm whose upper bound against it is largest. Needs only a Condorcet winner. Regret is O(log t)
    at every t: with high probability (Theorem 2), and if alpha > 1 also in expectation (Theorem 3). The
    default alpha, 0.51, is that of the paper's experiments.

    Parameters
    ----------
    alpha : float, default 0.51
        Exploration width; must exceed 0.5 (Theorem 2), or 1 for a bound on expected regret (Theorem 3).
    remembers_champion : bool, default False
        Whether to draw the last arm that was the only possible champion half of the time, as long as it
        remains possible, as in the ICML proceedings.

    Notes
    -----
    By default this is the algorithm of arXiv:1312.3393. With `remembers_champion` it is the algorithm of the
    proceedings, whose set B holds at most one arm. Deviations from either: none. Choices that the paper
    leaves open: champions and challengers that tie are drawn uniformly; a champion meets itself unless
    another arm's bound exceeds 1/2; if several arms beat equally many others, the best arm is the first of
    them in a random order drawn at the start, and a pair that was never compared counts for neither arm. A
    tie counts as half a win for each side. A round costs O(K).

    On a menu without self-duels, rounds in which the champion would meet itself are skipped: exactly up to
    e^28 rounds; beyond that, time is stored as ln t, to which a single round adds nothing. `tell` receives no
    menu, so B is maintained over all arms: until an arm that is not on the menu is ruled out, no other arm
    enters B.

    References
    ----------
    Zoghi, Whiteson, Munos, de Rijke (2014). Relative Upper Confidence Bound for the K-Armed Dueling Bandit
    Problem. arXiv:1312.3393, Algorithm 1; ICML.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RUCB(), worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RUCB"].best.tolist()
    [0, 0, 0]
    """

    alpha: Annotated[float, Range(above=0.5, reason="Theorem 2 of the paper")] = 0.51
    remembers_champion: bool = False

    card = Card(
        seeks="Condorcet winner",
        assumes="a Condorcet winner",
        regret="O(K² log t) at every t",
        citation="Zoghi, Whiteson, Munos, de Rijke (2014). Relative Upper Confidence Bound for the "
        "K-Armed Dueling Bandit Problem",
        arms_may_change=True,
    )
    kernels = Kernels(ask, tell, best_of_all, play, fold)

    def __repr__(self) -> str:
        """Omit `remembers_champion` at its default, so that results keep the names they were stored under."""
        return f"RUCB(alpha={self.alpha!r}{', remembers_champion=True' if self.remembers_champion else ''})"

    def rules(self, k: int) -> Rules:
        return Rules(float(self.alpha), self.remembers_champion)

    def blank(self, k: int, rng: Generator) -> State:
        return blank_state(k, rng)
