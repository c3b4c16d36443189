"""Processes that share a journal, are killed, and run out of room: nothing acknowledged is lost or twice."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from duelist.checks.journals import BEGINNING, answer
from duelist.journal import JsonLinesJournal

KILLS = 50 if "DUELIST_LONG" in os.environ else 3
WRITER = Path(__file__).with_name("writer.py")


def start(path: Path, n: int, *names: str) -> list[subprocess.Popen[str]]:
    """Start writers, which begin to write when all of them are ready."""
    writers = [
        subprocess.Popen(
            [sys.executable, str(WRITER), str(path), name, str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    return writers


def tickets_of(journal: JsonLinesJournal) -> list[str | None]:
    events = journal.read()
    assert [recorded.seq for recorded in events] == list(range(1, len(events) + 1))
    return [recorded.event.key for recorded in events[1:]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    JsonLinesJournal(tmp_path / "votes.jsonl").append([BEGINNING])
    return tmp_path / "votes.jsonl"


def test_four_processes_append_at_once(path: Path) -> None:
    reader, seen = JsonLinesJournal(path), 0
    writers = start(path, 40, *(f"w{number}" for number in range(4)))
    while any(writer.poll() is None for writer in writers):
        new = reader.read(since=seen)
        assert [recorded.seq for recorded in new] == list(range(seen + 1, seen + 1 + len(new)))
        seen += len(new)
    for writer in writers:
        assert len(writer.communicate()[0].split()) == 40
        assert writer.returncode == 0
    expected = Counter(f"w{number}-{one}" for number in range(4) for one in range(40))
    assert Counter(tickets_of(reader)) == expected
    assert Counter(tickets_of(JsonLinesJournal(path))) == expected
    assert len(reader.read(keys=expected.keys())) == 160


def test_two_processes_append_the_same_keys(path: Path) -> None:
    writers = start(path, 60, "same", "same")
    said = [line for writer in writers for line in writer.communicate()[0].splitlines()]
    refused = [line.removeprefix("refused ") for line in said if line.startswith("refused ")]
    acknowledged = [line for line in said if not line.startswith("refused ")]
    assert sorted(acknowledged) == sorted(refused) == sorted(f"same-{one}" for one in range(60))
    assert sorted(map(str, tickets_of(JsonLinesJournal(path)))) == sorted(acknowledged)


@pytest.mark.parametrize("batch", [1, 3, 400])
def test_a_killed_writer_loses_nothing_and_repeats_nothing(path: Path, batch: int) -> None:
    rng = Random(batch)
    acknowledged: list[str] = []
    for kill in range(KILLS):
        [writer] = start(path, -batch, f"k{kill}")
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(rng.randint(1, 2 + 40 // batch))]
        time.sleep(rng.uniform(0.0, 0.01))
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.readlines()  # not by communicate, which loses what was read ahead
        writer.communicate()
        acknowledged += " ".join(lines).split()
        found = tickets_of(JsonLinesJournal(path))
        assert len(set(found)) == len(found)
        assert set(acknowledged) <= set(found)
        assert len(found) % batch == 0, "a batch is there in part"
        # at most the one append that was killed before it could be acknowledged
        assert len(found) - len(acknowledged) <= (kill + 1) * batch
        acknowledged = [str(ticket) for ticket in found]
    journal = JsonLinesJournal(path)
    assert journal.append([answer("after")]) == len(acknowledged) + 2
    assert [one.event.key for one in journal.read(keys=acknowledged[-5:])] == acknowledged[-5:]


INTERRUPTED = """
import os, signal, sys, threading, time
from duelist.journal import Answered, JsonLinesJournal
journal, acknowledged, number, interrupts, is_appending = JsonLinesJournal(sys.argv[1]), [], 0, 0, False
def stop(*_):
    global is_appending
    if is_appending:
        is_appending = False
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, stop)
def interrupt():
    pause = 0.003
    while True:
        time.sleep(pause)
        pause *= 1.03  # until whole appends fit in between, however slow they are
        os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
while interrupts < 40 or len(acknowledged) < 40:
    number += 1
    tickets = [f"{number}-{one}" for one in range(number % 3 + 1)]
    try:
        is_appending = True
        journal.append([Answered(ticket=ticket, left=0, right=1, outcome=1.0) for ticket in tickets])
        acknowledged += tickets
        is_appending = False
    except KeyboardInterrupt:
        interrupts += 1
found = [recorded.event.key for recorded in journal.read()]
again = [recorded.event.key for recorded in JsonLinesJournal(sys.argv[1]).read()]
print(found == again, len(found) == len(set(found)), set(acknowledged) <= set(found))
"""


def test_interrupts_lose_nothing_and_leave_a_journal_that_works(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True True True\n", "")


LIMITED = """
import resource, sys
from duelist.errors import FileError
from duelist.journal import Answered, JsonLinesJournal
def answer(ticket):
    return Answered(ticket=ticket, left=0, right=1, outcome=1.0)
path, before = sys.argv[1], None
journal = JsonLinesJournal(path)
journal.append([answer("first")])
before = open(path, "rb").read()
for room in [0, 1, 30, 5000]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, resource.RLIM_INFINITY))
    for batch in ([answer("a" * 60)], [answer(f"b-{n}") for n in range(200)]):
        if room == 5000 and len(batch) == 1:
            continue
        try:
            journal.append(batch)
        except FileError as error:
            assert "make room, then try again" in str(error), error
        else:
            raise SystemExit(f"there was no room for {len(batch)} events")
        assert open(path, "rb").read() == before
        assert len(journal.read()) == 2 and journal.append([]) == 2
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert journal.append([answer("a" * 60)]) == 3
assert journal.append([answer(f"b-{n}") for n in range(200)]) == 203
print([one.seq for one in journal.read(keys=["b-199", "first"])])
"""


def test_without_room_nothing_changes_and_with_room_it_goes_on(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[2, 203]\n", "")
    assert len(tickets_of(JsonLinesJournal(path))) == 202


FORKED = """
import os, sys
from duelist.journal import Answered, JsonLinesJournal
def answer(ticket):
    return Answered(ticket=ticket, left=0, right=1, outcome=1.0)
journal = JsonLinesJournal(sys.argv[1])
journal.append([answer("parent")])
children = []
for child in range(3):
    process = os.fork()
    if process == 0:
        for one in range(10):
            journal.append([answer(f"child{child}-{one}")])
        os._exit(0 if journal.read(keys=["parent"]) else 1)
    children.append(process)
for one in range(10):
    journal.append([answer(f"parent-{one}")])
print([os.waitpid(child, 0)[1] for child in children], len(journal.read()))
"""


def test_a_journal_is_carried_into_forked_processes(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FORKED, str(path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[0, 0, 0] 42\n", "")
    assert len(set(tickets_of(JsonLinesJournal(path)))) == 41
