"""Runs on arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, IntArray
from duelist.kernels.arms import (
    BEST,
    REGRET,
    WEAK_REGRET,
    ArmWorld,
    arm_menu,
    book,
    close_arms,
    open_arm_ledger,
)
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Ledger, Run
from duelist.metrics import Target
from duelist.protocols import KnownProblem, ScoredProblem
from duelist.simulation.result import LearnerResult
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
    def world(self) -> ArmWorld:
        """The preferences, where they are known, and what showing each arm costs."""
        known = self.problem.matrix if isinstance(self.problem, KnownProblem) else np.empty((0, 0))
        return ArmWorld(np.ascontiguousarray(known), np.ascontiguousarray(self.target.gaps))

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        return open_arm_ledger(self.marks, len(self.target.gaps), halt)

    def run(
        self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator
    ) -> Run | None:
        """Return what the compiled loop needs; None where preferences are not known."""
        if not isinstance(self.problem, KnownProblem):
            return None
        menu = arm_menu(self.problem.menu())
        return Run(self.world, ledger, menu, arm_buffer(), rng, world_rng, self.stepwise)

    def round(self, learner: Any, state: Any, ledger: Ledger, rng: Generator, world_rng: Generator) -> Any:
        """Play one round through ask and tell."""
        duel = learner.ask(state, self.problem.menu(), rng)
        state = learner.tell(state, duel, self.problem.play(duel, world_rng))
        book(self.world, ledger, duel.left, duel.right, 1)
        return state

    def close(self, learner: Any, state: Any, ledger: Ledger, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        ledger.answer[0] = learner.best(state, self.problem.menu())
        close_arms(self.world, ledger, mark)

    def result(self, learner: Any, ledgers: Sequence[Ledger]) -> LearnerResult:
        """Return what was written down."""
        return LearnerResult(
            description=repr(learner),
            checkpoints=self.marks,
            regret=stacked(ledgers, REGRET),
            weak_regret=stacked(ledgers, WEAK_REGRET),
            best_at=stacked(ledgers, BEST).astype(np.int64),
            plays=np.stack([ledger.plays[0] for ledger in ledgers]),
            informative=np.array([ledger.counts[0] for ledger in ledgers]),
            winners=self.target.winners,
        )
