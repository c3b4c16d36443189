"""`duelist replay`: recorded votes, replayed with learners."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from duelist.cli.options import (
    Columns,
    Encoding,
    Json,
    Reading,
    Runs,
    Seed,
    Sheet,
    SkipBad,
    Workers,
    learners,
    option,
    results,
    wrong_verdicts,
)
from duelist.cli.terminal import console, heading, print_json, resumable, say, say_notes, table
from duelist.defaults import DELTA
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.replaying import ReplayResult

EXAMPLES = (
    "duelist replay votes.csv",
    "duelist replay votes.csv -l RUCB -l TopTwoBradleyTerry --out replayed",
    "duelist replay votes.csv --arm bm25 --arm dense --arm hybrid --delta 0.01",
    "duelist replay matches.csv --columns left=home,right=away,outcome=result",
)
DEFAULT_LEARNERS = ("Auto",)  # besides random pairs


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of votes, as `duelist analyze` reads it.")
    ],
    learner: Annotated[
        list[str] | None,
        learners(f"{', '.join(DEFAULT_LEARNERS)}; random pairs, Uniform, are always played too"),
    ] = None,
    runs: Runs = 200,
    seed: Seed = 0,
    delta: Annotated[float, wrong_verdicts()] = DELTA,
    limit: Annotated[
        str, option("--limit VOTES", "Maximum number of votes in a run, such as 200000 or 1e6.")
    ] = "200_000",
    arm: Annotated[
        list[str] | None,
        option(
            "--arm NAME",
            "Arm to include; votes on other arms are left out. Repeat the option for more.",
            "all",
        ),
    ] = None,
    out: Annotated[Path | None, results("report.html, replay.json and replay.csv")] = None,
    workers: Workers = None,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Replay recorded votes with learners: how many votes each needs to be right and sure.

    Each time a learner asks for a pair, one of its recorded votes is drawn, with replacement. The truth is
    the arm that beats every other arm in all recorded votes; a tie counts as half a win for each side. A
    learner is right from the vote after which it always names that arm. A run is sure, and stops, once its
    own votes prove who wins, or that nobody does.
    """
    from duelist.cli.specs import read_learners, whole_number
    from duelist.learners import Uniform
    from duelist.replaying import replay
    from duelist.simulation.storage import require_output
    from duelist.votes import load_votes
    from duelist.web.replay_page import FILES, ReplayRequest, write_replay
    from duelist.web.replay_page import as_json as as_document

    reading = Reading.of(columns, skip_bad, encoding, sheet)
    request = ReplayRequest(
        file=str(file),
        learners=tuple(learner or DEFAULT_LEARNERS),
        arms=tuple(arm or ()),
        runs=runs,
        seed=seed,
        delta=delta,
        limit=whole_number("limit", limit),
        reading=reading.words,
    )
    if out is not None:
        require_output(out, FILES)
    players: list[Any] = read_learners(request.learners, request.limit)
    players += [] if Uniform() in players else [Uniform()]
    votes = load_votes(file, **reading.options)
    say_notes(votes)
    with resumable(out, FILES, as_json) as keep:
        played = replay(
            players, votes, runs, seed, delta=delta, limit=request.limit, arms=arm, workers=workers, keep=keep
        )
        if as_json:
            print_json(as_document(request, played))
        else:
            show(request.file, played)
        if out is not None:
            write_replay(request, played, out)


def show(file: str, result: "ReplayResult") -> None:
    from duelist.replaying.report import COLUMNS, READING, REMARK, rows, size, truth

    summary = table(*COLUMNS, numbers=COLUMNS[1:])
    for name, *cells in rows(result):
        summary.add_row(Text(name), *(Text(narrow(cell)) for cell in cells))
    terminal = console()
    title = f"{file}: {counted(result.votes, 'vote')} on {counted(len(result.arms), 'arm')}"
    terminal.print(heading(title), soft_wrap=True)
    say("\n".join((result.verdict, truth(result), size(result))))
    terminal.print("", summary, "", sep="\n")
    say(f"{READING}\n{REMARK}")


def narrow(cell: str) -> str:
    """Break a cell into lines that fit on a narrow terminal."""
    return cell.replace(" (", "\n(").replace(" to ", " to\n").replace(" or ", " or\n")
