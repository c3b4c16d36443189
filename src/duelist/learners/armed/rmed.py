"""Relative Minimum Empirical Divergence: RMED1, RMED2, RMED2FH (Komiyama, Honda, Kashima, Nakagawa 2015)."""

from dataclasses import dataclass, replace
from math import ceil, log
from typing import Annotated, TypeAlias

from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Positive, Range
from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, arm_menu, book, is_active
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.armed.base import ArmedLearner
from duelist.learners.armed.clock import LOG_COUNTED, LOG_LAST, later, log_round, next_time
from duelist.learners.armed.divergences import (
    NOBODY,
    THIS_LOOP,
    Rules,
    State,
    blank_state,
    catch_up,
    cheapest_opponent,
    count,
    draws_due,
    fewest_draws,
    fewest_duels,
    fewest_of,
    hardest_opponent,
    is_opponent,
    leader_on,
    next_arm,
    take_turn,
    wake_time,
)
from duelist.learners.base import folding, playing
from duelist.menus import Arms

Exponent: TypeAlias = Annotated[float, Range(above=1.0, most=4.0, reason="the paper's bounds")]
Draws: TypeAlias = Annotated[float, Range(above=0.0, most=1e6)]


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Lines 3, 10, 12-14: fill in a pair that is due, or the next arm of the loop and its opponent."""
    time, leader = state.told[0], leader_on(state, menu)
    if is_due(rules, state, menu, time):
        pick_due_pair(state, menu, duel)
    else:
        arm = next_arm(rules, state, menu, leader, this_list(menu, time), NOBODY)
        duel.sides[0] = arm
        duel.sides[1] = pick_opponent(rules, state, menu, leader, arm, time)
        if arm == duel.sides[1] and not menu.self_duels:
            time = pass_over(rules, state, menu, leader, time, duel)
    duel.round[0] = time


@borrowing
def is_due(rules: Rules, state: State, menu: ArmMenu, time: float) -> bool:
    """Return whether some pair must be drawn before the loop continues."""
    return fewest_draws(state, menu) < draws_due(rules, log_round(time))


@borrowing
def this_list(menu: ArmMenu, time: float) -> float:
    """Return the list of the next arm: this loop's list or, on a menu that excludes arms, one made now."""
    return THIS_LOOP if len(menu.active) == 0 else log_round(time)


@borrowing
def pick_due_pair(state: State, menu: ArmMenu, duel: DuelBuffer) -> None:
    """Fill in the pair with the fewest draws; ties go to the first in order."""
    fewest, chosen = fewest_draws(state, menu), NOBODY
    for index in range(len(state.order)):
        i = state.order[index]
        if chosen == NOBODY and is_active(menu, i) and fewest_of(state, menu, i) == fewest:
            chosen = i
    rival = NOBODY
    for index in range(len(state.order)):
        j = state.order[index]
        if rival == NOBODY and j != chosen and is_active(menu, j) and state.duels[chosen, j] == fewest:
            rival = j
    duel.sides[0] = chosen
    duel.sides[1] = rival


@borrowing
def pick_opponent(rules: Rules, state: State, menu: ArmMenu, leader: int, arm: int, time: float) -> int:
    """Algorithm 3 if regret is weighed and it finds an opponent, otherwise Algorithm 2."""
    chosen = NOBODY
    if rules.weighs_regret:
        rival = state.rival[arm]
        if rival == NOBODY or not is_active(menu, rival):
            rival = cheapest_opponent(state, menu, leader, arm)
        if rival != NOBODY and is_opponent(state, arm, rival):
            log_log = log(max(log_round(time), 1.0))
            if state.duels[arm, leader] * log_log >= state.duels[arm, rival]:
                chosen = rival
    if chosen == NOBODY and is_opponent(state, arm, leader):
        chosen = leader
    if chosen == NOBODY:
        chosen = hardest_opponent(state, menu, arm)
    return leader if chosen == NOBODY else int(chosen)


@borrowing
def pass_over(rules: Rules, state: State, menu: ArmMenu, leader: int, time: float, duel: DuelBuffer) -> float:
    """Fill in the first pair after the rounds in which the leader meets itself; return its time."""
    listed, arm = this_list(menu, time), NOBODY
    while arm == NOBODY:
        arm = next_arm(rules, state, menu, leader, listed, NOBODY)
        if arm == leader:
            time = wake_time(rules, state, menu, leader, time, LOG_COUNTED)
            if not is_due(rules, state, menu, time):
                arm = next_arm(rules, state, menu, leader, listed, leader)
                listed, time = log_round(time), next_time(time)
    if is_due(rules, state, menu, time):
        pick_due_pair(state, menu, duel)
    else:
        duel.sides[0] = arm
        duel.sides[1] = pick_opponent(rules, state, menu, leader, arm, time)
    return time


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Count the outcome; then, unless the pair was due, continue the loop (lines 15-19)."""
    left, right, everyone = duel.sides[0], duel.sides[1], rules.everyone
    if later(state.told[0], duel.round[0]) != state.told[0] and not is_due(
        rules, state, everyone, state.told[0]
    ):
        catch_up(rules, state, duel.round[0])
    time = later(state.told[0], duel.round[0])
    was_due = is_due(rules, state, everyone, time)
    state.told[0] = next_time(time)
    if left != right:
        count(state, left, right, outcome)
    if not was_due:
        take_turn(rules, state, left, right, log_round(time))
    elif rules.fixes_rivals and not is_due(rules, state, everyone, time):
        fix_rivals(rules, state)


@borrowing
def fix_rivals(rules: Rules, state: State) -> None:
    """Line 5: fix every arm's opponent based on the initial draws of all pairs (RMED2FH)."""
    leader = leader_on(state, rules.everyone)
    for i in range(len(state.rival)):
        state.rival[i] = cheapest_opponent(state, rules.everyone, leader, i)


@borrowing
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    """Fill in i*, the arm with the least evidence against it."""
    answer[0] = leader_on(state, menu)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Skip at most `limit` rounds in which the leader is alone on the list and meets itself."""
    left, right = run.duel.sides[0], run.duel.sides[1]
    if left == right:
        wake = wake_time(rules, state, run.menu, left, state.told[0], LOG_LAST)
        passed = limit if wake < 0.0 else int(min(wake - state.told[0], float(limit)))
        state.told[0] += passed
        book(run.world, run.ledger, left, right, passed)


@borrowing
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the pairs that are due, in the order in which they will be asked; return their number."""
    planned, draws, k = 0, fewest_draws(state, menu), len(state.order)
    while draws < draws_due(rules, log_round(state.told[0])) and planned < len(duels.sides):
        for first in range(k):
            i = state.order[first]
            for second in range(first + 1, k if is_active(menu, i) else 0):
                j = state.order[second]
                if is_active(menu, j) and state.duels[i, j] <= draws and planned < len(duels.sides):
                    duels.sides[planned, 0] = i
                    duels.sides[planned, 1] = j
                    duels.round[planned, 0] = state.told[0]
                    planned += 1
        draws += 1.0
    return planned


play = playing(ask, tell, best, skip_idle)
fold = folding(tell)


class RMED(ArmedLearner[State]):
    """Base class of `RMED1`, `RMED2` and `RMED2FH`: their kernels, and f(K) = scale K^exponent."""

    card = Card(
        seeks="Condorcet winner",
        assumes="a Condorcet winner",
        citation="Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in "
        "Dueling Bandit Problem",
        arms_may_change=True,
    )
    kernels = Kernels(ask, tell, best, play, fold, plan)
    scale: Positive
    exponent: Exponent

    def rules(self, k: int) -> Rules:
        slack = float(self.scale) * float(k) ** float(self.exponent)
        return Rules(slack, 1.0, 0.0, False, False, arm_menu(Arms(k)))

    def blank(self, k: int, rng: Generator) -> State:
        return blank_state(k, rng)

    def grown(self, state: State, ranks: FloatArray) -> State:
        grown = super().grown(state, ranks)
        return grown._replace(fewest=fewest_duels(grown.duels))


@dataclass(frozen=True)
class RMED1(RMED):
    """Find the Condorcet winner by the likelihood of each arm, without knowing the horizon.

    The likelihood that an arm beats all others is computed from the duels so far. Arms that are likely enough
    take turns: each meets the likeliest winner, unless it has beaten it, and otherwise the arm against which
    it has the lowest win rate. Needs only a Condorcet winner. Regret is O(K log t) plus a term that depends
    on K alone; it is near the lower bound if duels with the winner are the cheapest proof that an arm loses.

    Parameters
    ----------
    scale : float, default 0.3
        Factor c of f(K) = c K^e; a larger value keeps arms in play longer. The default is the paper's.
    exponent : float, default 1.01
        Exponent e of f(K); above 1 (required by the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: none. Choices that the paper leaves open: loops visit the arms in a random
    order drawn at the start, which also breaks all ties; the best arm is i*; t is the round being played, and
    line 16 refers to the state after it. A tie counts as half a win for each side.

    Answers may come late, twice or never, and votes may be imported. Every duel told is counted, and takes
    the turn of whichever of its two arms comes first in the rest of the loop. If neither is left in the loop,
    no turn is taken, so no loop waits for an answer; an arm whose answer was lost is asked about again. Pairs
    that were never drawn are drawn first, without taking turns, so arms may join at any time. `tell` receives
    no menu, so the lists contain all arms. On a menu that excludes some arms, the evidence is restricted to
    arms on the menu, and the next arm is the one with the fewest duels for which J holds. On a menu without
    self-duels, rounds in which i* would meet itself are skipped: exactly up to e^28 rounds; beyond that, time
    is stored as ln t, to which a single round adds nothing. A round costs O(K): see `divergences`.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in Dueling Bandit
    Problem. COLT. Algorithms 1 and 2.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RMED1(), worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RMED1"].best.tolist()
    [0, 0, 0]
    """

    scale: Positive = 0.3
    exponent: Exponent = 1.01

    card = replace(RMED.card, regret="O(K log t) at every t, plus a term that depends on K alone")


@dataclass(frozen=True)
class RMED2(RMED):
    """Find the Condorcet winner, aiming for asymptotically optimal regret, without knowing the horizon.

    Like `RMED1`, but each arm meets the opponent that proves at the least regret that the arm loses to
    someone; this need not be the winner. To find these opponents, every pair is drawn alpha log log t times.
    Needs only a Condorcet winner. Optimality is proven for `RMED2FH` only.

    Parameters
    ----------
    alpha : float, default 3.0
        Every pair is drawn at least alpha log log t times; the default is that of the paper's experiments.
    scale : float, default 0.3
        Factor c of f(K) = c K^e; a larger value keeps arms in play longer.
    exponent : float, default 1.01
        Exponent e of f(K); above 1 (required by the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: a pair that falls below alpha log log t draws is drawn immediately instead of
    before the next loop (line 10), because a loop with late or lost answers may never end. Choices that the
    paper leaves open: pairs with the fewest draws come first; a negative log log t counts as 0; for an arm
    that has not lost to any other there is no b*, and Algorithm 2 chooses its opponent; N of i* with itself
    is 0. Everything else is as in `RMED1`.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in Dueling Bandit
    Problem. COLT. Algorithms 1 and 3.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RMED2(), worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RMED2"].best.tolist()
    [0, 0, 0]
    """

    alpha: Draws = 3.0
    scale: Positive = 0.3
    exponent: Exponent = 1.01

    card = replace(RMED.card, regret="not proven; that of `RMED2FH` in experiments")

    def rules(self, k: int) -> Rules:
        return super().rules(k)._replace(alpha=float(self.alpha), weighs_regret=True)


@dataclass(frozen=True)
class RMED2FH(RMED):
    """Find the Condorcet winner with asymptotically optimal regret, for a known horizon.

    Like `RMED2`, but every pair is drawn alpha log log T times at the start, and then every arm's opponent is
    fixed. Needs only a Condorcet winner. As the horizon T grows, regret divided by log T approaches the lower
    bound for all consistent learners (`duelist.bounds.asymptotic_lower_bound`).

    Parameters
    ----------
    horizon : int
        Number of rounds T.
    alpha : float, default 3.0
        Every pair is drawn alpha log log T times at the start, rounded up; the default is that of the paper's
        experiments.
    scale : float, default 0.3
        Factor c of f(K) = c K^e; a larger value keeps arms in play longer.
    exponent : float, default 1.01
        Exponent e of f(K); above 1 (required by the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: none. Choices that the paper leaves open: every pair is drawn once before any
    is drawn again; an arm that had not lost to any other when opponents were fixed, or whose opponent is no
    longer on the menu, meets the opponent that `RMED2` would choose; a negative log log t counts as 0; N of
    i* with itself is 0. The learner continues past the horizon. Everything else is as in `RMED1`.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in Dueling Bandit
    Problem. COLT. Algorithms 1 and 3.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = RMED2FH(horizon=20_000)
    >>> simulate(learner, worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RMED2FH"].best.tolist()
    [0, 0, 0]
    """

    horizon: Count
    alpha: Draws = 3.0
    scale: Positive = 0.3
    exponent: Exponent = 1.01

    card = replace(
        RMED.card,
        regret="asymptotically optimal: reaches the lower bound as T grows",
        needs_horizon=True,
        arms_may_change=False,
        example={"horizon": 50_000},
    )

    def rules(self, k: int) -> Rules:
        draws = max(float(ceil(self.alpha * log(max(log(self.horizon), 1.0)))), 1.0)
        return super().rules(k)._replace(draws=draws, weighs_regret=True, fixes_rivals=True)
