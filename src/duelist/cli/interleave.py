"""`duelist interleave`: one list out of two rankings, and a preference out of the clicks on it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from numpy.random import default_rng
from rich.text import Text

from duelist.catalog import INTERLEAVINGS, build
from duelist.cli.analyze import Format
from duelist.cli.ranking_files import (
    EXPECTED,
    ONLY,
    Listing,
    clicks_of,
    read_listings,
    read_rankings,
    write_listings,
)
from duelist.cli.specs import resolve
from duelist.cli.terminal import console, count, examples, heading, table
from duelist.errors import FileError, ParameterError, require_whole
from duelist.interleaving.analysis import analyze_overlap, analyze_preference

EXAMPLES = examples(
    "duelist interleave bm25.txt dense.txt --length 10",
    "duelist interleave bm25.run dense.run --method probabilistic --out shown.jsonl",
    "duelist interleave --shown shown.jsonl --clicks clicks.txt",
)
TEAMS = {0: "left", 1: "right", -1: ""}
OUTCOMES = {1.0: "left", 0.0: "right", 0.5: "tie"}
MOST = 20
"""So many queries are printed; a file holds them all."""


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
        typer.Option(metavar="PATH", help="Clicked documents, in the form of a file of rankings."),
    ] = None,
    format: Annotated[Format, typer.Option(help="For people, or for programs.")] = Format.TEXT,
) -> None:
    """Interleave two rankings into one list, or tell from the clicks on such lists which is preferred.

    A file of rankings has a document a line, best first; or `query document`; or the six columns of a TREC
    run. First make the lists with LEFT and RIGHT; when people have clicked, credit them with `--shown` and
    `--clicks`.
    """
    if clicks is not None or shown is not None:
        if clicks is None or shown is None or left is not None or right is not None:
            raise ParameterError("to credit clicks give --shown and --clicks, and no rankings.")
        credit(shown, clicks, format)
        return
    if left is None or right is None:
        raise ParameterError("give two files of rankings, LEFT and RIGHT, or --shown and --clicks.")
    require_whole("seed", seed, 0)
    name = resolve("method", method, INTERLEAVINGS)
    maker: Any = build(name, INTERLEAVINGS[name], {"counting": counting})
    listings = make_listings(left, right, maker, length, seed)
    if out is not None:
        write_listings(out, listings)
        text = f"{count(len(listings))} lists written to {out}. When there are clicks: duelist interleave "
        console(stderr=True).print(Text(f"{text}--shown {out} --clicks CLICKS"), soft_wrap=True)
    elif format is Format.JSON:
        typer.echo(json.dumps([one.facts() for one in listings], indent=2))
    else:
        show_listings(listings)


def make_listings(left: Path, right: Path, maker: Any, length: int | None, seed: int) -> list[Listing]:
    """Interleave the rankings of every query that either file has; each query has luck of its own."""
    lefts, rights = read_rankings(left), read_rankings(right)
    for path, rankings in ((left, lefts), (right, rights)):
        if not rankings:
            raise FileError(f"{path} names no document; give {EXPECTED}.")
    if (ONLY in lefts) != (ONLY in rights):
        raise ParameterError(f"{left} and {right} must both name queries, or neither.")
    queries = dict.fromkeys([*lefts, *rights])
    return [
        Listing(
            query,
            type(maker).__name__,
            maker.counting,
            maker.interleave(lefts.get(query, []), rights.get(query, []), default_rng([seed, place]), length),
        )
        for place, query in enumerate(queries)
    ]


def show_listings(listings: list[Listing]) -> None:
    """Print the lists, each document with the side that gets its clicks."""
    terminal = console()
    for one in listings[:MOST]:
        terminal.print(heading(f"query {one.query}" if one.query != ONLY else "The list to show"))
        drawn = table("place", "document", "credited to")
        for place, (document, team) in enumerate(zip(one.shown.documents, one.shown.teams, strict=True), 1):
            drawn.add_row(str(place), Text(str(document)), TEAMS[team])
        terminal.print(drawn, "", sep="\n")
    if len(listings) > MOST:
        terminal.print(Text(f"and {count(len(listings) - MOST)} more queries; --out writes them all."))


def credit(shown: Path, clicks: Path, format: Format) -> None:
    """Print who wins each query, and what all of them say together."""
    listings = read_listings(shown)
    clicked = clicks_of(clicks, listings, read_rankings(clicks))
    outcomes = []
    for one, documents in zip(listings, clicked, strict=True):
        name = resolve("method", one.method, INTERLEAVINGS)
        maker: Any = build(name, INTERLEAVINGS[name], {"counting": one.counting})
        outcomes.append(float(maker.credit(one.shown, documents)))
    report = analyze_preference(outcomes)
    overlap = analyze_overlap([one.shown.left for one in listings], [one.shown.right for one in listings])
    if format is Format.JSON:
        by_query = dict(zip((one.query for one in listings), outcomes, strict=True))
        facts = {"outcomes": by_query, "preference": report.to_dict(), "overlap": overlap.to_dict()}
        typer.echo(json.dumps(facts, indent=2))
        return
    drawn = table("query", "clicks", "outcome", "winner", numbers=("clicks", "outcome"))
    for one, documents, outcome in list(zip(listings, clicked, outcomes, strict=True))[:MOST]:
        winner = OUTCOMES.get(outcome, "left" if outcome > 0.5 else "right")
        drawn.add_row(Text(one.query), count(len(set(documents))), f"{outcome:.2f}", winner)
    terminal = console()
    terminal.print(drawn, "", sep="\n")
    if len(listings) > MOST:
        terminal.print(Text(f"and {count(len(listings) - MOST)} more queries; --format json has them all.\n"))
    if len(listings) > 1:
        terminal.print(Text(str(report)), "", Text(str(overlap)), sep="\n", soft_wrap=True)
