"""`duelist reproduce`: repeat the papers' experiments, and compare the results with the published ones."""

import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from duelist.cli.options import PER_CORE, Json, Ray, executor_for, option
from duelist.cli.terminal import console, heading, print_json, table
from duelist.errors import MissingExtraError
from duelist.files import require_file, reserved

if TYPE_CHECKING:
    from duelist.laboratory import ClaimVerdict, Item, ItemResults, Judged, Paper

EXAMPLES = (
    "duelist reproduce",
    "duelist reproduce --list",
    "duelist reproduce zoghi2014/figure4 --scale paper --data letor",
    "duelist reproduce --scale paper --data letor --out reproduced",
    "duelist reproduce --scale paper --ray ray-head:6379",
)
NEEDED = ("matplotlib", "sklearn")  # for figures, and for the rankers and policies to compare with
WRITTEN = ("report.html", "summary.json")
NOT_ALL = 1  # exit status if a claim fails
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
            "--scale quick|paper",
            "**quick** runs a part of every item in a minute or two; **paper** runs the papers' own sizes in "
            "about half an hour on two cores.",
        ),
    ] = "quick",
    data: Annotated[
        Path | None,
        option(
            "--data FOLDER",
            "Folder that contains, at any depth, the files that `--list` names: LETOR and MSLR files and "
            "preference matrices.",
            "synthetic data, and the report says so",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "--out -o FOLDER",
            "Folder to write the results and the report to. Results already in it are reused, so the same "
            "command resumes after an interrupt. The report covers only what this command asks for.",
            "reproduced-quick or reproduced-paper",
        ),
    ] = None,
    workers: Annotated[
        int | None, option("--workers N", "Number of processes, or of Ray workers.", PER_CORE)
    ] = None,
    ray: Ray = None,
    listing: Annotated[bool, option("--list", "List what can be reproduced, and exit.")] = False,
    as_json: Json = False,
) -> None:
    """Repeat published experiments, and check the papers' claims.

    It writes a page, report.html, with every figure and table in the paper's own form and a verdict on every
    claim; summary.json, the verdicts for programs; and the figures. The exit status is 1 if a claim fails.
    """
    from duelist.laboratory import Scale, Sources, all_hold, carry_out, choose, judge, summary
    from duelist.parallel import Processes, progress_bar
    from duelist.web.reproduction_page import write_reproduction

    chosen = choose(what or [])
    if listing:
        if as_json:
            print_json(
                [
                    {
                        "item": paper.name_of(item),
                        "title": item.title,
                        "minutes": item.minutes,
                        "data": item.data,
                    }
                    for paper, item in chosen
                ]
            )
        else:
            show_list(chosen)
        return
    folder = out or Path(f"reproduced-{scale}")
    # what is missing for the work, its figures or its files is an error before the work
    if any(find_spec(module) is None for module in NEEDED):
        raise MissingExtraError("a reproduction", "all")
    for name in WRITTEN:
        require_file(folder / name)
    sources = Sources(data)
    judged: dict[str, Judged] = {}
    executor = executor_for(ray, workers) or Processes(workers)
    terminal = console(as_json)

    with reserved(folder):
        with progress_bar(None) as show:

            def finished(paper: "Paper", item: "Item", results: "ItemResults") -> None:
                one = judge(paper, item, results)
                judged[one.name] = one
                show(one.name, 1.0, one.word)
                # a progress bar would overwrite the line
                if not (terminal.is_terminal and sys.stderr.isatty()):
                    data = ", on synthetic data" if one.data == "made up" else ""
                    terminal.print(Text.assemble(verdict_text(one), f"  {one.name}{data}"))

            carry_out(chosen, Scale(scale), sources, folder, executor, show, finished)
        in_order = [judged[paper.name_of(item)] for paper, item in chosen]
        write_reproduction(in_order, Scale(scale), folder)
    if as_json:
        print_json(json.loads(summary(in_order, Scale(scale))))
    else:
        show_verdicts(in_order)
    terminal.print(Text(f"Written to {folder}: {', '.join(WRITTEN)}, figures, results."))
    if not all_hold(in_order):
        raise typer.Exit(NOT_ALL)


def verdict_text(one: "Judged | ClaimVerdict") -> Text:
    """Return the verdict on an item or a claim as a coloured word."""
    return Text(one.word, COLOURS.get(one.word, ""))


def show_verdicts(judged: "Sequence[Judged]") -> None:
    terminal = console()
    for one in judged:
        terminal.print("", heading(f"{one.name}: {one.item.title}"), sep="\n")
        if one.data == "made up":
            terminal.print(Text("Synthetic data, because --data was not given.", style="yellow"))
        verdicts = table("verdict", "claim", "ours")
        for verdict in one.verdicts:
            ours = f"{verdict.ours} {verdict.note}".strip()
            verdicts.add_row(verdict_text(verdict), Text(verdict.claim), Text(ours))
        terminal.print(verdicts)


def show_list(chosen: "Sequence[tuple[Paper, Item]]") -> None:
    listed = table("item", "what it is", "minutes", "data", numbers=["minutes"])
    for paper, item in chosen:
        files = ", ".join(item.data) or "none"
        listed.add_row(paper.name_of(item), Text(item.title), f"{item.minutes:g}", Text(files))
    console().print(listed, Text("Minutes: at most, at the scale of the paper on two cores."), sep="\n")
