"""Group commit: many requests are written together, and an invalid one fails alone."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from refusals import refused

from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database, DatabaseJournal
from duelist.database.commits import Committer, Request
from duelist.database.connections import as_json
from duelist.errors import ParameterError, RemovedError, StorageError
from duelist.journal import ArmAdded, Event, RepeatedEventError


@pytest.fixture
def database(place: str) -> Iterator[Database]:
    with Database(place) as database:
        for name in ("tea", "cheese"):
            database.journal(name).append([BEGINNING])
        yield database


@contextmanager
def gathered(database: Database, n: int) -> Iterator[None]:
    """Let n threads that append during the block wait, and commit them together at its end."""
    committer = database.committer
    with committer._lock:
        yield
        while sum(not request.done for request in committer._waiting) < n:
            sleep(0.001)


def append(outcomes: dict[str, Any], name: str, journal: DatabaseJournal, events: list[Event]) -> Thread:
    """Append events in a separate thread, and keep the result."""

    def work() -> None:
        try:
            outcomes[name] = journal.append(events)
        except BaseException as error:
            outcomes[name] = error

    thread = Thread(target=work)
    thread.start()
    return thread


def commit(database: Database, requests: Sequence[Request]) -> None:
    """Have requests committed together, by the next caller."""
    called: list[Request] = []
    for request in requests:
        database.committer.enqueue(request, called.append)
    database.committer.drain()
    assert called == list(requests)
    assert all(request.done for request in requests)


def keys(database: Database, name: str) -> list[str | None]:
    events = database.journal(name).read()
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    return [one.event.key for one in events]


def test_who_waits_is_committed_together_and_what_is_wrong_fails_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea, cheese = database.journal("tea"), database.journal("cheese")
    tea.append([answer("old")])
    lost = database.journal("lost")
    lost.append([BEGINNING])
    lost.read()
    database.remove("lost")
    wanted: dict[str, tuple[DatabaseJournal, list[Event]]] = {
        **{f"t{n}": (tea, [answer(f"t{n}")]) for n in range(20)},
        **{f"c{n}": (cheese, [answer(f"c{n}-1"), answer(f"c{n}-2")]) for n in range(10)},
        "repeated": (tea, [answer("new"), answer("old", 0.0)]),
        "beginning": (database.journal("none"), [answer("a")]),
        "removed": (lost, [answer("a")]),
        "twin 1": (tea, [answer("twin", 0.1)]),
        "twin 2": (tea, [answer("twin", 0.2)]),
    }
    commits: list[Sequence[Request]] = []
    usual = Committer._commit

    def counted(self: Committer, requests: Sequence[Request]) -> None:
        commits.append(requests)
        usual(self, requests)

    monkeypatch.setattr(Committer, "_commit", counted)
    outcomes: dict[str, Any] = {}
    with gathered(database, len(wanted)):
        threads = [append(outcomes, name, *one) for name, one in wanted.items()]
    for thread in threads:
        thread.join()
    assert [len(requests) for requests in commits] == [len(wanted)]
    assert isinstance(outcomes["repeated"], RepeatedEventError)
    assert outcomes["repeated"].stored.seq == 2
    assert isinstance(outcomes["beginning"], ParameterError)
    assert isinstance(outcomes["removed"], RemovedError)
    # of two events with one key, one is appended, and the other raises with the stored one
    first, second = sorted(("twin 1", "twin 2"), key=lambda name: isinstance(outcomes[name], Exception))
    assert isinstance(outcomes[second], RepeatedEventError)
    assert outcomes[second].stored == tea.read(keys=["twin"])[0]
    assert outcomes[first] == outcomes[second].stored.seq
    assert sorted(map(str, keys(database, "tea")[2:])) == sorted([*(f"t{n}" for n in range(20)), "twin"])
    assert len(keys(database, "cheese")) == 21
    for number in range(20):
        assert tea.read(keys=[f"t{number}"])[0].seq == outcomes[f"t{number}"]
    for number in range(10):
        last = outcomes[f"c{number}"]
        assert [one.seq for one in cheese.read(keys=[f"c{number}-1", f"c{number}-2"])] == [last - 1, last]
    assert database.names() == ["cheese", "tea"]


def test_a_batch_that_the_database_refuses_is_tried_one_by_one(database: Database) -> None:
    with database.connections.writing() as connection:
        # a row with the number of the next event, which only a fault can have left
        connection.execute(
            "INSERT INTO events (study, seq, key, event) SELECT id, 2, 'stray', '{}' FROM studies "
            "WHERE name = 'tea'"
        )
    requests = [
        Request("cheese", None, [answer("before")]),
        Request("tea", None, [answer("refused")]),
        Request("cheese", None, [answer("before", 0.0)]),
        Request("cheese", None, [answer("after"), ArmAdded(arm="gouda")]),
    ]
    commit(database, requests)
    with pytest.raises(StorageError):
        requests[1].result()
    with pytest.raises(RepeatedEventError):
        requests[2].result()
    assert [one.seq for request in requests[::3] for one in request.result()] == [2, 3, 4]
    assert keys(database, "cheese") == ["created", "before", "after", None]


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "studies.db") as database:
        database.journal("tea").append([BEGINNING])
        yield database


def forbid(database: Database, ticket: str, how: str) -> None:
    with database.connections.writing() as connection:
        connection.execute(
            f"CREATE TRIGGER forbid BEFORE INSERT ON events WHEN NEW.key = '{ticket}' BEGIN SELECT {how}; END"
        )


def test_nobody_is_told_of_an_event_that_was_taken_back(sqlite: Database) -> None:
    forbid(sqlite, "poison", "RAISE(ABORT, 'no')")
    first = Request("tea", None, [answer("a", 0.0), answer("poison")])
    second = Request("tea", None, [answer("a", 1.0)])
    # within the batch the second repeats the first; the first is rejected, so alone it does not
    commit(sqlite, [first, second])
    with pytest.raises(StorageError):
        first.result()
    assert [one.seq for one in second.result()] == [2]
    assert sqlite.journal("tea").read(keys=["a"])[0].event == answer("a", 1.0)


def test_what_the_database_cannot_do_fails_all_who_wait(sqlite: Database) -> None:
    forbid(sqlite, "b", "no_such_function()")
    requests = [Request("tea", None, [answer(ticket)]) for ticket in ("a", "a", "b")]
    commit(sqlite, requests)
    for request in requests:
        with refused(StorageError, "no such function"):
            request.result()
    assert keys(sqlite, "tea") == ["created"]


def test_who_waits_and_who_is_called_back_are_committed_together(sqlite: Database) -> None:
    seen: list[tuple[str | None, int]] = []
    commits: list[list[bool]] = []

    def observe(requests: Sequence[Request], seconds: float) -> None:
        assert seconds > 0
        assert seen == []
        commits.append([bool(request.recorded) for request in requests])

    sqlite.committer.observe = observe
    for request in (Request("tea", None, [answer("a")]), Request("none", None, [answer("a")])):
        sqlite.committer.enqueue(request, lambda one: seen.append((one.name, len(one.recorded))))
    assert sqlite.journal("tea").append([answer("b")]) == 3
    assert commits == [[True, False, True]]
    assert seen == [("tea", 1), ("none", 0)]
    sqlite.committer.drain()
    assert len(commits) == 1


def test_who_went_away_is_committed_with_the_next(database: Database) -> None:
    gone = Request("tea", None, [answer("gone")])
    database.committer._waiting.append(gone)  # as by a thread that was interrupted while it waited
    assert database.journal("tea").append([answer("next")]) == 3
    assert keys(database, "tea") == ["created", "gone", "next"]
    assert gone.result()[0].seq == 2


def test_an_interrupt_leaves_nobody_waiting_and_nobody_deceived(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Committer, requests: Sequence[Request]) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(Committer, "_commit", interrupt)
    outcomes: dict[str, Any] = {}
    journal = sqlite.journal("tea")
    with gathered(sqlite, 4):
        threads = [append(outcomes, f"{n}", journal, [answer(f"{n}")]) for n in range(4)]
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    # one was interrupted, so the others must not count their events as written
    assert Counter(map(type, outcomes.values())) == {KeyboardInterrupt: 1, StorageError: 3}
    assert keys(sqlite, "tea") == ["created"]
    for number in range(4):
        journal.append([answer(f"{number}")])
    assert len(keys(sqlite, "tea")) == 5


@pytest.mark.parametrize("answers", [1, 2_000])
def test_a_key_is_looked_up_without_reading_the_study(database: Database, answers: int) -> None:
    database.journal("tea").append([answer(f"a{number}") for number in range(answers)])
    wanted = as_json([("tea", f"a{number}") for number in range(8)])
    explain = "EXPLAIN" if database.is_shared else "EXPLAIN QUERY PLAN"
    with database.connections.reading() as connection:
        rows = connection.execute(f"{explain} {database.connections.find}", {"keys": wanted}).fetchall()
    plan = "\n".join(str(row[-1]) for row in rows)
    on_key = (
        r"uq_events_key on events.*\n\s+Index Cond: \(\(key\)" if database.is_shared else r"events .*\(key=\?"
    )
    assert re.search(on_key, plan), plan
    assert "pk_events" not in plan
    assert "Seq Scan" not in plan
