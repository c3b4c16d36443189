"""Statements for many rows at once: they are given as JSON, so that one statement serves any number.

After each statement a thread waits for its turn again, and a server for the next one.
"""

from typing import Any

import msgspec
from sqlalchemy import Engine, TextClause, text


def lock_studies(engine: Engine) -> TextClause:
    """Return the statement that finds studies by their `names`, and lets nobody else append to them.

    Whoever writes rows that refer to a study, such as open duels, need not wait for this lock.
    """
    lock = "FOR NO KEY UPDATE" if is_postgresql(engine) else ""
    name = "value #>> '{}'" if is_postgresql(engine) else "value"
    return text(
        "SELECT id, name, last FROM studies "
        f"WHERE name IN (SELECT {name} FROM {rows_of(engine, 'names')}) ORDER BY id {lock}"
    )


def find(engine: Engine) -> TextClause:
    """Return the statement that finds events by `keys`, each with its study's name before it.

    The study is compared as a sum, so that no index can be used for it: databases take studies to be short,
    and would rather read one as a whole than look up a few keys.
    """
    name, key = (field(engine, place) for place in range(2))
    return text(
        f"SELECT study, seq, event FROM {rows_of(engine, 'keys')} "
        "CROSS JOIN studies CROSS JOIN events "
        f"WHERE name = {name} AND events.key = {key} AND study + 0 = studies.id"
    )


def insert(engine: Engine) -> TextClause:
    """Return the statement that inserts events: `rows` of study, number, key and line."""
    study, seq, key, line = (field(engine, place) for place in range(4))
    return text(
        "INSERT INTO events (study, seq, key, event) "
        f"SELECT CAST({study} AS integer), CAST({seq} AS bigint), {key}, {line} "
        f"FROM {rows_of(engine, 'rows')}"
    )


def rows_of(engine: Engine, given: str) -> str:
    """Return the table with a column `value` that a list in JSON is to a database."""
    if is_postgresql(engine):
        return f"jsonb_array_elements(CAST(:{given} AS jsonb)) AS given (value)"
    return f"json_each(:{given}) AS given"


def field(engine: Engine, place: int) -> str:
    """Return a field of such a row."""
    return f"given.value ->> {place}" if is_postgresql(engine) else f"json_extract(given.value, '$[{place}]')"


def is_postgresql(engine: Engine) -> bool:
    """Return whether statements are for PostgreSQL; else they are for SQLite."""
    return engine.dialect.name == "postgresql"


def as_json(rows: Any) -> str:
    """Return rows as such statements take them."""
    return msgspec.json.encode(rows).decode()
