"""Relative Minimum Empirical Divergence (Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 to 3)."""

from math import log

from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, number_or_nan
from duelist.kernels.arms import ArmMenu, arm_menu, book, is_active
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.armed.base import ArmedLearner
from duelist.learners.armed.clock import LOG_COUNTED, LOG_LAST, later, log_round, next_time
from duelist.learners.armed.divergences import (
    NOBODY,
    State,
    blank_state,
    cheapest_opponent,
    count,
    fewest_draws,
    fewest_duels,
    fewest_of,
    hardest_opponent,
    is_opponent,
    leader_on,
)
from duelist.learners.armed.turns import THIS_LOOP, Rules, catch_up, draws_due, next_arm, take_turn, wake_time
from duelist.learners.base import folding, playing
from duelist.menus import Arms


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
    for place in range(len(state.order)):
        i = state.order[place]
        if chosen == NOBODY and is_active(menu, i) and fewest_of(state, menu, i) == fewest:
            chosen = i
    rival = NOBODY
    for place in range(len(state.order)):
        j = state.order[place]
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
    scale: float
    exponent: float

    def __post_init__(self) -> None:
        """Refuse an f(K) for which the guarantee is empty."""
        if not 0.0 < number_or_nan(self.scale) < float("inf"):
            raise ParameterError(
                f"scale must be a positive number; got {self.scale!r}. Try the default, 0.3."
            )
        if not 1.0 < number_or_nan(self.exponent) <= 4.0:
            raise ParameterError(
                f"exponent must exceed 1, as in the paper's bounds, and be at most 4; got {self.exponent!r}. "
                "Try the default, 1.01."
            )

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need: those of RMED1, of which the other variants replace some."""
        slack = float(self.scale) * float(k) ** float(self.exponent)
        return Rules(slack, 1.0, 0.0, False, False, arm_menu(Arms(k)))

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel."""
        return blank_state(k, rng)

    def grown(self, state: State, ranks: FloatArray) -> State:
        """Return a state with an arm for each rank: nobody has met the new ones."""
        grown = super().grown(state, ranks)
        return grown._replace(fewest=fewest_duels(grown.duels))


def require_alpha(alpha: object) -> None:
    """Refuse a number of draws that is none, or so large that it could not be counted."""
    if not 0.0 < number_or_nan(alpha) <= 1e6:
        raise ParameterError(
            f"alpha must be a positive number, at most 1e6; got {alpha!r}. Try the default, 3."
        )
