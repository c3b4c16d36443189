"""How things look on a terminal: one console, one kind of table, one JSON document."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from duelist.text import short_labels

if TYPE_CHECKING:
    from duelist.votes import Votes
    from duelist.web.page import Document, Part

KEPT = "unfinished.npz"  # the file of runs that had finished when a command was stopped
INDENT, GAP = 2, 2
"""Columns of the terminal before each part, and between two columns of a table."""
SHORTEST = 6
"""Letters of a name that are left however narrow the terminal is."""


@contextmanager
def resumable(out: Path | None, files: Sequence[str], as_json: bool = False) -> Iterator[Path | None]:
    """Yield the file of a folder that keeps finished runs if the block is interrupted, and report it.

    A block that ends has written these files to the folder; they are named, on stderr if JSON is printed.
    """
    if out is None:
        yield None
        return
    kept = out / KEPT
    resumed = kept.exists()
    try:
        yield kept
    except KeyboardInterrupt:
        if kept.exists():
            say(f"note: {kept} keeps the finished runs; the same command resumes them.", stderr=True)
        raise
    if resumed:
        say(f"note: resumed from the finished runs in {kept}.", stderr=True)
    kept.unlink(missing_ok=True)
    console(as_json).print(Text(f"Written to {out}: {', '.join(files)}."))


def print_json(document: object) -> None:
    """Print one JSON document; numbers that JSON does not have, such as NaN, become null."""
    typer.echo(json.dumps(plain(document), indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """Return a value as JSON holds it."""
    match value:
        case float():
            return value if isfinite(value) else None
        case Mapping():
            return {str(key): plain(one) for key, one in value.items()}
        case list() | tuple():
            return [plain(one) for one in value]
        case Path():
            return str(value)
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def console(stderr: bool = False) -> Console:
    """Return a console that colours only what has a style."""
    return Console(stderr=stderr, highlight=False)


def say(text: object, style: str = "", stderr: bool = False) -> None:
    """Print a text without markup; the terminal breaks its lines."""
    console(stderr).print(Text(str(text), style), soft_wrap=True)


def say_notes(votes: "Votes", into_study: bool = False) -> None:
    """Report on stderr what was not used or left out of a file."""
    notes = [] if votes.notes is None else votes.notes.sentences(columns=False)
    if into_study and votes.weights is not None:
        notes.append("A study keeps no weights; every vote counts as one.")
    for sentence in notes:
        say(f"note: {sentence}", stderr=True)


def table(*headings: str, numbers: Sequence[str] = ()) -> Table:
    """Return an empty table; the first column never wraps, and columns of numbers are right-aligned."""
    drawn = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 1, 0, 0)
    )
    for column, heading in enumerate(headings):
        if heading in numbers:
            drawn.add_column(heading.replace(" ", "\n"), justify="right", no_wrap=True)
        else:
            drawn.add_column(heading, no_wrap=column == 0, overflow="fold")
    return drawn


def heading(text: str) -> Text:
    return Text(text, style="bold cyan")


def glossary(entries: Mapping[str, str]) -> Table:
    """Return a table of terms and their explanations."""
    drawn = Table.grid(padding=(0, 2, 0, 0))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold")
    for term, text in entries.items():
        drawn.add_row(Text(term), Text(text))
    return drawn


def show(document: "Document") -> None:
    """Print a document without its figures."""
    terminal = console()
    terminal.print(heading(document.title), soft_wrap=True)
    for remark in document.remarks:
        terminal.print(Text(remark), soft_wrap=True)
    terminal.print()
    terminal.print(Text(document.lead, "bold"), soft_wrap=True)
    for section in document.sections:
        parts = [one for part in section.parts if (one := written(part)) is not None]
        if parts:
            terminal.print("", heading(section.title), sep="\n")
        for number, one in enumerate(parts):
            if isinstance(one, Text) and number and not isinstance(parts[number - 1], Text):
                terminal.print()
            terminal.print(Padding(one, (0, 0, 0, INDENT), expand=False))


def written(part: "Part") -> RenderableType | None:
    """Return a part of a document as a terminal shows it; None for a figure."""
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
    """Return a table of names and numbers; names are shortened if the numbers would not fit."""
    numbers = [max(len(row[column]) for row in (headings, *rows)) for column in range(1, len(headings))]
    width = console().width - INDENT - sum(numbers) - GAP * len(headings)
    labels = short_labels([row[0] for row in rows], max(width, SHORTEST))
    drawn = table(*headings, numbers=headings[1:])
    for label, row in zip(labels, rows, strict=True):
        drawn.add_row(Text(label), *map(Text, row[1:]))
    return drawn


def examples(commands: Iterable[str]) -> str:
    """Return commands as the end of a help text, which is Markdown."""
    return "\n".join(["**Examples**", "", *(f"- `{command}`" for command in commands)])
