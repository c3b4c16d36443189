"""`duelist rank`: learn a ranker from simulated clicks on a file of documents, or measure a saved one."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from duelist.cli.options import Runs, Seed, Workers, option, output, results
from duelist.cli.terminal import console, examples, going_on, heading, say, table
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.cli.ranking_experiment import RankingExperiment, RankingRequest

EXAMPLES = examples(
    "duelist rank",
    "duelist rank Fold1/train.txt --held-out Fold1/test.txt --clicks informational --save ranker.json",
    "duelist rank train.txt -l PDGD -l DBGD -l MGD --runs 5 --impressions 1e6 --out results",
    "duelist rank Fold1/test.txt --ranker ranker.json",
)
SHORT = {  # what the papers call the learners
    "DBGD": "DuelingGradientRanker",
    "MGD": "MultileavingGradientRanker",
    "PDGD": "PairwiseGradientRanker",
}
FILES = ("quality.svg", "data.csv", "result.npz")
COLUMNS = ("first", "tenth", "end", "shown")
DATA, OUTPUT = "Data", "Output"  # headings of options in the help text


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
        option(
            "--held-out FILE",
            "Documents to measure on. Repeat the option for more.",
            "every fifth query, drawn at random",
            DATA,
        ),
    ] = None,
    groups: Annotated[
        list[Path] | None,
        option(
            "--groups FILE",
            "Where FILE has no query ids: numbers of documents, a query a line. One for each FILE.",
            "query ids are in FILE",
            DATA,
        ),
    ] = None,
    normalise: Annotated[
        bool, option("--normalise", "Scale every feature to 0 to 1 within each query.", panel=DATA)
    ] = False,
    learner: Annotated[
        list[str] | None,
        option(
            "--learner -l SPEC",
            "PDGD, DBGD or MGD, with hyperparameters if you like: PDGD:exploitation=0.05. Repeat the option "
            "for more.",
            "PDGD",
        ),
    ] = None,
    clicks: Annotated[
        str, option("--clicks MODEL", "Who clicks: perfect, navigational, informational.")
    ] = "perfect",
    impressions: Annotated[str, option("--impressions -t N", "Lists to show; 1e6 is fine.")] = "100_000",
    runs: Runs = 1,
    seed: Seed = 0,
    workers: Workers = None,
    save: Annotated[
        Path | None,
        output(
            "--save PATH", "Where to write the learned ranker: the best learner's, of its first run.", OUTPUT
        ),
    ] = None,
    out: Annotated[Path | None, results("quality.svg, data.csv and result.npz", OUTPUT)] = None,
    ranker: Annotated[
        Path | None,
        option("--ranker PATH", "Measure this saved ranker on FILE instead of learning one.", "learn one"),
    ] = None,
) -> None:
    """Learn a ranker from simulated clicks, and measure it on queries held out.

    Every impression is a query, a list that the learner shows for it, and clicks by a person of the chosen
    kind; the labels in FILE decide what is clicked, and the learner sees the clicks alone. Quality is NDCG@10
    over the queries that have a relevant document.
    """
    from duelist.cli.ranking_experiment import RankingRequest, learn_to_rank
    from duelist.cli.specs import resolve, whole_number
    from duelist.clicks import CLICK_MODELS
    from duelist.files import require_file
    from duelist.simulation.storage import require_output, write_results

    request = RankingRequest(
        files=tuple(files or ()),
        held_out=tuple(held_out or ()),
        groups=tuple(groups or ()),
        normalise=normalise,
        clicks=resolve("click model", clicks, CLICK_MODELS),
        impressions=whole_number("impressions", impressions),
        runs=runs,
        seed=seed,
    )
    if out is not None:
        require_output(out, FILES)
    if save is not None:
        require_file(save)
    if ranker is not None:
        show_quality(ranker, request)
        return
    with going_on(out, FILES) as keep:
        learned = learn_to_rank(request, read_ranking_learners(learner or ["PDGD"]), workers, keep)
        show(learned)
        if save is not None:
            path = learned.best_ranker().save(save)
            say(f"Ranker written to {path}. Measure it: duelist rank FILE --ranker {quote(str(path))}")
        if out is not None:
            write_results(learned.result, out, "quality.svg")


def read_ranking_learners(texts: Sequence[str]) -> list[Any]:
    """Return the learners that are meant, no two alike."""
    from duelist.cli.specs import parse_spec, require_new, resolve
    from duelist.registry import build, learners_for

    learners: list[Any] = []
    known = learners_for("rankings")
    for text in texts:
        written, parameters = parse_spec(text)
        name = resolve("learner", written, [*SHORT, *known])
        name = SHORT.get(name, name)
        learner = build(name, known[name], parameters)
        require_new(text, learner, learners)
        learners.append(learner)
    return learners


def show(learned: "RankingExperiment") -> None:
    """Print how good each learner got, and what learning cost."""
    request, result = learned.request, learned.result
    summary = table("learner", *COLUMNS, numbers=COLUMNS)
    for name, row in learned.rows.items():
        summary.add_row(Text(name), *(f"{value:.4f}" for value in row))
    size = f"{counted(learned.queries, 'query')}, {counted(learned.features, 'feature')}"
    say(f"{request.source}: {size}", "bold cyan")
    terminal = console()
    terminal.print(
        f"Measured on {counted(learned.held_out_queries, 'query')} held out; "
        f"{request.clicks} clicks, seed {request.seed}.\n"
    )
    terminal.print(summary, "", sep="\n")
    repeated = "" if request.runs == 1 else f", mean of {request.runs} runs"
    terminal.print(f"NDCG@{result.depth}{repeated}. Impressions: {request.impressions:,}.")
    terminal.print("Shown: of all lists that were shown while learning.")


def show_quality(path: Path, request: "RankingRequest") -> None:
    """Print a saved ranker's quality by every measure."""
    from duelist.ranking import LinearRanker
    from duelist.ranking.metrics import mean_quality

    data, ranker = request.load(), LinearRanker.load(path)
    summary = table("measure", "mean", numbers=("mean",))
    for measure, value in mean_quality(ranker.score(data), data).items():
        summary.add_row(measure, f"{value:.4f}")
    terminal = console()
    relevant = len(data.with_relevant())
    terminal.print(
        heading(f"{path} on {counted(relevant, 'query')} with a relevant document, of {len(data)}")
    )
    terminal.print("", summary, "", sep="\n")
    for fact, value in ranker.made.items():
        terminal.print(Text(f"{fact}: {value}"))
