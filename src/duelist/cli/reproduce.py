"""`duelist reproduce`: play the papers' experiments again, and set the results beside the published ones."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from duelist.cli.options import EVERY_CORE, Ray, executor_for, option
from duelist.cli.terminal import console, examples, heading, table
from duelist.errors import MissingExtraError
from duelist.files import require_file, reserved

if TYPE_CHECKING:
    from duelist.laboratory import ClaimVerdict, Item, ItemResults, Judged, Paper

EXAMPLES = examples(
    "duelist reproduce",
    "duelist reproduce --list",
    "duelist reproduce zoghi2014/figure4 --scale paper --data letor",
    "duelist reproduce --scale paper --data letor --out reproduced",
    "duelist reproduce --scale paper --ray ray-head:6379",
)
NEEDED = ("matplotlib", "sklearn")  # for figures, and for the rankers and policies to compare with
WRITTEN = ("report.html", "summary.json")
NOT_ALL = 1  # exit code: a claim does not hold
COLOURS = {"holds": "green", "fails": "bold red", "partly judged": "cyan", "not judged": "yellow"}


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAPER[/ITEM]",
            help="What to reproduce, such as zoghi2014 or yue2012/figure1; `--list` lists all.",
            show_default="everything",
        ),
    ] = None,
    scale: Annotated[
        Literal["quick", "paper"],
        option(
            "--scale",
            "**quick** plays a part of every item in a minute or two; **paper** plays as much as the paper "
            "did, about half an hour on two cores.",
        ),
    ] = "quick",
    data: Annotated[
        Path | None,
        option(
            "--data DIR",
            "A folder that has, anywhere in it, the files that `--list` names: LETOR and MSLR files and "
            "preference matrices.",
            "made-up data, and the report says so",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "--out -o DIR",
            "Where results and the report go. What is there already is not played again, so an interrupted "
            "command goes on where it was. The report is of what was asked for.",
            "reproduced-quick or reproduced-paper",
        ),
    ] = None,
    workers: Annotated[int | None, option("--workers N", "Processes to use.", EVERY_CORE)] = None,
    ray: Ray = None,
    listing: Annotated[bool, option("--list", "List what can be reproduced, and do nothing.")] = False,
) -> None:
    """Play published experiments again, and judge the papers' claims.

    Writes a page, report.html, with every figure and table in the paper's own form and a verdict on every
    claim; the same for machines, summary.json; and the figures. The exit status is 0 if no claim fails.
    """
    from duelist.laboratory import Scale, Sources, all_hold, carry_out, choose, judge
    from duelist.parallel import Processes, progress_bar
    from duelist.web.reproduction_page import write_reproduction

    chosen = choose(what or [])
    if listing:
        show_list(chosen)
        return
    folder = out or Path(f"reproduced-{scale}")
    # what could not be played, drawn or written is refused before the work, not after it
    if any(find_spec(module) is None for module in NEEDED):
        raise MissingExtraError("a reproduction", "all")
    for name in WRITTEN:
        require_file(folder / name)
    sources = Sources(data)
    judged: dict[str, Judged] = {}
    executor = executor_for(ray, workers) or Processes(workers)
    terminal = console()

    with reserved(folder):
        with progress_bar(None) as show:

            def finished(paper: "Paper", item: "Item", results: "ItemResults") -> None:
                one = judge(paper, item, results)
                judged[one.name] = one
                show(one.name, 1.0, one.word)
                # beside a bar that is drawn again and again, a line would be wiped out
                if not (terminal.is_terminal and sys.stderr.isatty()):
                    mark = ", on made-up data" if one.data == "made up" else ""
                    terminal.print(Text.assemble(verdict_text(one), f"  {one.name}{mark}"))

            carry_out(chosen, Scale(scale), sources, folder, executor, show, finished)
        in_order = [judged[paper.name_of(item)] for paper, item in chosen]
        write_reproduction(in_order, Scale(scale), folder)
    show_verdicts(in_order)
    terminal.print(Text(f"Written to {folder}: {', '.join(WRITTEN)}, figures, results."))
    if not all_hold(in_order):
        raise typer.Exit(NOT_ALL)


def verdict_text(one: "Judged | ClaimVerdict") -> Text:
    """Return the verdict on an item or a claim in its colour; the word says it too."""
    return Text(one.word, COLOURS.get(one.word, ""))


def show_verdicts(judged: "Sequence[Judged]") -> None:
    """Print every claim and what came of it."""
    terminal = console()
    for one in judged:
        terminal.print("", heading(f"{one.name}: {one.item.title}"), sep="\n")
        if one.data == "made up":
            terminal.print(Text("Made-up data, because no --data was given.", style="yellow"))
        verdicts = table("verdict", "claim", "ours")
        for verdict in one.verdicts:
            ours = f"{verdict.ours} {verdict.note}".strip()
            verdicts.add_row(verdict_text(verdict), Text(verdict.claim), Text(ours))
        terminal.print(verdicts)


def show_list(chosen: "Sequence[tuple[Paper, Item]]") -> None:
    """Print what can be reproduced, how long it takes and what data it reads."""
    listed = table("item", "what it is", "minutes", "data", numbers=["minutes"])
    for paper, item in chosen:
        files = ", ".join(item.data) or "none"
        listed.add_row(paper.name_of(item), Text(item.title), f"{item.minutes:g}", Text(files))
    console().print(listed, Text("Minutes at the paper's scale on two cores, at most."), sep="\n")
