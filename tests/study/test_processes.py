"""Several processes, and processes that are killed: what `tell` acknowledged is there exactly once."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import Forked
from refusals import refused
from study.teller import fill_the_disk, tell
from study.world import ARMS, answer, answer_some, fresh, known, same_folds

from duelist import RUCB, Study
from duelist.database import Database, DatabaseJournal
from duelist.errors import RemovedError
from duelist.journal import Answered
from duelist.study.live_fold import LiveFold

KILLS = 50 if "DUELIST_LONG" in os.environ else 4


def tickets_in(path: Path) -> list[str]:
    with Database(path) as database:
        events = [recorded.event for recorded in database.journal("main").read()]
    return [event.ticket for event in events if isinstance(event, Answered)]


def test_what_was_told_before_a_kill_is_there_exactly_once(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    Study(RUCB(), ARMS, journal=path, seed=1)
    rng, told = np.random.default_rng(7), set[str]()
    for _ in range(KILLS):
        teller = Forked(tell, path, 0)
        told |= {teller.pipe.recv() for _ in range(int(rng.integers(1, 15)))}
        teller.process.kill()
        told |= set(teller.sent())
        kept = tickets_in(path)
        assert len(set(kept)) == len(kept)
        assert told <= set(kept)
    study = Study.open(path)
    assert study.answers == len(kept)
    assert same_folds(known(study), fresh(study._journal))


def test_two_processes_share_a_study(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path, seed=1)
    tellers = [Forked(tell, path, 25), Forked(tell, path, 26)]
    answer_some(study, 20)
    assert [len([*teller.sent()]) for teller in tellers] == [25, 26]
    assert study.answers == 71
    assert same_folds(known(study), known(Study.open(path)))
    assert len(study.votes()) == 71


def test_a_kill_between_append_and_fold_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    duel = study.ask()

    original = DatabaseJournal.append

    def die(self: LiveFold) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:

        def append(self: DatabaseJournal, events: Any) -> int:
            number = original(self, events)
            patched.setattr(LiveFold, "current", die)
            return number

        patched.setattr(DatabaseJournal, "append", append)
        with pytest.raises(KeyboardInterrupt):
            study.tell(duel, answer(duel))
    assert Study.open(path).answers == study.answers == 1
    study.tell(duel, answer(duel))
    assert study.answers == 1


def test_a_disk_that_is_full_refuses_and_a_study_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    untold, unsaved, answers = Forked(fill_the_disk, path).sent()
    assert path.name in untold
    assert "study.json" in unsaved
    assert answers == 6
    assert Study.open(path).answers == 6
    assert not (tmp_path / "study.json").exists()


def test_a_journal_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    duel = study.ask()
    study.tell(duel, "left")
    path.unlink()
    with refused(RemovedError, path.name):
        study.tell(study.ask(), "left")
