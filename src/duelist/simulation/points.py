"""Runs on the points of a space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.bounds import gradient_descent_upper_bound
from duelist.duel import BoolArray, Duel, FloatArray, IntArray
from duelist.kernels.duels import point_buffer
from duelist.kernels.loop import Ledger, Run
from duelist.kernels.points import (
    GAP,
    REGRET,
    WEAK_REGRET,
    PointWorld,
    book_points,
    close_points,
    open_point_ledger,
)
from duelist.kernels.projection import region_of
from duelist.protocols import KnownUtility
from duelist.simulation.result import PointResult
from duelist.simulation.runs import Setting, stacked


@dataclass(frozen=True)
class PointSetting(Setting[PointResult]):
    """A problem over the points of a space."""

    problem: KnownUtility
    marks: IntArray
    seed: int

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        return open_point_ledger(self.marks, self.problem.menu().d, halt)

    def run(
        self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator
    ) -> Run | None:
        """Return what the compiled loop needs; None where the problem is not compiled."""
        utility = getattr(self.problem, "world", None)
        if utility is None:
            return None
        menu = self.problem.menu()
        duel = point_buffer(menu.d)
        return Run(PointWorld(utility), ledger, region_of(menu), duel, rng, world_rng, stepwise=True)

    def explain(self, run: Run) -> None:
        """Say which utility is not finite."""
        self.problem.play(Duel(run.duel.sides[0], run.duel.sides[1]), run.world_rng)

    def round(self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Any:
        """Play one round through ask and tell."""
        duel = learner.ask(state, self.problem.menu(), rng)
        state = learner.tell(state, duel, self.problem.play(duel, world_rng))
        book_points(ledger, self.problem.gap(duel.left), self.problem.gap(duel.right))
        return state

    def close(self, learner: Any, state: Any, ledger: Ledger, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        ledger.answer[:] = learner.best(state, self.problem.menu())
        close_points(ledger, mark, self.problem.gap(ledger.answer))

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> PointResult:
        """Return what was written down."""
        return PointResult(
            description=repr(learner),
            checkpoints=self.marks,
            regret=stacked(ledgers, REGRET),
            weak_regret=stacked(ledgers, WEAK_REGRET),
            gap_at=stacked(ledgers, GAP),
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
