"""What a simulation was asked to do, and its result in words: the same on a terminal and on a page."""

import shlex
from dataclasses import dataclass
from math import log
from typing import Any

from duelist import simulation
from duelist.metrics import CONCEPT_NAMES
from duelist.parallel import Executor
from duelist.problems import MatrixProblem
from duelist.protocols import Learner
from duelist.simulation import SimulationResult
from duelist.simulation.arguments import LEARNER_NEEDS, Named, name_learners
from duelist.text import arms, counted, number

COLUMNS = ("learner", "regret", "min", "max", "weak regret", "accuracy", "informative duels")
"""Headings of `Experiment.rows`."""


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
        """The command that asks for the same again."""
        words = ["duelist", "simulate", "--problem", self.problem]
        for learner in self.learners:
            words += ["--learner", learner]
        words += ["--horizon", str(self.horizon), "--runs", str(self.runs), "--seed", str(self.seed)]
        if self.against is not None:
            words += ["--against", self.against]
        return shlex.join(words)


@dataclass(frozen=True)
class Experiment:
    """A request, the problem and learners it stands for, and the result."""

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
        """The numbers of runs and rounds, in words."""
        return f"{counted(self.request.runs, 'run')} of {counted(self.request.horizon, 'round')}"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The summary, one row per learner, least regret first."""
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
        """The asymptotic lower bound in a sentence, where one is known."""
        constant = self.result.lower_bound
        if constant is None:
            return None
        return (
            f"Asymptotic lower bound: {number(constant)} log T, which is "
            f"{number(constant * log(self.request.horizon))} at this horizon."
        )


def run(
    request: Request,
    problem: MatrixProblem,
    learners: Named[Learner[Any]],
    workers: int | None = None,
    executor: Executor | None = None,
) -> Experiment:
    """Return what comes of a request whose problem and learners have been made."""
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    result = simulation.simulate(
        named,
        problem,
        request.horizon,
        request.runs,
        request.seed,
        against=request.against,
        workers=workers if executor is None else None,
        executor=executor,
    )
    return Experiment(request, problem, named, result)
