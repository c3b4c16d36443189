"""What a database keeps besides events: the keys of tickets, and the last snapshot of each study."""

from duelist.database.connections import Connections

FIRST_KEY = "INSERT INTO ticket_keys (number, key) VALUES (1, :key) ON CONFLICT (number) DO NOTHING"
NEXT_KEY = "INSERT INTO ticket_keys (number, key) SELECT max(number) + 1, :key FROM ticket_keys"
KEYS = "SELECT key FROM ticket_keys ORDER BY number"
SNAPSHOT = (
    "SELECT body FROM snapshots JOIN studies ON studies.id = snapshots.study WHERE studies.name = :name"
)
KEEP = (
    "INSERT INTO snapshots (study, seq, body) SELECT id, :seq, :body FROM studies WHERE name = :name "
    "ON CONFLICT (study) DO UPDATE SET seq = excluded.seq, body = excluded.body "
    "WHERE snapshots.seq < excluded.seq"
)


class TicketKeyRows:
    """Keys of tickets in a table, which all studies of the database share."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __str__(self) -> str:
        """Return where the keys are."""
        return f"the keys of tickets in {self._connections.place}"

    def begin(self, key: str) -> None:
        """Keep a first key, unless there is one."""
        with self._connections.reading() as connection:
            if connection.execute(KEYS).fetchone() is not None:
                return
        self._write(FIRST_KEY, key)

    def add(self, key: str) -> None:
        """Keep one more key."""
        self._write(NEXT_KEY, key)

    def bring(self, text: str) -> int:
        """Add keys of elsewhere, one a line, that are not here yet; return how many."""
        known = self.read().splitlines()
        keys = [key for key in map(str.strip, text.splitlines()) if key and key not in known]
        for place, key in enumerate(keys):
            self.add(key) if known or place else self.begin(key)
        return len(keys)

    def read(self) -> str:
        """Return all keys, the newest last, one a line."""
        with self._connections.reading() as connection:
            return "\n".join(key for (key,) in connection.execute(KEYS).fetchall())

    def _write(self, statement: str, key: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(statement, {"key": key.strip()})


class SnapshotRow:
    """The last snapshot of a study, in a table; of several workers', the latest."""

    def __init__(self, connections: Connections, name: str) -> None:
        self._connections, self._name = connections, name

    def read(self) -> bytes:
        """Return the last snapshot; nothing if there is none."""
        with self._connections.reading() as connection:
            row = connection.execute(SNAPSHOT, {"name": self._name}).fetchone()
        return b"" if row is None else bytes(row[0])

    def write(self, seq: int, body: bytes) -> None:
        """Keep a snapshot of the first `seq` events, unless there is a later one."""
        values = {"seq": seq, "body": body, "name": self._name}
        with self._connections.writing() as connection:
            connection.execute(KEEP, values)
