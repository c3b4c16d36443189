"""A database of studies: SQLite in a file, or PostgreSQL for many workers and machines."""

import os
from types import TracebackType

from duelist.database.commits import Committer
from duelist.database.connections import Connections
from duelist.database.journal import DatabaseJournal
from duelist.database.keys import ApiKeys, TicketKeyRows
from duelist.database.schema import prepare
from duelist.database.sqlite import SqliteFile
from duelist.errors import UnknownNameError, needing_extra
from duelist.journal.fields import require_study_name

NAMES = "SELECT name FROM studies WHERE last > 0 ORDER BY name"
NUMBER = "SELECT id FROM studies WHERE name = :name"
REMOVE = "DELETE FROM studies WHERE id = :study"
CLOSE_ALL = "DELETE FROM open_duels WHERE study = :study"


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
        self.connections = connections_to(place, create)
        try:
            self.versions = prepare(self.connections, create)
            """The version of its tables when it was opened, and now."""
        except BaseException:
            self.connections.close()
            raise
        self.is_shared = self.connections.is_shared
        """Whether several machines may use it."""
        self.committer = Committer(self.connections)
        self.api_keys = ApiKeys(self.connections)
        self.ticket_keys = TicketKeyRows(self.connections)

    @property
    def place(self) -> str:
        """What the database is called in errors."""
        return self.connections.place

    def journal(self, name: str) -> DatabaseJournal:
        """Return the journal of a study, which begins with its first event."""
        return DatabaseJournal(self, require_study_name(name))

    def names(self) -> list[str]:
        """Return the names of all studies."""
        with self.connections.reading() as connection:
            return [name for (name,) in connection.execute(NAMES).fetchall()]

    def remove(self, name: str) -> None:
        """Remove a study with all its events, for ever; one made under its name later is another."""
        with self.connections.writing() as connection:
            row = connection.execute(NUMBER, {"name": name}).fetchone()
            if row is None:
                raise UnknownNameError("study", name, self.names())
            connection.execute(REMOVE, {"study": row[0]})
            self.committer.forget(row[0])
            if self.is_shared:
                connection.execute(CLOSE_ALL, {"study": row[0]})

    def close(self) -> None:
        """Close all connections."""
        self.connections.close()

    def __enter__(self) -> "Database":
        """Return the database, to be closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self.close()


def connections_to(place: str | os.PathLike[str], create: bool) -> Connections:
    """Return connections to the database at a place, which are made when they are needed."""
    text = os.fspath(place)
    kind, _, rest = text.partition("://")
    if kind == "sqlite" and len(rest) > 1:
        return SqliteFile(rest[1:], create)
    if not rest and "://" not in text:
        return SqliteFile(text, create)
    with needing_extra("a database of PostgreSQL", "database"):
        from duelist.database.postgresql import PostgresqlServer
    return PostgresqlServer(text)
