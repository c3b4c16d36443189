"""Rankings from files, interleaved query by query, and the clicks on them credited."""

from pathlib import Path
from typing import Any

import pytest

from duelist.errors import FileError
from duelist.interleaving import Balanced, TeamDraft
from duelist.interleaving.analysis.credited import CreditedClicks, credit_clicks
from duelist.interleaving.listings import (
    ClickedList,
    interleave_queries,
    read_clicks,
    read_listings,
    read_ranking_pair,
    read_rankings,
    write_listings,
)

METHODS = {"TeamDraft": TeamDraft, "Balanced": Balanced}
LEFT = {"q1": ["a", "b"], "q2": ["a"]}
RIGHT = {"q3": ["c"], "q1": ["c", "d"]}


def make_method(name: str, counting: str) -> Any:
    return METHODS[name](counting=counting)


def credited(impressions: int | None, *clicked: str) -> CreditedClicks:
    listings = interleave_queries(LEFT, RIGHT, TeamDraft(), impressions=impressions)
    lists = listings if len(listings) == len(clicked) else listings * len(clicked)
    return credit_clicks(
        [
            ClickedList(str(i), one, tuple(documents))
            for i, (one, documents) in enumerate(zip(lists, clicked, strict=True))
        ],
        make_method,
    )


def test_a_trec_run_is_read(tmp_path: Path) -> None:
    run = tmp_path / "bm25.run"
    run.write_text("51 Q0 doc7 1 9.5 bm25\n51 Q0 doc3 2 9.1 bm25\n52 Q0 doc1 1 4.0 bm25\n")
    assert read_rankings(run) == {"51": ["doc7", "doc3"], "52": ["doc1"]}


def test_tabs_allow_spaces_in_names(tmp_path: Path) -> None:
    file = tmp_path / "run.tsv"
    file.write_text("dueling bandits\tdoc 1\ndueling bandits\tdoc 2\n")
    assert read_rankings(file) == {"dueling bandits": ["doc 1", "doc 2"]}


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ("", "a", "names no document"),
        ("q1 a", "a", "both name queries, or neither"),
        ("q1 a", "q2 a", "no query in common"),
    ],
)
def test_files_that_do_not_fit_together_are_refused(
    left: str, right: str, words: str, tmp_path: Path
) -> None:
    files = tmp_path / "left", tmp_path / "right"
    for file, text in zip(files, (left, right), strict=True):
        file.write_text(text)
    with pytest.raises(FileError, match=words):
        read_ranking_pair(*files)


def test_only_queries_of_both_sides_are_interleaved_and_equal_seeds_give_equal_lists() -> None:
    lists = [interleave_queries(LEFT, RIGHT, Balanced(), length=3, impressions=40, seed=s) for s in (0, 0, 1)]
    assert {one.query for one in lists[0]} == {"q1"}
    assert [one.impression for one in lists[0]] == [str(number) for number in range(1, 41)]
    assert {len(one.shown.documents) for one in lists[0]} == {3}
    assert {one.method for one in lists[0]} == {"Balanced"}
    assert lists[0] == lists[1]
    assert lists[0] != lists[2]
    assert len({one.shown.documents for one in lists[0]}) > 1


def test_written_lists_are_read_again_with_the_clicks_on_them(tmp_path: Path) -> None:
    listings = interleave_queries(LEFT, RIGHT, TeamDraft(counting="first"), impressions=2)
    assert read_listings(write_listings(tmp_path / "shown.jsonl", listings)) == listings
    clicks = tmp_path / "clicks.txt"
    clicks.write_text("q1 2 c\nq1 2 c\nq1 2 a\n")
    assert read_clicks(clicks, listings) == [
        ClickedList("1", listings[0], ()),
        ClickedList("2", listings[1], ("c", "a")),
    ]


def test_outcomes_go_to_the_side_that_was_clicked() -> None:
    found = credited(3, "a", "cd", "")
    assert found.outcomes == (1.0, 0.0, 0.5)
    assert found.winners == ["left", "right", "tie"]
    assert [one["winner"] for one in found.to_dict()["outcomes"]] == found.winners
    assert found.preference is not None
    assert found.preference.to_dict()["impressions"] == 3


@pytest.mark.parametrize(
    ("clicked", "words"),
    [
        (["a"], "this is one"),
        (["a", "c", "b"], "Of 3 impressions, left wins 2 and right 1. An interval needs"),
    ],
)
def test_one_list_allows_no_interval(clicked: list[str], words: str) -> None:
    found = credited(None, *clicked)
    assert found.preference is None
    assert words in str(found)
