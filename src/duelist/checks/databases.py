"""Check a database: no event is missing or damaged, and every study can be loaded."""

from collections.abc import Iterator
from typing import NamedTuple

from duelist.database import Database
from duelist.database.connections import Connection
from duelist.errors import DuelistError, FileError
from duelist.journal import Event, Recorded
from duelist.journal.codec import decode
from duelist.study.fold import fold_events

AT_ONCE = 10_000
STUDIES = "SELECT id, name, last FROM studies ORDER BY name"
ROWS = "SELECT seq, key, event FROM events WHERE study = :study AND seq > :since ORDER BY seq LIMIT :most"


class StudyFinding(NamedTuple):
    """The result of checking a study."""

    name: str
    events: int
    answers: int
    """Number of answers that count; 0 if the study cannot be loaded."""
    fault: str
    """What is wrong; empty if nothing is wrong."""


def check_database(database: Database) -> Iterator[StudyFinding]:
    """Check every study of a database, in one snapshot, while other processes may continue to write.

    Parameters
    ----------
    database : Database
        The database to check.

    Yields
    ------
    StudyFinding
        The result for each study, in order of names.

    Raises
    ------
    FileError
        If the database file itself is damaged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist import Study
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/studies.db") as database:
    ...     study = Study(arms=["tea", "coffee"], journal=database.journal("drinks"))
    ...     study.tell(study.ask(), "left")
    ...     list(check_database(database))
    [StudyFinding(name='drinks', events=2, answers=1, fault='')]
    """
    require_whole(database)
    with database.connections.reading_at_once() as connection:
        for study, name, last in connection.execute(STUDIES).fetchall():
            yield check_study(connection, study, name, last)


def check_study(connection: Connection, study: int, name: str, last: int) -> StudyFinding:
    """Check a study whose last event should have the number `last`."""
    events: list[Recorded] = []
    try:
        since = 0
        while rows := connection.execute(ROWS, {"study": study, "since": since, "most": AT_ONCE}).fetchall():
            for since, key, line in rows:
                events.append(Recorded(since, checked_event(len(events) + 1, since, key, line)))
        if len(events) != last:
            raise FileError(f"the last event is number {len(events)}, not {last}")
        answers = fold_events(events).tally.answers if events else 0
    except DuelistError as error:
        return StudyFinding(name, len(events), 0, str(error).rstrip("."))
    return StudyFinding(name, len(events), answers, "")


def checked_event(expected: int, seq: int, key: str | None, line: str) -> Event:
    """Return the event of a row. Raise FileError if it is missing or damaged."""
    if seq != expected:
        raise FileError(f"event {expected} is missing")
    try:
        event = decode(line.encode())
    except FileError as error:
        raise FileError(f"event {seq}: {error}") from error
    if event.key != key:
        raise FileError(f"event {seq} has the key {event.key!r}, but is stored under {key!r}")
    return event


def require_whole(database: Database) -> None:
    """Raise FileError if a database file is damaged; PostgreSQL checks its own."""
    if database.is_shared:
        return
    with database.connections.reading() as connection:
        [(found,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if found != "ok":
        raise FileError(f"{database.location} is damaged ({found.splitlines()[-1]}); restore a backup.")
