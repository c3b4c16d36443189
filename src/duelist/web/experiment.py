"""What a simulation was asked to do, and its result in words: the same on a terminal and on a page."""

import shlex
from dataclasses import dataclass
from math import log
from typing import Any

from duelist.metrics import CONCEPT_NAMES
from duelist.problems import MatrixProblem
from duelist.protocols import Learner
from duelist.simulation import SimulationResult
from duelist.text import arms, number

COLUMNS = ("learner", "regret", "min", "max", "weak regret", "accuracy", "informative duels")


@dataclass(frozen=True)
class Request:
    """What was asked for, in the words of the command line."""

    problem: str
    learners: tuple[str, ...]
    horizon: int
    runs: int
    seed: int
    against: str | None = None

    @property
    def command(self) -> str:
        """The command that asks for the same again.

        Examples
        --------
        >>> Request("worst_case:k=4", ("RUCB",), horizon=1000, runs=5, seed=0).command
        'duelist simulate --problem worst_case:k=4 --learner RUCB --horizon 1000 --runs 5 --seed 0'
        """
        words = ["duelist", "simulate", "--problem", self.problem]
        for learner in self.learners:
            words += ["--learner", learner]
        words += ["--horizon", str(self.horizon), "--runs", str(self.runs), "--seed", str(self.seed)]
        if self.against is not None:
            words += ["--against", self.against]
        return shlex.join(words)


@dataclass(frozen=True)
class Experiment:
    """A request, what it meant, and what came of it."""

    request: Request
    problem: MatrixProblem
    learners: dict[str, Learner[Any]]
    result: SimulationResult

    @property
    def winner(self) -> str:
        """Whom regret is measured against."""
        labels = [self.result.labels[arm] for arm in self.result.winners]
        return f"the {CONCEPT_NAMES[self.result.concept]} winner, {arms(labels)}"

    @property
    def size(self) -> str:
        """How much was played."""
        runs, rounds = self.request.runs, self.request.horizon
        return (
            f"{runs:,} {'run' if runs == 1 else 'runs'} of {rounds:,} {'round' if rounds == 1 else 'rounds'}"
        )

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The summary, one row per learner, least regret first; see `COLUMNS`."""
        return [
            (
                line.learner,
                number(line.regret),
                number(line.lowest),
                number(line.highest),
                number(line.weak_regret),
                f"{line.accuracy:.0%}",
                number(line.informative),
            )
            for line in self.result.summary()
        ]

    @property
    def bound(self) -> str | None:
        """What no learner can beat, where that is known."""
        constant = self.result.lower_bound
        if constant is None:
            return None
        return (
            f"Asymptotic lower bound: {number(constant)} log T, which is "
            f"{number(constant * log(self.request.horizon))} at this horizon."
        )
