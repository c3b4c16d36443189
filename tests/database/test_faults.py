"""A full disk, a stopped server, a hanging process: a clear error, and normal work afterwards."""

import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest
from postgresql import Server
from refusals import refused

from duelist import RUCB, Study
from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database, SharedOpenDuels, connections, sqlite
from duelist.database.sqlite import SqliteFile
from duelist.errors import ConflictError, RemovedError, StorageError

LIMITED = """
import resource, signal, sys
from pathlib import Path
from duelist.database import Database
from duelist.errors import ConflictError, RemovedError, StorageError
from duelist.journal import Answered, Created
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
def answers(name, n):
    return [Answered(ticket=f"{name}-{number}", left=0, right=1, outcome=1.0) for number in range(n)]
path = Path(sys.argv[1])
database = Database(path)
journal = database.journal("tea")
journal.append([Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0.1.0")])
journal.append(answers("first", 5))
log = path.with_name("studies.db-wal").stat().st_size
for room in (0, 1, 5000):
    limit(log + room)
    for attempt in range(2):
        try:
            journal.append(answers("refused", 200))
            print("there was room")
        except StorageError as error:
            print("refused:", error)
        assert len(journal.read()) == len(Database(path).journal("tea").read()) == 6
limit(resource.RLIM_INFINITY)
print(journal.append(answers("refused", 200)), len(Database(path).journal("tea").read()))
"""


def test_without_room_nothing_is_written_and_with_room_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "studies.db"
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True)
    assert done.stderr == ""
    *refused, last = done.stdout.splitlines()
    assert last == "206 206"
    assert len(refused) == 6
    for line in refused:
        assert line.startswith(f"refused: {path}: disk I/O error; ")
        assert line.endswith("then try again.")


@pytest.mark.parametrize(
    ("setting", "facts"),
    [
        ("max_page_count = 1", ["full", "free disk space"]),  # no more than there are
        ("query_only = ON", ["readonly database"]),
    ],
)
def test_what_cannot_be_written_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, facts: list[str]
) -> None:
    many = [answer(f"t{number}") for number in range(1000)]
    with Database(tmp_path / "studies.db") as database:
        journal = database.journal("tea")
        journal.append([BEGINNING])

        usual = SqliteFile.connect

        def connect_limited(self: SqliteFile) -> sqlite3.Connection:
            connection = usual(self)
            connection.execute(f"PRAGMA {setting}")
            return connection

        database.close()
        with monkeypatch.context() as patched:
            patched.setattr(SqliteFile, "connect", connect_limited)
            with refused(StorageError, *facts):
                journal.append(many)
        assert len(journal.read()) == 1
        database.close()
        assert journal.append(many) == 1001


@pytest.mark.parametrize("harm", ["removed", "replaced"])
def test_a_file_that_is_not_there_any_more_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr(sqlite, "LOOK_EVERY", -1.0)
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ["a", "b", "c"], journal=path)
    duel = study.ask()
    for file in (path, *(path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))):
        file.unlink()
    if harm == "replaced":
        Study(RUCB(), ["a", "b", "c"], journal=path)
    for call in (study.ask, lambda: study.tell(duel, "left"), lambda: study._journal.append([answer("a")])):
        with refused(RemovedError, str(path)):
            call()
    assert path.exists() is (harm == "replaced")


def test_a_server_that_is_stopped_loses_nothing_and_is_found_again(
    postgresql_server: Server, postgresql: str
) -> None:
    acknowledged: list[str] = []
    enough, is_over = Event(), Event()

    def work(database: Database, name: str) -> None:
        journal, number = database.journal("tea"), 0
        while not is_over.is_set():
            try:
                journal.append([answer(f"{name}-{number}")])
            except StorageError:
                is_over.wait(0.01)  # and the same again
                continue
            except ConflictError:
                pass  # it was written, and only the acknowledgement was lost
            acknowledged.append(f"{name}-{number}")
            number += 1
            if len(acknowledged) > 60:
                enough.set()

    with Database(postgresql) as database, Database(postgresql) as other:
        study = Study(RUCB(), ["a", "b", "c"], journal=database.journal("study"))
        duel = study.ask(voter="Ann")
        duels = SharedOpenDuels(database, "study")
        duels.offer("Ann", "ticket", 0.0, 60.0)
        database.journal("tea").append([BEGINNING])
        threads = [
            Thread(target=work, args=(one, f"w{n}")) for n, one in enumerate((database, database, other))
        ]
        for thread in threads:
            thread.start()
        try:
            assert enough.wait(20)
            postgresql_server.stop()
            before = len(acknowledged)
            with refused(StorageError, database.location):
                study.tell(duel, "left")
            with pytest.raises(StorageError):
                database.names()
            with pytest.raises(StorageError):
                Database(postgresql)
            enough.clear()
            postgresql_server.start()
            assert enough.wait(20), "who tries again is not heard again"
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
            postgresql_server.start()  # if something went wrong, for the tests that follow
        study.tell(duel, "left")
        assert study.answers == 1
        events = other.journal("tea").read(since=1)
        assert [one.seq for one in events] == list(range(2, len(events) + 2))
        assert Counter(one.event.key for one in events) == Counter(acknowledged)
        assert len(acknowledged) > before > 60
        # open duels are unlogged, so a crash loses them: the voter gets another
        assert duels.offer("Ann", "another", 1.0, 60.0) == "another"


def test_nobody_waits_for_ever_for_one_who_hangs(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "WAIT", 1.0)
    with Database(postgresql) as database, psycopg.connect(postgresql) as hanging:
        database.journal("tea").append([BEGINNING])
        hanging.execute("SELECT * FROM studies FOR UPDATE")
        with refused(StorageError, database.location, "another process"):
            database.journal("tea").append([answer("a")])
        hanging.rollback()
        assert database.journal("tea").append([answer("a")]) == 2


def test_a_commit_is_on_disk_whatever_the_server_was_told(postgresql: str) -> None:
    for given, kept in (("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")):
        with psycopg.connect(postgresql, autocommit=True) as owner:
            owner.execute(f"ALTER DATABASE {owner.info.dbname} SET synchronous_commit = {given}".encode())
        with Database(postgresql) as database, database.connections.reading() as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == (kept,)


def test_when_all_connections_are_in_use_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "WAIT", 0.01)
    with Database(tmp_path / "studies.db") as database:
        with ExitStack() as taken:
            for _ in range(connections.MOST):
                taken.enter_context(database.connections.reading())
            with refused(StorageError, database.location, "all connections"):
                database.names()
        assert database.names() == []
