"""Whether a database holds what it should: no event is missing or damaged, and every study can be folded."""

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
    """What a look at a study found."""

    name: str
    events: int
    answers: int
    """Answers that count; 0 if the study cannot be folded."""
    fault: str
    """What is wrong; empty if nothing is."""


def check_database(database: Database) -> Iterator[StudyFinding]:
    """Yield what is found of each study, at one moment for all of them, while others go on.

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
    """Return what is found of a study whose last number is known."""
    events: list[Recorded] = []
    try:
        since = 0
        while rows := connection.execute(ROWS, {"study": study, "since": since, "most": AT_ONCE}).fetchall():
            for since, key, line in rows:
                events.append(Recorded(since, checked_event(len(events) + 1, since, key, line)))
        if len(events) != last:
            raise FileError(f"the last event should have number {last}, and has {len(events)}")
        answers = fold_events(events).tally.answers if events else 0
    except DuelistError as error:
        return StudyFinding(name, len(events), 0, str(error).rstrip("."))
    return StudyFinding(name, len(events), answers, "")


def checked_event(expected: int, seq: int, key: str | None, line: str) -> Event:
    """Return the event of a row, or say what is wrong with it."""
    if seq != expected:
        raise FileError(f"event {expected} is missing")
    try:
        event = decode(line.encode())
    except FileError as error:
        raise FileError(f"event {seq}: {error}") from error
    if event.key != key:
        raise FileError(f"event {seq} is kept under the key {key!r}, and has {event.key!r}")
    return event


def require_whole(database: Database) -> None:
    """Refuse a file whose pages are damaged; PostgreSQL looks after its own."""
    if database.is_shared:
        return
    with database.connections.reading() as connection:
        [(found,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if found != "ok":
        raise FileError(f"{database.location} is damaged ({found.splitlines()[-1]}); restore a backup.")
