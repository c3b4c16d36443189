"""Workers in any order of operations have the same state as one that replays the journal."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from study.world import ARMS, fresh, known, same_folds

from duelist import RUCB, Duel, Study, Uniform
from duelist.database import Database
from duelist.errors import ConflictError
from duelist.study import live_fold

OUTCOMES = st.sampled_from(["left", "right", "tie", 0.3])
WHICH, PLACE = st.integers(0, 2), st.integers(0, 99)


class Workers(RuleBasedStateMachine):
    """Three workers with a database each, and everything that can happen to a study of theirs."""

    databases: ClassVar[list[Database]] = []
    names = (f"study-{number}" for number in count())
    compared = 0
    """How many folds were compared."""

    @initialize(learner=st.sampled_from([RUCB(), Uniform()]))
    def begin(self, learner: Any) -> None:
        self.name = next(self.names)
        begun = Study(learner, ARMS, journal=self.databases[0].journal(self.name))
        others = [Study.open(one.journal(self.name), worker=1) for one in self.databases[1:]]
        self.studies = [begun, *others]
        self.asked: list[Duel] = []
        self.told: list[tuple[Duel, Any]] = []
        self.added = 0

    @rule(which=WHICH, voter=st.sampled_from([None, "ada", "bob"]), n=st.integers(1, 3))
    def ask(self, which: int, voter: str | None, n: int) -> None:
        self.asked += self.studies[which].ask(voter=voter, n=n)

    @precondition(lambda self: self.asked)
    @rule(which=WHICH, place=PLACE, outcome=OUTCOMES)
    def tell(self, which: int, place: int, outcome: Any) -> None:
        duel = self.asked.pop(place % len(self.asked))
        if self.studies[which]._journal.read(keys=[self.ticket(duel)]):
            return  # a voter was shown it twice, and answered once
        self.studies[which].tell(duel.ticket or "", outcome)
        self.told.append((duel, outcome))

    @precondition(lambda self: self.told)
    @rule(which=WHICH, place=PLACE)
    def tell_again(self, which: int, place: int) -> None:
        duel, outcome = self.told[place % len(self.told)]
        before = self.studies[which].answers
        self.studies[which].tell(duel.ticket or "", outcome)
        with pytest.raises(ConflictError):
            self.studies[which].tell(duel.ticket or "", 0.77)
        assert self.studies[which].answers == before

    @precondition(lambda self: self.asked)
    @rule(which=WHICH, place=PLACE)
    def skip(self, which: int, place: int) -> None:
        duel = self.asked.pop(place % len(self.asked))
        if not self.studies[which]._journal.read(keys=[self.ticket(duel)]):
            self.studies[which].skip(duel.ticket or "")
            self.studies[which - 1].skip(duel.ticket or "")

    @precondition(lambda self: self.told)
    @rule(which=WHICH, place=PLACE)
    def retract(self, which: int, place: int) -> None:
        duel, _ = self.told.pop(place % len(self.told))
        self.studies[which].retract(duel.ticket or "")
        self.studies[which - 1].retract(duel.ticket or "")

    @rule(which=WHICH)
    def add_arm(self, which: int) -> None:
        self.added += 1
        self.studies[which].add_arm(f"new {self.added}")

    @rule(which=WHICH, place=PLACE)
    def retire_arm(self, which: int, place: int) -> None:
        arms = self.studies[which].arms
        if len(arms) > 2:
            self.studies[which].retire_arm(arms[place % len(arms)])

    def ticket(self, duel: Duel) -> str:
        return self.studies[0].steps._ticket(duel.ticket).id

    def teardown(self) -> None:
        if not hasattr(self, "studies"):
            return
        replayed = fresh(self.databases[0].journal(self.name))
        late = Study.open(self.databases[1].journal(self.name))  # from the snapshot, where there is one
        for study in (*self.studies, late):
            assert same_folds(known(study), replayed)
        type(self).compared += replayed.last.seq > 15


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[list[Database]]:
    opened = [Database(tmp_path / "studies.db") for _ in range(3)]
    yield opened
    for database in opened:
        database.close()


def test_any_order_of_any_events_gives_all_workers_the_same_fold(
    databases: list[Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 6)
    monkeypatch.setattr(Workers, "databases", databases)
    run_state_machine_as_test(Workers, settings=settings(max_examples=12, stateful_step_count=40))
    assert Workers.compared > 3
    with databases[0].connections.reading() as connection:
        [(kept,)] = connection.execute("SELECT count(*) FROM snapshots").fetchall()
    assert kept > 3
