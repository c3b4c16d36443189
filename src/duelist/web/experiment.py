"""A simulation: what was asked, its result in words, and one HTML page that shows it."""

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
FILES = ("report.html", "regret.svg", "data.csv", "result.npz")  # what `write_simulation` writes


@dataclass(frozen=True)
class SimulationRequest:
    """What was asked for, in the words of the command line."""

    problem: str
    learners: tuple[str, ...]
    horizon: int
    runs: int
    seed: int
    against: str | None = None
    band: Band = "interval"
    reading: tuple[str, ...] = ()
    """Options by which the problem's file was read."""

    @property
    def command(self) -> str:
        """The command that asks for the same again."""
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
    """A request, the problem and learners it stands for, and the result."""

    request: SimulationRequest
    problem: MatrixProblem
    learners: dict[str, Learner[Any]]
    result: Result

    @property
    def winner(self) -> str:
        """Whom regret is measured against."""
        if self.result.concept == "hindsight":
            return f"{self.result.against} (Dudik et al. 2015), as the mean of both sides beyond 1/2"
        return f"{self.result.against}, {self.right}"

    @property
    def right(self) -> str:
        """The arms that are right, in words."""
        return arms([self.result.labels[arm] for arm in self.result.winners])

    @property
    def accuracy(self) -> str:
        """What accuracy is, in a sentence."""
        if not self.result.winners:
            return "Accuracy is not defined: every arm loses to another, so that no single arm is right."
        why = ", which no other arm beats" if self.result.concept == "hindsight" else ""
        return f"Accuracy is the share of runs that name {self.right}{why}."

    @property
    def size(self) -> str:
        """The numbers of runs and rounds, in words."""
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
        """The asymptotic lower bound in a sentence, where one is known."""
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
        keep=keep,
    )
    return Experiment(request, problem, named, result)


def simulation_document(experiment: Experiment) -> Document:
    """Return what came of a request."""
    request, result, problem = experiment.request, experiment.result, experiment.problem
    first, played = result.summary()[0], experiment.size
    least = number(first.mean["regret"])
    told = [f"{experiment.accuracy} Informative duels are those between two different arms."]
    told += [] if experiment.bound is None else [experiment.bound]
    learners = {name: f"{purpose(type(one))} Played as {one!r}." for name, one in experiment.learners.items()}
    sides = (
        "The share of sides, two in a round, on which each learner showed each arm, as a mean over runs. A "
        "good learner ends up showing the winner."
    )
    truth = "The truth that learners cannot see: blue where the arm of the row wins, red where it loses."
    shares = Figure(lambda: [draw_shares(result)], ["Share of sides per learner and arm"], sides)
    # without counts: what was never compared is a tie in the world that is played
    matrix, labels = problem.matrix, problem.labels
    preferences = Figure(lambda: [draw_preferences(matrix, labels)], ["Preference matrix"], truth)
    return Document(
        title=f"Learners on {request.problem}",
        lead=f"{first.learner} had the least regret: {least} on average over {played}.",
        facts={
            "Problem": f"{request.problem}, {problem.k} arms",
            "Regret against": experiment.winner,
            "Played": f"{played}, in each of which all learners meet the same luck",
            "Seed": str(request.seed),
        },
        sections=[
            Section("Summary", [summary_table(experiment), *told]),
            Section("Regret and accuracy", [curves(experiment)]),
            Section("Where the rounds went", [shares]),
            Section("Preferences", [preferences]),
        ],
        appendix=[Section("Learners", [learners]), Section("Get it again", [Command(request.command)])],
    )


def summary_table(experiment: Experiment) -> TextTable:
    """Return the regret of each learner, and more."""
    caption = "Means over runs, least regret first; min and max are of single runs"
    return TextTable(COLUMNS, experiment.rows, caption)


def curves(experiment: Experiment) -> Figure:
    """Return regret and accuracy over rounds."""
    result, band = experiment.result, experiment.request.band
    caption = (
        f"Regret against {result.against}, up to each round ({spread(result, band)}). Both axes are "
        "logarithmic, so regret that grows like log T flattens, and linear regret does not. Accuracy is the "
        "share of runs that would have been right, had they ended there. Learners differ in colour, dashes "
        "and markers."
    )
    return Figure(lambda: draw_panels(result, band), ("Regret over rounds", "Accuracy over rounds"), caption)


def write_simulation(experiment: Experiment, folder: Path) -> None:
    """Write the page, the figure, the table of all checkpoints and the result itself into a folder."""
    # The page is made before the first file is written: if that fails, nothing is left behind.
    page = simulation_document(experiment).page()
    write_results(experiment.result, folder, "regret.svg", experiment.request.band)
    write_whole(folder / "report.html", page.encode(errors="backslashreplace"))
