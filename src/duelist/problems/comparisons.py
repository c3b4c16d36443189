"""Recorded comparisons, tallied: who beat whom, and how often."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol, runtime_checkable

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.problems.columns import COLUMNS, find_columns
from duelist.problems.rows import ROWS_AT_ONCE
from duelist.problems.tallying import Batch, Tally, take
from duelist.text import counted


class Comparison(NamedTuple):
    """Who won, who lost, and how many times; a tie is half a win for either side.

    Examples
    --------
    >>> Comparison("dense", "bm25")
    Comparison(winner='dense', loser='bm25', times=1.0)
    """

    winner: str
    loser: str
    times: float = 1.0


@runtime_checkable
class Frame(Protocol):
    """What is needed of a data frame, so that no library of frames need be imported."""

    @property
    def columns(self) -> Iterable[Any]:
        """Return the columns' names."""

    def __getitem__(self, name: Any, /) -> Iterable[Any]:
        """Return a column."""


def tally(
    records: Iterable[Sequence[Any]] | Frame,
    labels: Iterable[str | int] | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
) -> tuple[tuple[str, ...], FloatArray]:
    """Return the arms and who beat whom: `wins[i, j]` is how often arm i beat arm j.

    Records are (winner, loser) or (winner, loser, count), or a data frame with such columns; a missing count
    is 1. Labels name the arms in their order, for instance to include one never compared; by default they
    come as they appear. A data frame may have two columns of arms and one of the winner instead, such as
    `model_a`, `model_b` and `winner`: there stands the winner's name, the name of its column, or a word such
    as tie, which is half a win each way. `a`, `b` and `winner` name these columns where they are called
    otherwise.

    Examples
    --------
    >>> labels, wins = tally([("dense", "bm25", 3), ("bm25", "dense")])
    >>> labels
    ('dense', 'bm25')
    >>> wins
    array([[0., 3.],
           [1., 0.]])
    """
    wins = Tally(labels)
    if isinstance(records, Frame):
        names = list(records.columns)
        columns = find_columns(names, a, b, winner)
        if columns is None:
            raise PreferenceError(
                f'the columns are {names}; name two of them "winner" and "loser", or pass a=, b= and winner='
            )
        wins.add(take(columns, lambda place: list(records[names[place]]), _numbered(0)))
    else:
        for batch in _batches(records):
            wins.add(batch)
    return wins.result()


def _batches(records: Iterable[Sequence[Any]]) -> Iterator[Batch]:
    rows, start = iter(records), 0
    while some := list(islice(rows, ROWS_AT_ONCE)):
        widths = set(map(len, some))
        if not widths <= {2, 3}:
            row, width = next((row, len(one)) for row, one in enumerate(some) if not 2 <= len(one) <= 3)
            raise PreferenceError(
                f"record {start + row + 1} has {counted(width, 'field')}; give (winner, loser, count)."
            )
        if len(widths) == 2:
            some = [(*row, 1.0)[:3] for row in some]
        winners, losers, *counts = zip(*some, strict=True)
        yield Batch(winners, losers, None, counts[0] if counts else None, COLUMNS, _numbered(start))
        start += len(some)


def _numbered(start: int) -> Callable[[int], str]:
    return lambda row: f"record {start + row + 1}"
