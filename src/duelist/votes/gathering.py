"""Comparisons gathered batch by batch: whatever a table looks like, its rows end here."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import PreferenceError, UnknownNameError
from duelist.preferences import as_labels, as_name
from duelist.votes.columns import OUTCOME, Columns, as_number, has_decimal_commas, is_tie
from duelist.preferences import MOST
from duelist.votes.records import Records, Texts

FIRST, SECOND, TIED = 1, 2, 3  # who won: a tie is a win of both
VALUES = np.array([np.nan, LEFT_WINS, RIGHT_WINS, TIE])
NUMBERS: dict[float | None, int] = {LEFT_WINS: FIRST, RIGHT_WINS: SECOND, TIE: TIED}
NOT_COUNTED = ("retracted", "skipped")  # what a study's record says of votes that do not count


class Batch(NamedTuple):
    """Some rows of a table, by column."""

    names: tuple[str, ...]
    """What the table calls the two arms and the winner, if it has all three."""
    where: Callable[[int], str]
    """How errors call a row, given its place in the batch."""
    first: Sequence[Any]
    second: Sequence[Any]
    winner: Sequence[Any] | None = None
    """None if the first arm always won."""
    counts: Sequence[Any] | None = None
    voters: Sequence[Any] | None = None
    items: Sequence[Any] | None = None
    tickets: Sequence[Any] | None = None
    times: Sequence[Any] | None = None
    rankings: Sequence[Any] | None = None
    """Which ranking each row is a part of."""

    def error(self, row: int, column: str, fault: str) -> PreferenceError:
        """Return what is wrong in a row."""
        return PreferenceError(f'{self.where(int(row))}, column "{column}": {fault}')


def take(columns: Columns, column: Callable[[int], Sequence[Any]], where: Callable[[int], str]) -> Batch:
    """Return rows as a batch, given what returns the column at a place; votes that do not count are left out.

    These are the retracted and skipped ones in the record of a study.
    """
    names = tuple(columns.names[place] for place in columns[1:4] if place is not None)
    statuses = () if columns.status is None else column(columns.status)
    kept = [row for row, status in enumerate(statuses) if status not in NOT_COUNTED]

    def fields(place: int) -> Sequence[Any]:
        whole = column(place)
        return whole if len(kept) == len(statuses) else [whole[row] for row in kept]

    first, second = fields(columns.first), fields(columns.second)
    others = [None if place is None else fields(place) for place in columns[3:9]]
    require_as_many(first, second, *others)
    told = where if len(kept) == len(statuses) else lambda row: where(kept[row])
    return Batch(names, told, first, second, *others)


def require_as_many(*columns: Sequence[Any] | None) -> None:
    """Refuse columns that differ in length."""
    lengths = {len(column) for column in columns if column is not None}
    if len(lengths) > 1:
        raise PreferenceError(f"the columns have {min(lengths)} to {max(lengths)} rows; give each as many.")


class Gathering:
    """Gathers comparisons, batch by batch; every name is checked once."""

    def __init__(self, labels: Iterable[str | int] | None = None) -> None:
        self.arms = {} if labels is None else {name: arm for arm, name in enumerate(as_labels(labels))}
        self.fixed = labels is not None
        self.numbers: dict[Any, int] = {}
        self.meanings: dict[Any, int] = {}
        self.parts: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
        self.texts = tuple(map(_Texts, (as_text, as_text, as_text, as_time, as_text)))

    @property
    def size(self) -> int:
        """The number of rows so far."""
        return sum(len(first) for first, *_ in self.parts)

    def add(self, batch: Batch, strip: bool = False) -> None:
        """Take the rows of a batch; `strip` says that spaces around names mean nothing."""
        try:
            first, second = _looked_up(self.numbers, batch.first), _looked_up(self.numbers, batch.second)
        except (KeyError, TypeError):
            self._learn(batch, strip)
            first, second = _looked_up(self.numbers, batch.first), _looked_up(self.numbers, batch.second)
        for row in np.flatnonzero(first == second)[:1]:
            fault = "is the winner too" if batch.winner is None else f'is in column "{batch.names[0]}" too'
            raise batch.error(row, batch.names[1], f"{batch.second[row]!r} {fault}; name two arms.")
        counts = np.ones(len(first)) if batch.counts is None else _numbers_of_wins(batch, batch.counts)
        outcomes = np.full(len(first), LEFT_WINS)
        if batch.winner is not None:
            outcomes = VALUES[self._who_won(batch, batch.winner, first, second)]
        self.parts.append((first, second, outcomes, counts))
        columns = (batch.voters, batch.items, batch.tickets, batch.times, batch.rankings)
        for texts, fields in zip(self.texts, columns, strict=True):
            if fields is not None:
                texts.add(fields)

    def result(self) -> Records:
        """Return all rows."""
        columns = [np.concatenate(parts) for parts in zip(*self.parts, strict=True)]
        if not columns or not len(columns[0]):
            raise PreferenceError("the table holds no comparison; give at least one (winner, loser).")
        left, right, outcomes, counts = columns
        if not counts.any():
            raise PreferenceError(
                "all counts are 0, so that nothing was compared; give at least one that is above 0."
            )
        texts = [column.result() for column in self.texts]
        return Records(tuple(self.arms), left, right, outcomes, counts, *texts)

    def _learn(self, batch: Batch, strip: bool) -> None:
        """Give a number to every arm of a batch, in the order in which they appear."""
        try:
            found = dict.fromkeys(chain.from_iterable(zip(batch.first, batch.second, strict=True)))
        except TypeError:
            # a field that cannot be looked up, such as a list, is no name
            for row, pair in enumerate(zip(batch.first, batch.second, strict=True)):
                for column, field in zip(batch.names, pair, strict=False):
                    as_name(f'{batch.where(row)}, column "{column}"', field)
            raise
        for field in found:
            if field not in self.numbers:
                self.numbers[field] = self._number(batch, field, strip)

    def _number(self, batch: Batch, field: Any, strip: bool) -> int:
        """Return the number of an arm that is met for the first time."""
        fault = name = ""
        try:
            name = as_name("", field.strip() if strip and isinstance(field, str) else field)
            if name not in self.arms and self.fixed:
                fault = str(UnknownNameError("arm", name, self.arms))
            elif is_tie(name) and not self.fixed:
                fault = (
                    f"{field!r} is a tie, not an arm; write a tie as half a win each way (a,b,0.5 and "
                    "b,a,0.5 under winner,loser,count), or both arms and the winner under a,b,winner. An arm "
                    "that is called so needs another name."
                )
        except PreferenceError as error:
            fault = str(error).removeprefix(": ")
        if fault:
            # by identity: what stands for a missing value is not equal even to itself
            row, side = next(
                (row, side)
                for row, pair in enumerate(zip(batch.first, batch.second, strict=True))
                for side, one in enumerate(pair)
                if one is field
            )
            raise batch.error(row, batch.names[side], fault)
        return self.arms.setdefault(name, len(self.arms))

    def _who_won(self, batch: Batch, fields: Sequence[Any], first: IntArray, second: IntArray) -> IntArray:
        """Return who won each row, by the winner's name or that of its column; outcomes are numbers too."""
        one, other, winner = batch.names
        outcomes = winner.casefold() == OUTCOME
        try:
            meanings = _looked_up(self.meanings, fields)
        except KeyError:
            for field in dict.fromkeys(fields):
                self.meanings[field] = self._meaning(field, one.casefold(), other.casefold(), outcomes)
            meanings = _looked_up(self.meanings, fields)
        arms, said = meanings // 4, meanings % 4
        named = FIRST * (arms == first) + SECOND * (arms == second)
        if outcomes:
            named[said > 0] = 0  # an outcome of 1 is a number, even where an arm is called so
        won: IntArray = named | said
        for row in np.flatnonzero((won == 0) | ((named > 0) & (said > 0) & (named != said)))[:1]:
            if won[row]:
                fault = f"{fields[row]!r} is an arm and also the column of the other; rename the columns."
            elif outcomes:
                fault = f"{fields[row]!r} is no outcome; give {one}, {other} or tie, or 1, 0 or 0.5 for them."
            else:
                fault = (
                    f"{fields[row]!r} is neither {batch.first[row]!r} nor {batch.second[row]!r}; give one of "
                    f"them, {one}, {other} or tie."
                )
            raise batch.error(row, winner, fault)
        return won

    def _meaning(self, field: Any, one: str, other: str, outcomes: bool) -> int:
        """Return four times the arm that a field names, -1 if none, plus who it says has won, 0 if nobody."""
        word = field.strip() if isinstance(field, str) else field
        arm = self.numbers.get(field, self.arms.get(word, -1))
        number = as_number(word) if outcomes else None
        word = str(word).casefold()
        side = FIRST * (word == one) + SECOND * (word == other)
        return 4 * arm + (TIED if is_tie(word) else NUMBERS.get(number, side))


def _looked_up(numbers: dict[Any, int], fields: Sequence[Any]) -> IntArray:
    return np.fromiter(map(numbers.__getitem__, fields), np.int64, len(fields))


class _Texts:
    """Gathers a column of texts, of which many are equal; what is missing is an empty one."""

    def __init__(self, text_of: Callable[[Any], str]) -> None:
        self._text_of = text_of
        self.numbers: dict[Any, int] = {}
        self.parts: list[IntArray] = []

    def add(self, fields: Sequence[Any]) -> None:
        """Take some fields."""
        try:
            found = _looked_up(self.numbers, fields)
        except KeyError:
            for field in fields:
                self.numbers.setdefault(field, len(self.numbers))
            found = _looked_up(self.numbers, fields)
        self.parts.append(found)

    def result(self) -> Texts | None:
        """Return all texts; None if there is none."""
        texts = [self._text_of(field) for field in self.numbers]
        return np.array(texts, object)[np.concatenate(self.parts)] if any(texts) else None


def as_text(field: Any) -> str:
    """Return a field as a text; an empty one where it stands for nothing."""
    return str(field).strip() if isinstance(field, str | int) else ""


def as_time(field: Any) -> str:
    """Return a moment as a text: a date, or seconds, which may be broken."""
    missing = field is None or field != field  # so frames write what is not there
    return "" if missing else str(field).strip()


def _numbers_of_wins(batch: Batch, fields: Sequence[Any]) -> FloatArray:
    """Return the counts of a batch, or refuse the first that is none."""
    try:
        counts = np.fromiter(map(float, fields), np.float64, len(fields))
    except (OverflowError, TypeError, ValueError):
        commas = has_decimal_commas(fields)
        numbers = [as_number(field, commas) for field in fields]
        counts = np.array([-1.0 if number is None else number for number in numbers])
    for row in np.flatnonzero(~((counts >= 0.0) & (counts <= MOST)))[:1]:
        told = f"{fields[row]!r} is not a number of wins; give 0 or more, such as 2.5, {MOST:.0e} at most."
        raise batch.error(row, "count", told)
    return counts
