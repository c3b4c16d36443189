"""Several processes, and processes that are killed: what `tell` acknowledged is there exactly once."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from study.world import ARMS, answer, answer_some, fresh, known, same_folds

from duelist import RUCB, Study
from duelist.errors import FileError
from duelist.journal import Answered, JsonLinesJournal
from duelist.study.live_fold import LiveFold

TELLER = Path(__file__).with_name("teller.py")
KILLS = 50 if "DUELIST_LONG" in os.environ else 4


def start(path: Path, n: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(TELLER), str(path), str(n)], stdout=subprocess.PIPE, text=True, bufsize=1
    )


def tickets_in(path: Path) -> list[str]:
    events = [recorded.event for recorded in JsonLinesJournal(path).read()]
    return [event.ticket for event in events if isinstance(event, Answered)]


def test_what_was_told_before_a_kill_is_there_exactly_once(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    Study(RUCB(), ARMS, journal=path, seed=1)
    rng, told, asked = np.random.default_rng(7), list[str](), list[str]()
    for _ in range(KILLS):
        process = start(path, 0)
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(int(rng.integers(2, 30)))]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().split("\n")
        process.wait()
        process.stdout.close()
        for line in lines:
            word, _, ticket = line.partition(" ")
            if ticket:
                (told if word == "told" else asked).append(ticket)
        kept = tickets_in(path)
        assert len(set(kept)) == len(kept)
        assert set(told) <= set(kept)
    assert told
    study = Study.open(path)
    assert study.answers == len(kept)
    assert same_folds(known(study), fresh(study.journal))


def test_two_processes_share_a_study(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    study = Study(RUCB(), ARMS, journal=path, seed=1)
    processes = [start(path, 25), start(path, 26)]
    answer_some(study, 20)
    for process in processes:
        output, _ = process.communicate(timeout=120)
        assert output.count("told") in (25, 26)
    assert study.answers == 71
    assert same_folds(known(study), known(Study.open(path)))
    assert len(study.votes()) == 71


def test_a_kill_between_append_and_fold_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.jsonl"
    study = Study(RUCB(), ARMS, journal=path)
    duel = study.ask()

    original = JsonLinesJournal.append

    def die(self: LiveFold) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:

        def append(self: JsonLinesJournal, events: Any) -> int:
            number = original(self, events)
            patched.setattr(LiveFold, "current", die)
            return number

        patched.setattr(JsonLinesJournal, "append", append)
        with pytest.raises(KeyboardInterrupt):
            study.tell(duel, answer(duel))
    assert Study.open(path).answers == study.answers == 1
    study.tell(duel, answer(duel))
    assert study.answers == 1


def test_a_disk_that_is_full_refuses_and_a_study_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    program = f"""
import resource, signal
from duelist import RUCB, Study
from duelist.errors import FileError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
study = Study(RUCB(), {ARMS!r}, journal={str(path)!r})
for _ in range(5):
    study.tell(study.ask(), "left")
duel = study.ask()
size = study.journal.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, resource.RLIM_INFINITY))
try:
    study.tell(duel, "left")
    print("told")
except FileError as error:
    print("refused", "make room" in str(error))
print(study.journal.path.stat().st_size == size)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    study.save({str(tmp_path / "study.json")!r})
except FileError as error:
    print("cannot be written" in str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
study.tell(duel, "left")
print(study.answers)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["refused", "True", "True", "True", "6"], done.stderr
    assert Study.open(path).answers == 6
    assert not (tmp_path / "study.json").exists()


def test_a_journal_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    study = Study(RUCB(), ARMS, journal=path)
    duel = study.ask()
    study.tell(duel, "left")
    path.unlink()
    with pytest.raises(FileError, match="open it again"):
        study.tell(study.ask(), "left")
