"""A number that becomes visible after a later one must not be missed by readers who go by numbers."""

from collections.abc import Iterator
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest

from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database
from duelist.database.commits import ADVANCE
from duelist.database.postgresql import NamedCursor

AFTER = "SELECT number FROM plain WHERE number > %s ORDER BY number"
WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def numbers_after(reader: "psycopg.Connection[tuple[int]]", last: int) -> list[int]:
    return [number for (number,) in reader.execute(AFTER, (last,))]


def test_with_a_sequence_of_the_database_a_reader_misses_an_event(postgresql: str) -> None:
    with (
        psycopg.connect(postgresql, autocommit=True) as reader,
        psycopg.connect(postgresql) as slow,
        psycopg.connect(postgresql) as quick,
    ):
        reader.execute("CREATE TABLE plain (number bigserial PRIMARY KEY)")
        slow.execute("INSERT INTO plain DEFAULT VALUES")  # takes number 1, and is not committed yet
        quick.execute("INSERT INTO plain DEFAULT VALUES")
        quick.commit()
        assert numbers_after(reader, 0) == [2]
        slow.commit()
        assert numbers_after(reader, 2) == [], "number 1 is there by now, and was missed permanently"
        assert numbers_after(reader, 0) == [1, 2]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Event, Event]]:
    """Let the first append stop when its events have numbers and rows, and are not committed."""
    numbered, go_on = Event(), Event()
    execute = NamedCursor.execute

    def execute_and_wait(cursor: NamedCursor, statement: Any, *values: Any, **options: Any) -> NamedCursor:
        execute(cursor, statement, *values, **options)
        if statement is ADVANCE and not numbered.is_set():
            cursor.connection.execute("SELECT 1").fetchall()  # until then, nothing need have been sent
            numbered.set()
            assert go_on.wait(20)
        return cursor

    monkeypatch.setattr(NamedCursor, "execute", execute_and_wait)
    yield numbered, go_on
    go_on.set()


def test_with_our_numbers_no_reader_misses_an_event(postgresql: str, held: tuple[Event, Event]) -> None:
    numbered, go_on = held
    go_on.set()
    with (
        Database(postgresql) as first,
        Database(postgresql) as second,
        Database(postgresql) as third,
        psycopg.connect(postgresql, autocommit=True) as observer,
    ):
        first.journal("tea").append([BEGINNING])
        numbered.clear()
        go_on.clear()
        reader = third.journal("tea")
        seen = reader.read()
        slow = Thread(target=first.journal("tea").append, args=([answer("slow")],))
        slow.start()
        assert numbered.wait(20)  # number 2 is taken
        quick = Thread(target=second.journal("tea").append, args=([answer("quick")],))
        quick.start()
        until = monotonic() + 20
        while observer.execute(WAITING).fetchone() != (1,):
            assert monotonic() < until, "the second append does not wait for the first"
            seen += reader.read(since=len(seen))
            sleep(0.001)
        seen += reader.read(since=len(seen))
        assert [one.event.key for one in seen] == ["created"], "something became visible before number 2"
        go_on.set()
        while slow.is_alive() or quick.is_alive():
            seen += reader.read(since=len(seen))
        seen += reader.read(since=len(seen))
    assert [(one.seq, one.event.key) for one in seen] == [(1, "created"), (2, "slow"), (3, "quick")]


def test_other_studies_do_not_wait(postgresql: str, held: tuple[Event, Event]) -> None:
    numbered, go_on = held
    go_on.set()
    with Database(postgresql) as first, Database(postgresql) as second:
        for name in ("tea", "cheese"):
            first.journal(name).append([BEGINNING])
        numbered.clear()
        go_on.clear()
        slow = Thread(target=first.journal("tea").append, args=([answer("slow")],))
        slow.start()
        assert numbered.wait(20)
        assert second.journal("cheese").append([answer("quick")]) == 2
        assert slow.is_alive()
        go_on.set()
        slow.join()
        assert len(second.journal("tea").read()) == 2
