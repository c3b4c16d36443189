"""The text of a report on flips and failures."""

import json

import pytest
from refusals import names

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
    ("left", "right", "facts"),
    [
        (
            6,
            0,
            ["6 answers", "6 of 6", "prefers", "first"],
        ),
        (
            1,
            9,
            ["10 answers", "9 of 10", "prefers", "second"],
        ),
        (
            5,
            0,
            ["5 answers", "5 of 5", "no significant preference"],
        ),
        (
            0,
            1,
            ["1 answer", "1 of 1", "no significant preference"],
        ),
    ],
)
def test_a_side_is_preferred_only_if_it_is_significant(left: int, right: int, facts: list[str]) -> None:
    assert names(str(report_of(flips_left=left, flips_right=right)), *facts)


def test_nothing_is_said_of_what_did_not_happen() -> None:
    report = report_of(calls=1)
    first, *others = str(report).splitlines()
    assert names(first, "judge: gpt", "0 votes", "1 call")
    assert others == [str(report.verdict)]
    assert report_of().bias_p_value == 1.0


def test_a_report_is_json() -> None:
    assert json.loads(json.dumps(report_of(votes=3).to_dict()))["votes"] == 3
