"""A study is the fold of its journal: whatever happens in whatever order, a fresh fold knows the same."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from refusals import refused
from study.world import ARMS, answer, answer_some, append_line, change, fresh, known, same_folds, snapshot_in

from duelist import (
    RMED2,
    RUCB,
    Arms,
    Auto,
    BeatTheMean,
    CondorcetSavage,
    DoubleThompsonSampling,
    Duel,
    InterleavedFilter1,
    InterleavedFilter2,
    Study,
    Uniform,
)
from duelist.database import Database, DatabaseJournal
from duelist.errors import FileError
from duelist.journal import Answered, MemoryJournal
from duelist.study import live_fold
from duelist.study.storage import DifferentStudyError, add_events, read_events
from duelist.votes import count

LEARNERS: list[Any] = [
    Auto(),
    DoubleThompsonSampling(),
    RMED2(),
    RUCB(),
    Uniform(),
    BeatTheMean(horizon=1),
    CondorcetSavage(horizon=1, delta=0.9),
    InterleavedFilter1(horizon=10, factor=0.3),
    InterleavedFilter2(horizon=10, factor=0.3),
]
OUTCOMES = st.sampled_from(["left", "right", "tie", 0.3])


class Studies(RuleBasedStateMachine):
    """Two studies of one journal, and everything that can happen to them."""

    compared = 0
    """How many folds were compared with a fresh one."""

    @initialize(learner=st.sampled_from(LEARNERS), seed=st.integers(0, 3))
    def begin(self, learner: Any, seed: int) -> None:
        self.journal = MemoryJournal()
        self.studies = [Study(learner, ARMS, seed=seed, journal=self.journal), Study.open(self.journal)]
        self.duels: list[Duel] = []
        self.added = 0

    @rule(which=st.integers(0, 1), voter=st.sampled_from([None, "ada", "bob"]), n=st.integers(1, 4))
    def ask(self, which: int, voter: str | None, n: int) -> None:
        duels = self.studies[which].ask(voter=voter, n=n)
        assert len(duels) == n
        for duel in duels:
            assert duel.left != duel.right
            assert {duel.left, duel.right} <= set(self.studies[which].arms)
        self.duels += duels

    @precondition(lambda self: self.duels)
    @rule(which=st.integers(0, 1), place=st.integers(0, 99), outcome=OUTCOMES, many=st.integers(1, 30))
    def tell(self, which: int, place: int, outcome: Any, many: int) -> None:
        duel = self.duels.pop(place % len(self.duels))
        # memory journals do not share keys of tickets
        owner = next(one for one in self.studies if opens(one, duel))
        if not taken(owner, duel):
            owner.tell(duel, outcome)
        for _ in range(many):
            self.studies[which].tell(Duel(*duel[:2]), outcome)

    @precondition(lambda self: self.duels)
    @rule(place=st.integers(0, 99))
    def skip(self, place: int) -> None:
        duel = self.duels.pop(place % len(self.duels))
        owner = next(one for one in self.studies if opens(one, duel))
        if not taken(owner, duel):
            owner.skip(duel)

    @rule(which=st.integers(0, 1), place=st.integers(0, 9999))
    def retract(self, which: int, place: int) -> None:
        votes = self.studies[which].votes()
        if votes:
            self.studies[which].retract(votes[place % len(votes)].ticket)

    @rule(which=st.integers(0, 1))
    def add_arm(self, which: int) -> None:
        if known(self.studies[which]).player.takes_new_arms:
            self.added += 1
            self.studies[which].add_arm(f"new {self.added}")

    @rule(which=st.integers(0, 1), place=st.integers(0, 99))
    def retire_arm(self, which: int, place: int) -> None:
        arms = self.studies[which].arms
        if len(arms) > 2:
            self.studies[which].retire_arm(arms[place % len(arms)])

    @rule(which=st.integers(0, 1), learner=st.sampled_from(LEARNERS))
    def change_learner(self, which: int, learner: Any) -> None:
        self.studies[which].change_learner(learner)

    @invariant()
    def the_fold_is_that_of_the_journal(self) -> None:
        folds = [known(study) for study in self.studies]
        assert same_folds(folds[0], folds[1])
        assert same_folds(folds[0], fresh(self.journal))
        Studies.compared += 1
        votes = self.studies[0].votes()
        tally = count(votes)
        np.testing.assert_allclose(folds[0].tally.scores, tally.scores, rtol=0, atol=1e-9)
        np.testing.assert_allclose(folds[0].tally.wins, tally.wins, rtol=0, atol=1e-9)
        np.testing.assert_allclose(folds[0].tally.ties, tally.ties, rtol=0, atol=1e-9)
        assert (folds[0].tally.answers, folds[0].tally.repeats) == (tally.answers, tally.repeats)
        assert tally.scores.sum() == pytest.approx(len(votes) - tally.repeats)


def opens(study: Study, duel: Duel) -> bool:
    try:
        study.steps._ticket(duel)
    except Exception:
        return False
    return True


def taken(study: Study, duel: Duel) -> bool:
    return bool(study._journal.read(keys=[study.steps._ticket(duel).id]))


@pytest.mark.parametrize("every", [7, 5_000], ids=["many snapshots", "no snapshots"])
def test_the_fold_is_that_of_the_journal(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_fold, "EVERY", every)
    effort = settings(max_examples=20, stateful_step_count=20, deadline=None)
    monkeypatch.setattr(Studies, "compared", 0)
    run_state_machine_as_test(Studies, settings=effort)
    assert Studies.compared > 20


def test_threads_lose_nothing() -> None:
    study = Study(RUCB(), [f"a{i}" for i in range(16)])

    def work() -> None:
        for _ in range(150):
            duel = study.ask()
            study.tell(duel, answer(duel))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fold = known(study)
    assert fold.tally.answers == 1200
    assert fold.player.state.wins.sum() == fold.tally.scores.sum() == 1200.0
    assert same_folds(fold, fresh(study._journal))


def test_one_ticket_told_by_many_threads_counts_once() -> None:
    study = Study(RUCB(), ARMS)
    duels = study.ask(n=40)

    def work() -> None:
        for duel in duels:
            study.tell(duel, "left")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.answers == 40


def test_the_learner_is_told_what_it_asked_and_the_tally_what_was_shown() -> None:
    study, plain = Study(RUCB(), ARMS, seed=8), RUCB()
    answer_some(study, 200)
    state = plain.init(Arms(4), np.random.default_rng(0))
    for recorded in study._journal.read()[1:]:
        event = recorded.event
        assert isinstance(event, Answered)
        sides, won = (event.left, event.right), event.outcome
        if event.flipped:
            sides, won = (event.right, event.left), 1.0 - event.outcome
        state = plain.tell(state, Duel(*sides, round=event.round), won)
    found = known(study).player.state
    for name in ("wins", "rate", "doubt", "barrier", "told"):
        assert np.array_equal(getattr(found, name), getattr(state, name))


def test_a_snapshot_saves_reading_what_was_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 50)
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path, seed=1)
    answer_some(study, 130, voter=None)
    read: list[int] = []
    original: Callable[..., Any] = DatabaseJournal.read

    def reading(self: DatabaseJournal, since: int = 0, keys: Any = None) -> Any:
        found = original(self, since, keys)
        read.append(len(found))
        return found

    monkeypatch.setattr(DatabaseJournal, "read", reading)
    again = Study.open(path)
    assert same_folds(known(again), known(study))
    assert max(read) < 50
    monkeypatch.undo()
    assert same_folds(known(again), fresh(study._journal))


def test_without_sources_no_snapshot_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert live_fold.code_of(RUCB()) == live_fold.code_of(RUCB())
    monkeypatch.setattr("duelist.study.live_fold.fingerprint_of", lambda package: None)
    assert live_fold.code_of(RUCB()) != live_fold.code_of(RUCB())


@pytest.mark.parametrize("damage", ["torn", "other code", "other journal", "ahead", "gone"])
def test_a_snapshot_that_does_not_fit_is_passed_over(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 50)
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path, seed=1)
    answer_some(study, 130)
    if damage == "torn":
        change(path, "UPDATE snapshots SET body = substr(body, 1, length(body) - 10)")
    elif damage == "gone":
        change(path, "DELETE FROM snapshots")
    elif damage == "other code":
        monkeypatch.setattr("duelist.study.live_fold.fingerprint_of", lambda package: "another")
    elif damage == "ahead":
        change(path, "DELETE FROM events WHERE seq > 60")
        change(path, "UPDATE studies SET last = 60")
    else:
        other = tmp_path / "other.db"
        answer_some(Study(Uniform(), ["x", "y", "z"], journal=other), 130)
        change(path, "UPDATE snapshots SET body = ?", snapshot_in(other))
    opened = Study.open(path)
    assert same_folds(known(opened), fresh(opened._journal))
    assert opened.answers == (59 if damage == "ahead" else 130)


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        (b'{"event":"answered","ticket":"t","left":0,"right":9,"outcome":1}', ["9", "4"]),
        (b'{"event":"answered","ticket":"t","left":0,"right":-1,"outcome":1}', ["left", "right", "-1"]),
        (b'{"event":"answered","ticket":"t","left":[0.5],"right":[0.1],"outcome":1}', ["[0.5]"]),
        (b'{"event":"answered","ticket":"t","left":0,"right":1,"outcome":7}', ["outcome", "7.0"]),
        (b'{"event":"arm_retired","arm":"nobody"}', ["'nobody'"]),
        (b'{"event":"learner_changed","learner":{"name":"Nobody","parameters":{}}}', ["'Nobody'"]),
        (b'{"event":"renamed"}', ["'renamed'"]),
        (b"nonsense", ["JSON"]),
    ],
)
def test_a_damaged_event_is_refused(line: bytes, facts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    answer_some(Study(RUCB(), ARMS, journal=path), 3)
    append_line(path, line)
    with refused(FileError, *facts):
        Study.open(path)


def test_a_study_that_meets_damage_says_so_until_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    answer_some(study, 5)
    append_line(path, b'{"event":"answered","ticket":"t","left":0,"right":1,"outcome":1}')
    append_line(path, b'{"event":"answered","ticket":"u","left":0,"right":9,"outcome":1}')
    for _ in range(2):
        with refused(FileError, "event 8", "9"):
            study.best()
    change(path, "DELETE FROM events WHERE seq > 6")
    change(path, "UPDATE studies SET last = 6")
    assert Study.open(path).answers == 5


def test_a_study_of_format_1_opens_for_ever(tmp_path: Path) -> None:
    kept = Path(__file__).parent / "data" / "format-1.jsonl"
    path = tmp_path / "votes.db"
    with Database(path) as database:
        assert add_events(database.journal("main"), read_events(kept), kept) == 32
    study = Study.open(path)
    assert (study.best(), study.answers, study.arms) == ("juice", 24, ("tea", "milk", "juice"))
    # of 24 answers, two repeat what their voter had said of the pair
    wins = [[0.0, 0.75, 3.0, 0.0], [5.25, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 0.0], [5.0, 5.0, 0.0, 0.0]]
    assert known(study).tally.scores.tolist() == wins
    assert same_folds(known(study), known(Study.load(kept)))
    # its learner was written before RUCB had a second hyperparameter
    same: dict[str, Any] = {"arms": ["tea", "milk", "water"], "seed": 11, "journal": path}
    assert Study(RUCB(), **same).answers == 24
    for other in (RUCB(remembers_champion=True), RUCB(alpha=0.6), Uniform()):
        with refused(DifferentStudyError, "learner"):
            Study(other, **same)


def test_a_long_history_told_in_two_parts_is_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = [
        {"left": "a", "right": "b" if number % 3 else "c", "outcome": "left" if number % 2 else "tie"}
        for number in range(40)
    ]
    states = []
    for many in (10, 1_000):
        monkeypatch.setattr("duelist.study.player.MANY", many)
        study = Study(arms=["a", "b", "c"])
        study.import_votes(votes)
        states.append(study._live.fold.player.state)
    for early, late in zip(*states, strict=True):
        np.testing.assert_array_equal(early, late)
