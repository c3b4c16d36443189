"""Open duels shared by all workers of a service: a voter who reaches two workers gets one duel."""

from typing import TYPE_CHECKING

from duelist.errors import FileError, ParameterError

if TYPE_CHECKING:
    from duelist.database.database import Database

# a single statement locks the voter's row from reading to writing: of two workers, one opens the duel
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
    """The open duels of a study's voters in PostgreSQL; best effort: a server crash loses them.

    Parameters
    ----------
    database : Database
        A PostgreSQL database; with SQLite, the service tracks open duels in memory.
    name : str
        The study's name.
    """

    def __init__(self, database: "Database", name: str) -> None:
        if not database.is_shared:
            raise ParameterError(
                f"{database.location}: open duels are shared only in PostgreSQL; use postgresql://..."
            )
        self._connections, self._name = database.connections, name

    def offer(
        self, voter: str, ticket: str, now: float, timeout: float, instead_of: str | None = None
    ) -> str:
        """Open a duel for a voter unless one is open; return the ticket of the open duel.

        Parameters
        ----------
        voter : str
            Name of the voter.
        ticket : str
            The ticket of the duel to open.
        now : float
            The current time, in seconds.
        timeout : float
            Seconds after which a duel is no longer open.
        instead_of : str, optional
            The ticket of an open duel to replace, because it was answered or cannot be shown.

        Returns
        -------
        str
            The ticket of the voter's open duel.
        """
        values = {"voter": voter, "ticket": ticket, "now": now, "timeout": timeout}
        with self._connections.writing() as connection:
            found = connection.execute(
                OFFER, {**values, "name": self._name, "instead_of": instead_of}
            ).fetchone()
        if found is None:
            raise FileError(
                f"there is no study {self._name!r} in {self._connections.location}; it was removed."
            )
        return str(found[0])

    def of(self, voter: str, now: float, timeout: float) -> str | None:
        """Return the ticket of a voter's open duel.

        Parameters
        ----------
        voter : str
            Name of the voter.
        now : float
            The current time, in seconds.
        timeout : float
            Seconds after which a duel is no longer open.

        Returns
        -------
        str or None
            None if no duel is open.
        """
        values = {"voter": voter, "now": now, "timeout": timeout, "name": self._name}
        with self._connections.reading() as connection:
            found = connection.execute(OF, values).fetchone()
        return None if found is None else str(found[0])

    def expire(self, now: float, timeout: float, most: int = 100_000) -> int:
        """Delete duels that have timed out, and the oldest ones beyond a maximum.

        Parameters
        ----------
        now : float
            The current time, in seconds.
        timeout : float
            Seconds after which a duel is no longer open.
        most : int, default 100_000
            Maximum number of duels to keep.

        Returns
        -------
        int
            Number of duels that were deleted.
        """
        values = {"now": now, "timeout": timeout, "most": most, "name": self._name}
        with self._connections.writing() as connection:
            [(gone,)] = connection.execute(EXPIRE, values).fetchall()
        return int(gone)
