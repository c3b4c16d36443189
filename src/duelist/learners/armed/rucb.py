"""Relative Upper Confidence Bound (Zoghi, Whiteson, Munos, de Rijke, ICML 2014, Algorithm 1)."""

from dataclasses import dataclass
from math import ceil, exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels import loop
from duelist.kernels.arms import ArmMenu, book, is_active
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, best_of_all, number, record, square

UNSEEN = 2.0
"""The upper bound of a pair never compared: x/0 := 1 in both terms of line 3."""

MOST = np.finfo(np.float64).max
"""Above the barrier of every arm on the menu."""

LOG_LAST = 40.0
LAST = int(np.exp(LOG_LAST) * (1.0 - 1e-12))
"""More rounds than anyone plays: no later round is looked for."""


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    alpha: float


class State(NamedTuple):
    """What has been learned; `rate` and `doubt` restate `wins` so that a round reads one row of each."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    rate: FloatArray  # rate[i, j]: the share of their duels that j won; 1/2 for i itself
    doubt: FloatArray  # doubt[i, j]: 1 / sqrt(n) after n duels; 0 before the first and for i itself
    barrier: FloatArray  # barrier[i]: i is a possible champion once alpha ln t reaches this
    keeper: IntArray  # keeper[i]: the arm that sets i's barrier
    told: IntArray  # rounds told so far
    order: IntArray  # of the arms, drawn at the start: who is named best among equals


@borrowing
def optimism(rules: Rules, told: int) -> float:
    """Return alpha ln t, for the round t that comes next."""
    return rules.alpha * log(told + 1.0)


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the champion and its challenger, and the round they belong to.

    Where an arm may not be shown against itself, the rounds in which it would be are passed over, exactly.
    """
    told = state.told[0]
    pick_pair(rules, state, menu, told, duel, rng)
    while not menu.self_duels and duel.sides[0] == duel.sides[1]:
        if told >= LAST:
            duel.sides[1] = nearest_rival(state, menu, duel.sides[0])
        else:
            told += 1
            told += idle_rounds(rules, state, menu, told)
            pick_pair(rules, state, menu, told, duel, rng)


@borrowing
def pick_pair(rules: Rules, state: State, menu: ArmMenu, told: int, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the pair that is due after `told` rounds."""
    width = optimism(rules, told)
    champion = pick_champion(state, menu, width, rng)
    duel.sides[0] = champion
    duel.sides[1] = pick_challenger(state, menu, champion, sqrt(width), rng)
    duel.round[0] = told


@borrowing
def barrier_on(state: State, menu: ArmMenu, i: int) -> float:
    """Return an arm's barrier as far as rivals on the menu set it; an arm off the menu is behind all."""
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
def pick_champion(state: State, menu: ArmMenu, width: float, rng: Generator) -> int:
    """Line 5: any c with u_cj >= 1/2 for all j, drawn at random; any arm if there is none.

    u_cj >= 1/2 says that alpha ln t >= n (1/2 - mean_cj)^2 if j leads c, so that one comparison with the
    largest of these, the barrier, decides for all j.
    """
    candidates = count_candidates(state, menu, width)
    if candidates == 0:
        width = MOST
        candidates = count_candidates(state, menu, width)
    passed, champion = below(candidates, rng), 0
    for i in range(len(state.barrier)):
        if barrier_on(state, menu, i) <= width:
            if passed == 0:
                champion = i
            passed -= 1
    return champion


@borrowing
def count_candidates(state: State, menu: ArmMenu, width: float) -> int:
    """Return how many arms have a barrier of at most `width`."""
    candidates = 0
    if len(menu.active) == 0:  # a loop of its own, which runs on vectors
        for i in range(len(state.barrier)):
            candidates += state.barrier[i] <= width
    else:
        for i in range(len(state.barrier)):
            candidates += barrier_on(state, menu, i) <= width
    return candidates


@borrowing
def pick_challenger(state: State, menu: ArmMenu, champion: int, width: float, rng: Generator) -> int:
    """Line 6: the j with the largest u_jc, ties at random; the champion if none exceeds 1/2."""
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
def nearest_rival(state: State, menu: ArmMenu, champion: int) -> int:
    """Return the arm whose upper bound against the champion is the first to reach 1/2."""
    rival, lowest = champion, inf
    for j in range(len(state.barrier)):
        if j != champion and is_active(menu, j) and hold(state, j, champion) < lowest:
            rival, lowest = j, hold(state, j, champion)
    return rival


@borrowing
def upper_bound(state: State, i: int, j: int, width: float) -> float:
    """Lines 3 and 4: u_ij = mean_ij + sqrt(alpha ln t / n), with `width` the root of alpha ln t."""
    return float(state.rate[j, i] + width * state.doubt[j, i])


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Line 7: count the win; then restate what it changes."""
    left, right = duel.sides[0], duel.sides[1]
    state.told[0] = max(state.told[0], int(duel.round[0])) + 1
    if left != right:
        record(state.wins, left, right, outcome)
        duels = state.wins[left, right] + state.wins[right, left]
        state.doubt[left, right] = state.doubt[right, left] = 1.0 / sqrt(duels)
        state.rate[left, right] = state.wins[right, left] / duels
        state.rate[right, left] = state.wins[left, right] / duels
        move_barrier(state, left, right)
        move_barrier(state, right, left)


@borrowing
def hold(state: State, i: int, j: int) -> float:
    """Return the alpha ln t up to which j keeps i from being champion: n (1/2 - mean_ij)^2 if j leads i."""
    lead, doubt = state.rate[i, j] - 0.5, state.doubt[i, j]
    return (lead / doubt) * (lead / doubt) if lead > 0.0 and doubt > 0.0 else 0.0


@borrowing
def move_barrier(state: State, i: int, j: int) -> None:
    """Keep barrier[i] the largest hold on i, when that of j has changed."""
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
def idle_rounds(rules: Rules, state: State, menu: ArmMenu, told: int) -> int:
    """Return how many rounds follow, after `told`, in which the only possible champion meets itself.

    Nothing is learned in such a round, so the choice stands until ln t alone changes it: when another arm's
    barrier falls, or when a challenger's upper bound reaches 1/2.
    """
    width, champion, wake = optimism(rules, told), -1, inf
    for i in range(len(state.barrier)):
        barrier = barrier_on(state, menu, i)
        if barrier > width:
            wake = min(wake, barrier)
        elif champion < 0:
            champion = i
        else:
            return 0
    if champion < 0:
        return 0
    for j in range(len(state.barrier)):
        if j != champion and is_active(menu, j):
            wake = min(wake, hold(state, j, champion))
    # rounding may only end the rest early
    last = exp(min(wake / rules.alpha, LOG_LAST)) * (1.0 - 1e-12)
    return max(ceil(last) - 1 - told, 0)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Pass at most `limit` rounds in which the only possible champion meets itself."""
    left, right = run.duel.sides[0], run.duel.sides[1]
    if left == right:
        passed = min(idle_rounds(rules, state, run.menu, state.told[0]), limit)
        state.told[0] += passed
        book(run.world, run.ledger, left, right, passed)


@compiled
def play(rules: Rules, state: State, run: Run) -> None:
    """Play one run."""
    loop.play(ask, tell, best_of_all, skip_idle, loop.skip_nothing, rules, state, run)


@compiled
def fold(rules: Rules, state: State, duels: DuelBuffer, outcomes: FloatArray) -> None:
    """Tell a batch of duels."""
    loop.fold(tell, rules, state, duels, outcomes)


@dataclass(frozen=True)
class RUCB(ArmedLearner[State]):
    """Find the Condorcet winner without knowing the horizon.

    Every pair gets an optimistic estimate. An arm that optimism cannot rule out is drawn as champion, and
    meets the arm that optimism says is most likely to beat it. Needs a Condorcet winner and nothing else;
    regret is O(log t) at every t (Theorems 2 and 3).

    Parameters
    ----------
    alpha : float, default 0.51
        Exploration width; must exceed 0.5 (Theorem 2).

    Notes
    -----
    Deviations from the paper: none. Where the paper leaves a choice, champions and challengers that tie are
    drawn uniformly, and a champion meets itself unless another arm's bound exceeds 1/2; arms that beat
    equally many are named best in an order drawn at the start, and a pair never compared counts for neither.
    A round costs O(K): see `pick_champion`. A tie counts as half a win for each side.

    References
    ----------
    Zoghi, Whiteson, Munos, de Rijke (2014). Relative Upper Confidence Bound for the K-Armed Dueling Bandit
    Problem. ICML. Algorithm 1.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RUCB(), worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RUCB"].best.tolist()
    [0, 0, 0]
    """

    alpha: float = 0.51

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
        """Refuse an alpha for which the guarantee is empty."""
        if not 0.5 < self.alpha < float("inf"):
            raise ParameterError(
                f"alpha must exceed 0.5 (Theorem 2 of the paper); got {self.alpha!r}. Try the default, 0.51."
            )

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(float(self.alpha))

    def blank(self, k: int, rng: Generator) -> State:
        """Return the state before the first duel (line 1)."""
        rate = np.full((k, k), UNSEEN)
        np.fill_diagonal(rate, 0.5)
        return State(
            wins=square(k),
            rate=rate,
            doubt=square(k),
            barrier=np.zeros(k),
            keeper=np.zeros(k, np.int64),
            told=number(),
            order=rng.permutation(k),
        )
