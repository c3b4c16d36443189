"""Write votes as JSON Lines or CSV; `load_votes` reads both back unchanged."""

import csv
import io
import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.files import guard, write_whole
from duelist.votes.building import AMBIGUOUS
from duelist.votes.formats import ADDED, CHANGED, LISTED, RETIRED
from duelist.votes.table import Vote, Votes


def as_lines(votes: Votes, about_arms: bool = True) -> Iterator[bytes]:
    """Yield JSON Lines: first the rows about arms, then the votes."""
    for row in rows_of(votes, about_arms):
        yield msgspec.json.encode(row) + b"\n"


def as_csv(votes: Votes, about_arms: bool = True) -> Iterator[bytes]:
    """Yield CSV lines; settings are written as JSON, and formulas are escaped for spreadsheets."""
    line = io.StringIO()
    names = columns_of(votes)
    # readers detect the delimiter from the unquoted part of the header
    strange = any(sign in name for name in votes.extras for sign in ";|\t")
    writer = csv.writer(line, quoting=csv.QUOTE_ALL if strange else csv.QUOTE_MINIMAL)
    for row in chain([dict(zip(names, names, strict=True))], rows_of(votes, about_arms)):
        writer.writerow([plain(row[name]) for name in names])
        yield line.getvalue().encode()
        line.seek(0)
        line.truncate()


def columns_of(votes: Votes) -> list[str]:
    """Return the columns to write: those of every export, and the optional ones that the votes have."""
    columns = [name for name in Vote.__struct_fields__ if name != "count"]
    if (votes.counts > 1).any():
        columns.append("count")
    if votes.weights is not None:
        columns.append("weight")
    if votes.rankings is not None:
        columns.append("ranking_id")
    return columns + list(votes.extras)


def rows_of(votes: Votes, about_arms: bool = True) -> Iterator[dict[str, Any]]:
    """Yield rows about arms that the votes alone do not reveal, and then all votes."""
    columns = columns_of(votes)
    for status, arms in arms_by_status(votes) if about_arms else ():
        for arm in arms:
            yield dict.fromkeys(columns) | {"left": arm, "ticket": "", "status": status}
    extras: dict[str, list[Any]] = {name: column.tolist() for name, column in votes.extras.items()}
    if votes.weights is not None:
        extras["weight"] = votes.weights.tolist()
    if votes.rankings is not None:
        extras["ranking_id"] = votes.rankings.tolist()
    for number, vote in enumerate(votes):
        row = msgspec.structs.asdict(vote) | {name: column[number] for name, column in extras.items()}
        yield {name: row[name] for name in columns}


def arms_by_status(votes: Votes) -> Iterable[tuple[str, list[str]]]:
    """Yield, by status, the arms that a reader must know to reach the same verdict."""
    if not all(isinstance(arm, str) for arm in votes.arms):
        return
    seen = {*votes.left[votes.is_counted].tolist(), *votes.right[votes.is_counted].tolist()}
    yield LISTED, [votes.arms[arm] for arm in range(votes.initial_arms) if arm not in seen]
    yield ADDED, list(votes.arms[votes.initial_arms :])
    yield RETIRED, [votes.arms[arm] for arm in sorted(votes.retired)]
    if votes.changed and votes.initial_arms == votes.k and not votes.retired:
        yield CHANGED, [votes.arms[0]]


def plain(field: object) -> object:
    """Return a field as it is written in CSV."""
    if isinstance(field, datetime):
        return field.isoformat()
    if isinstance(field, str):
        return guard(field)
    return msgspec.json.encode(field).decode() if isinstance(field, dict) else field


def write_matrix(path: str | os.PathLike[str], matrix: FloatArray, labels: tuple[str, ...]) -> Path:
    """Write a matrix with row and column names; it reads back to the last bit."""
    rows = ([name, *row] for name, row in zip(labels, matrix.tolist(), strict=True))
    return _write_rows(path, ["", *labels], rows)


def write_counts(path: str | os.PathLike[str], wins: FloatArray, labels: tuple[str, ...]) -> Path:
    """Write winner, loser and count for every ordered pair, with a tie as half a win each way."""
    for name in (name for name in labels if name.casefold() in AMBIGUOUS):
        raise PreferenceError(f"an arm is named {name!r}, which would be read as a tie; rename it.")
    Votes.from_counts(wins, arms=labels)  # raises for counts that cannot be read back, such as thirds
    halves = np.round(2.0 * wins) / 2.0  # a share of wins times a count is subject to rounding
    rows = (
        [labels[winner], labels[loser], float(halves[winner, loser])]
        for pair in combinations(range(len(labels)), 2)
        for winner, loser in (pair, pair[::-1])
    )
    return _write_rows(path, ["winner", "loser", "count"], rows)


def _write_rows(path: str | os.PathLike[str], header: list[str], rows: Iterable[list[Any]]) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow([guard(cell) if isinstance(cell, str) else cell for cell in row])
    return write_whole(path, text.getvalue().encode())
