"""A connection kept for writing, spoken to directly: a commit is too short for the detours of a toolkit."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from time import monotonic
from typing import Any

from sqlalchemy import Engine, TextClause

from duelist.database.engines import plain_errors, refusal

KEPT = 1.0
"""Seconds of idleness after which the connection is tried before it is used."""


class Writer:
    """Makes transactions, one at a time, on a connection of its own.

    Parameters
    ----------
    engine : Engine
        Makes connections.
    place : str
        What the database is called in errors.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine, self._place = engine, place
        self._is_shared = engine.dialect.name == "postgresql"
        self._kept: Any = None
        self._used = 0.0
        self._texts: dict[TextClause, str] = {}

    @contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """Open a transaction for the block: all that is written in it is on disk at its end, or nothing is.

        A server is sent one statement after the other, and waited for when an answer is read.
        """
        try:
            with plain_errors(self._place):
                driver = self._connection().dbapi_connection
            with driver.pipeline() if self._is_shared else nullcontext():
                if not self._is_shared:
                    driver.execute("BEGIN IMMEDIATE")  # waits for its turn at once, for later is too late
                yield Transaction(driver, self._texts, self._engine)
                driver.commit()
        except self._engine.dialect.loaded_dbapi.Error as error:
            self._drop()
            raise refusal(self._place, error) from error
        except BaseException:
            self._drop()
            raise
        self._used = monotonic()

    def close(self) -> None:
        """Give the connection back."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _connection(self) -> Any:
        if monotonic() - self._used > KEPT:
            self.close()
        if self._kept is None:
            self._kept = self._engine.raw_connection()  # which is tried, if it is an old one
        return self._kept

    def _drop(self) -> None:
        """Take back what was not committed, and use another connection from now on."""
        kept, self._kept = self._kept, None
        if kept is not None:
            with suppress(Exception):
                kept.rollback()
            with suppress(Exception):
                kept.invalidate()


class Transaction:
    """Executes statements on a connection of a driver."""

    def __init__(self, driver: Any, texts: dict[TextClause, str], engine: Engine) -> None:
        self._driver, self._texts, self._engine = driver, texts, engine

    def execute(self, statement: TextClause, **values: object) -> Any:
        """Execute a statement; return a cursor, from which rows may be read."""
        if statement not in self._texts:
            self._texts[statement] = str(statement.compile(self._engine))
        return self._driver.execute(self._texts[statement], values)
