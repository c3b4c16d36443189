"""Numbers, names and tables as people read them."""

import pytest

from duelist import text


def test_a_table_has_names_to_the_left_and_numbers_to_the_right() -> None:
    table = text.align(["unit", "n"], [["user", "7"], ["session", "12"]])
    assert table.split("\n") == ["unit      n", "user      7", "session  12"]


@pytest.mark.parametrize(
    ("chance", "short", "said"), [(0.0312, "0.031", "p = 0.031"), (1e-9, "<0.001", "p < 0.001")]
)
def test_p_values(chance: float, short: str, said: str) -> None:
    assert text.as_p_value(chance) == short
    assert text.say_p_value(chance) == said


def test_numbers_have_the_digits_people_read() -> None:
    assert [text.number(value) for value in (23671.34, 226.4, 4.0, 0.0, 0.00123)] == [
        "23,671",
        "226",
        "4.0",
        "0.0",
        "0.0012",
    ]
    assert [text.count(value) for value in (1234567.0, 0.5)] == ["1,234,567", "0.5"]
    assert [text.all_digits(value) for value in (0.55, 1.0, 12)] == ["0.55", "1", "12"]


def test_names_are_listed_and_counted() -> None:
    assert text.enumeration(["bm25", "dense", "random"], limit=2) == "bm25, dense and 1 more"
    assert (text.arms(["dense"]), text.arms(["0", "3"])) == ("arm dense", "arms 0, 3")
    assert (text.counted(1, "run"), text.counted(2000, "run")) == ("1 run", "2,000 runs")
    assert text.counted(2, "query", "queries") == "2 queries"


def test_whole_numbers_are_sorted_as_numbers() -> None:
    assert text.in_reading_order(["10", "9"]) == ["9", "10"]
    assert text.in_reading_order(["10", "9", "a"]) == ["10", "9", "a"]
