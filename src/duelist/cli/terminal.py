"""How things look on a terminal: one console, one kind of table, names and numbers for people."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def console(stderr: bool = False) -> Console:
    """Return the console to print on; colours only what it is told to."""
    return Console(stderr=stderr, highlight=False)


def table(*headings: str, numbers: Sequence[str] = ()) -> Table:
    """Return an empty table; the first column is never broken, and columns of numbers are set right.

    Examples
    --------
    >>> [column.justify for column in table("learner", "regret", numbers=["regret"]).columns]
    ['left', 'right']
    """
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


def number(value: float) -> str:
    """Return a number with the digits people read.

    Examples
    --------
    >>> number(23671.34), number(226.4), number(4.0), number(0.00123)
    ('23,671', '226', '4.0', '0.0012')
    """
    if abs(value) >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1.0 or value == 0.0 else f"{value:.2g}"


def enumeration(names: Sequence[str], limit: int = 8) -> str:
    """Return names in a row, the first few of many.

    Examples
    --------
    >>> enumeration(["bm25", "dense", "random"], limit=2)
    'bm25, dense and 1 more'
    """
    row = ", ".join(names[:limit])
    return row if len(names) <= limit else f"{row} and {len(names) - limit} more"


def arms(labels: Sequence[str]) -> str:
    """Return the arms of those names, in words.

    Examples
    --------
    >>> arms(["dense"]), arms(["0", "3"])
    ('arm dense', 'arms 0, 3')
    """
    return f"{'arm' if len(labels) == 1 else 'arms'} {enumeration(labels)}"


def count(value: float) -> str:
    """Return how many there are; a tie counts as two halves.

    Examples
    --------
    >>> count(1234567.0), count(0.5)
    ('1,234,567', '0.5')
    """
    return f"{value:,.10g}"


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
