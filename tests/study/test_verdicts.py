"""Enough votes? What a study says of it, and what turns it back."""

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused
from study.world import ARMS, answer, answer_some, change

from duelist import RUCB, Auto, Duel, LogisticDuels, PreferentialOptimization, Study
from duelist.errors import ParameterError
from duelist.journal import Answered, MemoryJournal
from duelist.study import Parameter, live_fold


def told(votes: int, arms: tuple[str, ...] = ("a", "b"), winner: str = "left") -> Study:
    study = Study(arms=arms)
    for _ in range(votes):
        study.tell(Duel(arms[0], arms[1]), winner)
    return study


def test_the_default_asks_until_it_is_sure() -> None:
    study = Study(arms=ARMS)
    assert isinstance(study.learner, Auto)
    assert (study.done(), study.confidence()) == (False, 0.0)
    asked = 0
    while not study.done(delta=0.05):
        answer_some(study, 1)
        asked += 1
    assert asked < 100
    assert study.best() == study.verdict().winner == "a"
    assert study.confidence() >= 0.95
    assert study.votes_left() == (0.0, 0.0)


def test_the_proven_arm_is_named_whatever_the_learner_believes() -> None:
    study = Study(arms=["a", "b", "c"])
    for _ in range(40):
        study.tell(Duel("a", "b"), "left")
        study.tell(Duel("a", "c"), "left")
    # a model of all votes is misled: b beats c by more than a does
    for _ in range(300):
        study.tell(Duel("b", "c"), "left")
    for _ in range(10):
        study.tell(Duel("c", "a"), "left")
    assert study.verdict().winner == study.best() == "a"


def test_a_retraction_turns_it_back() -> None:
    study = told(0)
    while not study.done():
        study.tell(Duel("a", "b"), "left")
    assert study.verdict().winner == "a"
    study.retract(study.votes()[-1].ticket)
    assert not study.done()
    assert study.verdict().finding == "undecided"


def test_an_arm_that_comes_turns_it_back_and_one_that_goes_asks_for_more() -> None:
    study = Study(arms=ARMS)
    while not study.done():
        answer_some(study, 1)
    confidence = study.confidence()
    study.add_arm("e")
    assert not study.done()
    assert study.verdict().unproven[0] == "e"
    study.retire_arm("e")
    assert study.verdict().leader == "a"
    assert study.confidence() < confidence
    while not study.done():
        answer_some(study, 1)
    assert study.best() == "a"


def test_a_circle_is_found_and_named() -> None:
    study, beats = (
        Study(arms=["rock", "paper", "scissors"]),
        {"rock": "scissors", "paper": "rock", "scissors": "paper"},
    )
    while not study.done():
        duel = study.ask()
        study.tell(duel, "left" if beats[duel.left] == duel.right else "right")
    verdict = study.verdict()
    assert verdict.finding == "no winner"
    assert set(verdict.circle) == set(beats)
    assert all(beats[one] == other for one, other in zip(verdict.circle, verdict.circle[1:], strict=False))
    assert all(arm in str(verdict) for arm in beats)


def test_one_who_votes_again_on_a_pair_proves_nothing_new() -> None:
    study = Study(arms=["a", "b"])
    for _ in range(50):
        study.tell(Duel("a", "b"), "left", voter="ada")
    assert study.answers == 50
    assert not study.done()
    assert study.confidence() < 0.5
    for number in range(20):
        study.tell(Duel("a", "b"), "left", voter=f"voter-{number}")
    assert study.done()


def test_a_skipped_pair_may_be_answered_later() -> None:
    study = Study(arms=["a", "b"])
    study.skip(study.ask(voter="ada"))
    duel = study.ask(voter="ada")
    study.tell(duel, answer(duel))
    assert study._live.now().tally.wins.sum() == 1.0
    assert study._live.now().tally.repeats == 0


def test_ties_and_numbers_are_counted_apart() -> None:
    study = Study(arms=["a", "b"])
    for outcome in ("left", "tie", 0.8, 0.3):
        study.tell(Duel("a", "b"), outcome)
    tally = study._live.now().tally
    np.testing.assert_allclose(tally.wins, [[0.0, 1.6], [0.4, 0.0]])
    np.testing.assert_allclose(tally.ties, [[0.0, 2.0], [2.0, 0.0]])
    np.testing.assert_allclose(tally.scores, tally.wins + tally.ties / 2.0)


def test_verdicts_outlive_the_process_with_and_without_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 10)
    path = tmp_path / "votes.db"
    study = Study(arms=ARMS, journal=path)
    study.add_arm("e")
    study.retire_arm("e")
    study.add_arm("e")
    for number in range(40):
        answer_some(study, 1, voter=f"voter-{number % 7}")
    opened = Study.open(path)
    change(path, "DELETE FROM snapshots")
    again = Study.open(path)
    for within in (0.0, 0.05):
        assert study.verdict(0.1, within) == opened.verdict(0.1, within) == again.verdict(0.1, within)
    assert study.votes_left() == again.votes_left()


def test_the_range_of_votes_left_shrinks_as_votes_come() -> None:
    study = told(4)
    low, high = study.votes_left()
    assert 0.0 < low < high
    for _ in range(6):
        study.tell(Duel("a", "b"), "left")
    later = study.votes_left()
    assert later[0] <= low
    assert later[1] < high
    even = told(0)
    for _ in range(3000):
        even.tell(Duel("a", "b"), "left")
        even.tell(Duel("a", "b"), "right")
    assert even.votes_left()[1] == inf


@pytest.mark.parametrize("delta", [0, 1.5, "often"])
def test_a_delta_that_is_no_share_is_refused(delta: float) -> None:
    study = told(1)
    for ask in (study.verdict, study.done, study.votes_left):
        with refused(ParameterError, "delta"):
            ask(delta=delta)


def test_parameters_and_contexts_have_no_verdict_yet() -> None:
    parameters = Study(PreferentialOptimization(), parameters={"warmth": Parameter(0.0, 1.0)})
    contexts = Study(LogisticDuels(), ARMS, context=[0.0])
    for study, about in ((parameters, "of parameters"), (contexts, "in contexts")):
        for ask in (study.verdict, study.done, study.confidence, study.votes_left):
            with refused(ParameterError, about, "best"):
                ask()


def test_a_study_of_parameters_needs_a_learner() -> None:
    with refused(ParameterError, "learner"):
        Study(parameters={"warmth": Parameter(0.0, 1.0)})


def test_the_default_is_written_down() -> None:
    journal = MemoryJournal()
    Study(arms=ARMS, journal=journal)
    assert Study.open(journal).learner == Auto()


@pytest.mark.parametrize(("clicked", "told"), [(None, 1.0), ((0,), 4.0)])
def test_a_repeat_reaches_the_learner_only_as_clicks_on_another_list(clicked: Any, told: float) -> None:
    study = Study(RUCB(), arms=["a", "b"])
    for number in range(4):
        event = Answered(ticket=f"t{number}", left=0, right=1, outcome=1.0, voter="ann", clicked=clicked)
        study._journal.append([event])
        study.best()
    for one in (study, Study.open(study._journal)):
        fold = one._live.now()
        assert fold.player.state.wins.sum() == told
        assert (fold.tally.answers, fold.tally.repeats, fold.tally.scores.sum()) == (4, 3, 1.0)
    study.change_learner(RUCB(alpha=0.6))
    assert study._live.now().player.state.wins.sum() == told
