"""How things look on a terminal: one console, one kind of table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duelist.text import short_labels

if TYPE_CHECKING:
    from duelist.votes import Votes
    from duelist.web.page import Document, Part

KEPT = "unfinished.npz"  # the file of runs that were finished when a command was stopped
INDENT, GAP = 2, 2
"""Columns of the terminal before each part, and between two columns of a table."""
SHORTEST = 6
"""Letters of a name that are left however narrow the terminal is."""


@contextmanager
def going_on(out: Path | None, files: Sequence[str]) -> Iterator[Path | None]:
    """Yield the file of a folder in which finished runs are kept if the block is stopped, and say so.

    If the block ends, it has written these files to the folder; they are named.
    """
    if out is None:
        yield None
        return
    kept = out / KEPT
    taken_up = kept.exists()
    try:
        yield kept
    except KeyboardInterrupt:
        if kept.exists():
            say(f"note: finished runs are kept in {kept}; the same command goes on.", stderr=True)
        raise
    if taken_up:
        say(f"note: the finished runs in {kept} were taken up.", stderr=True)
    kept.unlink(missing_ok=True)
    console().print(Text(f"Written to {out}: {', '.join(files)}."))


def console(stderr: bool = False) -> Console:
    """Return the console to print on; colours only what it is told to."""
    return Console(stderr=stderr, highlight=False)


def say(text: object, style: str = "", stderr: bool = False) -> None:
    """Print a text as it is, without markup; the terminal, not we, breaks its lines."""
    console(stderr).print(Text(str(text), style), soft_wrap=True)


def say_notes(votes: "Votes", into_study: bool = False) -> None:
    """Say on the terminal what of a file was not used or left out."""
    told = [] if votes.notes is None else votes.notes.sentences(columns=False)
    if into_study and votes.weights is not None:
        told.append("A study keeps no weights; every vote counts as one.")
    for sentence in told:
        say(f"note: {sentence}", stderr=True)


def table(*headings: str, numbers: Sequence[str] = ()) -> Table:
    """Return an empty table; the first column is never broken, and columns of numbers are set right."""
    drawn = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 1, 0, 0)
    )
    for place, heading in enumerate(headings):
        if heading in numbers:
            drawn.add_column(heading.replace(" ", "\n"), justify="right", no_wrap=True)
        else:
            drawn.add_column(heading, no_wrap=place == 0, overflow="fold")
    return drawn


def heading(text: str) -> Text:
    """Return a line that begins a part of the output."""
    return Text(text, style="bold cyan")


def glossary(entries: Mapping[str, str]) -> Table:
    """Return terms beside what there is to say about each."""
    drawn = Table.grid(padding=(0, 2, 0, 0))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold")
    for term, text in entries.items():
        drawn.add_row(Text(term), Text(text))
    return drawn


def show(document: "Document") -> None:
    """Print a document, without what is drawn."""
    terminal = console()
    terminal.print(heading(document.title), soft_wrap=True)
    for remark in document.remarks:
        terminal.print(Text(remark), soft_wrap=True)
    terminal.print()
    terminal.print(Text(document.lead, "bold"), soft_wrap=True)
    for section in document.sections:
        shown = [one for part in section.parts if (one := written(part)) is not None]
        if shown:
            terminal.print("", heading(section.title), sep="\n")
        for place, one in enumerate(shown):
            if isinstance(one, Text) and place and not isinstance(shown[place - 1], Text):
                terminal.print()
            terminal.print(Padding(one, (0, 0, 0, INDENT), expand=False))


def written(part: "Part") -> RenderableType | None:
    """Return a part of a document as a terminal shows it; None for what is drawn."""
    from duelist.web.page import TextTable

    match part:
        case str():
            return Text(part)
        case Mapping():
            return glossary(part)
        case TextTable():
            return filled(part.headings, part.rows)
    return None


def filled(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of names and numbers; names are shortened where numbers would have no room."""
    numbers = [max(len(row[place]) for row in (headings, *rows)) for place in range(1, len(headings))]
    room = console().width - INDENT - sum(numbers) - GAP * len(headings)
    labels = short_labels([row[0] for row in rows], max(room, SHORTEST))
    drawn = table(*headings, numbers=headings[1:])
    for label, row in zip(labels, rows, strict=True):
        drawn.add_row(Text(label), *map(Text, row[1:]))
    return drawn


def examples(*commands: str) -> str:
    """Return commands as the end of a help text, which is Markdown."""
    return "\n".join(["**Examples**", "", *(f"- `{command}`" for command in commands)])
