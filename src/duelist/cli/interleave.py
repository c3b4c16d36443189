"""`duelist interleave`: one list out of two rankings, and a preference out of the clicks on it."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from duelist.cli.options import Format, option
from duelist.cli.terminal import console, examples, heading, say, table
from duelist.errors import ParameterError, require_whole
from duelist.text import count, counted, enumeration

if TYPE_CHECKING:
    from duelist.interleaving.analysis.preference import CreditedClicks
    from duelist.interleaving.files import Listing

EXAMPLES = examples(
    r"printf 'q1 a\nq1 b\nq2 c\nq2 d\n' > bm25.txt",
    r"printf 'q1 e\nq1 a\nq2 f\nq2 c\n' > dense.txt",
    "duelist interleave bm25.txt dense.txt --length 10",
    "duelist interleave bm25.txt dense.txt --impressions 3 --out shown.jsonl",
    r"printf 'q1 1\nq2 2\nq1 3\nq1 2\n' > served",
    r"printf 'q1 1 e\nq1 3 e\nq2 2 c\n' > clicks",
    "duelist interleave --shown shown.jsonl --served served --clicks clicks",
)
TEAMS = {0: "left", 1: "right", -1: ""}
MOST = 20  # the number of lists or impressions that are printed; files and JSON have them all
CREDITING = "To credit clicks"  # the heading of options in the help text


def interleave(
    left: Annotated[
        Path | None, typer.Argument(metavar="LEFT", help="A file of rankings, or a TREC run.")
    ] = None,
    right: Annotated[Path | None, typer.Argument(metavar="RIGHT", help="The rankings to compare.")] = None,
    method: Annotated[
        str,
        option(
            "--method -m NAME",
            "One of balanced, optimized, pairwise_preference, probabilistic, sample_only, team_draft.",
        ),
    ] = "team_draft",
    counting: Annotated[
        str,
        option(
            "--counting RULE",
            "Which clicks count: all, first, or unshared, which leaves out what both rankings begin with.",
        ),
    ] = "all",
    length: Annotated[int | None, option("--length -k N", "Documents to show.", "all")] = None,
    impressions: Annotated[
        int | None,
        option(
            "--impressions -t N",
            "Lists to draw for each query, numbered from 1: one for each time that it is asked.",
            "one list for all",
        ),
    ] = None,
    seed: Annotated[int, option("--seed N", "Equal seeds give equal lists.")] = 0,
    out: Annotated[
        Path | None,
        option(
            "--out -o PATH",
            "Where to write the lists, a JSON object a line, to be credited later.",
            "they are printed",
        ),
    ] = None,
    force: Annotated[bool, option("--force", "Overwrite the file of --out.")] = False,
    shown: Annotated[
        Path | None,
        option("--shown PATH", "Lists that were written by --out, to be credited.", panel=CREDITING),
    ] = None,
    served: Annotated[
        Path | None,
        option(
            "--served PATH",
            "Which of them were served, a line `query impression` each; the others do not count.",
            "those with clicks",
            panel=CREDITING,
        ),
    ] = None,
    clicks: Annotated[
        Path | None,
        option(
            "--clicks PATH",
            "Clicks on them, a line `query impression document` each; see above.",
            panel=CREDITING,
        ),
    ] = None,
    once: Annotated[
        bool,
        option(
            "--once",
            "Test once, at a number of impressions fixed in advance, which needs fewer of them: Student's.",
            panel=CREDITING,
        ),
    ] = False,
    format: Format = "text",
) -> None:
    """Interleave two rankings, or tell from clicks which one is preferred.

    A file of rankings has a document a line, best first; or `query document`; or the six columns of a TREC
    run, which is sorted by score, equal scores by rank. First make the lists with LEFT and RIGHT; when people
    have clicked, credit them with `--shown` and `--clicks`.

    A file of clicks has a line `query impression document` for each click, such as `q1 17 doc8`; without the
    query if rankings name none, and without the impression if each list was shown once. Log each list that is
    served too, `query impression`, and give that file as `--served`: a served list without clicks is a tie.
    A last column of both files may name the user; then every user counts once.

    You may look as often as you like, and stop when told so: the test holds at all times at once, if both
    files grow at their ends. It says about how many more impressions it needs.

    The same query is asked often: draw a list for each impression with `--impressions 500`. If all see one
    list instead, give impressions names of your own; every list counts once, however often it was shown:
    whoever the draw put first was first each time. A program that draws the lists itself can write lines as
    `--out` does.
    """
    from duelist.cli.specs import resolve
    from duelist.files import require_file
    from duelist.interleaving.analysis.preference import credit_clicks
    from duelist.interleaving.files import (
        CLICKS,
        forms_of,
        interleave_queries,
        method_of,
        read_impressions,
        read_listings,
        read_ranking_pair,
        write_listings,
    )
    from duelist.registry import INTERLEAVINGS

    if clicks is not None or shown is not None or served is not None:
        if clicks is None or shown is None or left is not None or right is not None:
            raise ParameterError("to credit clicks give --shown and --clicks, and no rankings.")
        drawn = read_listings(shown)
        credited = credit_clicks(read_impressions(clicks, drawn, served), once)
        if served is None:
            note_unclicked(clicks, drawn, credited)
        if format == "json":
            typer.echo(json.dumps(credited.to_dict(), indent=2))
        else:
            show_credited(credited)
        return
    if left is None or right is None:
        raise ParameterError("give two files of rankings, LEFT and RIGHT, or --shown and --clicks.")
    require_whole("seed", seed, 0)
    for name, number in (("impressions", impressions), ("length", length)):
        if number is not None:
            require_whole(name, number, 1)
    chosen = method_of(resolve("interleaving", method, INTERLEAVINGS), counting)
    if out is not None:
        require_file(out)
    lefts, rights = read_ranking_pair(left, right)
    note_missing(left, [query for query in rights if query not in lefts])
    note_missing(right, [query for query in lefts if query not in rights])
    listings = interleave_queries(lefts, rights, chosen, length, impressions, seed, (str(left), str(right)))
    if out is not None:
        write_listings(out, listings, force)
        form = list(forms_of(CLICKS, listings).values())
        say(
            f"{counted(len(listings), 'list')} written to {out}. When there are clicks, lines of "
            f"`{form[1 if impressions else 0]}`: "
            f"duelist interleave --shown {quote(str(out))} --served SERVED --clicks CLICKS",
            stderr=True,
        )
    elif format == "json":
        typer.echo(json.dumps([one.to_dict() for one in listings], indent=2))
    else:
        show_listings(listings)


def note_missing(path: Path, queries: Sequence[str]) -> None:
    """Print which queries a file does not rank."""
    if queries:
        word = "query" if len(queries) == 1 else "queries"
        say(f"note: {path} has no ranking for {word} {enumeration(queries)}; left out.", stderr=True)


def note_unclicked(clicks: Path, drawn: "Sequence[Listing]", credited: "CreditedClicks") -> None:
    """Print that lists without clicks are left out, because nothing says that they were served."""
    unclicked = len(drawn) - len({one.listing[:2] for one in credited.impressions})
    if unclicked:
        say(
            f"note: {count(unclicked)} of {counted(len(drawn), 'list')} have no click in {clicks} and are "
            "left out; name those that were served with --served, and they count as ties.",
            stderr=True,
        )


def show_listings(listings: "Sequence[Listing]") -> None:
    """Print the lists, each document with the side that gets its clicks."""
    terminal = console()
    for one in listings[:MOST]:
        terminal.print(heading(one.title or "The list to show"))
        drawn = table("place", "document", "credited to")
        for place, (document, team) in enumerate(zip(one.shown.documents, one.shown.teams, strict=True), 1):
            drawn.add_row(str(place), Text(str(document)), TEAMS[team])
        terminal.print(drawn, "", sep="\n")
    if len(listings) > MOST:
        terminal.print(Text(f"and {counted(len(listings) - MOST, 'more list')}; --out writes them all."))


def show_credited(credited: "CreditedClicks") -> None:
    """Print which ranking is preferred, and the winners of the first impressions."""
    names = {
        "query": [one.listing.query for one in credited.impressions],
        "impression": [one.impression for one in credited.impressions],
    }
    say(credited.verdict, "bold")
    say("left is {}, right is {}\n".format(*credited.sides))
    told = [name for name, values in names.items() if any(values)]
    drawn = table(*told, "clicks", "outcome", "winner", numbers=("clicks", "outcome"))
    rows = zip(credited.impressions, credited.outcomes, credited.winners, strict=True)
    for place, (one, outcome, winner) in enumerate(islice(rows, MOST)):
        cells = [names[name][place] for name in told]
        drawn.add_row(*map(Text, cells), count(len(one.clicked)), f"{outcome:.2f}", winner)
    terminal = console()
    terminal.print(drawn, "", sep="\n")
    more = len(credited.outcomes) - MOST
    if more > 0:
        terminal.print(Text(f"and {counted(more, 'more impression')}; --format json has them all.\n"))
    say(credited.details)
