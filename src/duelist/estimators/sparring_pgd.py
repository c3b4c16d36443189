"""SparringPGD: projected gradient ascent on the compact game of a log (Dudik et al., COLT 2015).

In the hull of the policies seen so far, points are weights: distances and gains are small tables.
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
"""Added to policies' products, which are at most 1, where they are divided by: some are mixtures of some."""

MOST_MOVES = 10_000  # of weight between two policies in one projection; a few for each policy are common
MOST_ACTIONS = 1 << 16
SLACK = 0.25  # how far from optimal a projection may be, as a share of the step's gain: eq. g3's constant
ROUNDING = 1e-12  # a gap that is no larger is none


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
    """Compare a newcomer with every earlier policy: how often they do the same, what it gains."""
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
    """Add a row to the triangular root of a table of products (Cholesky)."""
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
    """Return the largest squared slope between mixtures, per squared distance, given it at every policy."""
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
    """Move weights to where the hull is nearest to a target; slopes say how much each policy leads away.

    Weight goes from the policy that leads away most to the one that leads nearer most, by exact line search,
    until no policy leads nearer by more than the tolerance (pairwise Frank-Wolfe).
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
    """Policies that were seen, and mixtures of them, as points of the compact game."""

    def __init__(self, game: CompactGame) -> None:
        if game.k > MOST_ACTIONS:
            raise ParameterError(f"there may be {MOST_ACTIONS} actions at most; the log has {game.k}.")
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
        """The products of policy vectors: the share of the duels in which two policies do the same."""
        return self._alike[: len(self), : len(self)]

    @property
    def gains(self) -> FloatArray:
        """What one policy gains against another on the log, on the average."""
        return self._gains[: len(self), : len(self)]

    def ask(self, oracle: Oracle, costs: FloatArray) -> int:
        """Return the number of the oracle's policy for these costs; it may be a new one."""
        policy, actions = self.game.ask(oracle, costs)
        known = len(self)
        place = self.seen.place(policy, actions)
        if place == known:
            self._take_in(place, actions)
        return place

    def _take_in(self, place: int, actions: IntArray) -> None:
        capacity = len(self._actions)
        if place == capacity:
            self._actions = np.concatenate([self._actions, np.empty_like(self._actions)])
            tables = (self._alike, self._gains, self._roots)
            self._alike, self._gains, self._roots = (np.pad(table, (0, capacity)) for table in tables)
        self._actions[place] = actions
        game = self.game
        meet(game.left, game.right, game.stakes, self._actions, place, self._alike, self._gains)
        factor(self._alike, self._roots, place)

    def actions(self, place: int) -> IntArray:
        """Return what a policy does in every duel."""
        return np.asarray(self._actions[place], np.int64)

    def mix(self, weights: FloatArray, table: FloatArray) -> None:
        """Add policies, weighted, to a table with a row for each duel and a column for each action."""
        mix(self._actions, weights, table)

    def project(self, weights: FloatArray, target: FloatArray, tolerance: float) -> FloatArray:
        """Return the point of the hull that is nearest to a target, given by its products with policies."""
        nearest = weights.copy()
        approach(self.alike, self.alike @ weights - target, nearest, tolerance)
        return nearest

    def steepness(self, rival: int) -> float:
        """Return the squared length of the gradient of the gain against a rival, within the hull.

        What sticks out of the hull's span is taken away again by any projection, and is mostly noise: a duel
        has few outcomes, and a large stake.
        """
        return steepest(self._roots, np.ascontiguousarray(self.gains[:, rival]))


@dataclass(frozen=True)
class SparringPGD:
    """Find a von Neumann winner among policies by climbing against best responses, on a log.

    Parameters
    ----------
    oracle : Oracle
        Finds the cheapest policy; the class is whatever it can return.
    calls : int, default 200
        How often it is asked: once a step for the best response, the rest for projections. Two more calls
        measure the answer.
    projecting : int, optional
        The most calls that one projection may take; None for as many as the analysis needs. With the default,
        1, half of the calls are steps, which gets further.
    eta : float, optional
        The length of a step, as in the paper; by default each step has its own.

    Notes
    -----
    A point is a mixture, and its vector the mean of policy vectors. Each step asks for the best response to
    the point, goes along the gradient of the gain against it, and projects back onto the hull of policy
    vectors. The answer is the mean of all points, or the best of them where that is better on the log.
    Policies that do the same in every duel of the log count as one. Deviations from the paper:

    - The step is `f / |u|^2`, where f is what the best response gains and u is the gradient: Polyak's, for a
      function whose maximum is known, as a symmetric game's value is 0. So eps need not be known. The length
      |u| is taken within the span of the policies seen, as a projection takes away the rest.
    - The projection first moves among the policies seen, which needs no calls, and then asks for another one
      that leads nearer; moves are by exact line search. It ends when the Frank-Wolfe gap is small enough for
      eq. g3, of which the analysis makes use, and returns its last point, not a mean.
    - An oracle may miss the best response; so it is looked for among the policies seen as well.

    With `projecting=None` and |u| taken whole, calls are of the paper's order (docs/proofs.md). `made` holds
    `calls`, `gap` and `promised_calls` as that of `SparringFPL` does, and the number of `steps`.

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
        regret="no regret, since it learns from a log; the gap falls as the fourth root of the calls",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, log: DuelLog, seed: int = 0, progress: bool | None = None) -> PolicyMixture:
        """Return the mixture, as `SparringFPL.fit` does, the same for any seed: nothing is left to luck."""
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
    """The row player's points on their way, as weights of the policies seen."""

    def __init__(self, rules: SparringPGD, game: CompactGame, show: Show) -> None:
        self.rules, self.game, self.show = rules, game, show
        self.hull = PolicyHull(game)
        self.used = 0
        self.steps = 0

    def run(self) -> tuple[FloatArray, float]:
        """Return the mean of all points, or the best of them, and its gap."""
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
        """Return the weights, 0 for policies seen since."""
        return np.append(weights, np.zeros(len(self.hull) - len(weights)))

    def respond(self, weights: FloatArray) -> tuple[int, float]:
        """Return the best response to a point, the oracle's or one seen before, and what it gains."""
        chances = self.game.blank()
        self.hull.mix(weights, chances)
        self.ask(self.game.costs(chances))
        weights = self.grown(weights)
        return int((self.hull.gains @ weights).argmax()), self.gap(weights)

    def gap(self, weights: FloatArray) -> float:
        """Return what the best response seen so far gains against a point."""
        gap = float((self.hull.gains @ weights).max())
        return gap if gap > ROUNDING else 0.0

    def step(self, start: FloatArray, rival: int, gain: float) -> FloatArray:
        """Return the point after a step along the gradient against a rival, projected onto the hull.

        The target z has products `alike @ start + eta * gains` with the policies; what the oracle minimises
        is the product with `weights - z`.
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
        """Return how much nearer to the target the policy seen last leads (the Frank-Wolfe gap)."""
        start, weights = self.grown(start), self.grown(weights)
        away = self.hull.alike @ (start - weights) + eta * self.hull.gains[:, rival]
        return float(away[-1] - weights @ away)


def promised_calls(size: float, gap: float) -> int:
    """Return the calls after which this gap is promised; size is the largest squared length of a gradient."""
    ratio = size / gap**2
    return ceil(4.0 * ratio * (2.0 + 32.0 * ratio)) + 1
