"""Numbers, names and tables as people read them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert (text.counted(1, "query"), text.counted(2, "query")) == ("1 query", "2 queries")


def test_whole_numbers_are_sorted_as_numbers() -> None:
    assert text.in_reading_order(["10", "9"]) == ["9", "10"]
    assert text.in_reading_order(["10", "9", "a"]) == ["10", "9", "a"]


@pytest.mark.parametrize(
    ("names", "longest", "labels"),
    [
        (["short", "just fits!!"], 11, ["short", "just fits!!"]),
        (["long and alone", "b"], 8, ["long an…", "b"]),
        (["cut at a blank"], 7, ["cut at…"]),
        # the ends differ
        (["mixtral-8x22b-v0.1", "mixtral-8x22b-v0.3"], 12, ["mixtra…-v0.1", "mixtra…-v0.3"]),
        # neither beginnings nor ends do
        (["x" * 20 + "A" + "y" * 20, "x" * 20 + "B" + "y" * 20], 12, ["xxxx…xxAyyy…", "xxxx…xxByyy…"]),
        # a name of its own may look like a shortened one
        (["abcdefg…", "abcdefghij"], 8, ["abcdefg…", "abcd…hij"]),
        # invisible differences
        (["a\u202eb", "ab", "a\u200fb"], 8, ["ab", "ab (2)", "ab (3)"]),
        (["a\nb", "a b"], 8, ["a b", "a b (2)"]),
        (["same", "same"], 8, ["same", "same"]),
        ([], 8, []),
    ],
)
def test_short_labels_keep_what_differs(names: list[str], longest: int, labels: list[str]) -> None:
    assert text.short_labels(names, longest) == labels


def test_wide_characters_take_the_room_of_two_and_are_never_taken_apart() -> None:
    family = "\U0001f469\u200d\U0001f467"
    accented = "e\u0301"
    assert text.short_labels([family * 4], 5) == [family * 2 + "…"]
    assert text.short_labels([accented * 9], 5) == [accented * 4 + "…"]
    assert text.short_labels(["\u65e5" * 9], 8) == ["\u65e5" * 3 + "…"]


# few letters, to make names alike, and some that take more or less room than one
LETTERS = "ab \u65e5\U0001f469\u200d\u0301\u202e\n…"
ALIKE = st.builds("".join, st.tuples(st.sampled_from(["", "a" * 30]), st.text(LETTERS, max_size=40)))


@given(st.lists(ALIKE, max_size=12, unique=True), st.integers(8, 40))
def test_labels_of_distinct_names_are_distinct_and_fit(names: Sequence[str], longest: int) -> None:
    labels = text.short_labels(names, longest)
    assert len(set(labels)) == len(names)
    assert all(text.text_width(label) <= longest for label in labels)
    assert not {"\n", "\u202e"} & set("".join(labels))
