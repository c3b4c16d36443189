"""Runs of duels, on arms and on the points of a space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.bounds import gradient_descent_upper_bound
from duelist.duel import BoolArray, Duel, FloatArray, IntArray
from duelist.kernels import arms, points
from duelist.kernels.duels import arm_buffer, point_buffer
from duelist.kernels.loop import Ledger, Run
from duelist.kernels.projection import region_of
from duelist.metrics import Target
from duelist.protocols import KnownProblem, KnownUtility, ScoredProblem
from duelist.simulation.result import LearnerResult, PointResult
from duelist.simulation.runs import Setting, stacked


@dataclass(frozen=True)
class ArmSetting(Setting[LearnerResult]):
    """A K-armed problem, and what regret is measured against."""

    problem: KnownProblem | ScoredProblem
    target: Target
    marks: IntArray
    seed: int
    stepwise: bool = False

    @property
    def world(self) -> arms.ArmWorld:
        """The preferences, where they are known, and what showing each arm costs."""
        known = self.problem.matrix if isinstance(self.problem, KnownProblem) else np.empty((0, 0))
        return arms.ArmWorld(np.ascontiguousarray(known), np.ascontiguousarray(self.target.gaps))

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        return arms.open_arm_ledger(self.marks, len(self.target.gaps), halt)

    def run(
        self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator
    ) -> Run | None:
        """Return what the compiled loop needs; None where preferences are not known."""
        if not isinstance(self.problem, KnownProblem):
            return None
        menu = arms.arm_menu(self.problem.menu())
        return Run(self.world, ledger, menu, arm_buffer(), rng, world_rng, self.stepwise)

    def round(self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Any:
        """Play one round through ask and tell."""
        duel = learner.ask(state, self.problem.menu(), rng)
        state = learner.tell(state, duel, self.problem.play(duel, world_rng))
        arms.book(self.world, ledger, duel.left, duel.right, 1)
        return state

    def close(self, learner: Any, state: Any, ledger: Ledger, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        ledger.answer[0] = learner.best(state, self.problem.menu())
        arms.close_arms(self.world, ledger, mark)

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> LearnerResult:
        """Return what was written down."""
        return LearnerResult(
            description=repr(learner),
            checkpoints=self.marks,
            regret=stacked(ledgers, arms.REGRET),
            weak_regret=stacked(ledgers, arms.WEAK_REGRET),
            best_at=stacked(ledgers, arms.BEST).astype(np.int64),
            plays=np.stack([ledger.plays[0] for ledger in ledgers]),
            informative=np.array([ledger.counts[0] for ledger in ledgers]),
            winners=self.target.winners,
        )


@dataclass(frozen=True)
class PointSetting(Setting[PointResult]):
    """A problem over the points of a space."""

    problem: KnownUtility
    marks: IntArray
    seed: int

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        return points.open_point_ledger(self.marks, self.problem.menu().d, halt)

    def run(
        self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator
    ) -> Run | None:
        """Return what the compiled loop needs; None where the problem is not compiled."""
        utility = getattr(self.problem, "world", None)
        if utility is None:
            return None
        menu = self.problem.menu()
        duel = point_buffer(menu.d)
        return Run(points.PointWorld(utility), ledger, region_of(menu), duel, rng, world_rng, stepwise=True)

    def explain(self, run: Run) -> None:
        """Say which utility is not finite."""
        self.problem.play(Duel(run.duel.sides[0], run.duel.sides[1]), run.world_rng)

    def round(self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Any:
        """Play one round through ask and tell."""
        duel = learner.ask(state, self.problem.menu(), rng)
        state = learner.tell(state, duel, self.problem.play(duel, world_rng))
        points.book_points(ledger, self.problem.gap(duel.left), self.problem.gap(duel.right))
        return state

    def close(self, learner: Any, state: Any, ledger: Ledger, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        ledger.answer[:] = learner.best(state, self.problem.menu())
        points.close_points(ledger, mark, self.problem.gap(ledger.answer))

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> PointResult:
        """Return what was written down."""
        return PointResult(
            description=repr(learner),
            checkpoints=self.marks,
            regret=stacked(ledgers, points.REGRET),
            weak_regret=stacked(ledgers, points.WEAK_REGRET),
            gap_at=stacked(ledgers, points.GAP),
            best=np.stack([ledger.answer for ledger in ledgers]),
        )


def proven_bound(problem: KnownUtility, marks: IntArray, convex: bool) -> FloatArray | None:
    """Return what gradient descent's regret does not exceed, if the utility's slope is known."""
    slope, space = getattr(problem, "lipschitz", None), problem.menu()
    if slope is None or getattr(problem, "link", None) != "logistic":
        return None
    return np.array(
        [gradient_descent_upper_bound(int(mark), space.d, space.radius, slope, convex) for mark in marks]
    )
