import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from catalogue import catalogue_learners
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from duelist import RUCB, Duel, Study
from duelist.errors import ConflictError, FileError, OutcomeError, ParameterError, UnknownNameError
from duelist.protocols import Learner
from duelist.study.study import as_outcome

ARMS = ["bm25", "bm25f", "dense"]


def states_equal(one: Study, other: Study) -> bool:
    return all(map(np.array_equal, one.state, other.state))


def test_names_go_in_and_come_out() -> None:
    study = Study(RUCB(alpha=0.51), arms=ARMS, seed=7)
    duel = study.ask()
    assert {duel.left, duel.right} <= set(ARMS)
    study.tell(duel, "left")
    assert study.best() == duel.left


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("left", 1.0), ("right", 0.0), ("tie", 0.5), (1.0, 1.0), (0, 0.0), (0.5, 0.5), (True, 1.0)],
)
def test_answers_as_words_and_numbers(answer: str | float, outcome: float) -> None:
    assert as_outcome(answer) == outcome


def test_words_and_numbers_teach_the_same() -> None:
    words, numbers = Study(RUCB(), ARMS, seed=1), Study(RUCB(), ARMS, seed=1)
    for word, number in (("left", 1.0), ("right", 0.0), ("tie", 0.5)):
        words.tell(words.ask(), word)
        numbers.tell(numbers.ask(), number)
    assert states_equal(words, numbers)


@pytest.mark.parametrize("answer", ["Left", "", "skip", 2, -0.1, float("nan"), None, [1]])
def test_a_bad_outcome_is_refused_and_nothing_is_learned(answer: Any) -> None:
    study = Study(RUCB(), ARMS)
    duel = study.ask()
    before = study.state
    with pytest.raises(OutcomeError, match='answer "left", "right" or "tie"'):
        study.tell(duel, answer)
    assert study.state is before
    study.tell(duel, "left")
    assert study.best() == duel.left


def test_a_repeated_answer_counts_once() -> None:
    study, twin = Study(RUCB(), ARMS, seed=2), Study(RUCB(), ARMS, seed=2)
    duel = study.ask()
    for _ in range(3):
        study.tell(duel, "left")
    twin.tell(twin.ask(), "left")
    assert states_equal(study, twin)


def test_a_contradicting_answer_is_refused() -> None:
    study = Study(RUCB(), ARMS)
    duel = study.ask()
    study.tell(duel, "left")
    before = study.state
    with pytest.raises(ConflictError, match="ticket 0 was answered before with 1, now with 0"):
        study.tell(duel, "right")
    assert study.state is before


def test_a_ticket_of_another_study_is_refused() -> None:
    study = Study(RUCB(), ARMS)
    with pytest.raises(OutcomeError, match="ticket 5 was never given out by this study"):
        study.tell(Duel("bm25", "dense", ticket=5), "left")


def test_an_unknown_arm_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no arm named 'bm52'; did you mean 'bm25'"):
        Study(RUCB(), ARMS).tell(Duel("bm52", "dense"), "left")


def test_old_records_can_be_told_without_a_ticket() -> None:
    study = Study(RUCB(), ARMS)
    for _ in range(5):
        study.tell(Duel("dense", "bm25"), "left")
        study.tell(Duel("dense", "bm25f"), "left")
    assert study.best() == "dense"
    assert study.state.wins[2].tolist() == [5.0, 5.0, 0.0]


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        (["a"], "at least 2, because a duel needs two; got 1"),
        (["a", "b", "a"], r"arms\[2\] repeats the name 'a'"),
        (["a", ""], r"arms\[1\] must be a name"),
        (["a", 3], r"arms\[1\] must be a name, a text that is not empty; got 3"),
        ("ab", "arms must be a list of names; got the single text 'ab'"),
    ],
)
def test_bad_arms_are_refused(arms: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Study(RUCB(), arms)


@pytest.mark.parametrize("learner", catalogue_learners(), ids=lambda learner: type(learner).__name__)
def test_saved_and_loaded_it_goes_on_the_same(learner: Learner[Any], tmp_path: Path) -> None:
    study = Study(learner, ARMS, seed=9)
    late = study.ask()
    for turn in range(60):
        study.tell(study.ask(), ("left", "tie", "right", "right")[turn % 4])
    path = study.save(tmp_path / "study.json")
    loaded = Study.load(path)
    assert loaded.learner == study.learner
    assert loaded.arms == study.arms
    for _ in range(20):
        duel = study.ask()
        assert loaded.ask() == duel
        study.tell(duel, "left")
        loaded.tell(duel, "left")
    study.tell(late, "right")
    loaded.tell(late, "right")
    assert states_equal(study, loaded)
    with pytest.raises(ConflictError):
        loaded.tell(late, "left")


def test_a_damaged_or_foreign_file_is_refused_by_name(tmp_path: Path) -> None:
    path = Study(RUCB(), ARMS).save(tmp_path / "study.json")
    good = json.loads(path.read_text())
    with pytest.raises(FileError, match=r"absent\.json does not exist"):
        Study.load(tmp_path / "absent.json")
    for change, message in [
        ({"format": "other"}, "is not a study of the format"),
        ({"state": {"wins": [[0.0]]}}, r"state\.wins has shape \(1, 1\), but \(3, 3\) is needed"),
        ({"learner": "Mine"}, r"made by 'Mine', which is not in the catalogue; pass it"),
        ({"hyperparameters": {"alpha": 0.1}}, "damaged study: .*alpha must exceed 0.5"),
        ({"hyperparameters": {"beta": 1}}, "damaged study: .*beta"),
        ({"arms": ["a", "a", "b"]}, "damaged study: .*repeats"),
        ({"rng": {}}, "damaged study"),
    ]:
        path.write_text(json.dumps(good | change))
        with pytest.raises(FileError, match=message):
            Study.load(path)
    path.write_text('{"format": ')
    with pytest.raises(FileError, match="is not a study: it is not JSON"):
        Study.load(path)


def test_saving_over_a_file_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(RUCB(), ARMS)
    path = study.save(tmp_path / "study.json")
    before = path.read_bytes()

    def full_disk(descriptor: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    study.tell(study.ask(), "left")
    with pytest.raises(OSError, match="no space left"):
        study.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@given(st.permutations(range(8)), st.lists(st.sampled_from(["left", "right", "tie"]), min_size=8, max_size=8))
def test_the_order_of_answers_does_not_matter_to_counting_learners(
    order: list[int], words: list[str]
) -> None:
    one, other = Study(RUCB(), ARMS, seed=3), Study(RUCB(), ARMS, seed=3)
    duels = [one.ask() for _ in range(8)]
    assert duels == [other.ask() for _ in range(8)]
    for place in range(8):
        one.tell(duels[place], words[place])
    for place in order:
        other.tell(duels[place], words[place])
    assert np.array_equal(one.state.wins, other.state.wins)
    assert one.state.rate == pytest.approx(other.state.rate)
    assert one.state.barrier == pytest.approx(other.state.barrier)


class AnsweringPeople(RuleBasedStateMachine):
    """Whatever people do, the record is that of the first answers."""

    @initialize(learner=st.sampled_from(catalogue_learners()), seed=st.integers(0, 99))
    def begin(self, learner: Learner[Any], seed: int) -> None:
        self.study = Study(learner, ARMS, seed)
        self.seed = seed
        self.duels: list[Duel] = []
        self.told: list[tuple[Duel, float]] = []
        self.first: dict[int, float] = {}

    @rule()
    def ask(self) -> None:
        self.duels.append(self.study.ask())

    @rule(place=st.integers(0, 10**6), outcome=st.sampled_from([0.0, 0.5, 1.0]))
    def answer(self, place: int, outcome: float) -> None:
        if not self.duels:
            return
        duel = self.duels[place % len(self.duels)]
        assert duel.ticket is not None
        if self.first.setdefault(duel.ticket, outcome) != outcome:
            with pytest.raises(ConflictError):
                self.study.tell(duel, outcome)
            return
        if duel.ticket not in self.study.answers:
            self.told.append((duel, outcome))
        self.study.tell(duel, outcome)

    @invariant()
    def the_state_is_the_fold_of_first_answers(self) -> None:
        if not hasattr(self, "study"):
            return
        fold = Study(self.study.learner, ARMS, self.seed)
        for duel, outcome in self.told:
            fold.tell(duel._replace(ticket=None), outcome)
        assert states_equal(fold, self.study)


TestAnsweringPeople = AnsweringPeople.TestCase
