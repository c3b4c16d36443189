"""The table of votes itself: what it holds, what it refuses, and parts of it."""

from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from refusals import refused

from duelist import Votes
from duelist.errors import DuelistError, ParameterError, PreferenceError, UnknownNameError
from duelist.votes import Vote, count

COUNTS = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3)
AB = ["a", "b"]
VOTES = Votes(
    *(AB, [0, 1, 0], [1, 0, 1], [1.0, 0.75, nan], [2, 1, 3], ["ann", None, "ann"]),
    times=[60.0, nan, 90.0],
    statuses=[0, 0, 2],
    extras={"voters": ["x", "y", None]},
)


def test_rows_are_votes() -> None:
    assert (len(VOTES), VOTES.k, repr(VOTES)) == (6, 2, "Votes(6 votes, 2 arms, 1 voter)")
    assert VOTES[1] == Vote(None, None, "b", "a", 0.75)
    assert [vote.outcome for vote in VOTES] == ["left", 0.75, None]
    assert [vote.status for vote in VOTES[1:]] == ["counted", "skipped"]
    assert VOTES == VOTES.take(np.arange(3)) != VOTES.take(np.array([1, 0, 2]))


def test_parts() -> None:
    assert {name: len(part) for name, part in VOTES.by("voter").items()} == {"ann": 5, "": 1}
    assert list(VOTES.by("voters")) == ["x", "y", ""]
    assert len(VOTES.between(60.0, 80.0)) == 2
    with refused(UnknownNameError, "item"):
        VOTES.by("item")
    with refused(ParameterError, "times"):
        Votes(AB, [0], [1], [1.0]).between(0.0)


@given(COUNTS, COUNTS)
def test_counts_come_back(won: list[list[int]], tied: list[list[int]]) -> None:
    wins = np.array(won) * (1 - np.eye(3, dtype=int))
    ties = np.triu(tied, 1) + np.triu(tied, 1).T
    found = count(Votes.from_counts(wins, ties, arms=["x", "y", "z"]))
    assert_array_equal(found.wins, wins)
    assert_array_equal(found.ties, ties)
    assert_array_equal(count(Votes.from_counts(wins + 0.5 * (ties % 2))).ties, ties % 2)
    assert_array_equal(count(Votes.from_counts(wins + ties / 2)).scores, wins + ties / 2)


def test_counts_may_be_shares_of_counts() -> None:
    counts, share = 1_000_003, 333_334 / 1_000_003
    votes = Votes.from_counts([[0.0, share * counts], [(1.0 - share) * counts, 0.0]])
    assert count(votes).wins.tolist() == [[0, 333_334], [666_669, 0]]


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "facts"),
    [
        (("ab", [0], [1], [1.0]), {}, PreferenceError, ["arms", "'ab'"]),
        ((["a"], [0], [0], [1.0]), {}, PreferenceError, ["['a']"]),
        ((["a", "a"], [0], [1], [1.0]), {}, PreferenceError, ["'a'"]),
        ((["a", ""], [0], [1], [1.0]), {}, PreferenceError, ["arms[1]"]),
        ((AB, [0, 1], [1], [1.0]), {}, ParameterError, ["left", "(2,)", "(1,)"]),
        ((AB, [0], [1], [1.0], [1], ["v", "w"]), {}, ParameterError, ["voters", "(2,)", "(1,)"]),
        ((AB, [0], [1], [1.0], [1], [3]), {}, ParameterError, ["3"]),
        ((AB, [2], [1], [1.0]), {}, ParameterError, ["row 0", "left", "2"]),
        ((AB, [0, 1], [1, -1], [1.0, 1.0]), {}, ParameterError, ["row 1", "right", "-1"]),
        ((AB, [1], [1], [1.0]), {}, ParameterError, ["row 0", "left", "right", "1"]),
        ((AB, [0], [1], [1.2]), {}, ParameterError, ["row 0", "outcome", "1.2"]),
        ((AB, [0], [1], [nan]), {}, ParameterError, ["row 0", "outcome", "nan"]),
        ((AB, [0], [1], [1.0], [0]), {}, ParameterError, ["row 0", "count", "0"]),
        ((AB, [0], [1], [1.0]), {"weights": [-1.0]}, ParameterError, ["row 0", "weight"]),
        ((AB, [0], [1], [1.0]), {"statuses": [3]}, ParameterError, ["row 0", "status"]),
        ((AB, [0], [1], [1.0]), {"initial_arms": 3}, ParameterError, ["initial_arms", "3"]),
        ((AB, [0], [1], [1.0]), {"retired": [2]}, ParameterError, ["retired", "[2]"]),
        ((AB, [0], [1], [1.0]), {"extras": {"Left": ["x"]}}, ParameterError, ["'Left'"]),
        ((AB, [0], [1], [1.0]), {"extras": {" ": ["x"]}}, ParameterError, ["' '"]),
    ],
)
def test_wrong_columns_are_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], kind: type[DuelistError], facts: list[str]
) -> None:
    with refused(kind, *facts):
        Votes(*arguments, **options)


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (([[0, 1], [1]],), "wins"),
        (([[0, 1.5], [1, 0]],), "wins[0, 1] is 1.5"),
        (([[0, 1.25], [1.25, 0]],), "wins[0, 1] is 1.25"),
        (([[0, 1], [1, 2]],), "arm 1"),
        (([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "ties[0, 1] is 1.0"),
        (([[0, 1], [1, 0]], [[0, 0.5], [0.5, 0]]), "ties[0, 1] is 0.5"),
        (([[0, 1], [1, 0]], [[0]]), "ties"),
        (([[0, 1], [1, 0]], None, ["a"]), "['a']"),
    ],
)
def test_wrong_counts_are_refused(arguments: tuple[Any, ...], fact: str) -> None:
    with refused(PreferenceError, fact):
        Votes.from_counts(*arguments)
