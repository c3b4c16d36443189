"""`duelist simulate`: play learners on a problem and measure their regret."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from duelist import simulation
from duelist.cli.executors import Ray, executor_for
from duelist.cli.specs import ALL, read_learners, read_problem, resolve, whole_number
from duelist.cli.terminal import console, examples, heading, table
from duelist.errors import FileError, MissingExtraError
from duelist.files import write_whole
from duelist.metrics import CONCEPTS
from duelist.parallel import Executor
from duelist.protocols import Learner
from duelist.simulation.arguments import LEARNER_NEEDS, name_learners
from duelist.web.experiment import COLUMNS, Experiment, Request
from duelist.web.simulation_page import report

EXAMPLES = examples(
    "duelist simulate",
    "duelist simulate -l RUCB -l RUCB:alpha=0.6 --horizon 1e6",
    "duelist simulate --problem worst_case:k=10,epsilon=0.2 --out results",
    "duelist simulate --problem 'bradley_terry:weights=4;2;1,labels=a;b;c'",
    "duelist simulate --problem votes.csv --against copeland",
    "duelist simulate --horizon 1e8 --runs 1000 --ray ray-head:6379",
)


def simulate(
    problem: Annotated[
        str,
        typer.Option(
            "--problem",
            "-p",
            metavar="SPEC",
            help="A problem such as worst_case:k=10,epsilon=0.2 (they are listed by `duelist problems`), or "
            "a CSV file of preferences or comparisons.",
        ),
    ] = "random_bradley_terry:k=16",
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            "-l",
            metavar="SPEC",
            help="A learner such as RUCB or RUCB:alpha=0.6 (they are listed by `duelist learners`), or your "
            "own, ./mine.py:Mine or module:Mine:width=2. Repeat the option for more.",
            show_default=ALL,
        ),
    ] = None,
    horizon: Annotated[
        str, typer.Option("--horizon", "-t", metavar="ROUNDS", help="Rounds to play; 1e6 is fine.")
    ] = "100_000",
    runs: Annotated[
        int,
        typer.Option(
            "--runs",
            "-n",
            metavar="N",
            help="Independent repetitions; in each, all learners meet the same luck.",
        ),
    ] = 20,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")] = 0,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="WINNER",
            help=f"Whom regret is measured against: {', '.join(CONCEPTS)}.",
            show_default="condorcet, or von_neumann where there is none",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Where to write report.html, regret.svg, data.csv and result.npz.",
            show_default="nothing is written",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Threads to use, or workers of Ray.", show_default="one for each core"
        ),
    ] = None,
    ray: Ray = None,
) -> None:
    """Play learners on a problem and measure their regret.

    Regret counts what it costs to show arms that are not the winner: the mean of both arms' gaps to it,
    summed over rounds. Weak regret counts only the better of the two. Accuracy is the share of runs that
    name the winner in the end; informative duels are those between two different arms.
    """
    request = Request(
        problem=problem,
        learners=tuple(learner or [ALL]),
        horizon=whole_number("horizon", horizon),
        runs=runs,
        seed=seed,
        against=None if against is None else resolve("winner concept", against, CONCEPTS),
    )
    if out is not None:
        check_output(out)
    experiment = run(request, workers, executor_for(ray, workers))
    show(experiment)
    if out is not None:
        write(experiment, out)


def run(request: Request, workers: int | None = None, executor: Executor | None = None) -> Experiment:
    """Do what was asked for."""
    problem = read_problem(request.problem)
    learners = name_learners(read_learners(request.learners, request.horizon), Learner, LEARNER_NEEDS)
    result = simulation.simulate(
        learners,
        problem,
        request.horizon,
        request.runs,
        request.seed,
        against=request.against,
        workers=workers if executor is None else None,
        executor=executor,
    )
    return Experiment(request, problem, learners, result)


def show(experiment: Experiment) -> None:
    """Print the summary."""
    request = experiment.request
    summary = table(*COLUMNS, numbers=COLUMNS[1:])
    for row in experiment.rows:
        summary.add_row(*map(Text, row))
    terminal = console()
    terminal.print(heading(f"{request.problem}, {experiment.problem.k} arms"))
    terminal.print(Text(f"Regret against {experiment.winner}."))
    terminal.print(Text(f"{experiment.size}, seed {request.seed}."))
    terminal.print("", summary, "", sep="\n")
    if experiment.bound is not None:
        terminal.print(experiment.bound)


def check_output(folder: Path) -> None:
    """Refuse before the work, not after it, what could not be written."""
    for module, purpose, extra in (("matplotlib", "a report", "plot"), ("pandas", "data.csv", "frame")):
        if find_spec(module) is None:
            raise MissingExtraError(purpose, extra)
    check_folder(folder)


def check_folder(folder: Path) -> None:
    """Refuse a folder that could not be written to."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK)):
        raise FileError(f"{nearest} is not a folder that can be written to; choose another.")


def write(experiment: Experiment, folder: Path) -> None:
    """Write the report, the figure and the data, and say where they are."""
    # All that can fail for want of memory or a bug is done before the first file is written.
    page = report(experiment)
    data = experiment.result.to_frame().to_csv(index=False, lineterminator="\n")
    experiment.result.plot(folder / "regret.svg")
    experiment.result.save(folder / "result.npz")
    write_whole(folder / "data.csv", data.encode())
    write_whole(folder / "report.html", page.encode())
    console().print(Text(f"Written to {folder}: report.html, regret.svg, data.csv, result.npz."))
