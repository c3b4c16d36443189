"""Relative Upper Confidence Bound (Zoghi, Whiteson, Munos, de Rijke, ICML 2014, Algorithm 1)."""

from dataclasses import dataclass
from math import ceil, exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels import arms
from duelist.kernels.arms import Run
from duelist.kernels.compile import compiled
from duelist.kernels.random import below
from duelist.learners.armed.base import ArmedLearner, number, square
from duelist.learners.armed.tallies import most_beaten, record

UNSEEN = 2.0
"""The upper bound of a pair never compared: x/0 := 1 in both terms of line 3."""


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


@compiled
def optimism(rules: Rules, told: int) -> float:
    """Return alpha ln t, for the round t that comes next."""
    return rules.alpha * log(told + 1.0)


@compiled
def ask(rules: Rules, state: State, rng: Generator) -> tuple[int, int]:
    """Return the champion and its challenger."""
    width = optimism(rules, state.told[0])
    champion = pick_champion(state, width, rng)
    return champion, pick_challenger(state, champion, sqrt(width), rng)


@compiled
def pick_champion(state: State, width: float, rng: Generator) -> int:
    """Line 5: any c with u_cj >= 1/2 for all j, drawn at random; any arm if there is none.

    u_cj >= 1/2 says that alpha ln t >= n (1/2 - mean_cj)^2 if j leads c, so that one comparison with the
    largest of these, the barrier, decides for all j.
    """
    k = len(state.barrier)
    candidates = 0
    for i in range(k):
        candidates += state.barrier[i] <= width
    if candidates == 0:
        candidates, width = k, np.inf
    passed, champion = below(candidates, rng), 0
    for i in range(k):
        if state.barrier[i] <= width:
            if passed == 0:
                champion = i
            passed -= 1
    return champion


@compiled
def pick_challenger(state: State, champion: int, width: float, rng: Generator) -> int:
    """Line 6: the j with the largest u_jc, ties at random; the champion if none exceeds 1/2."""
    k = len(state.barrier)
    challenger, highest, ties = champion, 0.5, 1
    for j in range(k):
        upper = upper_bound(state, j, champion, width)
        if upper > highest:
            challenger, highest, ties = j, upper, 1
        elif upper == highest:
            ties += highest > 0.5
    passed = below(ties, rng)
    for j in range(k if ties > 1 else 0):
        if upper_bound(state, j, champion, width) == highest:
            if passed == 0:
                challenger = j
            passed -= 1
    return challenger


@compiled
def upper_bound(state: State, i: int, j: int, width: float) -> float:
    """Lines 3 and 4: u_ij = mean_ij + sqrt(alpha ln t / n), with `width` the root of alpha ln t."""
    return float(state.rate[j, i] + width * state.doubt[j, i])


@compiled
def tell(rules: Rules, state: State, left: int, right: int, outcome: float) -> None:
    """Line 7: count the win; then restate what it changes."""
    state.told[0] += 1
    if left != right:
        record(state.wins, left, right, outcome)
        duels = state.wins[left, right] + state.wins[right, left]
        state.doubt[left, right] = state.doubt[right, left] = 1.0 / sqrt(duels)
        state.rate[left, right] = state.wins[right, left] / duels
        state.rate[right, left] = state.wins[left, right] / duels
        move_barrier(state, left, right)
        move_barrier(state, right, left)


@compiled
def hold(state: State, i: int, j: int) -> float:
    """Return the alpha ln t up to which j keeps i from being champion: n (1/2 - mean_ij)^2 if j leads i."""
    lead, doubt = state.rate[i, j] - 0.5, state.doubt[i, j]
    return (lead / doubt) * (lead / doubt) if lead > 0.0 and doubt > 0.0 else 0.0


@compiled
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


@compiled
def skip_idle(rules: Rules, state: State, limit: int) -> int:
    """Pass at most `limit` rounds in which the only possible champion meets itself; return how many.

    Nothing is learned in such a round, so the choice stands until ln t alone changes it: when another arm's
    barrier falls, or when a challenger's upper bound reaches 1/2.
    """
    width, champion, wake = optimism(rules, state.told[0]), -1, np.inf
    for i in range(len(state.barrier)):
        if state.barrier[i] > width:
            wake = min(wake, state.barrier[i])
        elif champion < 0:
            champion = i
        else:
            return 0
    if champion < 0:
        return 0
    for j in range(len(state.barrier)):
        if j != champion:
            wake = min(wake, hold(state, j, champion))
    # rounding may only end the rest early, and e^40 is more rounds than anyone plays
    last = exp(min(wake / rules.alpha, 40.0)) * (1.0 - 1e-12)
    passed = min(max(ceil(last) - 1 - state.told[0], 0), limit)
    state.told[0] += passed
    return int(passed)


@compiled
def best(rules: Rules, state: State) -> int:
    """Return the arm that beats the most arms."""
    return most_beaten(state.wins, state.order)


@compiled
def play(rules: Rules, state: State, run: Run) -> None:
    """Play one run."""
    arms.play(ask, tell, best, skip_idle, arms.skip_no_batch, rules, state, run)


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
    kernels = arms.Kernels(ask, tell, best, play)

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
