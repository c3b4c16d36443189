"""Processes that share a database: equal states, and kills lose nothing that was acknowledged."""

import os
import signal
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import numpy as np
import pytest
from database.worker import STUDY, append, create, knowledge, tell
from forked import Forked
from refusals import refused
from study.world import ARMS, fresh, known, same_folds

from duelist import RUCB, Study
from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database
from duelist.errors import FileError

KILLS = 50 if "DUELIST_LONG" in os.environ else 5


@pytest.fixture
def database(place: str) -> Any:
    with Database(place) as database:
        yield database


def test_processes_that_create_a_database_at_once_all_find_it_whole(
    request: pytest.FixtureRequest, place: str, tmp_path: Path
) -> None:
    places = [place, *(str(tmp_path / f"{number}.db") for number in range(5))]
    if "://" in place:
        places[1:] = [request.getfixturevalue("postgresql_server").create()]
    workers = [Forked(create, f"study-{number}") for number in range(3)]
    assert [worker.pipe.recv() for worker in workers] == ["ready"] * 3
    for one in places:
        for worker in workers:
            worker.pipe.send(one)
        assert [worker.pipe.recv() for worker in workers] == ["created"] * 3
        with Database(one) as database:
            assert database.names() == ["study-0", "study-1", "study-2"]
    for worker in workers:
        worker.pipe.send(None)
        assert worker.end() == 0


def test_processes_that_tell_one_study_know_the_same(place: str, database: Database) -> None:
    study = Study(RUCB(), ARMS, journal=database.journal(STUDY), seed=5)
    workers = [Forked(tell, place, number, 24) for number in (1, 2)]
    while study.answers < 12:  # this process is the third one that tells
        duel = study.ask(voter="here")
        study.tell(duel, "left" if str(duel.left) < str(duel.right) else "right")
    assert [worker.pipe.recv() for worker in workers] == ["done"] * 2
    mine = knowledge(study)
    tables = mine.pop("tables")
    for worker in workers:
        worker.pipe.send("go on")
        theirs = worker.pipe.recv()
        for one, other in zip(tables, theirs.pop("tables"), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 if one.dtype.kind == "f" else 0)
        assert theirs == mine
    assert mine["seq"] == len(study._journal.read())
    assert {"arm of 1", "arm of 2"} <= set(mine["arms"])
    assert len(mine["left out"]) > 4
    assert same_folds(known(study), fresh(database.journal(STUDY)))


def test_a_reader_sees_every_number_once_while_processes_append(place: str, database: Database) -> None:
    database.journal(STUDY).append([BEGINNING])
    workers = [Forked(append, place, f"w{number}", 40) for number in range(2)]
    journal, seen = database.journal(STUDY), list[int]()
    while any(worker.process.is_alive() for worker in workers):
        sleep(0.001)
        seen += [one.seq for one in journal.read(since=len(seen))]
    seen += [one.seq for one in journal.read(since=len(seen))]
    assert seen == list(range(1, 82))
    acknowledged = Counter(ticket for worker in workers for ticket in worker.sent())
    assert acknowledged == Counter(one.event.key for one in journal.read(since=1))


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_database_is_carried_into_forked_processes(place: str, database: Database, is_busy: bool) -> None:
    journal = database.journal(STUDY)
    journal.append([BEGINNING, answer("parent")])
    children = []
    with database.committer._lock if is_busy else nullcontext():  # as by another thread, which is not forked
        for number in range(3):
            child = os.fork()
            if child == 0:
                for one in range(10):
                    journal.append([answer(f"child{number}-{one}")])
                os._exit(0 if journal.read(keys=["parent"]) else 1)
            children.append(child)
    for one in range(10):
        journal.append([answer(f"parent-{one}")])
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert len({one.event.key for one in journal.read()}) == len(journal.read()) == 42
    assert database.names() == [STUDY]


def test_databases_that_could_not_be_opened_do_not_disturb_a_fork(tmp_path: Path) -> None:
    failures = []  # whose tracebacks refer to the databases
    for _ in range(20):
        with refused(FileError) as failed:
            Database(tmp_path / "none" / "studies.db")
        failures.append(failed)
    with Database(tmp_path / "studies.db") as database:
        journal = database.journal(STUDY)
        with database.committer._lock:  # as by another thread, which is not forked
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                try:
                    journal.append([BEGINNING])
                    os._exit(0)
                finally:
                    os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert len(journal.read()) == 1


def test_what_was_appended_before_a_kill_is_there_exactly_once(place: str, database: Database) -> None:
    database.journal(STUDY).append([BEGINNING])
    rng, acknowledged = Random(7), set[str]()
    for kill in range(KILLS):
        worker = Forked(append, place, f"k{kill}", 0)
        acknowledged |= {worker.pipe.recv() for _ in range(rng.randint(1, 60))}
        worker.process.kill()
        acknowledged |= set(worker.sent())
        events = database.journal(STUDY).read(since=1)
        kept = [one.event.key for one in events]
        assert [one.seq for one in events] == list(range(2, len(kept) + 2))
        assert len(set(kept)) == len(kept)
        assert acknowledged <= set(kept)
        # each kill leaves at most one event that was not acknowledged
        assert len(kept) <= len(acknowledged) + kill + 1
    assert database.journal(STUDY).append([answer("after")]) == len(kept) + 2
