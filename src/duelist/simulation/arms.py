"""Runs of duels on arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelist.bounds import asymptotic_lower_bound
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels import arms
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Ledger, Run
from duelist.menus.finite import require_best
from duelist.metrics import CONCEPT_NAMES, Target, accuracy, scored_target, shares, target
from duelist.protocols import KnownProblem, ScoredProblem
from duelist.simulation.result import Curves, DuelRuns, Runs
from duelist.simulation.runs import Player, Setting, stacked


@dataclass(frozen=True, eq=False, repr=False)
class LearnerResult(DuelRuns):
    """One learner's runs on arms."""

    best_at: IntArray
    """The arm believed to be the winner at each checkpoint."""
    plays: IntArray
    """How often each arm stood on a side, two sides a round: a column per arm."""
    informative: IntArray
    """Duels between two different arms, one number per run."""
    winners: tuple[int, ...]
    """The arms that are right; none where regret is in hindsight and every arm loses to another."""

    @property
    def best(self) -> IntArray:
        """The arm believed to be the winner at the end, one per run."""
        return self.best_at[:, -1]

    @property
    def accuracy(self) -> float:
        """The share of runs that were right at the end; nan where no arm is right."""
        return float(self.accuracy_at[-1])

    @property
    def accuracy_at(self) -> FloatArray:
        """The share of runs that were right, at each checkpoint; nan where no arm is right."""
        return accuracy(self.best_at, self.winners)

    @property
    def shares(self) -> FloatArray:
        """The share of sides on which each arm was shown, in each run."""
        return shares(self.plays)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a long table's columns, a row for every run and checkpoint."""
        found = {"best": self.best_at.ravel(), "correct": np.isin(self.best_at, self.winners).ravel()}
        return super().columns() | found


class Summary(NamedTuple):
    """One learner's line of a table."""

    learner: str
    against: str
    """What regret is measured against, in words."""
    regret: float
    lowest: float
    highest: float
    weak_regret: float
    accuracy: float
    informative: float


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult(Curves[LearnerResult]):
    """The results of several learners on arms, by name.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> result = simulate(RUCB(), worst_case(4, 0.2), horizon=1_000, runs=2)
    >>> list(result), result["RUCB"].regret.shape == (2, len(result["RUCB"].checkpoints))
    (['RUCB'], True)
    """

    runs: ClassVar[type[Runs]] = LearnerResult

    labels: tuple[str, ...]
    concept: str
    """What regret is measured against: one of `metrics.CONCEPTS`, or "score"."""
    winners: tuple[int, ...]
    """The arms that are right."""
    lower_bound: float | None
    """Asymptotically no learner's regret stays below this times the logarithm of the round."""

    @property
    def against(self) -> str:
        """What regret is measured against, in words."""
        return CONCEPT_NAMES[self.concept]

    def summary(self) -> list[Summary]:
        """Return one line per learner, least regret first."""
        lines = [
            Summary(
                learner=name,
                against=self.against,
                regret=float(one.regret[:, -1].mean()),
                lowest=float(one.regret[:, -1].min()),
                highest=float(one.regret[:, -1].max()),
                weak_regret=float(one.weak_regret[:, -1].mean()),
                accuracy=one.accuracy,
                informative=float(one.informative.mean()),
            )
            for name, one in self.items()
        ]
        return sorted(lines, key=lambda line: line.regret)


@dataclass(frozen=True)
class ArmSetting(Setting[LearnerResult]):
    """A K-armed problem, and what regret is measured against."""

    kind = LearnerResult
    problem: KnownProblem | ScoredProblem
    target: Target
    marks: IntArray
    seed: int
    stepwise: bool = False

    @cached_property
    def world(self) -> arms.ArmWorld:
        """The preferences, where they are known, and what showing each arm costs."""
        known = self.problem.matrix if isinstance(self.problem, KnownProblem) else np.empty((0, 0))
        gaps = np.atleast_2d(self.target.gaps)
        return arms.ArmWorld(np.ascontiguousarray(known), np.ascontiguousarray(gaps))

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        return arms.open_arm_ledger(self.marks, len(self.target.gaps), halt)

    def run(self, player: Player) -> Run | None:
        """Return what the compiled loop needs; None where preferences are not known."""
        if not isinstance(self.problem, KnownProblem):
            return None
        return player.run_in(self.world, arms.arm_menu(self.problem.menu()), arm_buffer(), self.stepwise)

    def round(self, player: Player) -> None:
        """Play one round through ask and tell."""
        duel = player.play_duel(self.problem, self.problem.menu())
        arms.book(self.world, player.ledger, duel.left, duel.right, 1)

    def close(self, player: Player, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        menu = self.problem.menu()
        best = player.learner.best(player.state, menu)
        player.ledger.answer[0] = require_best(player.learner, best, menu.k)
        arms.close_arms(self.world, player.ledger, mark)

    def ends(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return the arms believed to win and those shown, and who is right."""
        return {
            "best_at": stacked(ledgers, arms.BEST).astype(np.int64),
            "plays": np.stack([ledger.plays[0] for ledger in ledgers]),
            "informative": np.array([ledger.counts[0] for ledger in ledgers]),
            "winners": self.target.winners,
        }


def sought_in(problem: KnownProblem | ScoredProblem, against: str | None) -> tuple[Target, float | None]:
    """Return what to measure regret against, and what asymptotically no learner beats, where known."""
    if isinstance(problem, KnownProblem):
        sought = target(problem.matrix, against)
        known = sought.concept == "condorcet"
        return sought, asymptotic_lower_bound(problem.matrix) if known else None
    if against is not None:
        raise ParameterError(
            f"against is for problems with a known matrix; a {type(problem).__name__} knows its best arm."
        )
    return scored_target(problem.gaps), None
