"""Runs of duels on the points of a space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from duelist.bounds import gradient_descent_upper_bound
from duelist.duel import BoolArray, Duel, FloatArray, IntArray
from duelist.kernels import points
from duelist.kernels.duels import point_buffer
from duelist.kernels.loop import Ledger, Run
from duelist.kernels.points import region_of
from duelist.protocols import KnownUtility
from duelist.simulation.result import Curves, DuelRuns, Runs
from duelist.simulation.runs import Player, Setting, stacked


@dataclass(frozen=True, eq=False, repr=False)
class PointResult(DuelRuns):
    """One learner's runs on the points of a space."""

    gap_at: FloatArray
    """The gap of the point believed to be best: the chance beyond 1/2 that the optimum beats it."""
    best: FloatArray
    """The point believed to be best at the end: a column per coordinate."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a long table's columns, a row for every run and checkpoint."""
        return super().columns() | {"gap": self.gap_at.ravel()}


@dataclass(frozen=True, eq=False, repr=False)
class PointSimulationResult(Curves[PointResult]):
    """The results of several learners on the points of a space, by name.

    Examples
    --------
    >>> from duelist import DuelingBanditGradientDescent, simulate
    >>> from duelist.problems import p1
    >>> learner = DuelingBanditGradientDescent(exploration=1.0, exploitation=0.1)
    >>> result = simulate(learner, p1(d=3), horizon=100, runs=2)
    >>> result["DuelingBanditGradientDescent"].best.shape
    (2, 3)
    """

    runs: ClassVar[type[Runs]] = PointResult

    theorem_bound: FloatArray | None = None
    """At each horizon, what gradient descent's expected regret does not exceed (Theorem 2), where known."""
    bound: FloatArray | None = None
    """The same where the smoothed loss is convex (Corollary 2)."""

    @property
    def against(self) -> str:
        """What regret is measured against, in words."""
        return "the optimum"


@dataclass(frozen=True)
class PointSetting(Setting[PointResult]):
    """A problem over the points of a space."""

    kind = PointResult
    problem: KnownUtility
    marks: IntArray
    seed: int

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        return points.open_point_ledger(self.marks, self.problem.menu().d, halt)

    def run(self, player: Player) -> Run | None:
        """Return what the compiled loop needs; None where the problem is not compiled."""
        utility, menu = getattr(self.problem, "world", None), self.problem.menu()
        if utility is None:
            return None
        return player.run_in(points.PointWorld(utility), region_of(menu), point_buffer(menu.d))

    def explain(self, run: Run) -> None:
        """Say which utility is not finite."""
        self.problem.play(Duel(run.duel.sides[0], run.duel.sides[1]), run.world_rng)

    def round(self, player: Player) -> None:
        """Play one round through ask and tell."""
        duel = player.play_duel(self.problem, self.problem.menu())
        points.book_points(player.ledger, self.problem.gap(duel.left), self.problem.gap(duel.right))

    def close(self, player: Player, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        player.ledger.answer[:] = player.learner.best(player.state, self.problem.menu())
        points.close_points(player.ledger, mark, self.problem.gap(player.ledger.answer))

    def ends(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return how good the points believed to be best were, and the last of them."""
        return {"gap_at": stacked(ledgers, points.GAP), "best": np.stack([one.answer for one in ledgers])}


def proven_bound(problem: KnownUtility, marks: IntArray, convex: bool) -> FloatArray | None:
    """Return what gradient descent's regret does not exceed, if the utility's slope is known."""
    slope, space = getattr(problem, "lipschitz", None), problem.menu()
    if slope is None or getattr(problem, "link", None) != "logistic":
        return None
    return np.array(
        [gradient_descent_upper_bound(int(mark), space.d, space.radius, slope, convex) for mark in marks]
    )
