"""Text for people: reports, plain tables, numbers in words, and names that fit where they are shown."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import count as count_from
from typing import Any

DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Invisible characters that turn the direction of the text after them."""
JOINER = "\u200d"
LONGEST_LABEL = 60
"""Letters of a name on a page."""
SKIN_TONES = range(0x1F3FB, 0x1F400)


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


def counted(many: float, one: str) -> str:
    """Return a number and what it counts, in the plural unless it is one.

    Examples
    --------
    >>> counted(1, "query"), counted(2000, "query"), counted(0, "arm")
    ('1 query', '2,000 queries', '0 arms')
    """
    plural = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count(many)} {one if many == 1 else plural}"


def all_digits(value: float) -> str:
    """Return a number with all its digits, and no more."""
    return f"{value:.15g}"


def short_labels(names: Sequence[str], longest: int) -> list[str]:
    """Return names shortened to the room there is; distinct names get distinct labels.

    A name is cut at its end. Names that would then look the same keep their beginning and their end, or else
    the part in which they differ; a number is the last resort. Characters that turn the direction of text are
    left out, and control characters become spaces.

    Parameters
    ----------
    names : sequence of str
        All names that are shown together.
    longest : int
        Room for a label, in letters; a wide character, such as a Chinese one or an emoji, counts as two.

    Examples
    --------
    >>> short_labels(["bm25", "a-very-long-name", "mixtral-8x22b-v0.1", "mixtral-8x22b-v0.3"], 12)
    ['bm25', 'a-very-long…', 'mixtra…-v0.1', 'mixtra…-v0.3']
    """
    distinct = list(dict.fromkeys(names))
    whole = [_characters(name) for name in distinct]
    labels = [_cut(name, longest) for name in whole]
    for alike in _same(labels):
        cut = [place for place in alike if labels[place] != "".join(whole[place])]
        for place, label in zip(cut, _told_apart([whole[place] for place in cut], longest), strict=True):
            labels[place] = label
    taken = Counter(labels)
    for place in (later for alike in _same(labels) for later in alike[1:]):
        marks = (f" ({number})" for number in count_from(2))
        numbered = (_cut(whole[place], longest - len(mark)) + mark for mark in marks)
        labels[place] = next(label for label in numbered if label not in taken)
        taken[labels[place]] += 1
    shown = dict(zip(distinct, labels, strict=True))
    return [shown[name] for name in names]


class Labels:
    """Shortens names that are shown together; distinct names stay distinct.

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
        """Return the label of a name; one that is not among the names is shortened by itself."""
        if longest not in self._known:
            self._known[longest] = dict(zip(self.names, short_labels(self.names, longest), strict=True))
        known = self._known[longest].get(name)
        return short_labels([name], longest)[0] if known is None else known

    def in_sentence(self, name: str) -> str:
        """Return a label as part of a sentence; one that is written from right to left keeps to itself."""
        shown = self(name)
        leftward = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in shown)
        return f"\u2068{shown}\u2069" if leftward else shown


def text_width(text: str) -> int:
    """Return the room that a text takes, in letters; a wide character counts as two.

    Examples
    --------
    >>> text_width("abc"), text_width("\u65e5\u672c"), text_width("e\u0301")
    (3, 4, 1)
    """
    return sum(map(_width, _characters(text)))


def _characters(name: str) -> list[str]:
    """Return what a reader takes for one character each, such as a letter and its accents."""
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


def _beginning(name: Sequence[str], room: int) -> int:
    """Return how many characters from the beginning there is room for."""
    for place, character in enumerate(name):
        room -= _width(character)
        if room < 0:
            return place
    return len(name)


def _cut(name: Sequence[str], longest: int) -> str:
    if _beginning(name, longest) == len(name):
        return "".join(name)
    return f"{''.join(name[: _beginning(name, longest - 1)]).rstrip()}…"


def _same(labels: Sequence[str]) -> list[list[int]]:
    """Return the places of labels that occur more than once."""
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return [alike for alike in places.values() if len(alike) > 1]


def _told_apart(names: Sequence[list[str]], longest: int) -> list[str]:
    """Return long names with their beginnings and ends, or where that is not enough, what differs."""
    labels = []
    for name in names:
        head = name[: _beginning(name, longest // 2)]
        tail = name[len(name) - _beginning(name[::-1], (longest - 1) // 2) :]
        labels.append("".join([*head, "…", *tail]))
    for alike in _same(labels):
        parts = _differing_parts([names[place] for place in alike], longest)
        for place, label in zip(alike, parts, strict=True):
            labels[place] = label
    return labels


def _differing_parts(names: Sequence[list[str]], longest: int) -> list[str]:
    """Return the beginning of each name, and what begins where not all of them are the same."""
    shortest = min(map(len, names))
    first = next((place for place in range(shortest) if len({name[place] for name in names}) > 1), shortest)
    begin, head = max(first - 2, 0), names[0][: _beginning(names[0][:first], longest // 3)]
    labels = ["".join([*head, "…", _cut(name[begin:], longest - longest // 3 - 1)]) for name in names]
    for alike in _same(labels):
        if len(alike) < len(names):
            parts = _differing_parts([names[place] for place in alike], longest)
            for place, label in zip(alike, parts, strict=True):
                labels[place] = label
    return labels


def shortened(value: Any) -> str:
    """Return the repr of a value, shortened for an error message."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with thousands of digits; a list that contains itself
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."
