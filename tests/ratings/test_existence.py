"""Ratings that do not exist are refused by name, and exactly those."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from duelist import Votes, load_votes
from duelist.errors import ParameterError, PreferenceError
from duelist.ratings import bradley_terry


def votes_of(text: str, arms: str = "") -> Votes:
    """Return votes from words: ab is a win of a over b, a=b a tie."""
    words = text.split()
    names = arms or "".join(sorted(set(text) - set("= ")))
    sides = [(names.index(word[0]), names.index(word[-1]), 0.5 if "=" in word else 1.0) for word in words]
    left, right, outcomes = zip(*sides, strict=True)
    return Votes(names, left, right, outcomes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ab ba cd dc",
            r"fall into 2 pieces between which there is no vote: a, b \| c, d; gather .* ridge=0.1",
        ),
        ("ab bc", "^a won all its votes, c lost all its votes: such ratings are infinite; give a ridge"),
        ("ab bc ca da db", "^d won all its votes, a, b, c lost all votes against the others: such ratings"),
        ("ab ba cd dc ac", "^a, b won all votes against the others, c, d lost all votes against the others:"),
        ("ab ac b=c", "^a won all its votes, b, c lost all votes against the others"),
    ],
)
def test_votes_without_ratings_are_refused(text: str, message: str) -> None:
    with pytest.raises(PreferenceError, match=message):
        bradley_terry(votes_of(text))
    found = bradley_terry(votes_of(text), ridge=0.1)
    assert np.isfinite([found.rating, found.low, found.high]).all()


def test_an_arm_without_votes_is_a_piece() -> None:
    votes = votes_of("ab ba", arms="abc")
    with pytest.raises(PreferenceError, match=r"2 pieces .*: a, b \| c; gather votes"):
        bradley_terry(votes)
    found = bradley_terry(votes, ridge=4.0)
    assert found.rating[2] == pytest.approx(0.0)
    # of an arm without votes no more is known than the prior, relative to the mean: 1/4 (1 - 1/3)
    assert found.covariance[2, 2] == pytest.approx(1 / 6)


def test_many_pieces_are_not_all_named() -> None:
    arms = "abcdefghijklmn"
    with pytest.raises(
        PreferenceError, match=r"7 pieces .*: a, b \| c, d \| e, f \| g, h \| i, j; and more; gather"
    ):
        bradley_terry(votes_of(" ".join(f"{arms[i]}={arms[i + 1]}" for i in range(0, 14, 2))))


def test_davidson_needs_wins_against_ties() -> None:
    with pytest.raises(PreferenceError, match=r'all votes are ties, so that nu is infinite; .* ties="half"'):
        bradley_terry(votes_of("a=b"), ties="davidson", ridge=1.0)
    votes = votes_of("ab a=b")
    assert bradley_terry(votes).rating[0] > 0.0
    with pytest.raises(
        PreferenceError, match=r"infinite in Davidson's model; rate them with ties=.half., or give"
    ):
        bradley_terry(votes, ties="davidson")
    assert np.isfinite(bradley_terry(votes, ties="davidson", ridge=0.1).rating).all()
    assert bradley_terry(votes_of("ab ba a=b"), ties="davidson").nu == pytest.approx(1.0)


def grows(votes: Votes, davidson: bool) -> bool:
    """Return whether the likelihood rises for ever in some direction, by a linear programme.

    Along such a direction no observed outcome becomes less likely compared with another, and one more.
    """
    k = len(votes.arms)
    outcomes = {1.0: (0.5, 0.0), 0.0: (-0.5, 0.0), 0.5: (0.0, 1.0)}
    rows = []
    for left, right, outcome in zip(votes.left, votes.right, votes.outcomes, strict=True):
        seen = [outcome] if davidson or outcome != 0.5 else [0.0, 1.0]
        for margin, tie in (outcomes[one] for one in seen):
            for other, (margin_of_other, tie_of_other) in outcomes.items():
                if davidson or other != 0.5:
                    row = np.zeros(k + 1)
                    row[left], row[right] = margin - margin_of_other, margin_of_other - margin
                    row[k] = tie - tie_of_other
                    rows.append(row)
    table = np.array(rows)
    found = linprog(-table.sum(axis=0), -table, np.zeros(len(table)), bounds=[(-1, 1)] * (k + 1))
    return bool(float(found.fun or 0.0) < -1e-6)


VOTES = st.lists(
    st.tuples(st.permutations("abcd").map(lambda order: order[:2]), st.sampled_from(["", "="])), min_size=3
)


@settings(deadline=None, max_examples=60)
@given(VOTES, st.booleans())
def test_exactly_the_ratings_that_do_not_exist_are_refused(rows: list[Any], davidson: bool) -> None:
    votes = votes_of(" ".join(f"{pair[0]}{sign}{pair[1]}" for pair, sign in rows))
    ties: Any = "davidson" if davidson else "half"
    try:
        found = bradley_terry(votes, ties=ties)
    except PreferenceError as error:
        if "pieces" not in str(error):
            assert grows(votes, davidson)
    else:
        assert not grows(votes, davidson and bool((votes.outcomes == 0.5).any()))
        assert np.abs(found.rating).max() < 50.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": "third"}, "ties must be one of half, davidson; got 'third'"),
        ({"ridge": -1.0}, "ridge must be a finite number, 0 or more; got -1.0"),
        ({"ridge": "x"}, "ridge must be"),
        ({"intervals": "wide"}, "intervals must be one of sandwich, bootstrap, none; got 'wide'"),
        ({"clusters": "day"}, "clusters must be one of voter, item; got 'day'"),
        ({"clusters": "voter"}, "the votes name no voters; leave clusters out, or load them with voter="),
        ({"confidence": 95}, "confidence must lie between 0 and 1"),
        ({"bootstrap": 1}, "bootstrap must be a whole number, at least 2"),
        ({"seed": -1}, "seed must be a whole number, at least 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bradley_terry(votes_of("ab ba"), **arguments)


def test_one_cluster_is_refused() -> None:
    votes = Votes("ab", [0, 1], [1, 0], [1.0, 1.0], items=["q", "q"])
    with pytest.raises(
        ParameterError, match=r"1 item cannot tell how much items differ: .*; leave clusters out"
    ):
        bradley_terry(votes, clusters="item")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([("a", "b")], r"no table of counts: .* not a table of numbers.*: load_votes\(rows\)"),
        ([(0, 1, 5), (1, 2, 3)], r"wins has shape \(2, 3\).*: load_votes\(rows\)"),
        ([[0, 1, 5], [1, 2, 3], [2, 0, 2]], r"arm 1 has votes against itself.*: load_votes\(rows\)"),
        (np.array([[0, 1, 5], [1, 2, 3]]), r"^wins has shape \(2, 3\); give one row and one column for each"),
        (None, "^wins"),
        ([], "^wins"),
    ],
)
def test_what_holds_no_votes_is_refused(source: Any, message: str) -> None:
    with pytest.raises(PreferenceError, match=message):
        bradley_terry(source)


def test_rows_of_three_numbers_are_rated_once_they_are_read() -> None:
    rows = [(0, 1, 5), (1, 2, 3), (2, 0, 2)]
    assert_allclose(
        bradley_terry(load_votes(rows)).rating, bradley_terry([[0, 5, 0], [0, 0, 3], [2, 0, 0]]).rating
    )


@pytest.mark.parametrize(
    ("ridge", "remedy"),
    [
        (0.0, "give a ridge, such as ridge=0.1."),
        (1e-6, "give a ridge larger than 1e-06, such as ridge=0.1."),
        (0.5, "give a ridge larger than 0.5, such as ridge=5."),
    ],
)
def test_ratings_that_do_not_settle_ask_for_a_larger_ridge(
    ridge: float, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.ratings.newton.MOST_STEPS", 2)
    with pytest.raises(PreferenceError, match=f"do not settle within 2 steps .*; {re.escape(remedy)}$"):
        bradley_terry([[0, 900], [1, 0]], ridge=ridge)


def test_a_ridge_lost_in_rounding_is_too_small() -> None:
    apart = np.zeros((4, 4))
    apart[0, 1] = apart[2, 3] = 1e12
    with pytest.raises(PreferenceError, match="give a ridge larger than 1e-12"):
        bradley_terry(apart, ridge=1e-12)
