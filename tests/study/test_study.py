"""The public face of a study: ask, tell, skip, retract, arms that come and go, learners that change."""

import unicodedata
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from refusals import refused
from study.world import ARMS, answer, answer_some, fresh, known, same_folds

from duelist import (
    RUCB,
    Arm,
    CondorcetSavage,
    Duel,
    InterleavedFilter2,
    PreferentialOptimization,
    SparringEXP4P,
    Study,
    Uniform,
)
from duelist.errors import (
    ClosedError,
    ConflictError,
    FileError,
    OutcomeError,
    ParameterError,
    TicketError,
    UnknownNameError,
)
from duelist.journal import Answered, MemoryJournal
from duelist.study.storage import DifferentStudyError
from duelist.study.votes import as_outcome


def test_it_runs_as_the_readme_says(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    study = Study(RUCB(), arms=["a", "b", "c"], journal=path, seed=7)
    duel = study.ask(voter="visitor-17")
    assert duel.left != duel.right
    assert isinstance(duel.ticket, str)
    study.tell(duel, "left")
    study.tell(duel.ticket, "left")
    assert study.answers == 1
    study.skip(study.ask())
    study.retract(duel.ticket)
    study.add_arm("d")
    study.retire_arm("c")
    study.tell(Duel("a", "b"), "right")
    [vote] = study.votes()
    assert (vote.left, vote.right, vote.outcome, vote.status) == ("a", "b", "right", "counted")
    assert [vote.status for vote in study.votes(all=True)] == ["retracted", "skipped", "counted"]
    assert Study.open(path).best() == study.best() == "b"
    loaded = Study.load(study.save(tmp_path / "study.json"))
    assert same_folds(known(loaded), known(study))
    assert study.arms == ("a", "b", "d")


@pytest.mark.parametrize(
    ("given", "outcome"),
    [("left", 1.0), ("right", 0.0), ("tie", 0.5), (1.0, 1.0), (0, 0.0), (0.25, 0.25), (True, 1.0)],
)
def test_answers_as_words_and_numbers(given: str | float, outcome: float) -> None:
    assert as_outcome(given) == outcome


@pytest.mark.parametrize("given", ["Left", "", "skip", 2, -0.1, float("nan"), None, [1], 10**400])
def test_a_bad_outcome_is_refused_and_nothing_is_written(given: Any) -> None:
    study = Study(RUCB(), ARMS)
    duel = study.ask()
    with refused(OutcomeError, "outcome", '"left"', '"right"', '"tie"'):
        study.tell(duel, given)
    assert len(study._journal.read()) == 1
    study.tell(duel, "left")
    assert study.best() == duel.left


def test_a_repeated_answer_counts_once_and_another_one_is_refused() -> None:
    study = Study(RUCB(), ARMS, seed=2)
    duel = study.ask()
    for _ in range(3):
        study.tell(duel, "left")
    with refused(ConflictError, "left", "right"):
        study.tell(duel, "right")
    with refused(ConflictError, "answered"):
        study.skip(duel)
    assert study.answers == 1
    assert len(study._journal.read()) == 2


def test_skipped_and_retracted_tickets_cannot_be_told_again() -> None:
    study = Study(RUCB(), ARMS)
    skipped, retracted = study.ask(), study.ask()
    study.skip(skipped)
    study.skip(skipped)
    with refused(ConflictError, "skipped"):
        study.tell(skipped, "left")
    study.tell(retracted, "left")
    study.retract(retracted)
    study.retract(retracted)
    for outcome in ("left", "right"):
        with refused(ConflictError, "retracted"):
            study.tell(retracted, outcome)
    assert study.answers == 0
    assert len(study._journal.read()) == 4


@pytest.mark.parametrize("what", ["never-given-out", "0", "x" * 64])
def test_only_answers_can_be_retracted(what: str) -> None:
    study = Study(RUCB(), ARMS)
    with refused(TicketError, "ticket", "retract"):
        study.retract(what)
    open_duel = study.ask()
    with refused(TicketError, "ticket", "retract"):
        study.retract(open_duel)
    study.skip(open_duel)
    with refused(TicketError, "ticket", "retract"):
        study.retract(open_duel)


@pytest.mark.parametrize("what", [("a", "b"), 1.5, 0, np.int64(3), None, b"ticket", ["a", "b"]])
def test_what_is_neither_a_duel_nor_a_ticket_is_refused(what: Any) -> None:
    with refused(OutcomeError, "ask", "ticket"):
        Study(RUCB(), ARMS).tell(what, "left")


@pytest.mark.parametrize("learner", [RUCB, "RUCB", 3, [RUCB()]])
def test_what_is_no_learner_is_refused(learner: Any) -> None:
    with refused(ParameterError, "learner"):
        Study(learner, ARMS)


@pytest.mark.parametrize(
    ("arms", "facts"),
    [
        (["a"], ["arms", "2", "1"]),
        (["a", "b", "a"], ["arms[2]", "'a'"]),
        (["a", ""], ["arms[1]", "''"]),
        (["a", 3], ["arms[1]", "3"]),
        (["a", "b\0"], ["arms[1]", r"'\x00'"]),
        (["a", "b\nc"], ["arms[1]"]),
        (["a", "\ud800"], ["arms[1]"]),
        (["a", "b" * 1001], ["arms[1]", "1001", "1000"]),
        (["café", unicodedata.normalize("NFD", "café")], ["arms[1]", "'café'"]),
        ("ab", ["arms", "'ab'"]),
        (7, ["arms", "7"]),
        (None, ["arms", "parameters", "rankings"]),
    ],
)
def test_bad_arms_are_refused(arms: Any, facts: list[str]) -> None:
    with refused(ParameterError, *facts):
        Study(RUCB(), arms)


def test_an_unknown_arm_is_refused_and_a_decomposed_name_is_known() -> None:
    study = Study(RUCB(), ["café", "dense"])
    with refused(UnknownNameError, "'dens'", "'dense'"):
        study.tell(Duel("dens", "café"), "left")
    study.tell(Duel(unicodedata.normalize("NFD", "café"), "dense"), "left")
    assert study.best() == "café"


def test_one_more_ask_changes_no_later_duel() -> None:
    asked_often, asked_once = Study(RUCB(), ARMS, seed=5), Study(RUCB(), ARMS, seed=5)
    for _ in range(60):
        duel, twin = asked_often.ask(), asked_once.ask()
        assert duel[:2] == twin[:2]
        for _ in range(3):
            asked_often.ask()
        asked_often.tell(duel, answer(duel))
        asked_once.tell(twin, answer(twin))


def test_equal_seeds_give_equal_duels_and_others_other_ones() -> None:
    shown = []
    for seed in (1, 1, 2):
        study, duels = Study(RUCB(), ARMS, seed=seed), []
        for _ in range(40):
            duels.append(study.ask())
            study.tell(duels[-1], answer(duels[-1]))
        shown.append([duel[:2] for duel in duels])
    assert shown[0] == shown[1] != shown[2]


def test_sides_are_drawn_at_random() -> None:
    study = Study(Uniform(), ["a", "b"])
    lefts = []
    for _ in range(400):
        duel = study.ask()
        lefts.append(duel.left)
        study.tell(duel, answer(duel))
    assert 160 <= lefts.count("a") <= 240
    assert known(study).tally.scores.tolist() == [[0.0, 400.0], [0.0, 0.0]]


def test_a_voter_gets_the_same_duel_until_it_is_answered() -> None:
    study = Study(RUCB(), ARMS)
    first = study.ask(voter="ada")
    assert study.ask(voter="ada") == first
    others = [study.ask(voter=f"voter {i}") for i in range(5)]
    assert study.ask(voter="ada") == first
    study.tell(others[0], "left")
    assert study.ask(voter="ada") == first
    study.skip(first)
    assert study.ask(voter="ada").ticket != first.ticket


@pytest.mark.parametrize("learner", [RUCB(), InterleavedFilter2(horizon=100), CondorcetSavage(horizon=100)])
def test_a_voter_sees_no_pair_twice_while_there_are_others(learner: Any) -> None:
    study = Study(learner, ARMS)
    pairs = []
    for _ in range(6):
        duel = study.ask(voter="ada")
        pairs.append(frozenset(duel[:2]))
        study.tell(duel, answer(duel))
    assert len(set(pairs)) == 6
    answer_some(study, 10, voter="ada")
    assert study.answers == 16


def test_open_duels_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("duelist.study.asking.time", lambda: now[0])
    monkeypatch.setattr("duelist.study.recording.time", lambda: now[0])
    study = Study(RUCB(), ARMS, answer_timeout=60.0)
    first = study.ask(voter="ada")
    now[0] += 61.0
    assert study.ask(voter="ada").ticket != first.ticket
    study.tell(first, "left")
    event = study._journal.read()[1].event
    assert isinstance(event, Answered)
    assert event.late
    assert study.answers == 1


def test_duels_of_a_voter_stay_open_as_long_as_the_last_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("duelist.study.asking.time", lambda: now[0])
    study = Study(RUCB(), ARMS, answer_timeout=60.0)
    first = study.ask(voter="ada")
    now[0] += 40.0
    older, newer = study.ask(voter="ada", n=2)
    assert older == first
    now[0] += 40.0  # the first is too old, and the second is not
    assert study.ask(voter="ada", n=2) == [older, newer]
    now[0] += 40.0
    assert not {one.ticket for one in study.ask(voter="ada", n=2)} & {older.ticket, newer.ticket}


def test_two_processes_ask_two_voters_different_duels() -> None:
    arms = [f"arm {number}" for number in range(20)]
    asked: dict[str, list[Any]] = {"ada": [], "bob": []}
    for seed in range(10):
        journal = MemoryJournal()
        Study(Uniform(), arms, seed=seed, journal=journal)
        for voter, duels in asked.items():
            duels.append(Study.open(journal).ask(voter=voter)[:2])
    assert sum(one == other for one, other in zip(*asked.values(), strict=True)) <= 1


def test_a_state_is_what_was_known_when_it_was_asked_for() -> None:
    study = Study(RUCB(alpha=0.6), ["a", Arm("b", text="the letter b"), "c"], seed=3, answer_timeout=60.0)
    before = study.state()
    study.tell(Duel("a", "b"), "left", voter="ada")
    study.tell(Duel("a", "b"), "tie", voter="ada")
    study.retire_arm("c")
    study.add_arm("d")
    after = study.state()
    assert (before.seq, before.answers, before.names, before.retired) == (1, 0, ("a", "b", "c"), ())
    assert (after.seq, after.answers, after.repeats, after.closed) == (5, 2, 1, False)
    assert (after.names, after.shown, after.retired) == (("a", "b", "c", "d"), ("a", "b", "d"), ("c",))
    assert (after.initial_arms, after.arms_changed, after.k, after.has_verdicts) == (3, True, 4, True)
    assert after.learner == RUCB(alpha=0.6)
    assert (after.settings["seed"], after.settings["answer_timeout"]) == (3, 60.0)
    assert (after.arm("b").text, after.number("d"), after.answers_of("ada")) == ("the letter b", 3, 2)
    tally = after.tally
    tally.wins[0, 1] = 100.0
    assert study.state().tally.wins[0, 1] == 1.0
    assert (len(before.votes()), len(study.votes())) == (0, 2)
    study.close()
    assert study.state().closed


def test_arms_come_and_go() -> None:
    study = Study(RUCB(), ARMS, seed=4)
    answer_some(study, 60)
    study.add_arm("A")
    answer_some(study, 60)
    assert study.best() == "A"
    study.retire_arm("A")
    assert study.best() == "a"
    shown = {name for _ in range(40) for name in study.ask()[:2]}
    assert "A" not in shown
    study.retire_arm("A")
    study.add_arm("A")
    assert study.best() == "A"
    with refused(ParameterError, "'a'"):
        study.add_arm("a")
    with refused(UnknownNameError, "'z'"):
        study.retire_arm("z")
    for name in ("a", "b", "c"):
        study.retire_arm(name)
    with refused(ParameterError, "'d'"):
        study.retire_arm("d")
    assert same_folds(known(study), fresh(study._journal))


def test_a_learner_that_takes_no_new_arms_says_what_to_do() -> None:
    study = Study(InterleavedFilter2(horizon=1000), ARMS)
    with refused(ParameterError, "arms", "study.change_learner(RUCB())"):
        study.add_arm("e")
    answer_some(study, 50)
    study.change_learner(RUCB())
    study.add_arm("A")
    answer_some(study, 80)
    assert study.best() == "A"
    study.change_learner(CondorcetSavage(horizon=1000))
    assert study.best() == "A"
    assert study.answers == 130


def test_a_retired_winner_makes_room_for_the_next() -> None:
    for learner in (InterleavedFilter2(horizon=100, factor=0.3), CondorcetSavage(horizon=100), RUCB()):
        study = Study(learner, ARMS, seed=1)
        answer_some(study, 300)
        assert study.best() == "a"
        study.retire_arm("a")
        answer_some(study, 100)
        assert study.best() == "b"
        assert same_folds(known(study), known(Study.open(study._journal)))


def test_votes_are_imported_once(tmp_path: Path) -> None:
    rows = [
        {"left": "a", "right": "b", "outcome": "left", "voter": "ada", "time": "2026-11-16T10:00:00"},
        {"left": "a", "right": "b", "outcome": "left"},
        {"left": "a", "right": "b", "outcome": "left"},
        {"left": "c", "right": "b", "outcome": 0.25, "ticket": "kept-7"},
    ]
    study = Study(RUCB(), ARMS)
    assert study.import_votes(rows) == 4
    assert study.import_votes(rows) == 0
    assert study.import_votes([*rows, {"left": "d", "right": "a", "outcome": "tie"}]) == 1
    assert study.answers == 5
    assert known(study).tally.scores[:2, :3].tolist() == [[0.0, 3.0, 0.0], [0.0, 0.0, 0.75]]
    other = Study(RUCB(), ARMS, journal=tmp_path / "other.db")
    assert other.import_votes(study.votes(all=True)) == 5
    assert np.array_equal(known(other).tally.scores, known(study).tally.scores)
    assert other.import_votes(study.votes()) == 0


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        ({"left": "a", "right": "b"}, ["votes[1]", "outcome"]),
        ({"left": "a", "right": "z", "outcome": "left"}, ["votes[1]", "'z'"]),
        ({"left": "a", "right": "b", "outcome": "won"}, ["votes[1]", "outcome", "'won'"]),
        ({"left": "a", "right": "b", "outcome": 1, "who": "ada"}, ["votes[1]", "'who'"]),
        ({"left": "a", "right": "b", "outcome": 1, "time": "noon"}, ["votes[1]", "time", "'noon'"]),
        ({"left": "a", "right": "b", "outcome": 1, "ticket": "no good"}, ["votes[1]", "ticket", "'no good'"]),
        (7, ["votes[1]", "7"]),
    ],
)
def test_a_bad_row_is_named_and_none_is_imported(row: Any, facts: list[str]) -> None:
    study = Study(RUCB(), ARMS)
    with refused(OutcomeError, *facts):
        study.import_votes([{"left": "a", "right": "b", "outcome": "left"}, row])
    assert study.answers == 0


def test_a_closed_study_is_read_only() -> None:
    study = Study(RUCB(), ARMS)
    duel = study.ask()
    study.tell(duel, "left")
    study.close()
    rows = [{"left": "a", "right": "b", "outcome": "left"}]
    for act in (
        study.ask,
        lambda: study.tell(Duel("a", "b"), "left"),
        lambda: study.add_arm("e"),
        lambda: study.import_votes(rows),
    ):
        with refused(ClosedError, "closed"):
            act()
    assert study.best() == duel.left


def test_going_on_with_a_journal_needs_the_same_study(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    answer_some(Study(RUCB(), ARMS, seed=3, journal=path), 20)
    assert Study(RUCB(), ARMS, seed=3, journal=path).answers == 20
    for other, word in (
        ({"learner": Uniform()}, "learner"),
        ({"arms": ["a", "b"]}, "arms"),
        ({"seed": 4}, "seed"),
    ):
        settings: dict[str, Any] = {"learner": RUCB(), "arms": ARMS, "seed": 3, **other}
        with refused(DifferentStudyError, word):
            Study(**settings, journal=path)


def test_what_cannot_begin_is_not_on_record(tmp_path: Path) -> None:
    policies = [[0, 1], [1, 2]]
    path = tmp_path / "votes.db"
    with refused(ParameterError, "3"):
        Study(SparringEXP4P(policies, horizon=10), ARMS, journal=path)
    with refused(FileError, "study", path.name):
        Study.open(path)
    study = Study(RUCB(), ARMS, journal=path)
    with refused(ParameterError, "3"):
        study.change_learner(SparringEXP4P(policies, horizon=10))
    with refused(ParameterError, "PreferentialOptimization", "points of a space", "arms"):
        study.change_learner(PreferentialOptimization())
    assert len(study._journal.read()) == 1
    study.change_learner(SparringEXP4P([[0, 1], [2, 3]], horizon=10))
    assert study.ask(context=[1.0]).left in ARMS


def test_paths_that_cannot_be_are_named(tmp_path: Path) -> None:
    study = Study(RUCB(), ARMS)
    with refused(FileError, tmp_path.name):
        study.save(tmp_path)
    with refused(FileError, "nothing.json", "save"):
        Study.load(tmp_path / "nothing.json")
    with refused(FileError, "nothing.db"):
        Study.open(tmp_path / "nothing.db")
    assert not (tmp_path / "nothing.db").exists()
    with pytest.raises(FileError):
        Study(RUCB(), ARMS, journal=tmp_path / "no folder" / "votes.db")
    with refused(ParameterError, "journal", "7"):
        Study(RUCB(), ARMS, journal=cast("Any", 7))
    (tmp_path / "old.json").write_text('{"format": "duelist.study/2"}\n')
    with refused(FileError, "old.json", "line 1"):
        Study.load(tmp_path / "old.json")
