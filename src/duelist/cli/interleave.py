"""`duelist interleave`: one list out of two rankings, and a preference out of the clicks on it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from numpy.random import default_rng
from rich.text import Text

from duelist.cli.analyze import Format
from duelist.cli.click_files import forms_of
from duelist.cli.credit import credit
from duelist.cli.ranking_files import (
    EVERY,
    EXPECTED,
    ONLY,
    Listing,
    read_rankings,
    write_listings,
)
from duelist.cli.specs import resolve
from duelist.cli.terminal import console, examples, heading, table
from duelist.errors import FileError, ParameterError, require_whole
from duelist.registry import INTERLEAVINGS, build
from duelist.text import count, enumeration

EXAMPLES = examples(
    r"printf 'q1 a\nq1 b\nq2 c\nq2 d\n' > bm25.txt",
    r"printf 'q1 e\nq1 a\nq2 f\nq2 c\n' > dense.txt",
    "duelist interleave bm25.txt dense.txt --length 10",
    "duelist interleave bm25.txt dense.txt --impressions 3 --out shown.jsonl",
    r"printf 'q1 1 e\nq1 3 e\nq2 2 c\n' > clicks.txt",
    "duelist interleave --shown shown.jsonl --clicks clicks.txt",
)
TEAMS = {0: "left", 1: "right", -1: ""}
MOST = 20
"""So many lists are printed; a file holds them all."""


def interleave(
    left: Annotated[
        Path | None, typer.Argument(metavar="LEFT", help="A file of rankings, best documents first.")
    ] = None,
    right: Annotated[Path | None, typer.Argument(metavar="RIGHT", help="The rankings to compare.")] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", metavar="NAME", help=f"One of {', '.join(INTERLEAVINGS)}.")
    ] = "TeamDraft",
    counting: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Which clicks count: all, first, or unshared, which leaves out what both rankings begin "
            "with.",
        ),
    ] = "all",
    length: Annotated[
        int | None,
        typer.Option("--length", "-k", metavar="N", help="Documents to show.", show_default="all"),
    ] = None,
    impressions: Annotated[
        int | None,
        typer.Option(
            "--impressions",
            "-t",
            metavar="N",
            help="Lists to draw for each query, numbered from 1: one for each time that it is asked.",
            show_default="one list for all",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal lists.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help="Where to write the lists, a JSON object a line, to be credited later.",
            show_default="they are printed",
        ),
    ] = None,
    shown: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Lists that were written by --out, to be credited.")
    ] = None,
    clicks: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Clicks on them, a line `query impression document` each; see above."
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="For people, or for programs.")] = Format.TEXT,
) -> None:
    """Interleave two rankings into one list, or tell from the clicks on such lists which is preferred.

    A file of rankings has a document a line, best first; or `query document`; or the six columns of a TREC
    run. First make the lists with LEFT and RIGHT; when people have clicked, credit them with `--shown` and
    `--clicks`.

    A file of clicks has a line `query impression document` for each click, such as `q1 17 doc8`; without the
    query if rankings name none, and without the impression if each list was shown once. A list without clicks
    is a tie.

    The same query is asked often: draw a list for each impression with `--impressions 500`. If all see one
    list instead, give impressions names of your own in the clicks; those without clicks are not counted, and
    every list counts once, however often it was shown: whoever the draw put first was first each time. A
    program that draws the lists itself can write lines as `--out` does.
    """
    if clicks is not None or shown is not None:
        if clicks is None or shown is None or left is not None or right is not None:
            raise ParameterError("to credit clicks give --shown and --clicks, and no rankings.")
        credit(shown, clicks, format)
        return
    if left is None or right is None:
        raise ParameterError("give two files of rankings, LEFT and RIGHT, or --shown and --clicks.")
    require_whole("seed", seed, 0)
    for option, number in (("impressions", impressions), ("length", length)):
        if number is not None:
            require_whole(option, number, 1)
    name = resolve("method", method, INTERLEAVINGS)
    maker: Any = build(name, INTERLEAVINGS[name], {"counting": counting})
    listings = make_listings(left, right, maker, length, impressions, seed)
    if out is not None:
        write_listings(out, listings)
        form = forms_of(listings)
        written = "1 list" if len(listings) == 1 else f"{count(len(listings))} lists"
        note(
            f"{written} written to {out}. When there are clicks, lines of "
            f"`{form[max(form) if impressions else min(form)]}`: "
            f"duelist interleave --shown {out} --clicks CLICKS"
        )
    elif format is Format.JSON:
        typer.echo(json.dumps([one.facts() for one in listings], indent=2))
    else:
        show_listings(listings)


def make_listings(
    left: Path, right: Path, maker: Any, length: int | None, impressions: int | None, seed: int
) -> list[Listing]:
    """Interleave the rankings of every query that both files have; each list has luck of its own."""
    lefts, rights = read_rankings(left), read_rankings(right)
    for path, rankings in ((left, lefts), (right, rights)):
        if not rankings:
            raise FileError(f"{path} names no document; give {EXPECTED}.")
    if (ONLY in lefts) != (ONLY in rights):
        raise ParameterError(f"{left} and {right} must both name queries, or neither.")
    queries = dict.fromkeys([*lefts, *rights])
    for path, rankings in ((left, lefts), (right, rights)):
        missing = [query for query in queries if query not in rankings]
        if missing:
            words = "query" if len(missing) == 1 else "queries"
            note(f"note: {path} has no ranking for {words} {enumeration(missing)}; left out.")
    if not lefts.keys() & rights.keys():
        raise FileError(f"{left} and {right} have no query in common; give two rankings of the same queries.")
    names = [EVERY] if impressions is None else [str(number) for number in range(1, impressions + 1)]
    return [
        Listing(
            query,
            name,
            type(maker).__name__,
            maker.counting,
            maker.interleave(lefts[query], rights[query], default_rng([seed, place, number]), length),
        )
        for place, query in enumerate(queries)
        if query in lefts and query in rights
        for number, name in enumerate(names)
    ]


def show_listings(listings: list[Listing]) -> None:
    """Print the lists, each document with the side that gets its clicks."""
    terminal = console()
    for one in listings[:MOST]:
        terminal.print(heading(one.title or "The list to show"))
        drawn = table("place", "document", "credited to")
        for place, (document, team) in enumerate(zip(one.shown.documents, one.shown.teams, strict=True), 1):
            drawn.add_row(str(place), Text(str(document)), TEAMS[team])
        terminal.print(drawn, "", sep="\n")
    if len(listings) > MOST:
        terminal.print(Text(f"and {count(len(listings) - MOST)} more lists; --out writes them all."))


def note(text: str) -> None:
    """Print what is no part of the result."""
    console(stderr=True).print(Text(text), soft_wrap=True)
