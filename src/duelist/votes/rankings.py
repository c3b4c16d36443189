"""Expand rankings of several arms into pairwise votes: one for every pair of arms in a ranking."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb, inf
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from duelist.duel import LEFT_WINS, TIE, FloatArray, IntArray
from duelist.errors import PreferenceError
from duelist.preferences import is_name
from duelist.tables.table import Column, Table, is_missing
from duelist.text import counted
from duelist.votes.fields import Faults, name_of, numbers_of
from duelist.votes.formats import Format

MOST_VOTES = 10_000_000  # maximum number of pairwise votes from the rankings of a table
REMEDY = "give the arms from best to worst, as in a > b = c, where b and c are equal; JSON may hold a list."
Unranked: TypeAlias = Literal["unknown", "last"]
"""How to treat arms that a ranking omits: as not compared, or as tied for last."""
Levels: TypeAlias = Sequence[Sequence[str]]  # a ranking, best first: each level holds the arms that are equal


class Expanded(NamedTuple):
    rows: IntArray
    """The table row of each vote."""
    arms: list[str]
    first: IntArray
    """The better arm of each vote."""
    second: IntArray
    outcomes: FloatArray
    rankings: Column
    """The ranking that each vote belongs to."""


def expand(
    table: Table, format: Format, faults: Faults, counts: FloatArray, unranked: Unranked = "unknown"
) -> Expanded:
    """Return a vote for every pair of arms of every ranking, repeated by the ranking's count."""
    levels = _levels(table, format, faults)
    good = np.flatnonzero(faults.good()).tolist()
    arms = {arm: number for number, arm in enumerate(dict.fromkeys(_arms_of(levels, good)))}
    partial = sum(int(counts[row]) for row in good if sum(map(len, levels[row])) < len(arms))
    if partial:
        many, omit = counted(partial, "ranking"), "omits" if partial == 1 else "omit"
        what = (
            "they are treated as tied for last"
            if unranked == "last"
            else "these are treated as not compared (--unranked last ranks them last)"
        )
        table.notes.remarks.append(f"{many} of {int(counts[good].sum()):,} {omit} arms; {what}.")
    sizes = {row: comb(len(arms) if unranked == "last" else sum(map(len, levels[row])), 2) for row in good}
    if sum(size * int(counts[row]) for row, size in sizes.items()) > MOST_VOTES:
        raise PreferenceError(
            f"the rankings expand to more than {MOST_VOTES:,} pairwise votes; rank fewer arms, or give wins "
            "under winner, loser and count."
        )
    known: dict[Any, tuple[IntArray, IntArray, FloatArray]] = {}
    rows, parts, names = list[IntArray](), list[tuple[IntArray, IntArray, FloatArray]](), list[str]()
    for row in good:
        ranking = tuple(map(tuple, levels[row]))
        if ranking not in known:
            known[ranking] = _pairs(ranking, arms, unranked)
        pairs = known[ranking]
        # a ranking of one arm yields no votes, and its count may be large
        for again in range(int(counts[row]) if len(pairs[0]) else 0):
            rows.append(np.full(len(pairs[0]), row))
            parts.append(pairs)
            names.append(f"{row + 1}.{again + 1}")
    if not parts:
        raise PreferenceError(f"no ranking has two arms; {REMEDY}")
    if single := sum(int(counts[row]) for row in good if sizes[row] == 0):
        table.notes.remarks.append(f"Left out: {counted(single, 'ranking')} of fewer than two arms.")
    first, second, outcomes = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    members = np.repeat(np.arange(len(names)), [len(part[0]) for part in parts])
    return Expanded(np.concatenate(rows), list(arms), first, second, outcomes, Column(names, members))


def _arms_of(levels: Sequence[Levels], rows: Sequence[int]) -> Iterator[str]:
    for row in rows:
        for level in levels[row]:
            yield from level


def _pairs(
    ranking: Levels, arms: dict[str, int], unranked: Unranked
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all pairs of arms of a ranking, the better arm first, and their outcomes."""
    ranked = [(rank, arms[arm]) for rank, level in enumerate(ranking) for arm in level]
    if unranked == "last":
        held = {arm for _, arm in ranked}
        ranked += [(len(ranking), arm) for arm in arms.values() if arm not in held]
    found = [
        (one, other, TIE if rank == other_rank else LEFT_WINS)
        for (rank, one), (other_rank, other) in combinations(ranked, 2)
    ]
    first, second, outcomes = zip(*found, strict=True) if found else ((), (), ())
    return np.array(first, np.int64), np.array(second, np.int64), np.array(outcomes, np.float64)


def _levels(table: Table, format: Format, faults: Faults) -> list[Levels]:
    """Return the ranking of every row, empty for bad rows."""
    if format.ranking:
        column = table.columns[format.ranking]
        found, wrong = list[Levels](), dict[int, str]()
        for code, value in enumerate(column.values):
            try:
                found.append(as_levels(value))
            except PreferenceError as error:
                found.append([])
                wrong[code] = str(error)
        faults.add(column.codes < 0, format.ranking, lambda row: f"the ranking is missing; {REMEDY}")
        faults.add_values(column, format.ranking, wrong)
        return [found[code] if code >= 0 else [] for code in column.codes.tolist()]
    ranks: list[dict[float, list[str]]] = [{} for _ in range(table.size)]
    for arm, name in format.ranks.items():
        column = table.columns[name]
        given = numbers_of(column, inf)
        faults.add(~(given >= 1.0), name, _no_rank(column))
        for row in np.flatnonzero(np.isfinite(given)).tolist():
            ranks[row].setdefault(float(given[row]), []).append(arm)
    return [[levels[rank] for rank in sorted(levels)] for levels in ranks]


def _no_rank(column: Column) -> Callable[[int], str]:
    return lambda row: (
        f"{column.row(row)!r:.60} is not a rank; give 1 for the best arm, 2 for the next and so on, or "
        "leave the field empty if the arm was not ranked."
    )


def as_levels(field: Any) -> Levels:
    """Parse a ranking into levels, best first; equal arms share a level.

    Examples
    --------
    >>> as_levels("a > b = c > d"), as_levels("a, b"), as_levels(["a", ["b", "c"]])
    ([['a'], ['b', 'c'], ['d']], [['a'], ['b']], [['a'], ['b', 'c']])
    """
    if isinstance(field, np.ndarray):
        field = field.tolist()
    if isinstance(field, list | tuple):
        given = [list(level) if isinstance(level, list | tuple) else [level] for level in field]
    else:
        text = field if isinstance(field, str) else ""
        ordered, commas = ">" in text or "=" in text, "," in text
        # in a > b, c it is unclear whether b and c are equal; text in brackets is the repr of a list
        if (ordered and commas) or "<" in text or text.lstrip().startswith(("[", "(", "{")):
            raise PreferenceError(f"{field!r:.80} is an ambiguous ranking; {REMEDY}")
        parts = text.split(">" if ordered else ",")
        given = [[name.strip() for name in part.split("=")] for part in parts]
    levels = [["" if is_missing(arm) else name_of(arm) for arm in level] for level in given]
    arms = [arm for level in levels for arm in level]
    if len(arms) < 2 or not all(levels) or "" in arms:
        raise PreferenceError(f"{field!r:.80} is not a ranking of two or more arms; {REMEDY}")
    for arm, times in Counter(arms).most_common():
        if not is_name(arm):
            raise PreferenceError(f"{arm!r:.80} is not a name; give one line of text.")
        if times > 1:
            raise PreferenceError(f"{arm!r:.80} occurs {times} times in one ranking; name each arm once.")
    return levels
