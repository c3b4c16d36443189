"""Open duels that all workers of a service share, so that a voter who meets two of them gets one duel."""

from typing import TYPE_CHECKING

from duelist.errors import FileError, ParameterError

if TYPE_CHECKING:
    from duelist.database.database import Database

# one statement, which holds the voter's row from looking to writing: of two workers one offers
OFFER = (
    "INSERT INTO open_duels AS kept (study, voter, ticket, time) "
    "SELECT id, :voter, :ticket, :now FROM studies WHERE name = :name "
    "ON CONFLICT (study, voter) DO UPDATE SET "
    "ticket = CASE WHEN :now - kept.time > :timeout OR kept.ticket = :instead_of "
    "THEN excluded.ticket ELSE kept.ticket END, "
    "time = CASE WHEN :now - kept.time > :timeout OR kept.ticket = :instead_of "
    "THEN excluded.time ELSE kept.time END "
    "RETURNING ticket"
)
STUDY = "study = (SELECT id FROM studies WHERE name = :name)"
OF = f"SELECT ticket FROM open_duels WHERE {STUDY} AND voter = :voter AND NOT :now - time > :timeout"
EXPIRE = (
    f"WITH gone AS (DELETE FROM open_duels WHERE {STUDY} AND (:now - time > :timeout "
    "OR (time, voter) <= (SELECT time, voter FROM open_duels "
    f"WHERE {STUDY} ORDER BY time DESC, voter DESC OFFSET :most LIMIT 1)) "
    "RETURNING voter) SELECT count(*) FROM gone"
)


class SharedOpenDuels:
    """The open duels of a study's voters in PostgreSQL: best effort, for a crash of the server forgets them.

    Parameters
    ----------
    database : Database
        A database of PostgreSQL; one machine's workers on SQLite remember their own.
    name : str
        The study.
    """

    def __init__(self, database: "Database", name: str) -> None:
        if not database.is_shared:
            raise ParameterError(f"{database.place}: open duels are shared in PostgreSQL alone.")
        self._connections, self._name = database.connections, name

    def offer(
        self, voter: str, ticket: str, now: float, timeout: float, instead_of: str | None = None
    ) -> str:
        """Open a duel for a voter, unless another one is open; return the ticket of the one that is now.

        Parameters
        ----------
        voter : str
            Who is asked.
        ticket : str
            The duel that would be shown.
        now : float
            The time, in seconds.
        timeout : float
            Seconds after which a duel is no longer open.
        instead_of : str, optional
            The ticket of an open duel that may be replaced: it was answered, or cannot be shown.
        """
        values = {"voter": voter, "ticket": ticket, "now": now, "timeout": timeout}
        with self._connections.writing() as connection:
            found = connection.execute(
                OFFER, {**values, "name": self._name, "instead_of": instead_of}
            ).fetchone()
        if found is None:
            raise FileError(f"there is no study {self._name!r} in {self._connections.place}; it was removed.")
        return str(found[0])

    def of(self, voter: str, now: float, timeout: float) -> str | None:
        """Return the ticket of a voter's open duel; None if there is none."""
        values = {"voter": voter, "now": now, "timeout": timeout, "name": self._name}
        with self._connections.reading() as connection:
            found = connection.execute(OF, values).fetchone()
        return None if found is None else str(found[0])

    def expire(self, now: float, timeout: float, most: int = 100_000) -> int:
        """Forget duels that were opened too long ago, and of too many the oldest; return how many.

        Parameters
        ----------
        now : float
            The time, in seconds.
        timeout : float
            Seconds after which a duel is no longer open.
        most : int, default 100_000
            Duels that are kept.
        """
        values = {"now": now, "timeout": timeout, "most": most, "name": self._name}
        with self._connections.writing() as connection:
            [(gone,)] = connection.execute(EXPIRE, values).fetchall()
        return int(gone)
