import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.errors import FileError
from duelist.interleaving import TeamDraft
from duelist.interleaving.listings import read_listings

runner = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


class Experiment:
    """Two rankings, the lists made of them and the clicks on those, in a folder."""

    def __init__(self, folder: Path, queries: tuple[str, ...]) -> None:
        self.left, self.right, self.shown, self.clicks = (
            folder / name for name in ("l", "r", "shown", "clicks")
        )
        for path, documents in ((self.left, "abcd"), (self.right, "wxyz")):
            path.write_text("".join(f"{query} {one}\n".lstrip() for query in queries for one in documents))

    def make(self, *options: object) -> str:
        words = ["interleave", self.left, self.right, "--out", self.shown, *options]
        outcome = runner.invoke(app, list(map(str, words)))
        assert outcome.exit_code == 0, outcome.output
        return " ".join(outcome.stderr.split())

    def credit(self, *lines: str, format: str = "text") -> Any:
        self.clicks.write_text("".join(f"{line}\n" for line in lines))
        words = ["interleave", "--shown", self.shown, "--clicks", self.clicks, "--format", format]
        outcome = runner.invoke(app, list(map(str, words)))
        if outcome.exit_code:
            assert outcome.exit_code == 2, outcome.output
            return " ".join(outcome.stderr.split())
        return json.loads(outcome.stdout) if format == "json" else outcome.stdout


@pytest.fixture
def named(tmp_path: Path) -> Experiment:
    return Experiment(tmp_path, ("q1", "q2", "q3"))


@pytest.fixture
def nameless(tmp_path: Path) -> Experiment:
    return Experiment(tmp_path, ("",))


def winners(facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["query"], one["impression"], one["winner"]) for one in facts["outcomes"]]


@pytest.mark.parametrize(("clicks", "winner"), [(["a"], "left"), (["w", "x"], "right"), ([], "tie")])
def test_a_single_list_is_credited_without_an_interval(
    nameless: Experiment, clicks: list[str], winner: str
) -> None:
    assert "1 list written" in nameless.make()
    text = nameless.credit(*clicks)
    assert text.splitlines()[2].split()[-1] == winner
    assert "An interval needs at least two impressions, and this is one." in text
    facts = nameless.credit(*clicks, format="json")
    assert winners(facts) == [("", "", winner)]
    assert facts["preference"] is None


def test_impressions_of_one_nameless_query_have_lists_of_their_own(nameless: Experiment) -> None:
    assert "lines of `impression document`" in nameless.make("--impressions", 40)
    listings = read_listings(nameless.shown)
    assert [one.impression for one in listings] == [str(number) for number in range(1, 41)]
    firsts = Counter(one.shown.teams[0] for one in listings)
    assert min(firsts[0], firsts[1]) >= 10
    facts = nameless.credit("7 a", "9 w", "9 a", "9 b", format="json")
    assert len(facts["outcomes"]) == 40
    assert [one for one in winners(facts) if one[2] != "tie"] == [("", "7", "left"), ("", "9", "left")]
    assert facts["outcomes"][8]["clicked"] == ["w", "a", "b"]
    assert [unit["unit"] for unit in facts["preference"]["units"]] == ["impression"]


def test_a_log_of_many_impressions_of_a_query_is_credited_one_by_one(named: Experiment) -> None:
    assert "lines of `query impression document`" in named.make("-t", 30, "--seed", 4)
    rng = np.random.default_rng(1)
    listings = read_listings(named.shown)
    clicked = [
        list(rng.choice(list(map(str, one.shown.documents)), size=rng.integers(4), replace=False))
        for one in listings
    ]
    lines = [
        f"{one.query} {one.impression} {document}"
        for one, documents in zip(listings, clicked, strict=True)
        for document in documents
    ]
    facts = named.credit(*rng.permutation(lines), format="json")
    expected = [TeamDraft().credit(one.shown, some) for one, some in zip(listings, clicked, strict=True)]
    assert [one["outcome"] for one in facts["outcomes"]] == expected
    assert facts["preference"]["impressions"] == 90
    assert set(expected) == {0.0, 0.5, 1.0}


def test_the_first_impression_sees_the_list_that_all_would(named: Experiment) -> None:
    named.make("--seed", 3)
    alone = [one.shown for one in read_listings(named.shown)]
    named.make("--seed", 3, "--impressions", 5)
    assert [one.shown for one in read_listings(named.shown)[::5]] == alone


def test_one_list_may_be_seen_by_many_and_counts_once(named: Experiment) -> None:
    assert "lines of `query document`" in named.make()
    lines = [f"q1 user{number} a" for number in range(50)] + ["q2 user1 w", "q2 user1 w", "q2 user3 b"]
    facts = named.credit(*lines, format="json")
    assert Counter(one[0] for one in winners(facts)) == {"q1": 50, "q2": 2, "q3": 1}
    assert winners(facts)[50:] == [("q2", "user1", "right"), ("q2", "user3", "left"), ("q3", "", "tie")]
    by_impression, by_list = facts["preference"]["units"]
    assert (by_list["unit"], by_list["count"], by_list["wins"], by_list["ties"]) == ("list", 3, 1, 2)
    assert by_impression["p_value"] < 0.001
    assert facts["preference"]["verdict"].startswith("No difference shown: by list")


def test_one_list_alone_seen_by_many_is_counted_and_explained(nameless: Experiment) -> None:
    nameless.make()
    text = nameless.credit("u1 a", "u2 w", "u3 b", "u4 c")
    assert [line.split()[0] for line in text.splitlines()[2:6]] == ["u1", "u2", "u3", "u4"]
    assert "Of 4 impressions, left wins 3 and right 1. An interval needs at least two lists" in text


def test_two_impressions_that_agree_have_an_interval_with_a_tie_in_it(named: Experiment) -> None:
    named.make("--impressions", 1)
    named.shown.write_text("\n".join(named.shown.read_text().splitlines()[:2]) + "\n")
    text = named.credit("q1 a", "q2 a")
    assert "left is preferred at 100.0% (95% interval 15.8% to 100.0%, p = 0.500)" in text


def test_clicks_that_name_no_list_are_refused_by_line(named: Experiment) -> None:
    named.make("--impressions", 2)
    assert "clicks, line 1: a click on one of 2 lists of query q1; say which" in named.credit("q1 a")
    assert "line 2: a click in impression 3 of query q1, but no list" in named.credit("q1 1 a", "q1 3 a")
    assert "line 1: a click on a list of query q9, but none was shown" in named.credit("q9 1 a")
    assert "line 1: 'k' was clicked for query q1, impression 2, but not shown" in named.credit("q1 2 k")
    assert "line 1: 1 column; give `query document` or `query impression document`" in named.credit("a")


def test_lists_of_a_query_must_be_told_apart(named: Experiment) -> None:
    named.make("--impressions", 2)
    lines = named.shown.read_text().splitlines()
    for broken, words in (
        ([lines[0], lines[0]], "line 2: query q1, impression 1 again"),
        (
            [lines[0], lines[1].replace('"impression": "2"', '"impression": ""')],
            "line 2: give .* to all lists",
        ),
        ([lines[0].replace('"impression": "1", ', ""), lines[1]], "line 2: give .* to all lists of .*q1"),
    ):
        named.shown.write_text("\n".join(broken) + "\n")
        with pytest.raises(FileError, match=words):
            read_listings(named.shown)


def test_lists_written_without_an_impression_are_read(named: Experiment) -> None:
    named.make()
    whole = named.shown.read_text()
    named.shown.write_text(whole.replace('"impression": "", ', ""))
    assert [one.impression for one in read_listings(named.shown)] == ["", "", ""]
    named.shown.write_text(whole.replace('"impression": ""', '"impression": 17'))
    assert winners(named.credit("q2 17 a", format="json"))[1] == ("q2", "17", "left")
