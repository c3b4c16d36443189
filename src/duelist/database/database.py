"""A database of studies: SQLite in a file, or PostgreSQL for many workers and machines."""

import os
from threading import Lock
from types import TracebackType
from typing import Any

from sqlalchemy import text

from duelist.database.api_keys import ApiKeys
from duelist.database.commits import Committer
from duelist.database.engines import as_url, called, connect_to, plain_errors, reading, writing
from duelist.database.journal import DatabaseJournal
from duelist.database.stores import TicketKeyRows
from duelist.database.versions import prepare
from duelist.errors import UnknownNameError
from duelist.journal.fields import require_study_name

NAMES = text("SELECT name FROM studies WHERE last > 0 ORDER BY name")
NUMBER = text("SELECT id FROM studies WHERE name = :name")
REMOVE = text("DELETE FROM studies WHERE id = :study")
CLOSE_ALL = text("DELETE FROM open_duels WHERE study = :study")


class Database:
    """Studies by their names, in one database.

    Parameters
    ----------
    place : path or str
        A file for SQLite, on a local disk, or an address such as `postgresql://user@host/name`.
    create : bool, default True
        Whether to set up a file that is not there, or a database without tables; else they are refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist import Study
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/studies.db") as database:
    ...     home = Study(arms=["a", "b", "c"], journal=database.journal("home"))
    ...     home.tell(home.ask(), "left")
    ...     print(database.names())
    ['home']
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = True) -> None:
        url = as_url(place)
        self.place = called(url)
        """What the database is called in errors."""
        with plain_errors(self.place):
            self.engine = connect_to(url, create)
            try:
                prepare(self.engine, self.place, create)
            except BaseException:
                self.engine.dispose()
                raise
        self.committer = Committer(self.engine, self.place)
        self.api_keys = ApiKeys(self.engine, self.place)
        self.ticket_keys = TicketKeyRows(self.engine, self.place)
        self._watcher: Any = None
        self._lock = Lock()

    @property
    def is_shared(self) -> bool:
        """Whether several machines may use it."""
        return self.engine.dialect.name == "postgresql"

    def journal(self, name: str) -> DatabaseJournal:
        """Return the journal of a study, which begins with its first event."""
        return DatabaseJournal(self, require_study_name(name))

    def names(self) -> list[str]:
        """Return the names of all studies."""
        with reading(self.engine, self.place) as connection:
            return list(connection.execute(NAMES).scalars())

    def remove(self, name: str) -> None:
        """Remove a study with all its events, for ever; one made under its name later is another."""
        with writing(self.engine, self.place) as connection:
            number = connection.execute(NUMBER, {"name": name}).scalar()
            if number is None:
                raise UnknownNameError("study", name, self.names())
            connection.execute(REMOVE, {"study": number})
            if self.is_shared:
                connection.execute(CLOSE_ALL, {"study": number})

    def version(self) -> int | None:
        """Return a number that is another one after every change; None where it takes reading to know."""
        if self.is_shared:
            return None
        with self._lock, plain_errors(self.place):
            if self._watcher is None:
                # changes are counted for one connection, and only those by others
                self._watcher = self.engine.raw_connection()
                self._watcher.detach()
            return int(self._watcher.cursor().execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close all connections."""
        self.committer.close()
        with self._lock:
            if self._watcher is not None:
                self._watcher.close()
                self._watcher = None
        self.engine.dispose()

    def __enter__(self) -> "Database":
        """Return the database, to be closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self.close()
