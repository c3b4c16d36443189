"""SparringPGD: projected gradient ascent on the compact game of a log (Dudik et al., COLT 2015)."""

from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from operator import itemgetter
from typing import Annotated

import numpy as np

from duelist.constraints import Positive, Range, check_fields
from duelist.duel import FloatArray
from duelist.errors import require_whole
from duelist.estimators.coverage import require_coverage
from duelist.estimators.game import CompactGame
from duelist.estimators.hull import PolicyHull
from duelist.estimators.oracles.protocol import Oracle
from duelist.estimators.sparring_fpl import SparringFPL
from duelist.logs import DuelLog
from duelist.parallel import Show, progress_bar
from duelist.policies.mixture import PolicyMixture

SLACK = 0.25  # how far from optimal a projection may be, as a share of the step's gain: eq. g3's constant
ROUNDING = 1e-12  # a gap that is no larger is none


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
        """Check hyperparameters against their declarations."""
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
        """Ask the oracle, and count it."""
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
