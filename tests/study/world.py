"""What tests of studies share: names, answers by the names of arms, and a look at what a study knows."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from duelist import Duel, Study
from duelist.database import Database
from duelist.journal import Event, Journal
from duelist.study import ShownList
from duelist.study.fold import Fold, fold_events
from duelist.study.player import write_learner
from duelist.study.recording import run

ARMS = ["a", "b", "c", "d"]
RANKINGS = (["a", "b", "c", "d"], ["x", "y", "b", "a"])


def answer(duel: Duel) -> str:
    """The arm that comes first in the alphabet wins."""
    return "left" if str(duel.left) < str(duel.right) else "right"


def answer_some(study: Study, n: int, **options: Any) -> None:
    for _ in range(n):
        duel = study.ask(**options)
        study.tell(duel, answer(duel))


def show(study: Study, voter: str | None = None) -> tuple[Duel, ShownList]:
    duel = study.ask(voter=voter)
    return duel, study.interleave(duel, dict(zip(duel[:2], RANKINGS, strict=True)), length=6)


def change(path: Path, statement: str, *values: object) -> list[Any]:
    """Do something to a study's file of SQLite, as some other program would; return the rows of it."""
    with closing(sqlite3.connect(path)) as other, other:
        return other.execute(statement, values).fetchall()


def append_line(path: Path, line: bytes) -> None:
    """Let a line be on record that no version of the package would have written."""
    change(path, "UPDATE studies SET last = last + 1")
    change(path, "INSERT INTO events (study, seq, event) SELECT id, last, ? FROM studies", line.decode())


def begin_with(path: Path, line: str) -> None:
    """Make a file of SQLite whose study begins with a line."""
    Database(path).close()
    change(path, "INSERT INTO studies (name, last) VALUES ('main', 0)")
    append_line(path, line.strip().encode())
    change(path, "UPDATE events SET key = 'created'")


def snapshot_in(path: Path) -> bytes | None:
    """Return the snapshot of the study in a file of SQLite."""
    rows = change(path, "SELECT body FROM snapshots")
    return bytes(rows[0][0]) if rows else None


def known(study: Study) -> Fold:
    return study._live.now()


def record(study: Study, event: Event) -> None:
    run(study.steps._record(event), study._journal.append)


def same_folds(one: Fold, other: Fold) -> bool:
    """Whether two folds know the same, to the last bit."""
    return (
        one.last.seq == other.last.seq
        and write_learner(one.learner) == write_learner(other.learner)
        and one.choices.as_json() == other.choices.as_json()
        and getattr(one.choices, "retired", None) == getattr(other.choices, "retired", None)
        and one.left_out == other.left_out
        and list(one.pending) == list(other.pending)
        and one.tally.answers == other.tally.answers
        and dict(one.seen.by_voter) == dict(other.seen.by_voter)
        and np.array_equal(one.tally.scores, other.tally.scores)
        and np.allclose(one.tally.wins, other.tally.wins, rtol=0, atol=1e-9)
        and np.allclose(one.tally.ties, other.tally.ties, rtol=0, atol=1e-9)
        and one.tally.repeats == other.tally.repeats
        and (one.initial_arms, one.arms_changed) == (other.initial_arms, other.arms_changed)
        and all(map(np.array_equal, one.player.state, other.player.state))
    )


def fresh(journal: Journal, learners: Any = ()) -> Fold:
    return fold_events(journal.read(), learners)
