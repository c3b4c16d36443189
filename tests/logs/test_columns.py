"""Columns of a file of duels become numbers."""

import pytest

from duelist.errors import FileError
from duelist.logs.reading import OUTCOME, PROPENSITY, ActionNames, Batch, read_numbers


def test_numbers_and_words_are_read_and_others_refused() -> None:
    columns = {"outcome": ["0.25", "left"], "propensity": ["0.5", "0"]}
    batch = Batch("votes.csv", "line", [2, 3], columns)
    assert read_numbers(batch, "outcome", OUTCOME).tolist() == [0.25, 1.0]
    with pytest.raises(FileError, match=r"^votes.csv, line 3, column 'propensity': '0' will not do; give"):
        read_numbers(batch, "propensity", PROPENSITY)


def test_actions_are_numbered_as_they_are_met_and_named_in_order() -> None:
    names = ActionNames(None)
    batch = Batch("votes.csv", "line", [2, 3, 4], {"left": ["10", "9", "10"]})
    assert names.read(batch, "left").tolist() == [0, 1, 0]
    known, order = names.in_order()
    assert (known, order.tolist()) == (("9", "10"), [1, 0])
