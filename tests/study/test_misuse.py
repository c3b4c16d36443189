"""What strangers do to a study: nothing is lost, nothing lies, nothing is raw."""

import copy
import os
import pickle
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator
from refusals import refused
from study.world import ARMS, answer_some, change, fresh, known, same_folds

from duelist import RUCB, Arms, Duel, InterleavedFilter2, LogisticDuels, SparringEXP4P, Study
from duelist.database import DatabaseJournal
from duelist.errors import (
    ClosedError,
    ConflictError,
    DuelistError,
    FileError,
    OutcomeError,
    ParameterError,
    TicketError,
)
from duelist.journal import ArmAdded, ArmRetired, LearnerChanged
from duelist.kernels.live import Background
from duelist.learners.continuous import PreferentialOptimization
from duelist.study import Parameter
from duelist.study.player import write_learner
from duelist.study.tickets import KeyRing
from examples.plugin_learner import EpsilonGreedy, State

POLICIES = [[0, 1], [1, 2], [2, 0], [3, 3]]


class Wins(NamedTuple):
    wins: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Stubborn:
    """Asks and names what it is told to, whatever the menu says."""

    left: Any = 0
    right: Any = 1
    fails: bool = False
    rounds: Any = None

    def init(self, menu: Arms, rng: Generator) -> Any:
        return Wins(np.zeros((menu.k, menu.k)))

    def ask(self, state: Any, menu: Arms, rng: Generator) -> Any:
        return Duel(self.left, self.right, round=self.rounds)

    def tell(self, state: Any, duel: Duel, outcome: float) -> Any:
        if self.fails:
            raise ZeroDivisionError
        return state

    def best(self, state: Any, menu: Arms) -> Any:
        return self.left


def test_a_learner_that_cannot_use_old_answers_leaves_them_to_the_tally() -> None:
    study = Study(LogisticDuels(), ARMS, context=[0.0])
    study.tell(study.ask(context=[0.5]), "left")
    study.change_learner(SparringEXP4P(POLICIES, horizon=100))
    assert study.answers == 1
    assert study.ask(context=[1.0]).left in ARMS


def test_changes_at_the_same_moment_leave_a_study_that_works() -> None:
    study = Study(RUCB(), ["a", "b", "c"])
    for event in (
        LearnerChanged(learner=write_learner(InterleavedFilter2(horizon=50)), example={}),
        ArmAdded(arm="d"),
        ArmRetired(arm="a"),
        ArmRetired(arm="b"),
        ArmRetired(arm="c"),
    ):
        study._journal.append([event])
    assert study.arms == ("c", "d")
    answer_some(study, 20)
    assert study.best() in ("c", "d")
    assert same_folds(known(study), fresh(study._journal))


def test_a_study_that_another_process_has_changed(tmp_path: Path) -> None:
    here = Study(RUCB(), ["a", "b"], journal=tmp_path / "votes.db")
    there = Study.open(tmp_path / "votes.db")
    there.add_arm("c")
    duel = next(duel for duel in (there.ask() for _ in range(99)) if "c" in duel[:2])
    here.tell(duel, "left")
    late = here.ask()
    there.close()
    with refused(ClosedError, "closed"):
        here.tell(late, "left")
    here.tell(duel, "left")
    here.close()
    with pytest.raises(ConflictError):
        here.tell(duel, "right")
    assert here.answers == 1


def test_a_learner_that_fails_does_so_before_the_answer_is_on_record() -> None:
    study = Study(Stubborn(fails=True), ARMS)
    with pytest.raises(ZeroDivisionError):
        study.tell(study.ask(), "left")
    assert len(study._journal.read()) == 1
    assert study.best() == "a"


def test_a_state_that_cannot_be_kept_is_refused_at_once() -> None:
    class Loose(Stubborn):
        def init(self, menu: Arms, rng: Generator) -> Any:
            return {"wins": 0}

    with refused(ParameterError, "Loose", "{'wins': 0}"):
        Study(Loose(), ARMS)


@pytest.mark.parametrize(
    "learner",
    [
        Stubborn(left=7),
        Stubborn(left=-1),
        Stubborn(left=None),
        Stubborn(left="a"),
        Stubborn(left=1.5),
        Stubborn(rounds=float("nan")),
        Stubborn(rounds="late"),
    ],
)
def test_what_a_plug_in_asks_is_looked_at(learner: Any) -> None:
    with refused(ParameterError, "Stubborn.ask"):
        Study(learner, ARMS).ask()


def test_a_plug_in_may_speak_numpy_but_shows_no_retired_arm() -> None:
    study = Study(Stubborn(left=np.int64(0), right=np.int64(1), rounds=np.float64(3.0)), ARMS)
    study.tell(study.ask(), "left")
    study.retire_arm("a")
    for _ in range(20):
        assert "a" not in study.ask()[:2]
    assert study.best() != "a"


def test_a_plug_in_named_as_another_learner_is_not_taken_for_it(tmp_path: Path) -> None:
    class RUCB(Stubborn):
        pass

    path = tmp_path / "votes.db"
    Study(RUCB(), ARMS, journal=path)
    with refused(FileError, "learner", "Study.open"):
        Study.open(path)
    assert type(Study.open(path, RUCB()).learner) is RUCB
    other = tmp_path / "other.db"
    Study(InterleavedFilter2(horizon=9), ARMS, journal=other)
    with refused(ParameterError, "InterleavedFilter2", "left=0"):
        Study.open(other, RUCB())


def test_retired_arms_are_not_shown_in_contexts() -> None:
    study = Study(RUCB(), ARMS)
    study.retire_arm("c")
    with refused(ParameterError, "LogisticDuels", "retired", "study.add_arm"):
        study.change_learner(LogisticDuels(), context=[0.0])
    assert len(study._journal.read()) == 2


def test_without_another_process_kernels_stay_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    background = Background()
    monkeypatch.setattr("duelist.kernels.live.BACKGROUND", background)
    monkeypatch.setattr("duelist.kernels.compile.Kernel.is_kept", lambda self, signature: False)
    study = Study(RUCB(), ARMS)
    answer_some(study, 5)
    assert background.is_lost
    assert study.answers == 5


@pytest.mark.parametrize("seed", range(4))
def test_several_duels_for_one_voter_differ(seed: int) -> None:
    study = Study(RUCB(), ARMS, seed=seed)
    answer_some(study, 60)
    shown = []
    for _ in range(3):
        duels = study.ask(n=2, voter="ada")
        shown += [frozenset(duel[:2]) for duel in duels]
        for duel in duels:
            study.tell(duel, "left")
    assert len(set(shown)) == 6


def test_the_same_vote_in_other_words_is_imported_once() -> None:
    study = Study(RUCB(), ["é", "b"])
    row = {"right": "b", "outcome": "left"}
    spellings = ("é", "e\u0301", np.str_("é"))
    assert [study.import_votes([{"left": left, **row}]) for left in spellings] == [1, 0, 0]
    assert study.import_votes([{"left": "é", **row, "ticket": "t"}]) == 1
    with refused(ConflictError, "'t'"):
        study.import_votes([{"left": "b", "right": "é", "outcome": "left", "ticket": "t"}])
    assert study.import_votes([{"left": "é", "right": "b", "outcome": "0.25"}]) == 1
    with refused(OutcomeError, "votes[1]", "'u'"):
        study.import_votes([{"left": "é", **row, "ticket": "u"}] * 2)
    assert study.answers == 3


@pytest.mark.parametrize(
    "change",
    [
        {"time": 1_700_000_000_000},
        {"time": 10**400},
        {"time": "yesterday"},
        {"voter": 0},
        {"status": "Counted"},
        {"left": "b"},
    ],
)
def test_rows_that_would_mislead_are_refused(change: dict[str, Any]) -> None:
    study = Study(RUCB(), ["a", "b"])
    with refused(OutcomeError, "votes[0]"):
        study.import_votes([{"left": "a", "right": "b", "outcome": "left", **change}])
    assert len(study.votes()) == 0


def test_settings_that_a_caller_changes_are_their_own() -> None:
    study = Study(PreferentialOptimization(), parameters={"warmth": Parameter(0.0, 1.0)})
    duel = study.ask(voter="ada")
    kept = dict(duel.left)
    duel.left["warmth"] = 0.77
    assert study.ask(voter="ada").left == kept


def test_long_contexts_travel_in_tickets() -> None:
    study = Study(LogisticDuels(), ["a", "b"], context=np.zeros(2))
    assert len(str(study.ask(context=[1.0, 2.0]).ticket)) < 400
    sealed = KeyRing()
    content = os.urandom(1_000_000)
    assert sealed.unseal(sealed.seal(content, os.urandom(12))) == content


def test_the_length_of_a_ticket_does_not_tell_arms_apart() -> None:
    for voter in ("a" * length for length in range(1, 18)):
        study = Study(RUCB(), [f"arm {place}" for place in range(300)])
        lengths = {len(str(duel.ticket)) for duel in study.ask(n=40, voter=voter)}
        assert len(lengths) == 1


def test_an_error_does_not_tell_which_pair_a_ticket_is_for() -> None:
    study = Study(RUCB(), ["left out", "hidden"])
    duel = study.ask()
    with pytest.raises(TicketError) as caught:
        study.tell(Duel("x", "y", ticket=duel.ticket), "left")
    assert "hidden" not in str(caught.value)


Anything: Any = Study
HALF_A_CHANCE: Any = ("a", "b", 0.5)
BAD_CALLS: list[Any] = [
    lambda path: Anything(RUCB(), {"a", "b"}),
    lambda path: Anything(RUCB(), ARMS, answer_timeout=10**400),
    lambda path: Anything(PreferentialOptimization(), parameters={1: Parameter(0.0, 1.0)}),
    lambda path: Anything(LogisticDuels(), ARMS, context="foo"),
    lambda path: Anything(LogisticDuels(), ARMS, context={"x": 1}),
    lambda path: Anything(LogisticDuels(), ARMS, context=[0.0]).ask(context=["a"]),
    lambda path: Anything(RUCB(), ARMS, journal="a\0b"),
    lambda path: Anything(RUCB(), ARMS).save("a\0b"),
    lambda path: Anything(RUCB(), ARMS).save(None),
    lambda path: Anything.load(5),
    lambda path: Anything(RUCB(), ARMS).tell(Duel(*HALF_A_CHANCE), "left"),
    lambda path: Anything(RUCB(), ARMS).tell(Duel("a", "a"), "left"),
    lambda path: Anything(RUCB(), ARMS).skip(Duel("a", "b")),
    lambda path: Anything(RUCB(), ARMS).retract(5),
    lambda path: Anything(RUCB(), ARMS).import_votes(None),
    lambda path: Anything(RUCB(), ARMS).import_votes({"left": "a"}),
    lambda path: Anything(RUCB(), ARMS).import_votes(["ab"]),
    lambda path: copy.deepcopy(Anything(RUCB(), ARMS)),
    lambda path: pickle.dumps(Anything(RUCB(), ARMS)),
    lambda path: Anything(RUCB(), ARMS, journal=path).save(path),
    lambda path: Anything(RUCB(), ARMS).ask(voter=""),
    lambda path: Anything(RUCB(), ARMS).ask(n=0),
    lambda path: Anything(PreferentialOptimization(), parameters={"x": Parameter(0.0, 1.0)}).add_arm("a"),
]


@pytest.mark.parametrize("place", range(len(BAD_CALLS)))
def test_a_bad_call_is_refused_in_words(place: int, tmp_path: Path) -> None:
    with pytest.raises(DuelistError) as caught:
        BAD_CALLS[place](tmp_path / "votes.db")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["two words", "it's", "-x"])
def test_the_commands_for_a_file_of_lines_can_be_pasted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError) as caught:
        Study(RUCB(), ARMS, journal=f"{name}.jsonl")
    words = shlex.split(str(caught.value).partition("Import the file with: ")[2])
    path = f"./{name}" if name.startswith("-") else name
    assert words.count(f"{path}.jsonl") == words.count(f"{path}.db") == 2


def test_a_file_of_lines_is_refused_with_the_commands_that_convert_it(tmp_path: Path) -> None:
    path = Study(RUCB(), ARMS).save(tmp_path / "votes.jsonl")
    before = path.read_bytes()
    calls: list[Callable[[], Study]] = [
        lambda: Study(RUCB(), ARMS, journal=path),
        lambda: Study.open(str(path)),
    ]
    for call in calls:
        with pytest.raises(ParameterError) as caught:
            call()
        database = tmp_path / "votes.db"
        for command in (
            f"duelist db import main {path} --database {database}",
            f"duelist db export main {path} --events --database {database}",
        ):
            assert command in str(caught.value)
    assert (path.read_bytes(), database.exists()) == (before, False)


def test_a_study_is_not_saved_over_a_database(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    for saved in (study, Study(RUCB(), ARMS)):
        with refused(ParameterError, path.name, "database"):
            saved.save(path)
    study.tell(study.ask(), "left")
    assert Study.open(path).answers == 1


def test_arms_and_voters_may_be_numpy_texts() -> None:
    study = Anything(RUCB(), np.array(["a", "b"]))
    study.tell(study.ask(voter=np.str_("ada")), "left")
    assert study.votes()[0].voter == "ada"


def test_a_text_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes, without a newline")
    with refused(FileError, "notes.txt", "database"):
        Study(RUCB(), ARMS, journal=path)
    assert path.read_text() == "my notes, without a newline"


def test_a_learner_changed_elsewhere_is_asked_as_it_is_now(tmp_path: Path) -> None:
    here = Study(RUCB(), ARMS, journal=tmp_path / "votes.db")
    Study.open(tmp_path / "votes.db").change_learner(LogisticDuels(), context=[0.0])
    with refused(ParameterError, "LogisticDuels", "context"):
        here.ask()
    assert here.ask(context=[1.0]).left in ARMS


def test_votes_while_another_process_adds_arms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Study(RUCB(), ARMS, journal=tmp_path / "votes.db")
    there = Study.open(tmp_path / "votes.db")
    here.tell(Duel("a", "b"), "left")
    original = DatabaseJournal.read

    def read(self: DatabaseJournal, since: int = 0, keys: Any = None) -> Any:
        if self is here._journal and since == 0 and keys is None:
            there.add_arm("new")
            there.tell(Duel("new", "a"), "left")
        return original(self, since, keys)

    monkeypatch.setattr(DatabaseJournal, "read", read)
    assert [vote.left for vote in here.votes()] == ["a"]


def test_a_snapshot_of_a_learner_that_was_replaced_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.study.live_fold.EVERY", 5)
    path = tmp_path / "votes.db"
    study = Study(Stubborn(), ARMS, journal=path)
    for _ in range(6):
        study.tell(study.ask(), "left")
    monkeypatch.undo()
    study.change_learner(RUCB())
    assert Study.open(path).answers == 6


def test_a_garbled_ticket_is_one_although_the_key_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), ARMS, journal=path)
    study.ask()
    change(path, "DELETE FROM ticket_keys")
    with pytest.raises(TicketError):
        study.tell("A" * 200, "left")


@pytest.mark.parametrize("answer", [None, float("nan"), "a", 99, -1, True, [0]])
def test_a_learner_that_names_no_arm_is_told_so(answer: Any) -> None:
    class Careless(EpsilonGreedy):
        def best(self, state: State, menu: Arms) -> Any:
            return answer

        def ask(self, state: State, menu: Arms, rng: np.random.Generator) -> Duel:
            return Duel(0, 1)

    study = Study(Careless(), ARMS)
    study.tell(study.ask(), "left")
    with refused(OutcomeError, "Careless.best", "0", "3"):
        study.best()
