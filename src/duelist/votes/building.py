"""Build votes from a table: number the arms, interpret the outcomes, report or count every bad row."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np

from duelist.duel import LEFT_WINS, TIE, BoolArray, FloatArray, IntArray
from duelist.errors import PreferenceError
from duelist.preferences import MOST, is_name
from duelist.tables.table import Column, Notes, Table, fold
from duelist.text import counted, enumeration, in_reading_order
from duelist.votes import formats
from duelist.votes.columns import Texts
from duelist.votes.fields import Faults, as_number, as_seconds, as_word, name_of, numbers_of
from duelist.votes.formats import Format
from duelist.votes.outcomes import outcomes_of
from duelist.votes.rankings import Unranked, expand
from duelist.votes.table import COUNTED, LATEST, STATUSES, Votes, as_arms

MOST_ARMS = 5_000
"""Maximum number of arms: tables of wins have a row and a column for each."""
AMBIGUOUS = frozenset({"tie", "tied", "draw", "drawn", "tie (bothbad)", "bothbad", "both_bad"})
"""Names that no arm may have in a table of winners and losers, because they would read as a tie."""
NO_NAMES = frozenset({"none", "null", "nan", "na", "n/a", "#n/a", "<na>", "nil", "undefined", "unknown"})
"""Texts that programs write for a missing name."""


def build(
    table: Table,
    format: Format,
    *,
    skip_bad: bool = False,
    unranked: Unranked = "unknown",
    arms: Sequence[str] | None = None,
) -> Votes:
    """Return the votes of a table.

    Parameters
    ----------
    table : Table
        A table that has the columns of the format.
    format : Format
        The role of each column.
    skip_bad : bool, default False
        Skip bad rows and count them; by default the first one raises an error.
    unranked : {"unknown", "last"}, default "unknown"
        How to treat arms that a ranking omits.
    arms : sequence of str, optional
        All arms, in order; by default the arms of the table, sorted by name.
    """
    notes, format = table.notes, _with_known_status(table, format)
    notes.used = format.used
    notes.ignored = tuple(name for name in table.names if name and name not in format.columns)
    if not table.size:
        raise PreferenceError("there are no rows below the header; give at least one vote.")
    table, about = _without_arm_rows(table, format)
    faults = Faults(table, skip_bad)
    _check_fields(table, format, faults)
    counts = _counts(table, format, faults)
    if format.ranking or format.ranks:
        return _finish(*_expand_rankings(table, format, counts, faults, unranked), format, arms, about)
    names, left, right = _arms(table, format, faults)
    outcomes = outcomes_of(table, format, names, left, right, faults)
    good = faults.good()
    rows = np.flatnonzero(good & _is_first_ticket(table, format))
    if not good.all():
        used = np.unique([left[rows], right[rows]])  # bad rows do not even contribute arms
        names = [names[arm] for arm in used.tolist()]
        left, right = (np.searchsorted(used, side) for side in (left, right))
    if again := int(good.sum()) - len(rows):
        notes.remarks.append(f"Left out: {counted(again, 'row')} with the ticket of an earlier row.")
    if zero := int((counts[rows] == 0.0).sum()):
        notes.remarks.append(f"Left out: {counted(zero, 'row')} with a count of 0.")
        rows = rows[counts[rows] > 0.0]
    if not len(rows) and not about:
        raise PreferenceError("all counts are 0; give at least one vote.")
    sides = (left[rows], right[rows])
    return _finish(table.take(rows), names, *sides, outcomes[rows], counts[rows], format, arms, about)


def _is_first_ticket(table: Table, format: Format) -> BoolArray:
    """Return which rows have no ticket, or one that no earlier row has: a ticket belongs to one vote."""
    tickets = table.columns.get(format.also.get("ticket", ""))
    first = np.ones(table.size, np.bool_)
    if tickets is not None:
        texts = _texts(tickets)
        named = np.flatnonzero(texts.codes >= 0)
        first[named] = False
        first[named[np.unique(texts.codes[named], return_index=True)[1]]] = True
    return first


def _with_known_status(table: Table, format: Format) -> Format:
    """Return the format without its status column if that column holds no status of a study."""
    name, known = format.also.get("status", ""), {*STATUSES, *formats.ABOUT_ARMS}
    words = {as_word(value): value for value in table.columns[name].values} if name else {}
    if not words.keys() & known:
        return replace(format, also={role: one for role, one in format.also.items() if role != "status"})
    for word, value in words.items():
        if word not in known:
            raise PreferenceError(
                f'column "{name}": {value!r:.60} is not a status; give {enumeration(STATUSES)}, or rename '
                "the column if it holds something else."
            )
    return format


def _without_arm_rows(table: Table, format: Format) -> tuple[Table, dict[str, list[str]]]:
    """Split off the rows about single arms; return the other rows, and those arms by status."""
    about: dict[str, list[str]] = {}
    statuses = table.columns.get(format.also.get("status", ""))
    if statuses is None or not format.left:
        return table, about
    codes = [code for code, one in enumerate(statuses.values) if as_word(one) in formats.ABOUT_ARMS]
    about_arm = np.isin(statuses.codes, codes)
    left = table.columns[format.left]
    for row in np.flatnonzero(about_arm).tolist():
        name = "" if left.codes[row] < 0 else name_of(left.row(row))
        if not is_name(name):
            raise PreferenceError(
                f'{table.where(row)}, column "{format.left:.60}": {_no_name(left.row(row))}'
            )
        about.setdefault(as_word(statuses.row(row)), []).append(name)
    return (table.take(np.flatnonzero(~about_arm)) if about else table), about


def _check_fields(table: Table, format: Format, faults: Faults) -> None:
    """Report rows that repeat the header, hold a list instead of a text, or have an invalid weight."""
    again = np.ones(table.size, np.bool_)
    for name in (name for name in format.columns if again.any()):
        column = table.columns[name]
        same = [fold(name_of(value).lstrip("\ufeff")) == fold(name) for value in column.values]
        again &= np.array([*same, False])[column.codes]
    first = format.left or format.ranking or next(iter(format.ranks.values()))
    faults.add(again, first, lambda row: "the header is repeated here; delete the line.")
    texts = [format.also[role] for role in TEXTS if role in format.also]
    for name in (*texts, *format.extras.values()):
        column = table.columns[name]
        wrong = {code: one for code, one in enumerate(column.values) if not name_of(one)}
        fault = {
            code: f"{one!r:.60} is neither text nor a number; give one of them."
            for code, one in wrong.items()
        }
        faults.add_values(column, name, fault)
    if "weight" in format.also:
        name = format.also["weight"]
        weights, column = numbers_of(table.columns[name], 1.0), table.columns[name]
        faults.add(
            ~((weights >= 0.0) & (weights < inf)),
            name,
            lambda row: f"{column.row(row)!r:.60} is not a weight; give a number, 0 or more.",
        )


def _arms(table: Table, format: Format, faults: Faults) -> tuple[list[str], IntArray, IntArray]:
    """Return the names of all arms in order of appearance, and the arms of every row."""
    known: dict[str, int] = {}
    decided = not (format.outcome or format.flags or format.scores)
    sides = []
    for side in (format.left, format.right):
        column, wrong = table.columns[side], dict[int, str]()
        numbers = []
        for code, value in enumerate(column.values):
            name = name_of(value)
            if not is_name(name):
                wrong[code] = _no_name(value)
            elif decided and name.casefold() in AMBIGUOUS:
                wrong[code] = (
                    f"{value!r} is a tie, not an arm; write a tie as half a win each way (a,b,0.5 and "
                    "b,a,0.5 under winner,loser,count), or use the columns a,b,winner."
                )
            numbers.append(-1 if code in wrong else known.setdefault(name, len(known)))
        faults.add(column.codes < 0, side, lambda row: "the arm is missing; give its name.")
        faults.add_values(column, side, wrong)
        sides.append(np.array([*numbers, -1])[column.codes])
    left, right = sides
    names = list(known)
    faults.add(
        (left == right) & (left >= 0),
        format.right,
        lambda row: f'{names[right[row]]!r:.60} is also in column "{format.left:.60}"; give two arms.',
    )
    if len(known) > MOST_ARMS:
        raise PreferenceError(
            f"the table has {len(known):,} distinct arms; the maximum is {MOST_ARMS:,}. If columns "
            f"{format.left!r:.60} and {format.right!r:.60} hold texts, name the columns of the arms: "
            "--columns left=COLUMN,right=COLUMN."
        )
    return names, left, right


def _no_name(value: Any) -> str:
    return f"{value!r:.60} is not a name; give one line of text."


def _counts(table: Table, format: Format, faults: Faults) -> FloatArray:
    """Return the number of votes of each row; a missing count is taken as 1 and noted."""
    name = format.also.get("count")
    if name is None:
        return np.ones(table.size)
    column = table.columns[name]
    counts = numbers_of(column, 1.0)
    halves = 1.0 if format.outcome or format.flags or format.scores or not format.left else 0.5
    whole = "give a whole number, 0 or more" if halves == 1.0 else "give 0 or more"
    faults.add(
        ~((counts >= 0.0) & (counts <= MOST) & (counts % halves == 0.0)),
        name,
        lambda row: (
            f"{column.row(row)!r:.60} is not a number of votes; {whole}, at most {MOST:.0e}. If it is a "
            f"weight, read it as one: --columns weight={name:.60}."
        ),
    )
    return counts


def _expand_rankings(
    table: Table, format: Format, counts: FloatArray, faults: Faults, unranked: Unranked
) -> tuple[Table, list[str], IntArray, IntArray, FloatArray, FloatArray]:
    """Return the table of pairwise votes: one for every pair of arms in a ranking."""
    found = expand(table, format, faults, counts, unranked)
    expanded = table.take(found.rows)
    expanded.columns[RANKINGS] = found.rankings
    return expanded, found.arms, found.first, found.second, found.outcomes, np.ones(len(found.rows))


RANKINGS = "\0rankings"
"""The internal column with the ranking of every row; no column of a file can have this name."""
TEXTS = ("voter", "item", "ticket", "category", "ranking_id")
"""Roles whose columns hold texts."""


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
    notes = table.notes
    added = dict.fromkeys(about.get(formats.ADDED, []))
    every = dict.fromkeys([*names, *(arm for arms_of in about.values() for arm in arms_of)])
    ordered = (*in_reading_order(name for name in every if name not in added), *added)
    if arms is not None:
        ordered = as_arms([name_of(arm) for arm in as_arms(arms)])
        if unknown := [f"{name!r:.60}" for name in every if name not in set(ordered)]:
            quoted = [f"{name!r:.60}" for name in ordered]
            raise PreferenceError(
                f"the votes name unknown arms: {enumeration(unknown)}; the arms are {enumeration(quoted)}."
            )
    if not 2 <= len(ordered) <= MOST_ARMS:
        raise PreferenceError(f"there are {len(ordered):,} arms; give 2 to {MOST_ARMS:,} arms.")
    numbers = {name: number for number, name in enumerate(ordered)}
    order = np.array([numbers[name] for name in names], np.int64)
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
        _texts(table.columns[RANKINGS]) if RANKINGS in table.columns else texts("ranking_id"),
        _statuses(table, format),
        numbers_of(table.columns[format.also["weight"]], 1.0) if "weight" in format.also else None,
        extras,
        initial_arms=len(ordered) - len(added),
        retired=[numbers[name] for name in about.get(formats.RETIRED, [])],
        changed=not about.keys() <= {formats.LISTED},
        notes=notes,
    )
    _note_missing(votes, table, format)
    _note_alike(ordered, notes)
    return votes if not (counts % 1.0).any() else with_ties(votes, counts)


def with_ties(votes: Votes, counts: FloatArray) -> Votes:
    """Return votes in which two opposite half wins become a tie.

    Half wins are matched by voter, item and pair: there must be as many one way as the other.
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
        one, other = (f"{votes.arms[side[row]]:.60}" for side in (winner, loser))
        raise PreferenceError(
            f"half a win of {one!r} against {other!r} has no matching half; write a tie as half a win each "
            f"way: {one},{other},0.5 and {other},{one},0.5. If counts are weights, read them as such: "
            "--columns weight=count."
        )
    ties, won = rows[forth], np.flatnonzero(wins)
    chosen = np.concatenate([won, ties])
    order = np.argsort(chosen, kind="stable")
    made = votes.take(chosen[order])
    vars(made)["outcomes"] = np.repeat([LEFT_WINS, TIE], [len(won), len(ties)])[order]
    vars(made)["counts"] = np.concatenate([wins[won], np.ones(len(ties))])[order].astype(np.int64)
    return made


def _note_missing(votes: Votes, table: Table, format: Format) -> None:
    """Note votes without a voter, item, count or weight, and names that look like missing values."""
    remarks = table.notes.remarks
    for role, texts in (("voter", votes.voters), ("item", votes.items)):
        if texts is None:
            continue
        unnamed = "each counts by itself" if role == "voter" else "they count as votes without an item"
        if many := int(votes.counts[texts.missing].sum()):
            one = "an item" if role == "item" else "a voter"
            remarks.append(f"Without {one}: {counted(many, 'vote')}; {unnamed}.")
        for code, name in enumerate(texts.names):
            if name.casefold() in NO_NAMES and (many := int(votes.counts[texts.codes == code].sum())):
                remarks.append(
                    f"The {role} of {counted(many, 'vote')} is named {name!r}; if it is missing, leave the "
                    "field empty."
                )
    for role in ("count", "weight"):
        column = table.columns.get(format.also.get(role, ""))
        if column is not None and (many := int((column.codes < 0).sum())):
            remarks.append(f"Without a {role}: {counted(many, 'row')}; taken as 1.")


def _note_alike(arms: Sequence[str], notes: Notes) -> None:
    """Note arms whose names differ only in case, invisible characters or Unicode normalization."""
    alike: dict[str, list[str]] = {}
    for arm in arms:
        visible = (sign for sign in unicodedata.normalize("NFKC", arm) if unicodedata.category(sign) != "Cf")
        alike.setdefault("".join("".join(visible).casefold().split()), []).append(arm)
    if twins := [f"{one!a:.60}" for names in alike.values() if len(names) > 1 for one in names]:
        notes.remarks.append(f"Arms with nearly identical names count as different: {enumeration(twins)}.")


def _texts(column: Column) -> Texts:
    names: dict[str, int] = {}
    texts = map(name_of, column.values)
    codes = [names.setdefault(text, len(names)) if text else -1 for text in texts]
    return Texts(tuple(names), np.array([*codes, -1], np.int64)[column.codes])


def _some(texts: Texts) -> Texts | None:
    return None if (texts.codes < 0).all() else texts


def _times(table: Table, format: Format, notes: Notes) -> FloatArray | None:
    name = format.also.get("time")
    if name is None:
        return None
    column = table.columns[name]
    times = np.array([*map(_seconds, column.values), nan])[column.codes]
    unread = (column.codes >= 0) & np.isnan(times)
    if unread.any():
        first = column.row(int(np.flatnonzero(unread)[0]))
        notes.remarks.append(
            f"Without a time: {counted(int(unread.sum()), 'row')} whose {name!r:.60} is neither a date such "
            f"as 2026-11-16T10:00:00 nor seconds since 1970; the first is {first!r:.40}."
        )
    return None if np.isnan(times).all() else times


def _seconds(value: Any) -> float:
    """Return a time in seconds; numbers too large for seconds are milliseconds, as pandas writes them."""
    number = as_number(value)
    try:
        return as_seconds(value if number is None or abs(number) < LATEST else number / 1000.0)
    except ValueError:
        return nan


def _statuses(table: Table, format: Format) -> IntArray | None:
    name = format.also.get("status")
    if name is None:
        return None
    column = table.columns[name]
    numbers = {word: number for number, word in enumerate(STATUSES)}
    return np.array([*(numbers.get(as_word(one), COUNTED) for one in column.values), COUNTED])[column.codes]
