"""Read tables from memory: data frames, Arrow tables, mappings of columns, and rows."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np

from duelist.errors import FileError, PreferenceError
from duelist.tables.table import Coder, Column, Keep, Notes, Table, is_missing
from duelist.text import enumeration

ROWS_AT_ONCE = 500
"""Batch size: small enough that no garbage collection is triggered, which would double the time."""


@runtime_checkable
class Frame(Protocol):
    """What the reader needs of a data frame, without importing a data frame library."""

    @property
    def columns(self) -> Iterable[Any]: ...

    def __getitem__(self, name: Any, /) -> Iterable[Any]: ...


def read_memory(source: Any, keep: Keep, skip_bad: bool = False) -> Table:
    """Return the table of a data frame, a mapping of columns, or an iterable of rows."""
    notes = Notes()
    if isinstance(source, Frame):
        return read_frame(source, keep, notes)
    if isinstance(source, Mapping):
        return read_columns(source, keep, notes)
    if isinstance(source, str | bytes) or not isinstance(source, Iterable):
        raise PreferenceError(
            f"{source!r:.80} is not a table; give a path, a data frame, a mapping of columns or a list of "
            "mappings."
        )
    return read_records(source, keep, notes, skip_bad)


def read_records(records: Iterable[Any], keep: Keep, notes: Notes, skip_bad: bool = False) -> Table:
    """Return the table of an iterable of rows; its columns are the union of the fields of all rows."""
    coders: dict[str, Coder | None] = {}
    size, seen, numbers = 0, 0, list[int]()
    rows = iter(records)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        objects = []
        for one in some:
            seen += 1
            fields = fields_of(one)
            if fields is not None:
                objects.append(fields)
                numbers.append(seen)
            elif skip_bad:
                notes.skip(partial("record {}: {!r:.60} has no named fields".format, seen, one))
            else:
                fault = f"record {seen}: {one!r:.60} has no named fields; give an object for each row."
                raise FileError(f"{notes.source}, {fault}") if notes.source else PreferenceError(fault)
        for name in dict.fromkeys(chain.from_iterable(dict.fromkeys(map(tuple, objects)))):
            if name not in coders:
                coders[name] = coder = Coder() if keep(str(name)) else None
                if coder is not None and size:
                    coder.add([None] * size)
        for name, coder in coders.items():
            if coder is not None:
                coder.add([one.get(name) for one in objects])
        size += len(objects)
    columns = {str(name): coder.column() for name, coder in coders.items() if coder is not None}
    return Table(tuple(map(str, coders)), columns, size, lambda row: f"record {numbers[row]}", notes)


def read_columns(columns: Mapping[Any, Any], keep: Keep, notes: Notes) -> Table:
    kept, lengths = {}, {}
    for name, fields in columns.items():
        if isinstance(fields, str) or not isinstance(fields, Iterable):
            raise PreferenceError(f"column {name!r} must be a list of fields; got {fields!r:.60}.")
        listed = list(fields)
        lengths[str(name)] = len(listed)
        if keep(str(name)):
            kept[str(name)] = Column.of(listed)
    if len(set(lengths.values())) > 1:
        sizes = enumeration([f"{name!r} has {many:,}" for name, many in lengths.items()])
        fault = f"the columns differ in length: {sizes}; give every row a field in each column."
        raise FileError(f"{notes.source}: {fault}") if notes.source else PreferenceError(fault)
    size = next(iter(lengths.values()), 0)
    return Table(tuple(lengths), kept, size, lambda row: f"record {row + 1}", notes)


def read_frame(frame: Any, keep: Keep, notes: Notes) -> Table:
    """Return the table of a pandas or polars data frame or of an Arrow table."""
    if hasattr(frame, "column_names"):
        names = [str(name) for name in frame.column_names]
        kept = {name: _arrow_column(frame.column(index)) for index, name in enumerate(names) if keep(name)}
        return Table(tuple(names), kept, frame.num_rows, lambda row: f"record {row + 1}", notes)
    names = list(frame.columns)
    if twice := [name for index, name in enumerate(names) if keep(str(name)) and name in names[:index]]:
        raise PreferenceError(f"two columns are named {twice[0]!r}; give each a unique name.")
    kept = {str(name): Column.of(_listed(frame[name])) for name in names if keep(str(name))}
    return Table(tuple(map(str, names)), kept, len(frame), lambda row: f"record {row + 1}", notes)


def _arrow_column(column: Any) -> Column:
    try:
        coded = column.dictionary_encode().unify_dictionaries().combine_chunks()
        chunk = coded.chunk(0) if hasattr(coded, "chunk") else coded
        values, codes = (
            chunk.dictionary.to_pylist(),
            chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False),
        )
    except (NotImplementedError, TypeError, AttributeError, IndexError):
        return Column.of(column.to_pylist())
    wanted = np.array([*(-1 if is_missing(value) else code for code, value in enumerate(values)), -1])
    return Column(values, wanted[codes.astype(np.int64)])


def _listed(column: Any) -> list[Any]:
    """Return a column as a list, by the fast conversion that frames and arrays offer."""
    quick = getattr(column, "tolist", None) or getattr(column, "to_list", None)
    return list(column) if quick is None else list(quick())


def fields_of(row: Any) -> Mapping[str, Any] | None:
    """Return the named fields of a mapping, named tuple or struct; None for anything else."""
    if isinstance(row, msgspec.Struct):
        return msgspec.structs.asdict(row)
    named = row._asdict() if hasattr(row, "_asdict") else row
    return named if isinstance(named, Mapping) else None
