"""`duelist rank`: learn a ranker from simulated clicks on a file of documents, or measure a saved one."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.random import default_rng
from rich.text import Text

from duelist import simulation
from duelist.cli.simulate import check_output
from duelist.cli.specs import parse_spec, resolve, whole_number
from duelist.cli.terminal import console, examples, heading, table
from duelist.clicks import CLICK_MODELS
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.files import write_whole
from duelist.ranking import (
    LinearRanker,
    RankingData,
    average_precision,
    err,
    load_ranking_data,
    ndcg,
    precision,
    reciprocal_rank,
    synthetic_ranking_data,
)
from duelist.registry import build, learners_for
from duelist.simulation import RankingSimulationResult

EXAMPLES = examples(
    "duelist rank",
    "duelist rank Fold1/train.txt --held-out Fold1/test.txt --clicks informational --save ranker.json",
    "duelist rank train.txt -l PDGD -l DBGD -l MGD --runs 5 --impressions 1e6 --out results",
    "duelist rank Fold1/test.txt --ranker ranker.json",
)
SHORT = {
    "DBGD": "DuelingGradientRanker",
    "MGD": "MultileavingGradientRanker",
    "PDGD": "PairwiseGradientRanker",
}
"""What the papers call the learners."""
MEASURES: dict[str, Callable[..., FloatArray]] = {
    "NDCG@10": ndcg,
    "ERR@10": err,
    "precision@10": precision,
    "average precision": average_precision,
    "reciprocal rank": reciprocal_rank,
}
COLUMNS = ("first", "tenth", "end", "shown")
DEPTH, HELD_OUT = 10, 0.2
FEWEST = 3
"""Queries of which the share that is held out is at least one."""


def rank(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Documents to learn from, as SVMlight lines `label qid:Q 1:x 2:x`, plain or gzip.",
            show_default="synthetic data",
        ),
    ] = None,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            "--held-out",
            metavar="FILE",
            help="Documents to measure on. Repeat the option for more.",
            show_default="every fifth query, drawn at random",
        ),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            "-l",
            metavar="SPEC",
            help="PDGD, DBGD or MGD, with hyperparameters if you like: PDGD:exploitation=0.05. Repeat the "
            "option for more.",
            show_default="PDGD",
        ),
    ] = None,
    clicks: Annotated[
        str, typer.Option(metavar="MODEL", help=f"Who clicks: {', '.join(CLICK_MODELS)}.")
    ] = "perfect",
    impressions: Annotated[
        str, typer.Option("--impressions", "-t", metavar="N", help="Lists to show; 1e6 is fine.")
    ] = "100_000",
    runs: Annotated[int, typer.Option("--runs", "-n", metavar="N", help="Independent repetitions.")] = 1,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")] = 0,
    groups: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Where FILE has no query ids: numbers of documents, a query a line. One for each FILE.",
            show_default="query ids are in FILE",
        ),
    ] = None,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Scale every feature to 0 to 1 within each query.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Where to write the learned ranker: the best learner's, of its first run.",
            show_default="nothing is written",
        ),
    ] = None,
    ranker: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Measure this saved ranker on FILE instead of learning one.",
            show_default="learn one",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Where to write quality.svg, data.csv and result.npz.",
            show_default="nothing is written",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Threads to use.", show_default="one for each core")
    ] = None,
) -> None:
    """Learn a ranker from simulated clicks, and watch how good it gets on queries held out.

    Every impression is a query, a list that the learner shows for it, and clicks by a person of the chosen
    kind; the labels in FILE decide what is clicked, and the learner sees the clicks alone. Quality is NDCG@10
    over the queries that have a relevant document.
    """
    shown = whole_number("impressions", impressions)
    if out is not None:
        check_output(out)
    data = read_data(files, groups, normalise)
    if ranker is not None:
        measure(LinearRanker.load(ranker), data, str(ranker))
        return
    user = CLICK_MODELS[resolve("click model", clicks, CLICK_MODELS)](data.grades)
    learners = read_ranking_learners(learner or ["PDGD"])
    if held_out:
        judge = load_ranking_data(held_out, normalise=normalise)
    elif len(data) < FEWEST:
        raise ParameterError(
            f"{name_of(files)} has too few queries to keep some to judge by, {len(data)}; add some, or name "
            "a file by --held-out."
        )
    else:
        judge, data = data.split(HELD_OUT, default_rng(seed))
    result = simulation.train_online(
        learners, data, user, shown, held_out=judge, depth=DEPTH, runs=runs, seed=seed, workers=workers
    )
    terminal = console()
    terminal.print(heading(f"{name_of(files)}: {len(data)} queries, {data.d} features"), soft_wrap=True)
    terminal.print(Text(f"Measured on {len(judge)} queries held out; {user.name} clicks, seed {seed}."))
    show(result)
    if save is not None:
        path = best_ranker(result, {"clicks": user.name, "data": name_of(files)}).save(save)
        terminal.print(
            Text(f"Ranker written to {path}. Measure it: duelist rank FILE --ranker {path}"), soft_wrap=True
        )
    if out is not None:
        write(result, out)


def read_data(files: Sequence[Path] | None, groups: Sequence[Path] | None, normalise: bool) -> RankingData:
    """Return the documents of files, or synthetic ones where there are none."""
    if files:
        return load_ranking_data(files, groups=groups or None, normalise=normalise)
    if groups:
        raise ParameterError("groups belong to a FILE, and none was given.")
    return synthetic_ranking_data(queries=500)


def name_of(files: Sequence[Path] | None) -> str:
    """Return what to call the data."""
    return ", ".join(map(str, files)) if files else "synthetic data"


def read_ranking_learners(texts: Sequence[str]) -> list[Any]:
    """Return the learners that are meant, each once.

    Examples
    --------
    >>> read_ranking_learners(["pdgd:exploitation=0.05"])
    [PairwiseGradientRanker(exploitation=0.05, length=10)]
    """
    learners, known = [], learners_for("rankings")
    for text in dict.fromkeys(texts):
        spec = parse_spec(text)
        name = resolve("learner", spec.name, [*SHORT, *known])
        name = SHORT.get(name, name)
        learners.append(build(name, known[name], spec.parameters))
    return learners


def show(result: RankingSimulationResult) -> None:
    """Print how good each learner got, and what learning cost."""
    summary = table("learner", *COLUMNS, numbers=COLUMNS)
    terminal = console()
    for name, one in result.items():
        tenth = int(np.searchsorted(one.checkpoints, one.checkpoints[-1] / 10))
        values = [one.quality[:, mark].mean() for mark in (0, tenth, -1)]
        row = [*values, one.shown_quality[:, -1].mean()]
        summary.add_row(Text(name), *(f"{value:.4f}" for value in row))
    terminal.print("", summary, "", sep="\n")
    some = next(iter(result.values()))
    repeated = "" if len(some) == 1 else f", mean of {len(some)} runs"
    terminal.print(Text(f"NDCG@{result.depth}{repeated}. Impressions: {some.checkpoints[-1]:,}."))
    terminal.print(Text("Shown: of all lists that were shown while learning."))


def best_ranker(result: RankingSimulationResult, made: dict[str, Any]) -> LinearRanker:
    """Return the ranker of the learner that got best, from its first run, and how it was made."""
    one = max(result.values(), key=lambda runs: float(runs.quality[:, -1].mean()))
    facts = {
        "learner": one.description,
        "impressions": int(one.checkpoints[-1]),
        "seed": result.seed,
        f"held-out NDCG@{result.depth}": round(float(one.quality[0, -1]), 6),
    }
    return LinearRanker(one.weights[0], made | facts)


def measure(ranker: LinearRanker, data: RankingData, name: str) -> None:
    """Print a saved ranker's quality by every measure."""
    scores = ranker.score(data)
    summary = table("measure", "mean", numbers=("mean",))
    for measure_name, function in MEASURES.items():
        summary.add_row(measure_name, f"{float(np.nanmean(function(scores, data))):.4f}")
    terminal = console()
    relevant = len(data.with_relevant())
    terminal.print(heading(f"{name} on {relevant} queries with a relevant document, of {len(data)}"))
    terminal.print("", summary, "", sep="\n")
    for fact, value in ranker.made.items():
        terminal.print(Text(f"{fact}: {value}"))


def write(result: RankingSimulationResult, folder: Path) -> None:
    """Write the figure and the data, and say where they are."""
    data = result.to_frame().to_csv(index=False, lineterminator="\n")
    result.plot(folder / "quality.svg")
    result.save(folder / "result.npz")
    write_whole(folder / "data.csv", data.encode())
    console().print(Text(f"Written to {folder}: quality.svg, data.csv, result.npz."))
