from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from duelist import Votes, load_votes
from duelist.errors import DuelistError, ParameterError, PreferenceError

COUNTS = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3)


def test_tallies_tell_ties_from_wins() -> None:
    votes = Votes("abc", [0, 1, 0, 2], [1, 0, 1, 1], [1.0, 1.0, 0.5, 0.0], counts=[2, 1, 4, 3])
    wins, ties = votes.tallies()
    assert wins.tolist() == [[0, 2, 0], [1, 0, 3], [0, 0, 0]]
    assert ties.tolist() == [[0, 4, 0], [4, 0, 0], [0, 0, 0]]
    assert_array_equal(votes.wins(), wins + ties / 2)
    assert wins.dtype == ties.dtype == np.int64
    assert len(votes) == 10
    assert repr(votes) == "Votes(10 votes, 4 ties, 3 arms)"


@given(COUNTS, COUNTS)
def test_counts_come_back(won: list[list[int]], tied: list[list[int]]) -> None:
    wins = np.array(won) * (1 - np.eye(3, dtype=int))
    ties = np.triu(tied, 1) + np.triu(tied, 1).T
    found = Votes.from_counts(wins, ties, arms="xyz").tallies()
    assert_array_equal(found[0], wins)
    assert_array_equal(found[1], ties)
    assert_array_equal(Votes.from_counts(wins + 0.5 * (ties % 2)).tallies()[1], ties % 2)
    assert_array_equal(Votes.from_counts(wins + ties / 2).wins(), wins + ties / 2)


def test_counts_may_be_shares_of_counts() -> None:
    counts = 1_000_003
    share = 333_334 / counts
    votes = Votes.from_counts([[0.0, share * counts], [(1.0 - share) * counts, 0.0]])
    assert votes.tallies()[0].tolist() == [[0, 333_334], [666_669, 0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", [0], [0], [1.0]), r"arms are \['a'\]; give at least 2"),
        (("ab", [0, 1], [1], [1.0]), r"left has shape \(2,\) and outcomes \(1,\); give one number for each"),
        (("ab", [0], [1], [1.0], [1], ["v", "w"]), r"voters has shape \(2,\)"),
        (("ab", [2], [1], [1.0]), "row 0: left must be an arm from 0 to 1; got left 2"),
        (("ab", [0, 1], [1, -1], [1.0, 1.0]), "row 1: right must be an arm from 0 to 1; .* right -1"),
        (("ab", [1], [1], [1.0]), "row 0: left and right must be two arms"),
        (("ab", [0], [1], [0.7]), "row 0: the outcome must be 1, 0 or 0.5; .* outcome 0.7"),
        (("ab", [0], [1], [nan]), "row 0: the outcome must be 1, 0 or 0.5"),
        (("ab", [0], [1], [1.0], [0]), "row 0: the count must be 1 or more; .* count 0"),
    ],
)
def test_wrong_columns_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DuelistError, match=message):
        Votes(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1], [1]],), "wins is not a table of numbers"),
        (([[0, 1.5], [1, 0]],), r"wins\[0, 1\] is 1.5; give whole numbers of votes; a tie may be half a win"),
        (([[0, 1.25], [1.25, 0]],), r"wins\[0, 1\] is 1.25; give whole"),
        (([[0, 1], [1, 2]],), "arm 1 has votes against itself; set the diagonal to 0"),
        (([[0, 1], [1, 0]], [[0, 1], [2, 0]]), r"ties\[0, 1\] is 1.0 and ties\[1, 0\] is 2.0; give a tie in"),
        (([[0, 1], [1, 0]], [[0, 0.5], [0.5, 0]]), r"ties\[0, 1\] is 0.5; give whole numbers"),
        (([[0, 1], [1, 0]], [[0]]), r"ties has shape \(1, 1\) and wins \(2, 2\)"),
        (([[0, 1], [1, 0]], None, ["a"]), "arms"),
    ],
)
def test_wrong_counts_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((ParameterError, PreferenceError), match=message):
        Votes.from_counts(*arguments)


def test_rows_have_tickets_and_times_where_they_are_known() -> None:
    votes = load_votes(
        [
            {"left": "a", "right": "b", "outcome": 1, "time": 1789000000.5, "ticket": "t1", "voter": None},
            {
                "left": "b",
                "right": "a",
                "outcome": "tie",
                "time": float("nan"),
                "ticket": None,
                "voter": "ann",
            },
            {"left": "b", "right": "a", "outcome": 0, "time": "2026-11-16", "ticket": "", "voter": ""},
        ]
    )
    assert list(votes.rows()) == [
        {"left": "a", "right": "b", "outcome": 1.0, "ticket": "t1", "time": "1789000000.5"},
        {"left": "b", "right": "a", "outcome": 0.5, "voter": "ann"},
        {"left": "b", "right": "a", "outcome": 0.0, "time": "2026-11-16"},
    ]


def test_a_row_that_counts_twice_is_two_rows_and_has_no_ticket() -> None:
    counted = Votes(["a", "b"], [0, 1], [1, 0], [1.0, 0.5], counts=[2, 1])
    assert [row["outcome"] for row in counted.rows()] == [1.0, 1.0, 0.5]
    with pytest.raises(PreferenceError, match="a ticket is of one vote"):
        list(Votes(["a", "b"], [0], [1], [1.0], counts=[2], tickets=["t"]).rows())
