"""Which columns of a table of comparisons say what, and how numbers and ties are written in them."""

import re
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

from duelist.errors import PreferenceError

COLUMNS = ("winner", "loser", "count")
"""What a table of winners and losers calls its columns, in upper or lower case; the last may be missing."""
SIDES = (("model_a", "model_b"), ("player_a", "player_b"), ("arm_a", "arm_b"), ("a", "b"), ("left", "right"))
"""What a table of two arms and the winner calls the columns of the two."""
OUTCOME = "outcome"  # what a table of left and right calls the column of who won, where it is not `winner`
OF_TIES = ("tie", "draw", OUTCOME, "result")
"""Columns that would make of a win something else, and so may not be passed over like any other column."""
TIES = frozenset({"tie", "tied", "draw", "drawn", "tie (bothbad)", "bothbad", "both_bad"})
"""What is written for a tie in place of a winner, in upper or lower case."""

DECIMAL = re.compile(r"\s*[+-]?\d*,\d+\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")


class Columns(NamedTuple):
    """Where a table has two arms, the winner if it is not the first of them, and what else it says."""

    names: tuple[str, ...]
    """What the table calls all its columns."""
    first: int
    second: int
    winner: int | None
    times: int | None
    voter: int | None
    item: int | None
    ticket: int | None
    time: int | None
    status: int | None
    """Where a study's record says which of its votes count."""


def find_columns(
    header: Iterable[Any],
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    voter: str | None = None,
    item: str | None = None,
) -> Columns | None:
    """Return where a table has what; None if it is no table of comparisons.

    Columns that are named, a and b with the two arms, winner, voter and item, must be there. Other columns
    are ignored, except those that record ties of winners and losers, which are refused.
    """
    names = tuple(str(name).strip() for name in header)
    folded = [name.casefold() for name in names]
    known = set(folded)
    found = next((pair for pair in SIDES if known.issuperset(pair)), None)
    sides: tuple[str, str] | None = None
    who = winner or (OUTCOME if OUTCOME in known and "winner" not in known else "winner")
    if a is not None or b is not None or winner is not None:
        if found is None and (a is None or b is None):
            raise PreferenceError(
                f"the columns are {list(names)}; name the two with the arms by a= and b= (--a and --b), "
                "and that with the winner by winner= (--winner) unless it is called so."
            )
        first, second = found or ("", "")
        sides = (a or first, b or second)
    elif "winner" in known:
        if "loser" not in known and found is None:
            return None
        if "loser" not in known and known.issuperset(("left", "right", OUTCOME)):
            raise PreferenceError(
                f'the columns "winner" and "{OUTCOME}" both say who won; remove one, or name those to '
                "read by a=, b= and winner= (--a, --b and --winner)."
            )
        sides = None if "loser" in known else found
    elif known.issuperset(("left", "right", OUTCOME)):
        sides = ("left", "right")
    else:
        return None

    def usual(named: str | None, name: str) -> int | None:
        return place_of(names, named or name) if named or name in known else None

    also = (
        *(usual(None, "count"), usual(voter, "voter"), usual(item, "item")),
        *(usual(None, "ticket"), usual(None, "time")),
    )
    if sides is not None:
        status = usual(None, "status") if folded[place_of(names, who)] == OUTCOME else None
        one, other, won = (place_of(names, name) for name in (*sides, who))
        return Columns(names, one, other, won, *also, status)
    for name in OF_TIES:
        if name in known:
            raise PreferenceError(
                f'a table of winners and losers has no column "{name}"; remove it, and write a tie as half a '
                "win each way: a,b,0.5 and b,a,0.5 under winner,loser,count."
            )
    return Columns(names, place_of(names, "winner"), place_of(names, "loser"), None, *also, None)


def place_of(names: Sequence[str], name: str) -> int:
    """Return which column has a name, in upper or lower case unless several have."""
    found = [number for number, other in enumerate(names) if other == name] or [
        number for number, other in enumerate(names) if other.casefold() == name.casefold()
    ]
    if len(found) != 1:
        fault = f'{len(found)} columns are called "{name}"' if found else f'no column is called "{name}"'
        raise PreferenceError(f"{fault}; the columns are {list(names)}. Rename or name them.")
    return found[0]


def is_tie(field: Any) -> bool:
    """Return whether a field says that nobody won."""
    return isinstance(field, str) and field.strip().casefold() in TIES


def as_number(field: Any, decimal_commas: bool = True) -> float | None:
    """Return a finite number as people write it, with a decimal point or comma; None if it is not one."""
    try:
        if decimal_commas and isinstance(field, str) and DECIMAL.fullmatch(field):
            field = field.replace(",", ".")
        number = float(field)
    except (OverflowError, TypeError, ValueError):
        return None
    return number if -inf < number < inf else None


def has_decimal_commas(fields: Sequence[Any]) -> bool:
    """Return whether commas in numbers are decimal ones: 1,500 alone may be a thousand and a half, too."""
    return any(
        isinstance(field, str) and DECIMAL.fullmatch(field) and not THOUSANDS.fullmatch(field)
        for field in fields
    )
