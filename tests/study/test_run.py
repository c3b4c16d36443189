"""The loop of `Study.run`: ask, judge and tell until there are enough votes."""

from typing import Any

import pytest
from refusals import refused

from duelist import Duel, Study
from duelist.errors import ParameterError
from duelist.learners import PreferentialOptimization
from duelist.study import Parameter


def longer(duel: Duel) -> str:
    return "left" if len(duel.left) > len(duel.right) else "right"


def test_it_ends_at_the_first_verdict() -> None:
    study = Study(arms=["ab", "abc", "a"], seed=7)
    study.run(longer, until=0.1)
    by_hand = Study(arms=["ab", "abc", "a"], seed=7)
    while not by_hand.done(0.1):
        duel = by_hand.ask()
        by_hand.tell(duel, longer(duel))
    assert study.verdict(0.1).winner == by_hand.verdict(0.1).winner == "abc"
    assert study.answers == by_hand.answers
    study.run(longer, until=0.1)
    assert study.answers == by_hand.answers


def test_it_ends_after_a_number_of_votes_skipped_ones_too() -> None:
    study = Study(arms=["a", "b"])
    judged: list[Duel] = []

    def judge(duel: Duel) -> float | None:
        judged.append(duel)
        return None if len(judged) % 3 == 0 else 0.5

    study.run(judge, votes=9)
    assert (len(judged), study.answers, len(study.votes(all=True))) == (9, 6, 9)
    study.run(judge, votes=0)
    assert len(judged) == 9


def test_it_ends_when_a_function_says_so() -> None:
    study = Study(PreferentialOptimization(), parameters={"x": Parameter(0.0, 1.0)})
    study.run(lambda duel: float(duel.left["x"] > duel.right["x"]), until=lambda: study.answers == 3)
    assert study.answers == 3


def test_it_ends_when_the_voter_has_seen_everything() -> None:
    study = Study(arms=["a", "b", "c"])
    study.run(lambda duel: "tie", voter="ann", items=["soup", "salad"])
    assert study.answers == 6
    assert study.exhausted("ann", ["soup", "salad"])
    assert {vote.item for vote in study.votes()} == {"soup", "salad"}


def test_a_study_without_verdicts_needs_a_function_or_a_number() -> None:
    study = Study(PreferentialOptimization(), parameters={"x": Parameter(0.0, 1.0)})
    with refused(ParameterError, "parameters"):
        study.run(lambda duel: 1.0)
    with refused(ParameterError, "votes", -1):
        study.run(lambda duel: 1.0, votes=-1)
    assert study.answers == 0


@pytest.mark.parametrize("until", [0, 1.5, float("nan"), None, "soon", True])
def test_a_judge_must_be_a_function_and_until_a_chance(until: Any) -> None:
    study = Study(arms=["a", "b"])
    nobody: Any = None
    with refused(ParameterError, "judge", nobody):
        study.run(nobody)
    with refused(ParameterError, "until", until):
        study.run(longer, until=until, votes=1)
    assert len(study.votes(all=True)) == 0


def test_an_error_of_the_judge_leaves_the_study_as_it_was() -> None:
    study = Study(arms=["a", "b"])
    with pytest.raises(ZeroDivisionError):
        study.run(lambda duel: 1 / 0)
    assert len(study.votes(all=True)) == 0
