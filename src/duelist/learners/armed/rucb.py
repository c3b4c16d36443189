"""Relative Upper Confidence Bound (Zoghi, Whiteson, Munos, de Rijke 2014, Algorithm 1)."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

from numpy.random import Generator

from duelist.card import Card
from duelist.errors import ParameterError, require_above
from duelist.kernels.arms import ArmMenu, book, is_active
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.armed.barriers import State, barrier_on, blank_state, hold, move_barrier
from duelist.learners.armed.base import ArmedLearner, best_of_all, record
from duelist.learners.armed.champions import EVERY_ARM, pick_challenger, pick_champion, recall
from duelist.learners.armed.clock import LOG_COUNTED, LOG_LAST, later, log_round, next_time, time_before
from duelist.learners.base import folding, playing


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    alpha: float
    remembers_champion: bool


@borrowing
def optimism(rules: Rules, time: float) -> float:
    """Return alpha ln t, for the round t that comes next."""
    return rules.alpha * log_round(time)


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the champion and its challenger, and the round they belong to.

    Where an arm may not be shown against itself, the rounds in which it would be are passed over, exactly.
    """
    time, remembered, settled = state.told[0], state.remembered[0], False
    if rules.remembers_champion:
        # once will do: until an answer comes, possible champions only become more
        remembered = recall(state, menu, optimism(rules, time), remembered)
    while not settled:
        width = optimism(rules, time)
        champion = pick_champion(state, menu, width, remembered, rng)
        duel.sides[0] = champion
        duel.sides[1] = pick_challenger(state, menu, champion, sqrt(width), rng)
        duel.round[0] = time
        settled = menu.self_duels or duel.sides[0] != duel.sides[1]
        if not settled:
            time = wake_time(rules, state, menu, next_time(time), LOG_COUNTED)


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Line 7: count the win; then restate what it changes."""
    left, right = duel.sides[0], duel.sides[1]
    if rules.remembers_champion:
        # at the time of the last answer, as in `ask`: between it and the round asked nothing was learned
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
    """Return the time up to which the only possible champion meets itself, or `time` if it does not.

    Nothing is learned in such a round, so the choice stands until ln t alone changes it: when another arm's
    barrier falls, or when a challenger's upper bound reaches 1/2.
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
    """Pass at most `limit` rounds in which the only possible champion meets itself."""
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

    Every pair gets an optimistic estimate. An arm that optimism cannot rule out is drawn as champion, and
    meets the arm that optimism says is most likely to beat it. Needs a Condorcet winner and nothing else;
    regret is O(log t) at every t, with high probability (Theorem 2) and, if alpha > 1, in expectation too
    (Theorem 3); the default, which the paper's experiments have, is below.

    Parameters
    ----------
    alpha : float, default 0.51
        Exploration width; must exceed 0.5 (Theorem 2), and 1 for a bound on expected regret (Theorem 3).
    remembers_champion : bool, default False
        Whether the last arm that alone was a possible champion is drawn half of the time while it is
        possible, as in the proceedings of ICML.

    Notes
    -----
    By default this is the algorithm of arXiv:1312.3393; with `remembers_champion` it is the algorithm of the
    proceedings, whose set B holds at most one arm. Deviations from either: none. Where the paper leaves a
    choice, champions and challengers that tie are drawn uniformly, a champion meets itself unless another
    arm's bound exceeds 1/2, and arms that beat equally many are named best in an order drawn at the start; a
    pair never compared counts for neither. A tie counts as half a win for each side. A round costs O(K): see
    `barriers`. On a menu without self-duels, rounds in which the champion would meet itself are passed over,
    exactly up to e^28 rounds; beyond, time is kept as ln t, to which a single round adds nothing. `tell` does
    not see the menu, so that B is kept over all arms: while an arm off the menu is not ruled out, no other
    arm enters B.

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

    alpha: float = 0.51
    remembers_champion: bool = False

    card = Card(
        seeks="Condorcet winner",
        assumes="a Condorcet winner and nothing else",
        regret="O(K² log t) at every t",
        citation="Zoghi, Whiteson, Munos, de Rijke (2014). Relative Upper Confidence Bound for the "
        "K-Armed Dueling Bandit Problem",
        arms_may_change=True,
    )
    kernels = Kernels(ask, tell, best_of_all, play, fold)

    def __post_init__(self) -> None:
        """Refuse an alpha for which the guarantee is empty, and an answer that is neither yes nor no."""
        require_above("alpha", self.alpha, 0.5, "Theorem 2 of the paper", 0.51)
        if not isinstance(self.remembers_champion, bool):
            raise ParameterError(
                f"remembers_champion must be True or False; got {self.remembers_champion!r}."
            )

    def __repr__(self) -> str:
        """Return the learner as it is written; results of the default are named as they always were."""
        return f"RUCB(alpha={self.alpha!r}{', remembers_champion=True' if self.remembers_champion else ''})"

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(float(self.alpha), self.remembers_champion)

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel (line 1)."""
        return blank_state(k, rng)
