"""What a report says of flips and failures."""

import json

import pytest

from duelist import Study
from duelist.judging.report import JudgeReport


def report_of(**numbers: int) -> JudgeReport:
    counts = dict.fromkeys(
        ("calls", "cached", "votes", "ties", "flips_left", "flips_right", "failures", "skipped"), 0
    )
    verdict = Study(arms=["a", "b"]).verdict()
    return JudgeReport(
        "judge: gpt", **{**counts, **numbers}, exhausted=(), verdict=verdict, ended="running", failure=""
    )


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (
            6,
            0,
            "and count as ties. The judge prefers what is shown first: 6 of 6 answers",
        ),
        (
            1,
            9,
            "The judge prefers what is shown second: 9 of 10 answers",
        ),
        (
            5,
            0,
            "No preference for a side is shown: 5 of 5 answers",
        ),
        (
            0,
            1,
            "1 answer changed with the order, and counts as a tie. No preference",
        ),
    ],
)
def test_a_side_is_named_only_if_it_is_not_luck(left: int, right: int, said: str) -> None:
    assert said in str(report_of(flips_left=left, flips_right=right))


def test_nothing_is_said_of_what_did_not_happen() -> None:
    assert str(report_of(calls=1)) == (
        "judge: gpt gave 0 votes in 1 call.\nUndecided: who wins is not proven yet."
    )
    assert report_of().bias_p_value == 1.0


def test_a_report_is_json() -> None:
    assert json.loads(json.dumps(report_of(votes=3).to_dict()))["votes"] == 3
