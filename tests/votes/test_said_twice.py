"""A table that says twice who won is refused, unless one says which columns to read."""

import pytest

from duelist import load_votes
from duelist.errors import PreferenceError

COLUMNS = {
    "left": ["a"],
    "right": ["b"],
    "outcome": ["left"],
    "model_a": ["a"],
    "model_b": ["b"],
    "winner": ["b"],
}


def test_a_table_that_says_twice_who_won_is_refused() -> None:
    with pytest.raises(PreferenceError, match='the columns "winner" and "outcome" both say who won'):
        load_votes(COLUMNS)


def test_columns_that_are_named_are_read() -> None:
    votes = load_votes(COLUMNS, a="left", b="right", winner="outcome")
    assert votes.wins()[votes.arms.index("a"), votes.arms.index("b")] == 1.0
