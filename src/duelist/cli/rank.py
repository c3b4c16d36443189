"""`duelist rank`: learn a ranker from simulated clicks on a file of documents, or measure a saved one."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from duelist.cli.options import Json, Runs, Seed, Workers, option, output, results
from duelist.cli.terminal import console, heading, print_json, resumable, say, table
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.cli.ranking_experiment import RankingExperiment, RankingRequest

EXAMPLES = (
    "duelist rank",
    "duelist rank Fold1/train.txt --held-out Fold1/test.txt --click-model informational --save ranker.json",
    "duelist rank train.txt -l PDGD -l DBGD -l MGD --runs 5 --impressions 1e6 --out results",
    "duelist rank Fold1/test.txt --ranker ranker.json",
)
SHORT = {  # names of the learners in their papers
    "DBGD": "DuelingGradientRanker",
    "MGD": "MultileavingGradientRanker",
    "PDGD": "PairwiseGradientRanker",
}
FILES = ("quality.svg", "data.csv", "result.npz")
COLUMNS = ("first", "tenth", "end", "shown")
DATA, OUTPUT = "Data", "Output"  # panels of options


def rank(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Documents to learn from, as SVMlight lines `label qid:Q 1:x 2:x`, plain or gzipped.",
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
            "For a FILE without query ids: file with the number of documents of each query, one per line. "
            "Give "
            "one for each FILE.",
            "query ids are in FILE",
            DATA,
        ),
    ] = None,
    normalize: Annotated[
        bool, option("--normalize", "Scale every feature to [0, 1] within each query.", panel=DATA)
    ] = False,
    learner: Annotated[
        list[str] | None,
        option(
            "--learner -l SPEC",
            "Learner to play: PDGD, DBGD or MGD, optionally with hyperparameters: PDGD:exploitation=0.05. "
            "Repeat the option for more.",
            "PDGD",
        ),
    ] = None,
    click_model: Annotated[
        str, option("--click-model NAME", "Click model: perfect, navigational, informational.")
    ] = "perfect",
    impressions: Annotated[
        str, option("--impressions -t N", "Number of lists to show, such as 100000 or 1e6.")
    ] = "100_000",
    runs: Runs = 1,
    seed: Seed = 0,
    workers: Workers = None,
    save: Annotated[
        Path | None,
        output(
            "--save FILE",
            "File to write the learned ranker to: that of the first run of the best learner.",
            OUTPUT,
        ),
    ] = None,
    out: Annotated[Path | None, results("quality.svg, data.csv and result.npz", OUTPUT)] = None,
    ranker: Annotated[
        Path | None,
        option(
            "--ranker FILE",
            "File of a saved ranker to measure on the documents, instead of learning one.",
            "learn one",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn a ranker from simulated clicks, and measure it on held-out queries.

    Every impression is a query, a list that the learner shows for it, and clicks from the click model. The
    labels in FILE determine the clicks; the learner sees only the clicks. Quality is NDCG@10 over the queries
    with a relevant document.
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
        normalise=normalize,
        clicks=resolve("click model", click_model, CLICK_MODELS),
        impressions=whole_number("impressions", impressions),
        runs=runs,
        seed=seed,
    )
    if out is not None:
        require_output(out, FILES)
    if save is not None:
        require_file(save)
    if ranker is not None:
        show_quality(ranker, request, as_json)
        return
    with resumable(out, FILES, as_json) as keep:
        learned = learn_to_rank(request, read_ranking_learners(learner or ["PDGD"]), workers, keep)
        if as_json:
            print_json(as_document(learned))
        else:
            show(learned)
        if save is not None:
            path = learned.best_ranker().save(save)
            line = f"Ranker written to {path}. Measure it: duelist rank FILE --ranker {quote(str(path))}"
            say(line, stderr=as_json)
        if out is not None:
            write_results(learned.result, out, "quality.svg")


def read_ranking_learners(texts: Sequence[str]) -> list[Any]:
    """Return the learners of the specs; no two may be equal."""
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


def as_document(learned: "RankingExperiment") -> dict[str, Any]:
    """Return the summary for programs."""
    request, result = learned.request, learned.result
    return {
        "data": request.source,
        "queries": learned.queries,
        "features": learned.features,
        "held_out_queries": learned.held_out_queries,
        "click_model": request.clicks,
        "impressions": request.impressions,
        "runs": request.runs,
        "seed": request.seed,
        "measure": f"NDCG@{result.depth}",
        "learners": [
            {"learner": name, **dict(zip(COLUMNS, row, strict=True))} for name, row in learned.rows.items()
        ],
    }


def show(learned: "RankingExperiment") -> None:
    """Print the quality of each learner's ranker, and of the lists shown while learning."""
    request, result = learned.request, learned.result
    summary = table("learner", *COLUMNS, numbers=COLUMNS)
    for name, row in learned.rows.items():
        summary.add_row(Text(name), *(f"{value:.4f}" for value in row))
    size = f"{counted(learned.queries, 'query')}, {counted(learned.features, 'feature')}"
    say(f"{request.source}: {size}", "bold cyan")
    terminal = console()
    terminal.print(
        f"Measured on {counted(learned.held_out_queries, 'held-out query')}; "
        f"{request.clicks} clicks, seed {request.seed}.\n"
    )
    terminal.print(summary, "", sep="\n")
    repeated = "" if request.runs == 1 else f", mean of {request.runs} runs"
    terminal.print(f"NDCG@{result.depth}{repeated}. Impressions: {request.impressions:,}.")
    terminal.print(
        "first, tenth, end: the ranker at the start, after a tenth of the impressions, and at the end."
    )
    terminal.print("shown: the mean of all lists shown while learning.")


def show_quality(path: Path, request: "RankingRequest", as_json: bool) -> None:
    """Print the quality of a saved ranker by every measure."""
    from duelist.ranking import LinearRanker
    from duelist.ranking.metrics import mean_quality

    data, ranker = request.load(), LinearRanker.load(path)
    measures, relevant = mean_quality(ranker.score(data), data), len(data.with_relevant())
    if as_json:
        print_json(
            {
                "ranker": path,
                "made": ranker.made,
                "queries": len(data),
                "queries_with_relevant": relevant,
                "measures": measures,
            }
        )
        return
    summary = table("measure", "mean", numbers=("mean",))
    for measure, value in measures.items():
        summary.add_row(measure, f"{value:.4f}")
    terminal = console()
    terminal.print(
        heading(f"{path} on {counted(relevant, 'query')} with a relevant document, of {len(data)}")
    )
    terminal.print("", summary, "", sep="\n")
    for fact, value in ranker.made.items():
        terminal.print(Text(f"{fact}: {value}"))
