"""What a database keeps besides events: the keys of tickets, and the last snapshot of each study."""

from sqlalchemy import Engine, TextClause, text

from duelist.database.engines import reading, writing

FIRST_KEY = text("INSERT INTO ticket_keys (number, key) VALUES (1, :key) ON CONFLICT (number) DO NOTHING")
NEXT_KEY = text("INSERT INTO ticket_keys (number, key) SELECT max(number) + 1, :key FROM ticket_keys")
KEYS = text("SELECT key FROM ticket_keys ORDER BY number")
SNAPSHOT = text(
    "SELECT body FROM snapshots JOIN studies ON studies.id = snapshots.study WHERE studies.name = :name"
)
KEEP = text(
    "INSERT INTO snapshots (study, seq, body) SELECT id, :seq, :body FROM studies WHERE name = :name "
    "ON CONFLICT (study) DO UPDATE SET seq = excluded.seq, body = excluded.body "
    "WHERE snapshots.seq < excluded.seq"
)


class TicketKeyRows:
    """Keys of tickets in a table, which all studies of the database share."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine, self._place = engine, place

    def __str__(self) -> str:
        """Return where the keys are."""
        return f"the keys of tickets in {self._place}"

    def begin(self, key: str) -> None:
        """Keep a first key, unless there is one."""
        with reading(self._engine, self._place) as connection:
            if connection.execute(KEYS).first() is not None:
                return
        self._write(FIRST_KEY, key)

    def add(self, key: str) -> None:
        """Keep one more key."""
        self._write(NEXT_KEY, key)

    def read(self) -> str:
        """Return all keys, the newest last, one a line."""
        with reading(self._engine, self._place) as connection:
            return "\n".join(connection.execute(KEYS).scalars())

    def _write(self, statement: TextClause, key: str) -> None:
        with writing(self._engine, self._place) as connection:
            connection.execute(statement, {"key": key.strip()})


class SnapshotRow:
    """The last snapshot of a study, in a table; of several workers', the latest."""

    def __init__(self, engine: Engine, place: str, name: str) -> None:
        self._engine, self._place, self._name = engine, place, name

    def read(self) -> bytes:
        """Return the last snapshot; nothing if there is none."""
        with reading(self._engine, self._place) as connection:
            body = connection.execute(SNAPSHOT, {"name": self._name}).scalar()
        return b"" if body is None else bytes(body)

    def write(self, seq: int, body: bytes) -> None:
        """Keep a snapshot of the first `seq` events, unless there is a later one."""
        values = {"seq": seq, "body": body, "name": self._name}
        with writing(self._engine, self._place) as connection:
            connection.execute(KEEP, values)
