"""The count of wins, batch by batch: whatever a table looks like, its rows end here."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import PreferenceError, UnknownNameError
from duelist.preferences import as_labels, as_name
from duelist.problems.columns import Columns, as_number, has_decimal_commas, is_tie
from duelist.problems.estimates import MOST

FIRST, SECOND, TIED = 1, 2, 3
"""Who won: a tie is a win of both."""


class Batch(NamedTuple):
    """Some rows of a table, by column."""

    first: Sequence[Any]
    second: Sequence[Any]
    winner: Sequence[Any] | None
    """None if the first arm always won."""
    counts: Sequence[Any] | None
    names: tuple[str, ...]
    """What the table calls the first three."""
    where: Callable[[int], str]
    """How errors call a row, given its place in the batch."""

    def error(self, row: int, column: str, fault: str) -> PreferenceError:
        """Return what is wrong in a row."""
        return PreferenceError(f'{self.where(int(row))}, column "{column}": {fault}')


def take(columns: Columns, column: Callable[[int], Sequence[Any]], where: Callable[[int], str]) -> Batch:
    """Return rows as a batch, given what returns the column at a place."""
    first, second, winner, counts = (None if place is None else column(place) for place in columns[:4])
    names = tuple(columns.names[place] for place in columns[:3] if place is not None)
    return Batch(first or (), second or (), winner, counts, names, where)


class Tally:
    """Counts wins, batch by batch; every name is checked once."""

    def __init__(self, labels: Iterable[str | int] | None = None) -> None:
        self.arms = {} if labels is None else {name: arm for arm, name in enumerate(as_labels(labels))}
        self.fixed = labels is not None
        self.numbers: dict[Any, int] = {}
        self.parts: list[tuple[IntArray, IntArray, FloatArray]] = []

    def add(self, batch: Batch, strip: bool = False) -> None:
        """Count the wins of a batch; `strip` says that spaces around names mean nothing."""
        self._learn(batch, strip)
        first, second = (
            np.fromiter(map(self.numbers.__getitem__, fields), np.int64, len(fields)) for fields in batch[:2]
        )
        for row in np.flatnonzero(first == second)[:1]:
            fault = "is the winner too" if batch.winner is None else f'is in column "{batch.names[0]}" too'
            raise batch.error(row, batch.names[1], f"{batch.second[row]!r} {fault}; name two arms.")
        counts = np.ones(len(first)) if batch.counts is None else _numbers_of_wins(batch, batch.counts)
        if batch.winner is None:
            self.parts.append((first, second, counts))
            return
        outcome = self._outcomes(batch, batch.winner, first, second)
        counts[outcome == TIED] /= 2.0
        for side, winners, losers in ((FIRST, first, second), (SECOND, second, first)):
            won: BoolArray = outcome & side > 0
            self.parts.append((winners[won], losers[won], counts[won]))

    def result(self) -> tuple[tuple[str, ...], FloatArray]:
        """Return the arms and who beat whom how often."""
        if not self.parts:
            raise PreferenceError("the table holds no comparison; give at least one (winner, loser).")
        winners, losers, counts = (np.concatenate(parts) for parts in zip(*self.parts, strict=True))
        if not counts.any():
            raise PreferenceError(
                "all counts are 0, so that nothing was compared; give at least one that is above 0."
            )
        k = len(self.arms)
        wins = np.bincount(winners * k + losers, weights=counts, minlength=k * k)
        return tuple(self.arms), np.asarray(wins.reshape(k, k), np.float64)

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

    def _outcomes(self, batch: Batch, fields: Sequence[Any], first: IntArray, second: IntArray) -> IntArray:
        """Return who won each row, by the winner's name or that of its column."""
        one, other, winner = batch.names
        words = {}
        for field in dict.fromkeys(fields):
            word = field.strip() if isinstance(field, str) else field
            if field not in self.numbers and word in self.arms:
                self.numbers[field] = self.arms[word]
            word = str(word).casefold()
            sides = FIRST * (word == one.casefold()) + SECOND * (word == other.casefold())
            words[field] = TIED if is_tie(word) else sides
        arms = np.fromiter(map(self.numbers.get, fields, repeat(-1)), np.int64, len(first))
        said = np.fromiter(map(words.__getitem__, fields), np.int64, len(first))
        named = FIRST * (arms == first) + SECOND * (arms == second)
        outcome: IntArray = named | said
        for row in np.flatnonzero((outcome == 0) | ((named > 0) & (said > 0) & (named != said)))[:1]:
            if outcome[row]:
                fault = f"{fields[row]!r} is an arm and also the column of the other; rename the columns."
            else:
                fault = (
                    f"{fields[row]!r} is neither {batch.first[row]!r} nor {batch.second[row]!r}; give one of "
                    f"them, {one}, {other} or tie."
                )
            raise batch.error(row, winner, fault)
        return outcome


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
