"""Processes that share a database: equal folds, and nothing that was acknowledged is lost by a kill."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from time import sleep
from typing import IO, Any

import numpy as np
import pytest
from database.worker import STUDY, knowledge
from study.world import ARMS, fresh, known, same_folds

from duelist import RUCB, Study
from duelist.checks.events import BEGINNING, answer
from duelist.database import Database

WORKER = Path(__file__).with_name("worker.py")
KILLS = 50 if "DUELIST_LONG" in os.environ else 5


class Worker:
    """A process of `worker.py`."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    @property
    def input(self) -> IO[str]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def output(self) -> IO[str]:
        assert self.process.stdout is not None
        return self.process.stdout


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
    workers = [Worker("create", f"study-{number}") for number in range(3)]
    for worker in workers:
        assert worker.output.readline() == "ready\n"
    for one in places:
        for worker in workers:
            worker.input.write(f"{one}\n")
        assert [worker.output.readline() for worker in workers] == ["created\n"] * 3
        with Database(one) as database:
            assert database.names() == ["study-0", "study-1", "study-2"]
    for worker in workers:
        worker.process.communicate()
        assert worker.process.returncode == 0


def test_processes_that_tell_one_study_know_the_same(place: str, database: Database) -> None:
    study = Study(RUCB(), ARMS, journal=database.journal(STUDY), seed=5)
    workers = [Worker("tell", place, number, 24) for number in (1, 2)]
    while study.answers < 12:  # this process is the third: it tells while they do
        duel = study.ask(voter="here")
        study.tell(duel, "left" if str(duel.left) < str(duel.right) else "right")
    for worker in workers:
        assert worker.output.readline() == "done\n"
    mine = knowledge(study)
    for worker in workers:
        printed, _ = worker.process.communicate("go on\n")
        theirs = json.loads(printed)
        tables = zip(mine["tables"], theirs.pop("tables"), strict=True)
        assert theirs == {name: value for name, value in mine.items() if name != "tables"}
        for (kind, one), (other_kind, other) in tables:
            assert kind == other_kind
            close = 1e-9 if kind.startswith("float") else 0
            np.testing.assert_allclose(one, other, rtol=0, atol=close)
    assert mine["seq"] == len(study.journal.read())
    assert {"arm of 1", "arm of 2"} <= set(mine["arms"])
    assert len(mine["left out"]) > 4
    assert same_folds(known(study), fresh(database.journal(STUDY)))


def test_a_reader_sees_every_number_once_while_processes_append(place: str, database: Database) -> None:
    database.journal(STUDY).append([BEGINNING])
    workers = [Worker("append", place, f"w{number}", 40) for number in range(2)]
    journal, seen = database.journal(STUDY), list[int]()
    while any(worker.process.poll() is None for worker in workers):
        sleep(0.001)
        seen += [one.seq for one in journal.read(since=len(seen))]
    seen += [one.seq for one in journal.read(since=len(seen))]
    assert seen == list(range(1, 82))
    said = Counter(line for worker in workers for line in worker.process.communicate()[0].split())
    assert said == Counter(one.event.key for one in journal.read(since=1))


def test_what_was_appended_before_a_kill_is_there_exactly_once(place: str, database: Database) -> None:
    database.journal(STUDY).append([BEGINNING])
    rng, acknowledged = Random(7), set[str]()
    for kill in range(KILLS):
        worker = Worker("append", place, f"k{kill}", 0)
        lines = [worker.output.readline() for _ in range(rng.randint(1, 60))]
        worker.process.send_signal(signal.SIGKILL)
        lines += worker.output.readlines()  # not by communicate, which loses what was read ahead
        worker.process.communicate()
        acknowledged |= {line.strip() for line in lines if line.endswith("\n")}
        events = database.journal(STUDY).read(since=1)
        kept = [one.event.key for one in events]
        assert [one.seq for one in events] == list(range(2, len(kept) + 2))
        assert len(set(kept)) == len(kept)
        assert acknowledged <= set(kept)
        # of every kill, at most the one that could not be acknowledged any more
        assert len(kept) <= len(acknowledged) + kill + 1
    assert database.journal(STUDY).append([answer("after")]) == len(kept) + 2
