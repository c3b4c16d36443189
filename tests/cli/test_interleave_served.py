"""Which lists were served, to whom, and when one may stop."""

from pathlib import Path

import numpy as np
import pytest
from cli.experiment import Experiment, winners
from refusals import names

from duelist.interleaving.files import read_listings


@pytest.fixture
def named(tmp_path: Path) -> Experiment:
    experiment = Experiment(tmp_path, ("q1", "q2"))
    experiment.make("--impressions", 200)
    return experiment


def test_lists_that_were_not_served_do_not_count(named: Experiment) -> None:
    clicks, served = ["q2 7 a", "q1 1 a", "q1 3 w"], ["q1 1", "q2 7", "q1 3", "q1 9"]
    facts = named.credit(*clicks, served=served, as_json=True)
    assert winners(facts) == [
        ("q1", "1", "left"),
        ("q2", "7", "left"),
        ("q1", "3", "right"),
        ("q1", "9", "tie"),
    ]
    assert facts["preference"]["preference"] == 2.5 / 4
    without = named.credit(*clicks, as_json=True)
    assert winners(without) == [("q2", "7", "left"), ("q1", "1", "left"), ("q1", "3", "right")]
    assert without["preference"]["preference"] == 2 / 3


def test_the_verdict_comes_first_with_the_names_of_the_files(named: Experiment) -> None:
    served = [f"q1 {number}" for number in range(1, 101)]
    text = named.credit(*(f"{line} w" for line in served), served=served)
    assert names(text.splitlines()[0], str(named.right), "100.0%", "p < 0.001")
    assert names(text, str(named.left), str(named.right))
    facts = named.credit(*(f"{line} w" for line in served), served=served, as_json=True)
    assert (facts["left"], facts["right"]) == (str(named.left), str(named.right))
    assert facts["verdict"] == facts["preference"]["verdict"]


def test_what_is_not_decided_says_about_how_many_more(named: Experiment) -> None:
    clicks = [f"q1 {number} {'a' if number % 3 else 'w'}" for number in range(1, 31)]
    facts = named.credit(*clicks, as_json=True)["preference"]
    assert not facts["decided"]
    text = named.credit(*clicks)
    assert names(text, "66.7%", f"{facts['more']:,} more impressions")
    even = named.credit("q1 1 a", "q1 2 w")
    assert not names(even, "more impressions")


def test_looking_after_every_impression_gives_few_false_alarms(named: Experiment) -> None:
    rng = np.random.default_rng(0)
    listings = read_listings(named.shown)
    clicks = [
        f"{one.query} {one.impression} {rng.choice(list(map(str, one.shown.documents[:2])))}"
        for one in listings
    ]
    decided = [named.credit(*clicks[:n], as_json=True)["preference"]["decided"] for n in range(20, 400, 20)]
    assert not any(decided)


def test_users_count_once(named: Experiment) -> None:
    clicks = [f"q1 {number} a ann" for number in range(1, 50)] + ["q2 1 w bob", "q2 2 x cem"]
    by_user = named.credit(*clicks, as_json=True)
    assert (by_user["preference"]["unit"], by_user["preference"]["impressions"]) == ("user", 3)
    assert by_user["preference"]["preference"] == pytest.approx(1 / 3)
    assert by_user["outcomes"][0]["user"] == "ann"
    served = [f"q1 {number} ann" for number in range(1, 99)] + ["q2 1 bob", "q2 2 cem"]
    plain = [line.rsplit(" ", 1)[0] for line in clicks]
    told = [named.credit(*lines, served=served, as_json=True) for lines in (clicks, plain)]
    assert told[0] == told[1]
    assert told[0]["preference"]["preference"] == pytest.approx((0.75 + 0 + 0) / 3)
    units = named.credit(*clicks, as_json=True, once=True)["preference"]["units"]
    assert [unit["unit"] for unit in units] == ["impression", "user"]


def test_logs_that_contradict_each_other_are_refused_by_line(named: Experiment) -> None:
    unserved = named.credit("q1 1 a", "q1 2 a", served=["q1 1"])
    assert names(unserved, str(named.clicks), "line 2", "impression 2", "q1")
    two = named.credit("q1 5 a", served=["q1 5 ann", "q1 5 bob"])
    assert names(two, str(named.served), "line 2", "impression 5", "q1", "bob", "ann")
    one = named.credit("q1 5 a bob", served=["q1 5"])
    assert names(one, str(named.clicks), "line 1", "impression 5", "q1", "bob")
    assert names(named.credit("q1 1 a", served=["q9 1"]), str(named.served), "line 1", "q9")
    assert names(named.credit("q1 1 a", served=[]), str(named.served))
    assert names(named.credit(), str(named.clicks), "--served")


def test_lists_that_were_shown_are_not_overwritten(named: Experiment) -> None:
    before = named.shown.read_bytes()
    with pytest.raises(AssertionError) as refusal:
        named.make("--seed", 1)
    assert names(str(refusal.value), "--force")
    assert named.shown.read_bytes() == before
    named.make("--seed", 1, "--force")
    assert named.shown.read_bytes() != before
