"""Simulations: the request, its result in words, and its report as one HTML page."""

import shlex
from dataclasses import dataclass
from math import isnan, log
from pathlib import Path
from typing import Any

from duelist import simulation
from duelist.files import write_whole
from duelist.parallel import Executor
from duelist.problems import MatrixProblem
from duelist.protocols import Learner
from duelist.registry import purpose
from duelist.simulation import Result
from duelist.simulation.arguments import LEARNER_NEEDS, Named, name_learners
from duelist.simulation.figures import Band, draw_panels, spread
from duelist.simulation.storage import write_results
from duelist.text import arms, counted, number
from duelist.web.figures import draw_preferences, draw_shares
from duelist.web.page import Command, Document, Figure, Section, TextTable

COLUMNS = ("learner", "regret", "min", "max", "weak regret", "accuracy", "informative duels")
"""Headings of `Experiment.rows`."""
FILES = ("report.html", "regret.svg", "data.csv", "result.npz")  # files that `write_simulation` writes


@dataclass(frozen=True)
class SimulationRequest:
    """A request for a simulation, in the words of the command line."""

    problem: str
    learners: tuple[str, ...]
    horizon: int
    runs: int
    seed: int
    against: str | None = None
    band: Band = "interval"
    reading: tuple[str, ...] = ()
    """Options for reading the problem's file."""

    @property
    def command(self) -> str:
        """The command that repeats the request."""
        words = ["duelist", "simulate", "--problem", self.problem]
        for learner in self.learners:
            words += ["--learner", learner]
        words += ["--horizon", str(self.horizon), "--runs", str(self.runs), "--seed", str(self.seed)]
        if self.against is not None:
            words += ["--against", self.against]
        if self.band != "interval":
            words += ["--band", self.band]
        return shlex.join([*words, *self.reading])


@dataclass(frozen=True)
class Experiment:
    """A request, its problem and learners, and the result."""

    request: SimulationRequest
    problem: MatrixProblem
    learners: dict[str, Learner[Any]]
    result: Result

    @property
    def winner(self) -> str:
        """The winner that regret is measured against, in words."""
        if self.result.concept == "hindsight":
            return f"{self.result.against} (Dudik et al. 2015), the mean of both sides minus 1/2"
        return f"{self.result.against}, {self.right}"

    @property
    def right(self) -> str:
        return arms([self.result.labels[arm] for arm in self.result.winners])

    @property
    def accuracy(self) -> str:
        if not self.result.winners:
            return "Accuracy is undefined: every arm loses to another, so no single arm is right."
        why = ", which no other arm beats" if self.result.concept == "hindsight" else ""
        return f"Accuracy is the share of runs that name {self.right}{why}."

    @property
    def size(self) -> str:
        return f"{counted(self.request.runs, 'run')} of {counted(self.request.horizon, 'round')}"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The summary, one row per learner, least regret first."""
        rows = []
        for line in self.result.summary():
            regrets = (number(side["regret"]) for side in (line.mean, line.lowest, line.highest))
            weak_regret, right = line.mean["weak_regret"], line.mean["accuracy"]
            weak = "-" if isnan(weak_regret) else number(weak_regret)
            accuracy = "-" if isnan(right) else f"{right:.0%}"
            informative = float(self.result[line.learner].informative.mean())
            rows.append((line.learner, *regrets, weak, accuracy, number(informative)))
        return rows

    @property
    def bound(self) -> str | None:
        """The asymptotic lower bound as a sentence; None if unknown."""
        constant = self.result.lower_bound
        if constant is None:
            return None
        return (
            f"Asymptotic lower bound: {number(constant)} log T, which is "
            f"{number(constant * log(self.request.horizon))} at this horizon."
        )


def run(
    request: SimulationRequest,
    problem: MatrixProblem,
    learners: Named[Learner[Any]],
    workers: int | None = None,
    executor: Executor | None = None,
    keep: Path | None = None,
) -> Experiment:
    """Run a request whose problem and learners have been made already."""
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
        keep=keep,
    )
    return Experiment(request, problem, named, result)


def simulation_document(experiment: Experiment) -> Document:
    request, result, problem = experiment.request, experiment.result, experiment.problem
    first, played = result.summary()[0], experiment.size
    least = number(first.mean["regret"])
    remarks = [f"{experiment.accuracy} Informative duels are duels between two different arms."]
    remarks += [] if experiment.bound is None else [experiment.bound]
    learners = {name: f"{purpose(type(one))} Run as {one!r}." for name, one in experiment.learners.items()}
    sides = (
        "How often each learner showed each arm, as a share of the two sides of every round, averaged over "
        "runs. A good learner ends up showing the winner."
    )
    truth = "True preferences, unknown to learners: blue where the row's arm wins, red where it loses."
    shares = Figure(lambda: [draw_shares(result)], ["Share of sides per learner and arm"], sides)
    # without counts: pairs never compared are ties in the simulated problem
    matrix, labels = problem.matrix, problem.labels
    preferences = Figure(lambda: [draw_preferences(matrix, labels)], ["Preference matrix"], truth)
    return Document(
        title=f"Learners on {request.problem}",
        lead=f"{first.learner} had the least regret: {least} on average over {played}.",
        facts={
            "Problem": f"{request.problem}, {problem.k} arms",
            "Regret against": experiment.winner,
            "Played": f"{played}; in each run all learners see the same random stream",
            "Seed": str(request.seed),
        },
        sections=[
            Section("Summary", [summary_table(experiment), *remarks]),
            Section("Regret and accuracy", [curves(experiment)]),
            Section("Arms shown", [shares]),
            Section("Preferences", [preferences]),
        ],
        appendix=[
            Section("Learners", [learners]),
            Section("Reproduce this report", [Command(request.command)]),
        ],
    )


def summary_table(experiment: Experiment) -> TextTable:
    caption = "Means over runs, least regret first; min and max are over single runs"
    return TextTable(COLUMNS, experiment.rows, caption)


def curves(experiment: Experiment) -> Figure:
    result, band = experiment.result, experiment.request.band
    caption = (
        f"Regret against {result.against}, up to each round ({spread(result, band)}). Both axes are "
        "logarithmic: regret that grows like log T flattens, linear regret does not. Accuracy is the share "
        "of runs that would be right if they stopped there. Learners differ in colour, dashes and markers."
    )
    return Figure(lambda: draw_panels(result, band), ("Regret over rounds", "Accuracy over rounds"), caption)


def write_simulation(experiment: Experiment, folder: Path) -> None:
    """Write the page, the figure, the table of checkpoints and the result into a folder."""
    # rendered before the first file is written: if that fails, no file is left behind
    page = simulation_document(experiment).page()
    write_results(experiment.result, folder, "regret.svg", experiment.request.band)
    write_whole(folder / "report.html", page.encode(errors="backslashreplace"))
