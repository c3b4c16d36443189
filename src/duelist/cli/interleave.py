"""`duelist interleave`: one list out of two rankings, and a preference out of the clicks on it."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from duelist.cli.options import Json, Seed, option
from duelist.cli.terminal import console, heading, print_json, say, table
from duelist.errors import ParameterError, require_whole
from duelist.text import count, counted, enumeration

if TYPE_CHECKING:
    from duelist.interleaving.analysis.preference import CreditedClicks
    from duelist.interleaving.files import Listing

EXAMPLES = (
    r"printf 'q1 a\nq1 b\nq2 c\nq2 d\n' > bm25.txt",
    r"printf 'q1 e\nq1 a\nq2 f\nq2 c\n' > dense.txt",
    "duelist interleave bm25.txt dense.txt --length 10",
    "duelist interleave bm25.txt dense.txt --impressions 3 --save shown.jsonl",
    r"printf 'q1 1\nq2 2\nq1 3\nq1 2\n' > served",
    r"printf 'q1 1 e\nq1 3 e\nq2 2 c\n' > clicks",
    "duelist interleave --shown shown.jsonl --served served --clicks clicks",
)
TEAMS = {0: "left", 1: "right", -1: ""}
MOST = 20  # how many lists or impressions are printed; files and JSON have them all
CREDITING = "Crediting clicks"  # the panel of options for the second step


def interleave(
    left: Annotated[
        Path | None, typer.Argument(metavar="LEFT", help="File of rankings, or a TREC run.")
    ] = None,
    right: Annotated[
        Path | None, typer.Argument(metavar="RIGHT", help="File of the rankings to compare with.")
    ] = None,
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
            "Clicks that count: all, first, or unshared (those below the common prefix of both rankings).",
        ),
    ] = "all",
    length: Annotated[
        int | None, option("--length -k N", "Maximum number of documents in a list.", "all")
    ] = None,
    impressions: Annotated[
        int | None,
        option(
            "--impressions -t N",
            "Number of lists to draw for each query, one per impression; impressions are numbered from 1.",
            "one list for all",
        ),
    ] = None,
    seed: Seed = 0,
    save: Annotated[
        Path | None,
        option(
            "--save FILE",
            "File to write the lists to, as JSON lines; you need it to credit clicks later.",
            "they are printed",
        ),
    ] = None,
    force: Annotated[bool, option("--force", "Overwrite the file that --save names.")] = False,
    shown: Annotated[
        Path | None,
        option("--shown FILE", "File of lists that --save wrote.", "none", CREDITING),
    ] = None,
    served: Annotated[
        Path | None,
        option(
            "--served FILE",
            "File with a line `query impression` for each list that was served; other lists do not count.",
            "those with clicks",
            CREDITING,
        ),
    ] = None,
    clicks: Annotated[
        Path | None,
        option(
            "--clicks FILE",
            "File with a line `query impression document` for each click, as described above.",
            "none",
            CREDITING,
        ),
    ] = None,
    once: Annotated[
        bool,
        option(
            "--once",
            "Use Student's fixed-sample t-test instead of the anytime-valid test. It needs fewer "
            "impressions, but you must fix their number in advance.",
            panel=CREDITING,
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Interleave two rankings, or find out from clicks which one people prefer.

    A file of rankings has one document per line, best first; or `query document`; or the six columns of a
    TREC run, which is sorted by score, equal scores by rank. First make the lists from LEFT and RIGHT. When
    people have clicked, credit the clicks with `--shown` and `--clicks`.

    A file of clicks has a line `query impression document` for each click, such as `q1 17 doc8`; omit the
    query if the rankings have none, and the impression if each list was shown once. Log each list that is
    served too, `query impression`, and pass that file as `--served`: a served list without clicks is a tie.
    Both files may name the user in a last column; then every user counts once.

    You can check after every click, and stop at the first verdict, if both files only grow at their ends: the
    test is anytime-valid. It also estimates how many more impressions it needs.

    The same query is searched often: draw a list for each impression with `--impressions 500`. If everybody
    sees one list instead, name the impressions yourself. Then every list counts once, however often it was
    shown, because the ranking that was drawn first was first each time. Programs that draw the lists
    themselves can write the same lines as `--save`.
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
            raise ParameterError(
                "--shown and --clicks go together, without LEFT and RIGHT; give --shown FILE and --clicks "
                "FILE alone."
            )
        drawn = read_listings(shown)
        credited = credit_clicks(read_impressions(clicks, drawn, served), once)
        if served is None:
            note_unclicked(clicks, drawn, credited)
        if as_json:
            print_json(credited.to_dict())
        else:
            show_credited(credited)
        return
    if left is None or right is None:
        raise ParameterError(
            "LEFT or RIGHT is missing; give two files of rankings, or both --shown FILE and --clicks FILE."
        )
    require_whole("seed", seed, 0)
    for name, number in (("impressions", impressions), ("length", length)):
        if number is not None:
            require_whole(name, number, 1)
    chosen = method_of(resolve("interleaving method", method, INTERLEAVINGS), counting)
    if save is not None:
        require_file(save)
    lefts, rights = read_ranking_pair(left, right)
    note_missing(left, [query for query in rights if query not in lefts])
    note_missing(right, [query for query in lefts if query not in rights])
    listings = interleave_queries(lefts, rights, chosen, length, impressions, seed, (str(left), str(right)))
    if save is not None:
        write_listings(save, listings, force)
        form = list(forms_of(CLICKS, listings).values())
        say(
            f"{counted(len(listings), 'list')} written to {save}. Log clicks as lines of "
            f"`{form[1 if impressions else 0]}`, then credit them: "
            f"duelist interleave --shown {quote(str(save))} --served SERVED --clicks CLICKS",
            stderr=True,
        )
    if as_json:
        print_json([one.to_dict() for one in listings])
    elif save is None:
        show_listings(listings)


def note_missing(path: Path, queries: Sequence[str]) -> None:
    if queries:
        word = "query" if len(queries) == 1 else "queries"
        say(f"note: {path} has no ranking for {word} {enumeration(queries)}; left out.", stderr=True)


def note_unclicked(clicks: Path, drawn: "Sequence[Listing]", credited: "CreditedClicks") -> None:
    """Report that lists without clicks are left out, because no file says that they were served."""
    unclicked = len(drawn) - len({one.listing[:2] for one in credited.impressions})
    if unclicked:
        say(
            f"note: {count(unclicked)} of {counted(len(drawn), 'list')} have no click in {clicks} and are "
            "left out; list the served ones in a file, --served FILE, to count them as ties.",
            stderr=True,
        )


def show_listings(listings: "Sequence[Listing]") -> None:
    """Print the lists, with the side that each document's clicks are credited to."""
    terminal = console()
    for one in listings[:MOST]:
        terminal.print(heading(one.title or "The list to show"))
        drawn = table("place", "document", "credited to")
        for place, (document, team) in enumerate(zip(one.shown.documents, one.shown.teams, strict=True), 1):
            drawn.add_row(str(place), Text(str(document)), TEAMS[team])
        terminal.print(drawn, "", sep="\n")
    if len(listings) > MOST:
        terminal.print(Text(f"and {counted(len(listings) - MOST, 'more list')}; --save writes them all."))


def show_credited(credited: "CreditedClicks") -> None:
    names = {
        "query": [one.listing.query for one in credited.impressions],
        "impression": [one.impression for one in credited.impressions],
    }
    say(credited.verdict, "bold")
    say("left is {}, right is {}\n".format(*credited.sides))
    known = [name for name, values in names.items() if any(values)]
    drawn = table(*known, "clicks", "outcome", "winner", numbers=("clicks", "outcome"))
    rows = zip(credited.impressions, credited.outcomes, credited.winners, strict=True)
    for number, (one, outcome, winner) in enumerate(islice(rows, MOST)):
        cells = [names[name][number] for name in known]
        drawn.add_row(*map(Text, cells), count(len(one.clicked)), f"{outcome:.2f}", winner)
    terminal = console()
    terminal.print(drawn, "", sep="\n")
    more = len(credited.outcomes) - MOST
    if more > 0:
        terminal.print(Text(f"and {counted(more, 'more impression')}; --json has them all.\n"))
    say(credited.details)
