"""Text for people: reports, plain tables, numbers and names in words."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Report:
    """Findings that print as plain text and convert to JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, nested reports too, as what JSON can hold."""
        return asdict(self)


def align(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text, the first column to the left and all others to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def as_p_value(chance: float) -> str:
    """Return a p-value with as many digits as mean something."""
    return "<0.001" if chance < 0.001 else f"{chance:.3f}"


def say_p_value(chance: float) -> str:
    """Return a p-value as part of a sentence."""
    text = as_p_value(chance)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def begin_sentence(side: str) -> str:
    """Return left or right with a capital letter; names of files are left as they are."""
    return side.capitalize() if side in ("left", "right") else side


def list_warnings(warnings: Sequence[str]) -> str:
    """Return warnings, one a line, below what they are about."""
    return "".join(f"\nWarning: {warning}" for warning in warnings)


def number(value: float) -> str:
    """Return a number with the digits people read."""
    if abs(value) >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1.0 or value == 0.0 else f"{value:.2g}"


def enumeration(names: Sequence[str], limit: int = 8) -> str:
    """Return names in a row, the first few of many."""
    row = ", ".join(names[:limit])
    return row if len(names) <= limit else f"{row} and {len(names) - limit} more"


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Return names sorted, whole numbers as numbers."""
    known = sorted(names)
    return sorted(known, key=int) if all(name.isdecimal() for name in known) else known


def arms(labels: Sequence[str]) -> str:
    """Return the arms of those names, in words."""
    return f"{'arm' if len(labels) == 1 else 'arms'} {enumeration(labels)}"


def count(value: float) -> str:
    """Return how many there are; a tie counts as two halves."""
    return f"{value:,.10g}"


def counted(many: float, one: str, more: str | None = None) -> str:
    """Return a number and what it counts; the plural is `more`, or the singular with an s."""
    return f"{count(many)} {one if many == 1 else more or f'{one}s'}"


def all_digits(value: float) -> str:
    """Return a number with all its digits, and no more."""
    return f"{value:.15g}"
