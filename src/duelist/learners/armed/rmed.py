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
    """Lines 3, 10 and 12 to 14: fill in a pair that is due, or the next arm of the loop and its opponent."""
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
    """Return whether some pair must be drawn before the loop goes on."""
    return fewest_draws(state, menu) < draws_due(rules, log_round(time))


@borrowing
def this_list(menu: ArmMenu, time: float) -> float:
    """Return which list the next arm is on: this loop's; on a menu that leaves arms out, one made now."""
    return THIS_LOOP if len(menu.active) == 0 else log_round(time)


@borrowing
def pick_due_pair(state: State, menu: ArmMenu, duel: DuelBuffer) -> None:
    """Fill in the pair that was drawn least, the first in order of several."""
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
    """Algorithm 3 where regret is weighed, else and otherwise Algorithm 2."""
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
    """Fill in the pair that comes after the rounds in which the leader meets itself; return its time."""
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
    """Count the outcome; then, unless the pair was due, lines 15 to 19: move on in the loop."""
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
    """Line 5: fix every arm's opponent by the pairs' first draws (RMED2FH)."""
    leader = leader_on(state, rules.everyone)
    for i in range(len(state.rival)):
        state.rival[i] = cheapest_opponent(state, rules.everyone, leader, i)


@borrowing
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    """Fill in i*, the arm with the least evidence against it."""
    answer[0] = leader_on(state, menu)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Pass at most `limit` rounds in which the leader is alone on the list and meets itself."""
    left, right = run.duel.sides[0], run.duel.sides[1]
    if left == right:
        wake = wake_time(rules, state, run.menu, left, state.told[0], LOG_LAST)
        passed = limit if wake < 0.0 else int(min(wake - state.told[0], float(limit)))
        state.told[0] += passed
        book(run.world, run.ledger, left, right, passed)


@borrowing
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the pairs that are due, in the order in which they will be asked; return how many."""
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
    """What the three variants share: kernels, f(K) = scale K^exponent, and a state."""

    card = Card(
        seeks="Condorcet winner",
        assumes="a Condorcet winner and nothing else",
        citation="Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in "
        "Dueling Bandit Problem",
        arms_may_change=True,
    )
    kernels = Kernels(ask, tell, best, play, fold, plan)
    scale: Positive
    exponent: Exponent

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need: those of RMED1, of which the other variants replace some."""
        slack = float(self.scale) * float(k) ** float(self.exponent)
        return Rules(slack, 1.0, 0.0, False, False, arm_menu(Arms(k)))

    def blank(self, k: int, rng: Generator) -> State:
        return blank_state(k, rng)

    def grown(self, state: State, ranks: FloatArray) -> State:
        """Return a state with an arm for each rank: nobody has met the new ones."""
        grown = super().grown(state, ranks)
        return grown._replace(fewest=fewest_duels(grown.duels))


@dataclass(frozen=True)
class RMED1(RMED):
    """Find the Condorcet winner by the likelihood of every arm, without knowing the horizon.

    The duels so far make it more or less likely that an arm beats all others. Arms for which it is likely
    enough take turns: each meets the likeliest winner if it has not beaten it, else the arm against which it
    won least. Needs a Condorcet winner and nothing else; regret is O(K log t) plus a term of K alone, and
    near the lower bound where duels with the winner are the cheapest way to show that an arm loses.

    Parameters
    ----------
    scale : float, default 0.3
        The factor c of f(K) = c K^e, which keeps an arm in play longer; the default is the paper's.
    exponent : float, default 1.01
        The exponent e of f(K), above 1 (the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: none. What it leaves open: loops go through the arms in an order drawn at the
    start, in which also all ties are decided; the arm named best is i*; t counts the round that is played,
    and line 16 is about the state after it. A tie counts as half a win for each side.

    Answers may come late, twice or never, and votes may be imported: every told duel is counted, and takes
    the turn of that one of its two arms which comes first in what remains of the loop. Without such an arm it
    takes nobody's turn, so that no loop waits for an answer; an arm whose answer was lost is asked about
    again. A pair that was never drawn is drawn first, and those duels take no turns: so arms may join at any
    time. Since `tell` sees no menu, lists are about all arms; on a menu that leaves arms out, evidence is
    counted among those on it, and of the arms for which J holds now the one compared least is next. On a menu
    without self-duels, rounds in which i* would meet itself are passed over, exactly up to e^28 rounds;
    beyond, time is kept as ln t, to which a single round adds nothing. A round costs O(K): see `divergences`.

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

    card = replace(RMED.card, regret="O(K log t) at every t, plus a term of K alone")


@dataclass(frozen=True)
class RMED2(RMED):
    """Find the Condorcet winner at the least regret that is possible in the long run, at every horizon.

    As `RMED1`, but an arm meets the opponent that shows at the least regret that it loses to someone, which
    need not be the winner. To know the opponents, every pair is drawn alpha log log t times. Needs a
    Condorcet winner and nothing else.

    Parameters
    ----------
    alpha : float, default 3.0
        Every pair is drawn at least alpha log log t times; the default is that of the paper's experiments.
    scale : float, default 0.3
        The factor c of f(K) = c K^e, which keeps an arm in play longer.
    exponent : float, default 1.01
        The exponent e of f(K), above 1 (the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: a pair that falls below alpha log log t is drawn at once, not before the next
    loop (line 10), since a loop whose answers are late or lost has no certain end. Where the paper is silent:
    pairs that were drawn least come first; log log t counts as 0 where it is negative; an arm that has lost
    to none has no b*, and Algorithm 2 chooses; N of i* with itself is 0. All else is as in `RMED1`.

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

    card = replace(RMED.card, regret="none proven: that of `RMED2FH` in experiments")

    def rules(self, k: int) -> Rules:
        return super().rules(k)._replace(alpha=float(self.alpha), weighs_regret=True)


@dataclass(frozen=True)
class RMED2FH(RMED):
    """Find the Condorcet winner at the least regret that is possible in the long run, for a known horizon.

    As `RMED2`, but every pair is drawn alpha log log T times at the start, after which every arm's opponent
    is fixed. Needs a Condorcet winner and nothing else; as the horizon T grows, regret over log T reaches the
    lower bound that holds for all consistent learners (`duelist.bounds.asymptotic_lower_bound`).

    Parameters
    ----------
    horizon : int
        The number of rounds T.
    alpha : float, default 3.0
        Every pair is drawn alpha log log T times at the start, rounded up; the default is that of the paper's
        experiments.
    scale : float, default 0.3
        The factor c of f(K) = c K^e, which keeps an arm in play longer.
    exponent : float, default 1.01
        The exponent e of f(K), above 1 (the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: none. Where it is silent: every pair is drawn once before any is drawn again;
    an arm that had lost to none when opponents were fixed, or whose opponent is no longer on the menu, meets
    the opponent that `RMED2` would choose; log log t counts as 0 where it is negative; N of i* with itself is
    0. Past the horizon it goes on. All else is as in `RMED1`.

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
        regret="the lower bound, as T grows",
        needs_horizon=True,
        arms_may_change=False,
        example={"horizon": 50_000},
    )

    def rules(self, k: int) -> Rules:
        draws = max(float(ceil(self.alpha * log(max(log(self.horizon), 1.0)))), 1.0)
        return super().rules(k)._replace(draws=draws, weighs_regret=True, fixes_rivals=True)
