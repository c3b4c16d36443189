"""How things look on a terminal: one console, one kind of table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from duelist.votes import Votes

KEPT = "unfinished.npz"  # the file of runs that were finished when a command was stopped


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


def examples(*commands: str) -> str:
    """Return commands as the end of a help text, which is Markdown."""
    return "\n".join(["**Examples**", "", *(f"- `{command}`" for command in commands)])
