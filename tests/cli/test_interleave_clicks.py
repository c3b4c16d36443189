from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cli.experiment import Experiment, winners
from refusals import names, refused

from duelist.errors import FileError
from duelist.interleaving import TeamDraft
from duelist.interleaving.files import read_listings


@pytest.fixture
def named(tmp_path: Path) -> Experiment:
    return Experiment(tmp_path, ("q1", "q2", "q3"))


@pytest.fixture
def nameless(tmp_path: Path) -> Experiment:
    return Experiment(tmp_path, ("",))


@pytest.mark.parametrize(("clicks", "winner"), [(["a"], "left"), (["w", "x"], "right"), ([], "tie")])
def test_a_single_list_is_credited_without_an_interval(
    nameless: Experiment, clicks: list[str], winner: str
) -> None:
    assert "1 list written" in nameless.make()
    clicks = [f"1 {document}" for document in clicks]
    text = nameless.credit(*clicks, served=["1"])
    assert names(text.splitlines()[0], "interval", "2 impressions")
    assert text.splitlines()[5].split()[-1] == winner
    facts = nameless.credit(*clicks, served=["1"], as_json=True)
    assert winners(facts) == [("", "1", winner)]
    assert facts["preference"] is None


def test_impressions_of_one_nameless_query_have_lists_of_their_own(nameless: Experiment) -> None:
    assert "lines of `impression document`" in nameless.make("--impressions", 40)
    listings = read_listings(nameless.shown)
    assert [one.impression for one in listings] == [str(number) for number in range(1, 41)]
    firsts = Counter(one.shown.teams[0] for one in listings)
    assert min(firsts[0], firsts[1]) >= 10
    facts = nameless.credit("7 a", "9 w", "9 a", "9 b", served=["9", "3", "7"], as_json=True)
    assert winners(facts) == [("", "9", "left"), ("", "3", "tie"), ("", "7", "left")]
    assert facts["outcomes"][0]["clicked"] == ["w", "a", "b"]
    assert (facts["preference"]["impressions"], facts["preference"]["unit"]) == (3, "impression")


def test_a_log_of_many_impressions_of_a_query_is_credited_one_by_one(named: Experiment) -> None:
    assert names(named.make("-t", 30, "--seed", 4), "query impression document")
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
    served = [f"{one.query} {one.impression}" for one in listings]
    facts = named.credit(*rng.permutation(lines), served=served, as_json=True)
    expected = [TeamDraft().outcome(one.shown, some) for one, some in zip(listings, clicked, strict=True)]
    assert [one["outcome"] for one in facts["outcomes"]] == expected
    assert facts["preference"]["impressions"] == 90
    assert set(expected) == {0.0, 0.5, 1.0}


def test_the_first_impression_sees_the_list_that_all_would(named: Experiment) -> None:
    named.make("--seed", 3)
    alone = [one.shown for one in read_listings(named.shown)]
    named.make("--seed", 3, "--impressions", 5, "--force")
    assert [one.shown for one in read_listings(named.shown)[::5]] == alone


def test_one_list_may_be_seen_by_many_and_counts_once(named: Experiment) -> None:
    assert "lines of `query document`" in named.make()
    lines = [f"q1 user{number} a" for number in range(50)] + ["q2 user1 w", "q2 user1 w", "q2 user3 b"]
    served = [line.rsplit(" ", 1)[0] for line in lines] + ["q3 user1"]
    facts = named.credit(*lines, served=served, as_json=True, once=True)
    assert Counter(one[0] for one in winners(facts)) == {"q1": 50, "q2": 2, "q3": 1}
    assert winners(facts)[50:] == [("q2", "user1", "right"), ("q2", "user3", "left"), ("q3", "user1", "tie")]
    anytime = named.credit(*lines, served=served, as_json=True)["preference"]
    assert (anytime["unit"], anytime["impressions"], anytime["decided"]) == ("list", 3, False)
    by_impression, by_list = facts["preference"]["units"]
    assert (by_list["unit"], by_list["count"], by_list["wins"], by_list["ties"]) == ("list", 3, 1, 2)
    assert by_impression["p_value"] < 0.001
    assert names(facts["preference"]["verdict"], "list")


def test_one_list_alone_seen_by_many_is_counted_and_explained(nameless: Experiment) -> None:
    nameless.make()
    text = nameless.credit("u1 a", "u2 w", "u3 b", "u4 c")
    assert [line.split()[0] for line in text.splitlines()[5:9]] == ["u1", "u2", "u3", "u4"]
    wins = f"{nameless.left} wins 3", f"{nameless.right} 1"
    assert names(text, "4 impressions", *wins, "interval", "2 lists", "--impressions")


def test_two_impressions_that_agree_have_an_interval_with_a_tie_in_it(named: Experiment) -> None:
    named.make("--impressions", 1)
    named.shown.write_text("\n".join(named.shown.read_text().splitlines()[:2]) + "\n")
    text = named.credit("q1 a", "q2 a", once=True)
    assert names(text, str(named.left), "100.0%", "15.8% to 100.0%", "p = 0.500")


def test_clicks_that_name_no_list_are_refused_by_line(named: Experiment) -> None:
    named.make("--impressions", 2)
    assert names(named.credit("q1 a"), str(named.clicks), "line 1", "2 lists", "q1")
    assert names(named.credit("q1 1 a", "q1 3 a"), "line 2", "impression 3", "q1")
    assert names(named.credit("q9 1 a"), "line 1", "q9")
    assert names(named.credit("q1 2 k"), "line 1", "'k'", "query q1", "impression 2")
    assert names(named.credit("a"), "line 1", "1 column", "`query impression document`")


def test_lists_of_a_query_must_be_told_apart(named: Experiment) -> None:
    named.make("--impressions", 2)
    lines = named.shown.read_text().splitlines()
    for broken, facts in (
        ([lines[0], lines[0]], ["line 2", "query q1", "impression 1"]),
        (
            [lines[0], lines[1].replace('"impression": "2"', '"impression": ""')],
            ["line 2", "q1"],
        ),
        ([lines[0].replace('"impression": "1", ', ""), lines[1]], ["line 2", "q1"]),
    ):
        named.shown.write_text("\n".join(broken) + "\n")
        with refused(FileError, *facts):
            read_listings(named.shown)


def test_lists_written_without_an_impression_are_read(named: Experiment) -> None:
    named.make()
    whole = named.shown.read_text()
    named.shown.write_text(whole.replace('"impression": "", ', ""))
    assert [one.impression for one in read_listings(named.shown)] == ["", "", ""]
    named.shown.write_text(whole.replace('"impression": ""', '"impression": 17'))
    assert winners(named.credit("q2 17 a", as_json=True)) == [("q2", "17", "left")]
