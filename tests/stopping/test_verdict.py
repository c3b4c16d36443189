"""Verdicts on tables of votes."""

from typing import Any

import numpy as np
import pytest
from refusals import names, refused

from duelist.errors import ParameterError, PreferenceError
from duelist.stopping import Verdict, verdict_on, votes_left
from duelist.stopping.evidence import bets_on, log_evidence
from duelist.stopping.thresholds import log_thresholds

ORDER = [[0.0, 0.7, 0.8, 0.9], [0.3, 0.0, 0.6, 0.7], [0.2, 0.4, 0.0, 0.6], [0.1, 0.3, 0.4, 0.0]]
CIRCLE = [[0.0, 0.7, 0.3, 0.9], [0.3, 0.0, 0.7, 0.9], [0.7, 0.3, 0.0, 0.9], [0.1, 0.1, 0.1, 0.0]]


def on(shares: list[list[float]], each: float = 200.0, ties: float = 0.0, **more: Any) -> Verdict:
    decisive = each * np.array(shares)
    even = ties * (1.0 - np.eye(len(shares)))
    return verdict_on("abcd"[: len(shares)], decisive, even, **more)


def test_a_winner_beats_every_other_arm() -> None:
    verdict = on(ORDER)
    assert (verdict.finding, verdict.winner, verdict.circle, verdict.unproven) == ("winner", "a", (), ())
    assert names(str(verdict), "a is the winner", "5%")
    assert verdict.confidence > 0.95


def test_a_circle_is_named() -> None:
    verdict = on(CIRCLE)
    assert (verdict.finding, verdict.winner) == ("no winner", None)
    assert verdict.circle == ("a", "b", "c")
    assert "a beats b beats c beats a" in str(verdict)


def test_few_votes_decide_nothing() -> None:
    for shares in (ORDER, CIRCLE):
        verdict = on(shares, each=10.0)
        assert verdict.finding == "undecided"
        assert verdict.winner is None
        assert str(verdict).startswith("Undecided")
    assert on(ORDER, each=0.0).confidence == 0.0


def test_a_leader_that_is_not_proven_against_one_rival_is_no_winner() -> None:
    shares = [list(row) for row in ORDER]
    shares[0][2], shares[2][0] = 0.52, 0.48
    verdict = on(shares)
    assert (verdict.finding, verdict.leader, verdict.unproven) == ("undecided", "a", ("c",))


@pytest.mark.parametrize("each", [20.0, 60.0, 70.0, 80.0, 120.0])
def test_confidence_and_verdict_agree(each: float) -> None:
    for delta in (0.3, 0.05, 0.001):
        verdict = on(ORDER, each=each, delta=delta)
        assert (verdict.finding == "winner") == (verdict.confidence >= 1.0 - delta)
        assert verdict.confidence == pytest.approx(on(ORDER, each=each, delta=0.2).confidence)


def test_the_border_is_where_evidence_reaches_its_threshold() -> None:
    needed = log_thresholds(2, 0.05)[0, 1]
    wins = next(n for n in range(100) if log_evidence(bets_on(), float(n), 0.0, 0.0) >= needed)
    assert on([[0.0, 1.0], [0.0, 0.0]], each=wins).finding == "winner"
    assert on([[0.0, 1.0], [0.0, 0.0]], each=wins - 1.0).finding == "undecided"


def test_as_good_as_equal_can_be_said() -> None:
    equal = [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    assert on(equal, each=400.0).finding == "undecided"
    verdict = on(equal, each=400.0, within=0.1)
    assert verdict.finding == "winner"
    assert names(str(verdict), "0.1")
    assert on(equal, each=400.0, within=0.01).finding == "undecided"
    assert on(equal, each=20.0, ties=400.0, within=0.05).finding == "winner"


def test_no_winner_even_within_a_margin() -> None:
    assert on(CIRCLE, within=0.05).finding == "no winner"
    weak = [[0.0, 0.55, 0.45], [0.45, 0.0, 0.55], [0.55, 0.45, 0.0]]
    assert on(weak, each=3000.0).finding == "no winner"
    assert on(weak, each=3000.0, within=0.1).finding == "winner"
    # each loses to one by a little more than the margin, which takes many votes to prove
    beyond = [[0.0, 0.62, 0.38], [0.38, 0.0, 0.62], [0.62, 0.38, 0.0]]
    assert on(beyond, each=400.0, within=0.1).finding == "undecided"
    assert on(beyond, each=40_000.0, within=0.1).finding == "no winner"


def test_names_and_order_of_arms_change_nothing() -> None:
    rng = np.random.default_rng(0)
    for shares, each in ((ORDER, 60.0), (ORDER, 200.0), (CIRCLE, 200.0)):
        known = on(shares, each=each)
        for _ in range(5):
            turned = rng.permutation(4)
            decisive = each * np.array(shares)[np.ix_(turned, turned)]
            again = verdict_on(["abcd"[arm] for arm in turned], decisive, np.zeros((4, 4)))
            assert (again.finding, again.winner) == (known.finding, known.winner)
            assert again.leader == known.leader or known.circle
            assert again.confidence == pytest.approx(known.confidence)
            assert set(again.circle) == set(known.circle)


def test_only_arms_that_are_there_are_compared_and_changes_cost_votes() -> None:
    shares = [list(row) for row in ORDER]
    shares[0][1], shares[1][0] = 0.5, 0.5
    assert on(shares).finding == "undecided"
    assert on(shares, active=[0, 2, 3], changed=True).winner == "a"
    fewest = {changed: enough(changed) for changed in (False, True)}
    assert 1.1 * fewest[False] < fewest[True] < 2.0 * fewest[False]


def enough(changed: bool) -> float:
    return next(each for each in range(10, 400) if on(ORDER, each=each, changed=changed).winner == "a")


@pytest.mark.parametrize(
    "wrong", [{"delta": 0.0}, {"delta": 2}, {"delta": "often"}, {"within": -0.1}, {"within": 0.6}]
)
def test_wrong_levels_are_refused(wrong: dict[str, Any]) -> None:
    ((name, value),) = wrong.items()
    with refused(ParameterError, name, f"{value!r}"):
        on(ORDER, **wrong)


def test_much_evidence_against_the_leader_leaves_no_confidence() -> None:
    circle = np.array([[0.0, 1e6, 0.0], [0.0, 0.0, 1e6], [1e6, 0.0, 0.0]])
    verdict = verdict_on(["a", "b", "c"], circle, np.zeros((3, 3)))
    assert (verdict.finding, verdict.confidence) == ("no winner", 0.0)


def test_the_smallest_delta_can_be_reached() -> None:
    votes = np.array([[0.0, 2000.0], [0.0, 0.0]])
    assert verdict_on(["a", "b"], votes, np.zeros((2, 2)), delta=5e-324).winner == "a"
    assert verdict_on(["a", "b"], 0.0 * votes, np.zeros((2, 2)), delta=5e-324).confidence == 0.0


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"decisive": [[0.0, float("nan")], [1.0, 0.0]]}, ["decisive"]),
        ({"decisive": [[0.0, -3.0], [1.0, 0.0]]}, ["decisive"]),
        ({"decisive": [[0.0, 3.0, 1.0], [1.0, 0.0, 2.0]]}, ["decisive", "(2, 3)"]),
        ({"decisive": "many"}, ["decisive", "'many'"]),
        ({"ties": [[0.0, 2.0], [1.0, 0.0]]}, ["ties"]),
        ({"ties": np.zeros((3, 3))}, ["ties", "(2, 2)", "(3, 3)"]),
        ({"active": [0, 0]}, ["active", "[0, 0]"]),
        ({"active": []}, ["active", "[]"]),
        ({"active": [0, 5]}, ["active", "0 to 1", "[0, 5]"]),
        ({"active": ["a", "b"]}, ["active", "['a', 'b']"]),
        ({"initial_arms": 99}, ["initial_arms", "2", "99"]),
        ({"initial_arms": 2.5}, ["initial_arms", "2.5"]),
        ({"names": ["a", "a"]}, ["names", "2", "['a', 'a']"]),
        ({"names": ["a"]}, ["names", "2", "['a']"]),
    ],
)
def test_what_cannot_be_votes_is_refused(change: dict[str, Any], facts: list[str]) -> None:
    given: dict[str, Any] = {"names": ["a", "b"], "decisive": [[0, 9], [2, 0]], "ties": np.zeros((2, 2))}
    assert verdict_on(**given).leader == "a"
    kind = PreferenceError if change.keys() & {"decisive", "ties"} else ParameterError
    with refused(kind, *facts):
        verdict_on(**{**given, **change})
    if "names" not in change:
        tables = {name: value for name, value in {**given, **change}.items() if name != "names"}
        with refused(kind, *facts):
            votes_left(rng=np.random.default_rng(0), **tables)


def test_votes_left_and_verdict_agree_on_what_is_decided() -> None:
    ties = np.zeros((4, 4))
    ties[0, 1] = ties[1, 0] = ties[2, 3] = ties[3, 2] = 1000.0
    circle = 20.0 * np.array([[0, 9, 1, 9], [1, 0, 9, 9], [9, 1, 0, 9], [1, 1, 1, 0]])
    for decisive, even in ((np.zeros((4, 4)), ties), (circle, np.zeros((4, 4)))):
        for within in (0.0, 0.1, 0.25):
            undecided = verdict_on("abcd", decisive, even, within=within).finding == "undecided"
            left = votes_left(decisive, even, np.random.default_rng(0), within=within)
            assert (left[1] > 0.0) == undecided
    no_generator: Any = None
    with refused(ParameterError, "rng", None):
        votes_left(circle, ties, no_generator)


def test_words_for_what_is_not_decided() -> None:
    assert str(on(ORDER, each=0.0)).startswith("Undecided")
    # a beats c for certain, and is hardly ahead of b: that is more than nothing
    partly = np.zeros((3, 3))
    partly[0, 1], partly[1, 0], partly[0, 2] = 12.0, 10.0, 200.0
    assert names(str(verdict_on("abc", partly, np.zeros((3, 3)))), "Undecided", "a leads", "b")
    assert names(str(on(ORDER, each=200.0, delta=1e-9)), "99.9%")
    for repeats, counted in ((999, "999 votes"), (1, "1 vote")):
        assert names(str(verdict_on("ab", [[0, 1], [0, 0]], np.zeros((2, 2)), repeats=repeats)), counted)
