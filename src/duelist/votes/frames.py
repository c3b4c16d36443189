"""Comparisons in memory: data frames, columns by name, and rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Protocol, TypeAlias, runtime_checkable

from duelist.errors import PreferenceError
from duelist.text import counted
from duelist.votes.columns import COLUMNS, find_columns
from duelist.votes.gathering import Batch, Gathering, take
from duelist.votes.rankings import find_rankings, take_rankings
from duelist.votes.records import Records
from duelist.votes.rows import ROWS_AT_ONCE


@runtime_checkable
class Frame(Protocol):
    """What is needed of a data frame, so that no library of frames need be imported."""

    @property
    def columns(self) -> Iterable[Any]:
        """Return the columns' names."""

    def __getitem__(self, name: Any, /) -> Iterable[Any]:
        """Return a column."""


Rows: TypeAlias = Iterable[Any]
"""Rows (winner, loser) or (winner, loser, count), or with fields by name, such as the votes of a study."""


def gather(
    table: Frame | Mapping[str, Iterable[Any]] | Rows,
    labels: Iterable[str | int] | None = None,
    **named: str | None,
) -> Records:
    """Return the comparisons of a frame, of columns by name, or of rows.

    `labels` are all arms, in their order; `named` gives the names of columns, as `find_columns` takes them.
    """
    gathering = Gathering(labels)
    if not isinstance(table, Frame | Iterable):
        raise PreferenceError(f"{table!r:.80} holds no comparisons; give a data frame, columns or rows.")
    if not isinstance(table, Frame | Mapping):
        rows = iter(table)
        first = next(rows, None)
        everything = chain([] if first is None else [first], rows)
        if not isinstance(first, Mapping) and not hasattr(first, "outcome"):
            for batch in _batches(everything):
                gathering.add(batch)
            return gathering.result()
        table = _as_columns(everything)
    names = list(table.columns if isinstance(table, Frame) else table)
    columns = find_columns(names, **named)
    rankings = None if columns else find_rankings(names, named.get("voter"), named.get("item"))

    def column(place: int) -> Sequence[Any]:
        return _listed(table[names[place]])

    if columns is not None:
        gathering.add(take(columns, column, _numbered(0)))
    elif rankings is not None:
        gathering.add(take_rankings(rankings, column, _numbered(0)))
    else:
        raise PreferenceError(
            f'the columns are {names}; name two of them "winner" and "loser", or three "left", "right" and '
            '"outcome", or pass a=, b= and winner=, or name one "ranking".'
        )
    return gathering.result()


def _as_columns(rows: Rows) -> dict[str, list[Any]]:
    """Return rows with fields by name as columns, those of all rows."""
    fields = [row if isinstance(row, Mapping) else row._asdict() for row in rows]
    names = dict.fromkeys(chain.from_iterable(dict.fromkeys(map(tuple, fields))))
    return {name: [row.get(name) for row in fields] for name in names}


def _listed(column: Any) -> Sequence[Any]:
    """Return a column as a list; frames and arrays have a quick way to it."""
    quick = getattr(column, "tolist", None) or getattr(column, "to_list", None)
    if quick is None and not isinstance(column, Iterable):
        raise PreferenceError(f"a column is {column!r:.80}; give a list of its fields.")
    listed: Sequence[Any] = list(column) if quick is None else quick()
    return listed


def _batches(records: Rows) -> Iterator[Batch]:
    rows, start = iter(records), 0
    while some := list(islice(rows, ROWS_AT_ONCE)):
        try:
            widths = set(map(len, some))
        except TypeError:
            row = next(row for row, one in enumerate(some) if not hasattr(one, "__len__"))
            raise PreferenceError(
                f"record {start + row + 1} is {some[row]!r:.80}; give (winner, loser, count)."
            ) from None
        if not widths <= {2, 3}:
            row, width = next((row, len(one)) for row, one in enumerate(some) if not 2 <= len(one) <= 3)
            raise PreferenceError(
                f"record {start + row + 1} has {counted(width, 'field')}; give (winner, loser, count)."
            )
        if len(widths) == 2:
            some = [(*row, 1.0)[:3] for row in some]
        winners, losers, *counts = zip(*some, strict=True)
        yield Batch(COLUMNS[:2], _numbered(start), winners, losers, None, counts[0] if counts else None)
        start += len(some)


def _numbered(start: int) -> Callable[[int], str]:
    return lambda row: f"record {start + row + 1}"
