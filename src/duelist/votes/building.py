"""Votes made of a table: arms numbered, outcomes understood, and every bad row named or counted."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, BoolArray, FloatArray, IntArray
from duelist.errors import PreferenceError
from duelist.preferences import MOST, is_name
from duelist.tables.table import Column, Notes, Table, as_text, fold
from duelist.text import counted, enumeration, in_reading_order
from duelist.votes import formats
from duelist.votes.formats import Format
from duelist.votes.rankings import Unranked, expand
from duelist.votes.table import COUNTED, EARLIEST, LATEST, STATUSES, Texts, Votes

MOST_ARMS = 5_000
"""Tables of wins have a row and a column for each."""
MOST_SHOWN = 5
UNTELLABLE = frozenset({"tie", "tied", "draw", "drawn", "tie (bothbad)", "bothbad", "both_bad"})
"""What may not be an arm in a table of winners and losers, where it would be a tie."""
DECIMAL = re.compile(r"\s*[+-]?\d*,\d+\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
NUMBER = re.compile(r"[0-9]*[.]?[0-9]+")
DAY = re.compile("[0-9]{8}")
"""A date such as 20261116."""


class Faults:
    """Gathers the bad rows of a table: the first is refused, or all are left out and counted."""

    def __init__(self, table: Table, skip_bad: bool) -> None:
        self._table, self._skip = table, skip_bad
        self._bad = np.zeros(table.size, np.bool_)
        self._told: dict[int, str] = {}

    def add(self, broken: BoolArray, column: str, fault: Callable[[int], str]) -> None:
        """Take rows that break a rule; `fault` says of a row what is wrong and what to do."""
        for row in np.flatnonzero(broken & ~self._bad)[:MOST_SHOWN].tolist():
            self._told[row] = f'column "{column}": {fault(row)}'
        self._bad |= broken

    def good(self) -> BoolArray:
        """Return the rows that are left; raise for the first bad one unless they are left out."""
        if self._bad.any() and not self._skip:
            raise PreferenceError(self._reason(min(self._told)))
        notes = self._table.notes
        for row in sorted(self._told)[:MOST_SHOWN]:
            notes.skip(partial(self._reason, row))
        notes.skipped += int(self._bad.sum()) - min(len(self._told), MOST_SHOWN)
        return ~self._bad

    def _reason(self, row: int) -> str:
        return f"{self._table.where(row)}, {self._told[row]}"


def build(
    table: Table,
    format: Format,
    *,
    skip_bad: bool = False,
    unranked: Unranked = "unknown",
    arms: Sequence[str] | None = None,
) -> Votes:
    """Return the votes of a table in a format.

    Parameters
    ----------
    table : Table
        With the columns of the format.
    format : Format
        Which column says what.
    skip_bad : bool, default False
        Leave out bad rows, and note how many; by default the first is refused.
    unranked : {"unknown", "last"}, default "unknown"
        What a ranking says of arms that it leaves out.
    arms : sequence of str, optional
        All arms, in their order; by default those of the table, sorted.
    """
    notes, format = table.notes, _without_strange_status(table, format)
    notes.used = format.used
    notes.ignored = tuple(name for name in table.names if name and name not in format.columns)
    if not table.size:
        raise PreferenceError("no row follows the header; give at least one vote.")
    if format.ranking or format.ranks:
        return _finish(*expand_rankings(table, format, skip_bad, unranked), format, arms, {})
    table, about = _without_marks(table, format)
    if about and not table.size:
        empty = np.empty(0, np.int64)
        return _finish(table, [], empty, empty, np.empty(0), np.empty(0), format, arms, about)
    faults = Faults(table, skip_bad)
    names, left, right = _arms(table, format, faults)
    outcomes = _outcomes(table, format, names, left, right, faults)
    counts = _counts(table, format, faults)
    rows = np.flatnonzero(faults.good())
    table = table.take(rows)
    sides = (left[rows], right[rows])
    zero = counts[rows] == 0.0
    if zero.any():
        notes.remarks.append(f"Left out: {counted(int(zero.sum()), 'row')} with a count of 0.")
        table = table.take(np.flatnonzero(~zero))
        rows, sides = rows[~zero], (sides[0][~zero], sides[1][~zero])
    return _finish(table, names, *sides, outcomes[rows], counts[rows], format, arms, about)


def _without_strange_status(table: Table, format: Format) -> Format:
    """Return a format without a column that is called status and is none of a study's."""
    name = format.also.get("status", "")
    known = {*STATUSES, *formats.ABOUT_ARMS}
    if name and format.outcome and known.issuperset(map(fold_value, table.columns[name].values)):
        return format
    return replace(format, also={role: column for role, column in format.also.items() if role != "status"})


def _without_marks(table: Table, format: Format) -> tuple[Table, dict[str, list[str]]]:
    """Return a table without rows about single arms, and the arms that they are about, by status."""
    about: dict[str, list[str]] = {}
    statuses = table.columns.get(format.also.get("status", ""))
    if statuses is None or not set(map(fold_value, statuses.values)) & set(formats.ABOUT_ARMS):
        return table, about
    marks = [place for place, one in enumerate(statuses.values) if fold_value(one) in formats.ABOUT_ARMS]
    marked = np.isin(statuses.codes, marks)
    left = table.columns[format.left]
    for row in np.flatnonzero(marked).tolist():
        about.setdefault(fold_value(statuses.row(row)), []).append(as_text(left.row(row)))
    return table.take(np.flatnonzero(~marked)), about


def _arms(table: Table, format: Format, faults: Faults) -> tuple[list[str], IntArray, IntArray]:
    """Return the names of all arms as they appear, and the arms of every row."""
    known: dict[str, int] = {}
    sides = []
    for side in (format.left, format.right):
        column, wrong = table.columns[side], dict[int, str]()
        numbers = []
        for place, value in enumerate(column.values):
            try:
                name = as_text(value)
            except PreferenceError:
                name = ""
            if not is_name(name):
                wrong[place] = f"{value!r:.60} is not a name; give one line of text."
            elif (
                not format.outcome
                and not format.flags
                and not format.scores
                and name.casefold() in UNTELLABLE
            ):
                wrong[place] = (
                    f"{value!r} is a tie, not an arm; write a tie as half a win each way (a,b,0.5 and "
                    "b,a,0.5 under winner,loser,count), or both arms and the winner under a,b,winner."
                )
            numbers.append(-1 if place in wrong else known.setdefault(name, len(known)))
        faults.add(column.codes < 0, side, lambda row: "the arm is missing; give its name.")
        if wrong:
            broken = np.isin(column.codes, list(wrong))
            faults.add(broken, side, partial(_told_of, column, wrong))
        sides.append(np.array([*numbers, -1])[column.codes])
    left, right = sides
    same = (left == right) & (left >= 0)
    names = list(known)
    faults.add(
        same,
        format.right,
        lambda row: f'{names[right[row]]!r} is in column "{format.left}" too; name two arms.',
    )
    if len(known) > MOST_ARMS:
        raise PreferenceError(
            f"there are {len(known):,} different arms, and {MOST_ARMS:,} are the most; if {format.left!r} "
            f"and {format.right!r} hold texts, name the columns of the arms: --columns "
            "left=COLUMN,right=COLUMN."
        )
    return names, left, right


def _outcomes(
    table: Table, format: Format, names: list[str], left: IntArray, right: IntArray, faults: Faults
) -> FloatArray:
    """Return who won every row, from 0 (right) to 1 (left)."""
    skipped = _is_skipped(table, format)
    if format.flags:
        return _by_flags(table, format, faults)
    if format.scores:
        return _by_scores(table, format, faults)
    if not format.outcome:
        return np.full(table.size, LEFT_WINS)
    column = table.columns[format.outcome]
    said = _meanings(column, format, names)
    arms = _named_arms(column, names)
    word = np.array([*said, nan])[column.codes]
    arm = np.array([*arms, -1])[column.codes]
    named = np.where(arm == left, LEFT_WINS, np.where(arm == right, RIGHT_WINS, nan))
    first, second = (named, word) if format.by_name else (word, named)
    outcomes = np.where(np.isnan(first), second, first)
    numbers = np.array([*(as_number(value) is not None for value in column.values), False])[column.codes]
    clash = ~np.isnan(named) & ~np.isnan(word) & (named != word) & ~(numbers & (not format.by_name))
    faults.add(
        clash,
        format.outcome,
        lambda row: f"{column.row(row)!r} is an arm and also means the other side; rename the arm.",
    )

    def remedy(row: int) -> str:
        sides = f"{names[left[row]]!r}, {names[right[row]]!r}, " if left[row] >= 0 and right[row] >= 0 else ""
        numbers = "" if format.by_name else ", or a number from 0 (right won) to 1 (left won)"
        return f"give {sides}{fold(format.left)}, {fold(format.right)} or tie{numbers}."

    faults.add(
        (column.codes < 0) & ~skipped, format.outcome, lambda row: "nothing says who won; " + remedy(row)
    )

    faults.add(
        np.isnan(outcomes) & ~skipped,
        format.outcome,
        lambda row: f"{column.row(row)!r:.60} does not say who won; {remedy(row)}",
    )
    return outcomes


def _meanings(column: Column, format: Format, names: list[str]) -> list[float]:
    """Return what every value of a column of outcomes means by itself, nan where it means nothing."""
    own = {fold(format.left): LEFT_WINS, fold(format.right): RIGHT_WINS}
    words = [fold_value(value) for value in column.values]
    said = [own.get(fold(word), formats.WORDS.get(word, nan)) for word in words]
    if not format.by_name:
        numbers = [as_number(value) for value in column.values]
        if all(number is None or 0.0 <= number <= 1.0 for number in numbers):
            said = [one if number is None else number for one, number in zip(said, numbers, strict=True)]
    known = set(names)
    unknown = {
        word
        for word, one, value in zip(words, said, column.values, strict=True)
        if one != one and _as_name(value) not in known
    }
    # in a table with a column of outcomes, words come before names: arms may be called a, b or h
    if not format.by_name:
        unknown |= {word for word, one in zip(words, said, strict=True) if one != one}
    best = max((len(unknown & one.keys()) for one in formats.SPELLINGS), default=0)
    if not best:
        return said
    fitting = [one for one in formats.SPELLINGS if len(unknown & one.keys()) == best]
    found = fitting[0]
    for other in fitting[1:]:
        clash = [word for word in sorted(unknown & found.keys() & other.keys()) if found[word] != other[word]]
        if clash and fold(format.left).startswith(("home", "white")) == ("h" in found):
            break
        if clash:
            raise PreferenceError(
                f'column "{format.outcome}": {clash[0]!r} can mean either side; write left, right or tie.'
            )
    return [found.get(word, one) if one != one else one for word, one in zip(words, said, strict=True)]


def _as_name(value: Any) -> str:
    try:
        return as_text(value)
    except PreferenceError:
        return ""


def _named_arms(column: Column, names: list[str]) -> list[int]:
    places = {name: place for place, name in enumerate(names)}
    return [places.get(_as_name(value), -1) for value in column.values]


def _by_flags(table: Table, format: Format, faults: Faults) -> FloatArray:
    """Return the outcomes of a column for each: exactly one of them is 1."""
    flags = np.stack([_numbers(table.columns[name]) for name in format.flags])
    wrong = ((flags != 0.0) & (flags != 1.0)).any(axis=0) | (flags.sum(axis=0) != 1.0)
    told = ", ".join(format.flags)
    faults.add(wrong, format.flags[0], lambda row: f"one of {told} must be 1 and the others 0.")
    values = np.array([LEFT_WINS, RIGHT_WINS, TIE][: len(flags)])
    return np.asarray((flags * values[:, None]).sum(axis=0))


def _by_scores(table: Table, format: Format, faults: Faults) -> FloatArray:
    """Return the outcomes of two scores: the larger wins."""
    one, other = (_numbers(table.columns[name]) for name in format.scores)
    for name, scores in zip(format.scores, (one, other), strict=True):
        column = table.columns[name]
        faults.add(~np.isfinite(scores), name, partial(_no_score, column))
    return np.where(one > other, LEFT_WINS, np.where(one < other, RIGHT_WINS, TIE))


def _told_of(column: Column, faults: Mapping[int, str], row: int) -> str:
    return faults[int(column.codes[row])]


def _no_score(column: Column, row: int) -> str:
    return f"{column.row(row)!r:.60} is not a score; give a number."


def _numbers(column: Column) -> FloatArray:
    numbers = [nan if number is None else number for number in map(as_number, column.values)]
    return np.array([*numbers, nan])[column.codes]


def _counts(table: Table, format: Format, faults: Faults) -> FloatArray:
    """Return how many votes each row stands for; a missing count is 1."""
    name = format.also.get("count")
    if name is None:
        return np.ones(table.size)
    column = table.columns[name]
    commas = has_decimal_commas(column.values)
    numbers = [nan if one is None else one for one in (as_number(value, commas) for value in column.values)]
    counts = np.array([*numbers, 1.0])[column.codes]
    whole = "give 0 or more" if not format.outcome else "give a whole number, 0 or more"
    halves = 1.0 if format.outcome or format.flags or format.scores else 0.5
    faults.add(
        ~((counts >= 0.0) & (counts <= MOST) & (counts % halves == 0.0)),
        name,
        lambda row: (
            f"{column.row(row)!r:.60} is not a number of votes; {whole}, {MOST:.0e} at most. If it is a "
            "weight, name it so: --columns weight=" + name + "."
        ),
    )
    return counts


def _is_skipped(table: Table, format: Format) -> BoolArray:
    statuses = table.columns.get(format.also.get("status", ""))
    if statuses is None:
        return np.zeros(table.size, np.bool_)
    return np.array([*(fold_value(one) == STATUSES[2] for one in statuses.values), False])[statuses.codes]


def expand_rankings(
    table: Table, format: Format, skip_bad: bool, unranked: Unranked
) -> tuple[Table, list[str], IntArray, IntArray, FloatArray, FloatArray]:
    """Return a table of the votes of rankings: one for every two arms that a ranking holds."""
    faults = Faults(table, skip_bad)
    counts = _counts(table, format, faults)
    faults.add(
        counts % 1.0 != 0.0, format.also.get("count", "count"), lambda row: "give a whole number of rankings."
    )
    found = expand(table, format, faults, counts, unranked)
    expanded = table.take(found.rows)
    expanded.columns[RANKINGS] = found.rankings
    return expanded, found.arms, found.first, found.second, found.outcomes, np.ones(len(found.rows))


RANKINGS = "\0rankings"
"""Under this name a table holds the ranking of every row; no column of a file is called so."""


def _finish(
    table: Table,
    names: list[str],
    left: IntArray,
    right: IntArray,
    outcomes: FloatArray,
    counts: FloatArray,
    format: Format,
    arms: Sequence[str] | None,
    about: Mapping[str, list[str]],
) -> Votes:
    """Return votes with their texts, times and weights, the arms in order."""
    notes = table.notes
    added = about.get(formats.ADDED, [])
    every = dict.fromkeys([*names, *(arm for arms_of in about.values() for arm in arms_of)])
    ordered = [*in_reading_order(name for name in every if name not in added), *dict.fromkeys(added)]
    if arms is not None:
        ordered = [str(arm) for arm in arms]
        if strangers := [name for name in every if name not in set(ordered)]:
            raise PreferenceError(
                f"the votes name {enumeration(strangers)}; the arms are {enumeration(ordered, 20)}."
            )
    if len(ordered) < 2:
        raise PreferenceError(
            f"the only arm is {ordered[0]!r}; a vote needs two." if ordered else "no row is left."
        )
    places = {name: place for place, name in enumerate(ordered)}
    order = np.array([places[name] for name in names], np.int64)
    extras = {name: _texts(table.columns[column]) for name, column in format.extras.items()}
    if "category" in format.also:
        extras.setdefault("category", _texts(table.columns[format.also["category"]]))

    def texts(role: str) -> Texts | None:
        found = table.columns.get(format.also.get(role, ""))
        return None if found is None else _some(_texts(found))

    votes = Votes(
        ordered,
        order[left],
        order[right],
        outcomes,
        np.floor(counts) if not (counts % 1.0).any() else np.ones(len(counts)),
        texts("voter"),
        texts("item"),
        texts("ticket"),
        _times(table, format, notes),
        _some(_texts(table.columns[RANKINGS])) if RANKINGS in table.columns else None,
        _statuses(table, format),
        _weights(table, format),
        extras,
        founders=len(ordered) - len(dict.fromkeys(added)),
        retired=[places[name] for name in about.get(formats.RETIRED, [])],
        changed=not about.keys() <= {formats.LISTED},
        notes=notes,
    )
    _note_missing(votes, format, notes)
    return votes if not (counts % 1.0).any() else with_ties(votes, counts)


def with_ties(votes: Votes, counts: FloatArray) -> Votes:
    """Return votes in which halves of a win each way are ties.

    They are matched within a voter, item and pair: as many one way as the other.
    """
    wins, halves = np.floor(counts), counts % 1.0 > 0.0
    winner, loser = votes.left, votes.right
    rows = np.flatnonzero(halves)
    keys = [votes.voters, votes.items, votes.rankings]
    codes = [np.zeros(len(rows), np.int64) if one is None else one.codes[rows] for one in keys]
    pair = np.minimum(winner, loser)[rows] * votes.k + np.maximum(winner, loser)[rows]
    groups = np.unique(np.stack([*codes, pair]), axis=1, return_inverse=True)[1]
    forth = winner[rows] < loser[rows]
    balance = np.bincount(groups, weights=np.where(forth, 1.0, -1.0))
    for group in np.flatnonzero(balance)[:1]:
        row = rows[np.flatnonzero(groups == group)[0]]
        one, other = votes.arms[winner[row]], votes.arms[loser[row]]
        raise PreferenceError(
            f"half a win of {one!r} against {other!r} has no other half; write a tie as half a win each way: "
            f"{one},{other},0.5 and {other},{one},0.5. If counts are weights, name them so: --columns "
            "weight=count."
        )
    ties, won = rows[forth], np.flatnonzero(wins)
    chosen = np.concatenate([won, ties])
    order = np.argsort(chosen, kind="stable")
    made = votes.take(chosen[order])
    vars(made)["outcomes"] = np.repeat([LEFT_WINS, TIE], [len(won), len(ties)])[order]
    vars(made)["counts"] = np.concatenate([wins[won], np.ones(len(ties))])[order].astype(np.int64)
    return made


def _note_missing(votes: Votes, format: Format, notes: Notes) -> None:
    for role, column in (("voter", votes.voters), ("item", votes.items)):
        many = 0 if column is None else int(votes.counts[column.missing].sum())
        if many:
            unnamed = "each counts by itself" if role == "voter" else "they count as votes without an item"
            notes.remarks.append(f"Without a {role}: {counted(many, 'vote')}; {unnamed}.")


def _texts(column: Column) -> Texts:
    """Return a column as texts; what is not a text or a number is refused."""
    names: dict[str, int] = {}
    places = []
    for value in column.values:
        try:
            text = as_text(value)
        except PreferenceError as error:
            raise PreferenceError(f"{error}; give texts or numbers.") from None
        places.append(names.setdefault(text, len(names)) if text else -1)
    return Texts(tuple(names), np.array([*places, -1], np.int64)[column.codes])


def _some(texts: Texts) -> Texts | None:
    return None if (texts.codes < 0).all() else texts


def _times(table: Table, format: Format, notes: Notes) -> FloatArray | None:
    name = format.also.get("time")
    if name is None:
        return None
    column = table.columns[name]
    seconds = [_seconds(value) for value in column.values]
    times = np.array([*seconds, nan])[column.codes]
    unread = (column.codes >= 0) & np.isnan(times)
    if unread.any():
        first = column.row(int(np.flatnonzero(unread)[0]))
        notes.remarks.append(
            f"Without a time: {counted(int(unread.sum()), 'row')} whose {name!r} is not a date such as "
            f"2026-11-16T10:00:00, or seconds since 1970; the first is {first!r:.40}."
        )
    return None if np.isnan(times).all() else times


def _seconds(value: Any) -> float:
    try:
        return as_seconds(value)
    except ValueError:
        return nan


def as_seconds(moment: Any) -> float:
    """Return a time as seconds since 1970, from a date, a datetime, a text of one, or seconds.

    Examples
    --------
    >>> as_seconds("1970-01-01T00:01:00"), as_seconds(60), as_seconds("60.5")
    (60.0, 60.0, 60.5)
    """
    if isinstance(moment, np.generic):
        moment = moment.item()
    if isinstance(moment, str):
        moment = moment.strip()
        if DAY.fullmatch(moment) or NUMBER.fullmatch(moment) is None:
            moment = datetime.fromisoformat(moment)
    if isinstance(moment, date) and not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if isinstance(moment, datetime):
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    seconds = float(moment)
    if not EARLIEST < seconds < LATEST:
        raise ValueError(f"{moment!r} lies outside of what dates can hold")
    return seconds


def _statuses(table: Table, format: Format) -> IntArray | None:
    name = format.also.get("status")
    if name is None:
        return None
    column = table.columns[name]
    words = [fold_value(value) for value in column.values]
    numbers = {word: number for number, word in enumerate(STATUSES)}
    return np.array([*(numbers.get(word, COUNTED) for word in words), COUNTED])[column.codes]


def _weights(table: Table, format: Format) -> FloatArray | None:
    name = format.also.get("weight")
    if name is None:
        return None
    column = table.columns[name]
    weights = _numbers(column)
    weights[column.codes < 0] = 1.0
    for row in np.flatnonzero(~((weights >= 0.0) & (weights < inf)))[:1]:
        raise PreferenceError(
            f'{table.where(int(row))}, column "{name}": {column.row(int(row))!r:.60} is not a weight; give a '
            "number, 0 or more."
        )
    return weights


def fold_value(value: Any) -> str:
    """Return a value as words are compared."""
    return value.strip().casefold() if isinstance(value, str) else _as_name(value).casefold()


def as_number(field: Any, decimal_commas: bool = True) -> float | None:
    """Return a finite number as people write it, with a decimal point or comma; None if it is not one."""
    try:
        if decimal_commas and isinstance(field, str) and DECIMAL.fullmatch(field):
            field = field.replace(",", ".")
        number = float(field)
    except (OverflowError, TypeError, ValueError):
        return None
    return number if -inf < number < inf else None


def has_decimal_commas(fields: Iterable[Any]) -> bool:
    """Return whether commas in numbers are decimal ones: 1,500 alone may be a thousand and a half, too."""
    return any(
        isinstance(field, str) and DECIMAL.fullmatch(field) and not THOUSANDS.fullmatch(field)
        for field in fields
    )
