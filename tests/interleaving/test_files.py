"""Rankings from files are interleaved query by query, and clicks on them are credited."""

from pathlib import Path

import pytest
from refusals import names, refused

from duelist.errors import FileError
from duelist.interleaving import Balanced, TeamDraft
from duelist.interleaving.analysis.preference import CreditedClicks, credit_clicks
from duelist.interleaving.files import (
    ClickedList,
    interleave_queries,
    read_impressions,
    read_listings,
    read_ranking_pair,
    write_listings,
)

LEFT = {"q1": ["a", "b"], "q2": ["a"]}
RIGHT = {"q3": ["c"], "q1": ["c", "d"]}


def credited(impressions: int | None, *clicked: str) -> CreditedClicks:
    listings = interleave_queries(LEFT, RIGHT, TeamDraft(), impressions=impressions)
    lists = listings if len(listings) == len(clicked) else listings * len(clicked)
    return credit_clicks(
        [
            ClickedList(str(i), one, tuple(documents))
            for i, (one, documents) in enumerate(zip(lists, clicked, strict=True))
        ]
    )


@pytest.mark.parametrize(
    ("left", "right", "named"),
    [
        ("", "a", ["left"]),
        ("q1 a", "a", ["left", "right"]),
        ("q1 a", "q2 a", ["left", "right"]),
    ],
)
def test_files_that_do_not_fit_together_are_refused(
    left: str, right: str, named: list[str], tmp_path: Path
) -> None:
    files = tmp_path / "left", tmp_path / "right"
    for file, text in zip(files, (left, right), strict=True):
        file.write_text(text)
    with refused(FileError, *(str(tmp_path / name) for name in named)):
        read_ranking_pair(*files)


def test_only_queries_of_both_sides_are_interleaved_and_equal_seeds_give_equal_lists() -> None:
    lists = [interleave_queries(LEFT, RIGHT, Balanced(), length=3, impressions=40, seed=s) for s in (0, 0, 1)]
    assert {one.query for one in lists[0]} == {"q1"}
    assert [one.impression for one in lists[0]] == [str(number) for number in range(1, 41)]
    assert {len(one.shown.documents) for one in lists[0]} == {3}
    assert {one.method for one in lists[0]} == {"balanced"}
    assert lists[0] == lists[1]
    assert lists[0] != lists[2]
    assert len({one.shown.documents for one in lists[0]}) > 1


def test_written_lists_are_read_again_with_the_clicks_on_them(tmp_path: Path) -> None:
    listings = interleave_queries(LEFT, RIGHT, TeamDraft(counting="first"), impressions=2)
    assert read_listings(write_listings(tmp_path / "shown.jsonl", listings)) == listings
    clicks = tmp_path / "clicks.txt"
    clicks.write_text("q1 2 c\nq1 2 c\nq1 2 a\n")
    assert read_impressions(clicks, listings) == [ClickedList("2", listings[1], ("c", "a"))]
    served = tmp_path / "served.txt"
    served.write_text("q1 2\nq1 1\nq1 2\n")
    assert read_impressions(clicks, listings, served) == [
        ClickedList("2", listings[1], ("c", "a")),
        ClickedList("1", listings[0], ()),
    ]


def test_outcomes_go_to_the_side_that_was_clicked() -> None:
    found = credited(3, "a", "cd", "")
    assert found.outcomes == (1.0, 0.0, 0.5)
    assert found.winners == ["left", "right", "tie"]
    assert [one["winner"] for one in found.to_dict()["outcomes"]] == found.winners
    assert found.preference is not None
    assert found.preference.to_dict()["impressions"] == 3
    assert names(found.verdict, "Not decided", "left", "0.0%", "100.0%")


@pytest.mark.parametrize(
    ("clicked", "facts"),
    [
        (["a"], ("interval", "2 impressions", 1)),
        (["a", "c", "b"], ("3 impressions", "left wins 2", "right 1", "interval", "2 lists")),
    ],
)
def test_one_list_allows_no_interval(clicked: list[str], facts: tuple[object, ...]) -> None:
    found = credited(None, *clicked)
    assert found.preference is None
    assert names(str(found), *facts)


def test_lists_that_name_the_class_of_their_method_are_read(tmp_path: Path) -> None:
    listings = interleave_queries(LEFT, RIGHT, TeamDraft())
    path = write_listings(tmp_path / "shown.jsonl", listings)
    path.write_text(path.read_text().replace('"team_draft"', '"TeamDraft"'))
    assert read_listings(path) == listings
