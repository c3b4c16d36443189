"""Formatting of text: reports, plain tables, numbers, and names shortened to the available width."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import count as count_from
from typing import Any

DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Invisible characters that change the direction of the following text."""
JOINER = "\u200d"
LONGEST_LABEL = 60
"""The largest width of a name on a page."""
SKIN_TONES = range(0x1F3FB, 0x1F400)


@dataclass(frozen=True)
class Report:
    """Base class of results that print as plain text and convert to JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, including nested reports, as values that JSON supports.

        Returns
        -------
        dict
            The fields by name.
        """
        return asdict(self)


def align(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table as text, with the first column left-aligned and all others right-aligned."""
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
    """Format a p-value with its significant digits."""
    return "<0.001" if chance < 0.001 else f"{chance:.3f}"


def say_p_value(chance: float) -> str:
    """Format a p-value as part of a sentence."""
    text = as_p_value(chance)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def begin_sentence(side: str) -> str:
    """Capitalise "left" and "right"; names of files are not changed."""
    return side.capitalize() if side in ("left", "right") else side


def list_warnings(warnings: Sequence[str]) -> str:
    """Format warnings, one per line, to be appended to a report."""
    return "".join(f"\nWarning: {warning}" for warning in warnings)


def number(value: float) -> str:
    """Format a number with two or three significant digits, or as a whole number from 100 on."""
    if abs(value) >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1.0 or value == 0.0 else f"{value:.2g}"


def enumeration(names: Sequence[str], limit: int = 8) -> str:
    """Join names with commas; of many names, only the first ones."""
    row = ", ".join(names[:limit])
    return row if len(names) <= limit else f"{row} and {len(names) - limit} more"


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Sort names, as numbers if all of them are whole numbers."""
    known = sorted(names)
    return sorted(known, key=int) if all(name.isdecimal() for name in known) else known


def arms(labels: Sequence[str]) -> str:
    return f"{'arm' if len(labels) == 1 else 'arms'} {enumeration(labels)}"


def count(value: float) -> str:
    """Format a count, which may have a fraction because a tie counts as two halves."""
    return f"{value:,.10g}"


def counted(many: float, one: str) -> str:
    """Format a count with a pluralised noun.

    Examples
    --------
    >>> counted(1, "query"), counted(2000, "query"), counted(0, "arm")
    ('1 query', '2,000 queries', '0 arms')
    """
    plural = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count(many)} {one if many == 1 else plural}"


def all_digits(value: float) -> str:
    """Format a number with all its digits."""
    return f"{value:.15g}"


def short_labels(names: Sequence[str], longest: int) -> list[str]:
    """Shorten names to a width, such that distinct names get distinct labels.

    A name is truncated at its end. Names that would then look the same keep their beginning and their end, or
    else the part in which they differ; a number is the last resort. Characters that change the direction of
    text are removed, and control characters become spaces.

    Parameters
    ----------
    names : sequence of str
        All names that are displayed together.
    longest : int
        The width of a label in letters; a wide character, such as a Chinese one or an emoji, counts as two.

    Returns
    -------
    list of str
        One label per name.

    Examples
    --------
    >>> short_labels(["bm25", "a-very-long-name", "mixtral-8x22b-v0.1", "mixtral-8x22b-v0.3"], 12)
    ['bm25', 'a-very-long…', 'mixtra…-v0.1', 'mixtra…-v0.3']
    """
    distinct = list(dict.fromkeys(names))
    whole = [_characters(name) for name in distinct]
    labels = [_cut(name, longest) for name in whole]
    for alike in _same(labels):
        cut = [index for index in alike if labels[index] != "".join(whole[index])]
        for index, label in zip(cut, _distinguished([whole[index] for index in cut], longest), strict=True):
            labels[index] = label
    taken = Counter(labels)
    for index in (later for alike in _same(labels) for later in alike[1:]):
        suffixes = (f" ({number})" for number in count_from(2))
        numbered = (_cut(whole[index], longest - len(suffix)) + suffix for suffix in suffixes)
        labels[index] = next(label for label in numbered if label not in taken)
        taken[labels[index]] += 1
    label_of = dict(zip(distinct, labels, strict=True))
    return [label_of[name] for name in names]


class Labels:
    """Shortens names that are displayed together; distinct names get distinct labels.

    Parameters
    ----------
    names : sequence of str
        All names that are displayed together.

    Examples
    --------
    >>> label = Labels(["Write a poem about rain", "Write a poem about snow"])
    >>> label("Write a poem about rain", 12), label("Write a poem about snow", 12), label("An admin", 12)
    ('Write … rain', 'Write … snow', 'An admin')
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = names
        self._known: dict[int, dict[str, str]] = {}

    def __call__(self, name: str, longest: int = LONGEST_LABEL) -> str:
        """Return the label of a name; a name that is not among `names` is shortened on its own."""
        if longest not in self._known:
            self._known[longest] = dict(zip(self.names, short_labels(self.names, longest), strict=True))
        known = self._known[longest].get(name)
        return short_labels([name], longest)[0] if known is None else known

    def in_sentence(self, name: str) -> str:
        """Return a label as part of a sentence, isolated from it if the label is written right to left."""
        label = self(name)
        leftward = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in label)
        return f"\u2068{label}\u2069" if leftward else label


def text_width(text: str) -> int:
    """Return the width of a text in letters; a wide character counts as two.

    Examples
    --------
    >>> text_width("abc"), text_width("\u65e5\u672c"), text_width("e\u0301")
    (3, 4, 1)
    """
    return sum(map(_width, _characters(text)))


def _characters(name: str) -> list[str]:
    """Split a name into what readers perceive as characters, such as a letter with its accents."""
    found: list[str] = []
    for sign in name:
        kind = unicodedata.category(sign)
        joins = kind in ("Mn", "Me", "Mc") or sign == JOINER or ord(sign) in SKIN_TONES
        if sign in DIRECTIONS:
            continue
        if kind in ("Cc", "Cs", "Zl", "Zp"):
            found.append(" ")
        elif found and (joins or found[-1].endswith(JOINER)):
            found[-1] += sign
        else:
            found.append(sign)
    return found


def _width(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character[0]) in ("W", "F") else 1


def _beginning(name: Sequence[str], width: int) -> int:
    """Return how many characters at the beginning fit into the width."""
    for index, character in enumerate(name):
        width -= _width(character)
        if width < 0:
            return index
    return len(name)


def _cut(name: Sequence[str], longest: int) -> str:
    if _beginning(name, longest) == len(name):
        return "".join(name)
    return f"{''.join(name[: _beginning(name, longest - 1)]).rstrip()}…"


def _same(labels: Sequence[str]) -> list[list[int]]:
    """Return the indices of labels that occur more than once, grouped by label."""
    indices: dict[str, list[int]] = {}
    for index, label in enumerate(labels):
        indices.setdefault(label, []).append(index)
    return [alike for alike in indices.values() if len(alike) > 1]


def _distinguished(names: Sequence[list[str]], longest: int) -> list[str]:
    """Shorten names to their beginnings and ends or, if these are equal, to the parts that differ."""
    labels = []
    for name in names:
        head = name[: _beginning(name, longest // 2)]
        tail = name[len(name) - _beginning(name[::-1], (longest - 1) // 2) :]
        labels.append("".join([*head, "…", *tail]))
    for alike in _same(labels):
        parts = _differing_parts([names[index] for index in alike], longest)
        for index, label in zip(alike, parts, strict=True):
            labels[index] = label
    return labels


def _differing_parts(names: Sequence[list[str]], longest: int) -> list[str]:
    """Shorten names to their beginnings and the parts from the first difference on."""
    shortest = min(map(len, names))
    first = next((index for index in range(shortest) if len({name[index] for name in names}) > 1), shortest)
    begin, head = max(first - 2, 0), names[0][: _beginning(names[0][:first], longest // 3)]
    labels = ["".join([*head, "…", _cut(name[begin:], longest - longest // 3 - 1)]) for name in names]
    for alike in _same(labels):
        if len(alike) < len(names):
            parts = _differing_parts([names[index] for index in alike], longest)
            for index, label in zip(alike, parts, strict=True):
                labels[index] = label
    return labels


def shortened(value: Any) -> str:
    """Return the repr of a value, shortened for an error message."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with thousands of digits; a list that contains itself
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."
