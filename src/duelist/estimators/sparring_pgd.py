"""SparringPGD: projected gradient ascent on the compact game of a log (Dudik et al., COLT 2015).

Points in the convex hull of the policies seen so far are vectors of weights, so distances and gains are
computed from small tables.
"""

from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from operator import itemgetter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from duelist.constraints import Positive, Range, check_fields
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.estimators.game import CompactGame, Oracle, SeenPolicies
from duelist.estimators.sparring_fpl import SparringFPL, require_coverage
from duelist.kernels.compile import compiled
from duelist.logs import DuelLog
from duelist.parallel import Show, progress_bar
from duelist.policies.mixture import PolicyMixture

RIDGE = 1e-9
"""Added to the products of policies, which are at most 1, before dividing by them: they may be singular."""

MOST_MOVES = 10_000  # limit on moves of weight between two policies in a projection; usually a few per policy
MOST_ACTIONS = 1 << 16
SLACK = 0.25  # allowed error of a projection, as a share of the step's gain: the constant of eq. g3
ROUNDING = 1e-12  # a gap up to this counts as 0


@compiled
def meet(
    left: IntArray,
    right: IntArray,
    stakes: FloatArray,
    table: NDArray[np.uint16],
    newcomer: int,
    alike: FloatArray,
    gains: FloatArray,
) -> None:
    """Compare a new policy with all earlier ones: how often they act alike, and the gain against each."""
    rows = len(stakes)
    for rival in range(newcomer + 1):
        same, gain = 0, 0.0
        for i in range(rows):
            one, other = table[newcomer, i], table[rival, i]
            same += one == other
            if one == left[i] and other == right[i]:
                gain += stakes[i]
            elif one == right[i] and other == left[i]:
                gain -= stakes[i]
        alike[newcomer, rival] = alike[rival, newcomer] = same / rows
        gains[newcomer, rival] = gain / rows
        gains[rival, newcomer] = 0.0 - gain / rows


@compiled
def factor(alike: FloatArray, roots: FloatArray, newcomer: int) -> None:
    """Add a row to the Cholesky factor of the table of products."""
    rest = alike[newcomer, newcomer] + RIDGE
    for j in range(newcomer):
        left_over = alike[newcomer, j]
        for i in range(j):
            left_over -= roots[newcomer, i] * roots[j, i]
        roots[newcomer, j] = left_over / roots[j, j]
        rest -= roots[newcomer, j] ** 2
    roots[newcomer, newcomer] = max(rest, RIDGE) ** 0.5


@compiled
def steepest(roots: FloatArray, slopes: FloatArray) -> float:
    """Return the squared length of the gradient within the hull, given the slope at every policy."""
    many = len(slopes)
    rises, ones = np.empty(many), np.empty(many)
    squares, crossed, sized = 0.0, 0.0, 0.0
    for j in range(many):
        rise, one = slopes[j], 1.0
        for i in range(j):
            rise -= roots[j, i] * rises[i]
            one -= roots[j, i] * ones[i]
        rises[j], ones[j] = rise / roots[j, j], one / roots[j, j]
        squares += rises[j] ** 2
        crossed += rises[j] * ones[j]
        sized += ones[j] ** 2
    return squares - crossed**2 / sized


@compiled
def mix(table: NDArray[np.uint16], weights: FloatArray, chances: FloatArray) -> None:
    for policy in range(len(weights)):
        if weights[policy] != 0.0:
            for i in range(len(chances)):
                chances[i, table[policy, i]] += weights[policy]


@compiled
def approach(alike: FloatArray, slopes: FloatArray, weights: FloatArray, tolerance: float) -> None:
    """Move the weights to the point of the hull nearest to a target (pairwise Frank-Wolfe).

    `slopes` holds the derivative of the distance in the direction of each policy. Weight moves from the
    policy with the largest slope to the one with the smallest, by exact line search, until the slopes differ
    by at most the tolerance.
    """
    for _ in range(MOST_MOVES):
        best, worst = 0, -1
        for policy in range(len(weights)):
            if slopes[policy] < slopes[best]:
                best = policy
            if weights[policy] > 0.0 and (worst < 0 or slopes[policy] > slopes[worst]):
                worst = policy
        gap = slopes[worst] - slopes[best]
        if gap <= tolerance:
            break
        length = gap / max(alike[best, best] + alike[worst, worst] - 2.0 * alike[best, worst], 1e-300)
        moved = min(weights[worst], length)
        weights[worst] -= moved
        weights[best] += moved
        for policy in range(len(weights)):
            slopes[policy] += moved * (alike[policy, best] - alike[policy, worst])


class PolicyHull:
    """The policies seen so far, and mixtures of them, as points of the compact game."""

    def __init__(self, game: CompactGame) -> None:
        if game.k > MOST_ACTIONS:
            raise ParameterError(f"log must have at most {MOST_ACTIONS} actions; got {game.k}.")
        self.game = game
        self.seen = SeenPolicies()
        self._actions = np.empty((1, len(game)), np.uint16)
        self._alike = np.empty((1, 1))
        self._gains = np.empty((1, 1))
        self._roots = np.empty((1, 1))

    def __len__(self) -> int:
        return len(self.seen)

    @property
    def alike(self) -> FloatArray:
        """The products of policy vectors: the share of duels in which two policies act alike."""
        return self._alike[: len(self), : len(self)]

    @property
    def gains(self) -> FloatArray:
        """The mean gain of one policy against another on the log."""
        return self._gains[: len(self), : len(self)]

    def ask(self, oracle: Oracle, costs: FloatArray) -> int:
        """Return the number of the oracle's policy for these costs, which may be a new policy."""
        policy, actions = self.game.ask(oracle, costs)
        known = len(self)
        number = self.seen.number_of(policy, actions)
        if number == known:
            self._add(number, actions)
        return number

    def _add(self, number: int, actions: IntArray) -> None:
        capacity = len(self._actions)
        if number == capacity:
            self._actions = np.concatenate([self._actions, np.empty_like(self._actions)])
            tables = (self._alike, self._gains, self._roots)
            self._alike, self._gains, self._roots = (np.pad(table, (0, capacity)) for table in tables)
        self._actions[number] = actions
        game = self.game
        meet(game.left, game.right, game.stakes, self._actions, number, self._alike, self._gains)
        factor(self._alike, self._roots, number)

    def actions(self, number: int) -> IntArray:
        """Return the actions of a policy in all duels."""
        return np.asarray(self._actions[number], np.int64)

    def mix(self, weights: FloatArray, table: FloatArray) -> None:
        """Add the weighted policies to a table with one row per duel and one column per action."""
        mix(self._actions, weights, table)

    def project(self, weights: FloatArray, target: FloatArray, tolerance: float) -> FloatArray:
        """Return the point of the hull nearest to a target, which is given by its products with policies."""
        nearest = weights.copy()
        approach(self.alike, self.alike @ weights - target, nearest, tolerance)
        return nearest

    def steepness(self, rival: int) -> float:
        """Return the squared length of the gradient of the gain against a rival, within the hull.

        A projection would remove the component outside the span of the hull, which is mostly noise: each duel
        has few outcomes and a large stake.
        """
        return steepest(self._roots, np.ascontiguousarray(self.gains[:, rival]))


@dataclass(frozen=True)
class SparringPGD:
    """Find a von Neumann winner among policies by projected gradient ascent against best responses on a log.

    Parameters
    ----------
    oracle : Oracle
        Finds the cheapest policy; the class consists of all policies it can return.
    calls : int, default 200
        Number of calls of the oracle: one per step for the best response, and the rest for projections. Two
        more calls measure the answer.
    projecting : int, optional
        The largest number of calls per projection; None for as many as the analysis requires. With the
        default, 1, half of the calls are steps, which makes more progress.
    eta : float, optional
        The step size, as in the paper; by default, it is chosen in each step.

    Notes
    -----
    A point is a mixture, represented by the mean of its policy vectors. Each step asks for the best response
    to the point, follows the gradient of the gain against it, and projects the result onto the hull of policy
    vectors. The answer is the mean of all points, or the best point if that is better on the log. Policies
    that act alike in every duel of the log count as one. Deviations from the paper:

    - The step size is `f / |u|^2`, where f is the gain of the best response and u is the gradient. This is
      Polyak's step for a function with a known maximum: the value of a symmetric game is 0. So eps need not
      be known. The length |u| is measured within the span of the policies seen, because the projection
      removes the rest.
    - The projection first moves among the policies seen, which needs no calls, and then asks for a policy
      that leads closer; all moves use exact line search. It stops when the Frank-Wolfe gap is small enough
      for eq. g3, which the analysis uses, and returns its last point instead of a mean.
    - An oracle may miss the best response, so the policies seen so far are also considered.

    With `projecting=None` and the full length |u|, the number of calls has the order of the paper
    (docs/proofs.md). `made` holds `calls`, `gap` and `promised_calls` as for `SparringFPL`, and the number of
    `steps`.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. "Solving
    the compact game with ProjectedGD" and its appendix.
    Zinkevich (2003). Online convex programming and generalized infinitesimal gradient ascent. ICML.
    Polyak (1969). Minimization of unsmooth functionals. USSR Computational Mathematics.
    Jaggi (2013). Revisiting Frank-Wolfe: projection-free sparse convex optimization. ICML.

    Examples
    --------
    >>> from duelist.policies.finite import FinitePolicies
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(3, size=(2, 900))
    >>> outcomes = np.where(left == right, 0.5, (left - right) % 3 == 1)  # 1 beats 0, 2 beats 1, 0 beats 2
    >>> cycle = DuelLog(np.zeros((900, 1)), left, right, outcomes, np.full(900, 1 / 9), actions=3)
    >>> winner = SparringPGD(oracle=FinitePolicies([[0], [1], [2]]).oracle(), calls=100).fit(cycle)
    >>> winner.weights.round(1), round(winner.made["gap"], 1)
    (array([0.3, 0.3, 0.3]), 0.0)
    """

    oracle: Oracle
    calls: Annotated[int, Range(least=2)] = 200
    projecting: Annotated[int, Range(least=0)] | None = 1
    eta: Positive | None = None

    card = replace(
        SparringFPL.card,
        regret="none, since it learns from a log; the gap falls with the fourth root of the number of calls",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, log: DuelLog, seed: int = 0, progress: bool | None = None) -> PolicyMixture:
        """Learn a mixture of policies from a log.

        Parameters
        ----------
        log : DuelLog
            Randomised duels with their propensities.
        seed : int, default 0
            Not used, because the algorithm is deterministic.
        progress : bool, optional
            Whether to show a progress bar; by default only on a terminal.

        Returns
        -------
        PolicyMixture
            The approximate von Neumann winner of the log.

        Raises
        ------
        ParameterError
            If a pair was never shown, or only in one order, or if the propensities are wrong.
        """
        require_whole("seed", seed, 0)
        require_coverage(log)
        game = CompactGame(log)
        with progress_bar(progress) as show:
            climb = Climb(self, game, show)
            weights, gap = climb.run()
            show(type(self).__name__, 1.0, f"gap {gap:.3g}")
        size = game.reach(self.oracle, 2)
        made = {
            "learner": type(self).__name__,
            "duels": len(game),
            "actions": game.k,
            "eta": self.eta,
            "calls": climb.used + 1,
            "steps": climb.steps,
            "gap": gap,
            "promised_calls": promised_calls(size, gap) if gap > 0.0 else None,
        }
        return climb.hull.seen.mixture(weights, log, made)


class Climb:
    """One run of the ascent; points are weights of the policies seen so far."""

    def __init__(self, rules: SparringPGD, game: CompactGame, show: Show) -> None:
        self.rules, self.game, self.show = rules, game, show
        self.hull = PolicyHull(game)
        self.used = 0
        self.steps = 0

    def run(self) -> tuple[FloatArray, float]:
        """Return the better of the mean of all points and the best point, with its gap."""
        self.ask(self.game.blank())
        weights, together = np.ones(1), np.zeros(1)
        best, least = weights, np.inf
        while self.used < self.rules.calls:
            rival, gain = self.respond(weights)
            self.steps += 1
            together = self.grown(together) + self.grown(weights)
            if gain < least:
                best, least = weights, gain
            if gain <= 0.0:
                break
            weights = self.step(weights, rival, gain)
        mean = self.grown(together) / self.steps
        self.respond(mean)
        return min(((point, self.gap(point)) for point in map(self.grown, (mean, best))), key=itemgetter(1))

    def ask(self, costs: FloatArray) -> int:
        self.used += 1
        self.show(SparringPGD.__name__, min(1.0, self.used / self.rules.calls))
        return self.hull.ask(self.rules.oracle, costs)

    def grown(self, weights: FloatArray) -> FloatArray:
        """Return the weights, extended by 0 for policies that were first seen later."""
        return np.append(weights, np.zeros(len(self.hull) - len(weights)))

    def respond(self, weights: FloatArray) -> tuple[int, float]:
        """Return the best response to a point, from the oracle or seen before, and its gain."""
        chances = self.game.blank()
        self.hull.mix(weights, chances)
        self.ask(self.game.costs(chances))
        weights = self.grown(weights)
        return int((self.hull.gains @ weights).argmax()), self.gap(weights)

    def gap(self, weights: FloatArray) -> float:
        """Return the gain of the best response seen so far against a point."""
        gap = float((self.hull.gains @ weights).max())
        return gap if gap > ROUNDING else 0.0

    def step(self, start: FloatArray, rival: int, gain: float) -> FloatArray:
        """Return the point after a step along the gradient against a rival, projected onto the hull.

        The target z has the products `alike @ start + eta * gains` with the policies. The oracle minimises
        the product with `weights - z`.
        """
        rivals = self.hull.actions(rival)
        weights = start
        for asked in count():
            start, weights = self.grown(start), self.grown(weights)
            eta = self.rules.eta or gain / self.hull.steepness(rival)
            tolerance = SLACK * eta * gain
            target = self.hull.alike @ start + eta * self.hull.gains[:, rival]
            weights = self.hull.project(weights, target, 0.1 * tolerance)
            if self.used >= self.rules.calls or asked == self.rules.projecting:
                break
            costs = self.game.blank()
            self.game.charge(rivals, costs)
            costs *= eta
            self.hull.mix(weights - start, costs)
            known = len(self.hull)
            if self.ask(costs) < known or self.newest_gap(start, weights, rival, eta) <= tolerance:
                break
        return weights

    def newest_gap(self, start: FloatArray, weights: FloatArray, rival: int, eta: float) -> float:
        """Return the Frank-Wolfe gap of the newest policy: how much closer to the target it leads."""
        start, weights = self.grown(start), self.grown(weights)
        away = self.hull.alike @ (start - weights) + eta * self.hull.gains[:, rival]
        return float(away[-1] - weights @ away)


def promised_calls(size: float, gap: float) -> int:
    """Return the number of calls that guarantees this gap; `size` is the largest squared gradient length."""
    ratio = size / gap**2
    return ceil(4.0 * ratio * (2.0 + 32.0 * ratio)) + 1
