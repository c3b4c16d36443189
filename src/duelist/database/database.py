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
from duelist.journal.protocol import require_study_name

NAMES = "SELECT name FROM studies WHERE last > 0 ORDER BY name"
NUMBER = "SELECT id FROM studies WHERE name = :name"
REMOVE = "DELETE FROM studies WHERE id = :study"
CLOSE_ALL = "DELETE FROM open_duels WHERE study = :study"


class Database:
    """A database of studies, addressed by their names.

    Parameters
    ----------
    location : path or str
        Path of an SQLite file on a local disk, or a URL such as `postgresql://user@host/name`.
    create : bool, default True
        Whether to create a missing file, or missing tables; otherwise they are an error.

    Raises
    ------
    ParameterError
        If `location` is not a path or URL of a database.
    FileError
        If the file is missing and `create` is False, or it is not a database of studies.
    StorageError
        If the database cannot be reached, read or written.
    MissingExtraError
        If PostgreSQL needs a package that is not installed.

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

    def __init__(self, location: str | os.PathLike[str], *, create: bool = True) -> None:
        self.connections = connections_to(location, create)
        try:
            self.versions = prepare(self.connections, create)
            """The schema version when it was opened, and the current one."""
        except BaseException:
            self.connections.close()
            raise
        self.is_shared = self.connections.is_shared
        """Whether several machines may use it."""
        self.committer = Committer(self.connections)
        self.api_keys = ApiKeys(self.connections)
        self.ticket_keys = TicketKeyRows(self.connections)

    @property
    def location(self) -> str:
        """Name of the database in messages, without passwords."""
        return self.connections.location

    def journal(self, name: str) -> DatabaseJournal:
        """Return the journal of a study; the study is created by its first event.

        Parameters
        ----------
        name : str
            The study's name.

        Returns
        -------
        DatabaseJournal
            The journal, for `Study(journal=...)` or `Study.open`.

        Raises
        ------
        ParameterError
            If `name` cannot be the name of a study.
        """
        return DatabaseJournal(self, require_study_name(name))

    def names(self) -> list[str]:
        """Return the names of all studies.

        Returns
        -------
        list of str
            The names, in alphabetical order.
        """
        with self.connections.reading() as connection:
            return [name for (name,) in connection.execute(NAMES).fetchall()]

    def remove(self, name: str) -> None:
        """Remove a study and all its events permanently.

        A study created under the name later is a different one.

        Parameters
        ----------
        name : str
            The study's name.

        Raises
        ------
        UnknownNameError
            There is no study with this name.
        """
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
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connections_to(location: str | os.PathLike[str], create: bool) -> Connections:
    """Return the connections to the database at a location; they are opened on demand."""
    text = os.fspath(location)
    kind, _, rest = text.partition("://")
    if kind == "sqlite" and len(rest) > 1:
        return SqliteFile(rest[1:], create)
    if not rest and "://" not in text:
        return SqliteFile(text, create)
    with needing_extra("a database of PostgreSQL", "database"):
        from duelist.database.postgresql import PostgresqlServer
    return PostgresqlServer(text)
