"""Every claim is compared with its finding; none is omitted."""

import json
from dataclasses import replace

import numpy as np
import pytest
import toy_paper
from refusals import refused

from duelist.errors import ParameterError
from duelist.laboratory import Finding, Item, ItemResults, PieceResult, Scale, all_hold, judge, summary


def results(fourth: int, real: bool = True) -> ItemResults:
    again = PieceResult({"number": 4}, {"square": np.array([fourth])})
    return ItemResults(Scale.QUICK, real, {"again": again})


def test_a_right_result_holds_and_a_wrong_one_fails() -> None:
    right = judge(toy_paper.PAPER, toy_paper.SQUARES, results(16))
    wrong = judge(toy_paper.PAPER, toy_paper.SQUARES, results(17))
    assert [verdict.holds for verdict in right.verdicts] == [True, None]
    assert right.holds is True
    assert wrong.holds is False
    assert all_hold([right])
    assert not all_hold([right, wrong])


def test_what_could_not_be_judged_neither_holds_nor_fails() -> None:
    open_item = replace(
        toy_paper.SQUARES, findings=lambda *_: {name: Finding("", None) for name in ("fourth", "other")}
    )
    judged = judge(toy_paper.PAPER, open_item, results(16))
    assert judged.holds is None
    assert all_hold([judged])


def test_every_claim_needs_a_finding() -> None:
    silent = replace(toy_paper.SQUARES, findings=lambda *_: {"fourth": Finding("16", True)})
    with refused(ParameterError, "toy/squares", "other"):
        judge(toy_paper.PAPER, silent, results(16))


def test_an_item_of_which_most_was_not_judged_is_partly_judged() -> None:
    claims = ("one", "two", "three")
    expected = {"claims": dict.fromkeys(claims, toy_paper.PAPER.expected["squares"]["claims"]["other"])}
    paper = replace(toy_paper.PAPER)
    paper.__dict__["expected"] = {"squares": expected}
    for held, word, holds in (
        ((True, None, None), "partly judged", None),
        ((True, True, None), "holds", True),
        ((False, None, None), "fails", False),
        ((None, None, None), "not judged", None),
    ):
        found = {name: Finding("", one) for name, one in zip(claims, held, strict=True)}
        judged = judge(paper, replace(toy_paper.SQUARES, findings=lambda *_, found=found: found), results(16))
        assert (judged.word, judged.holds) == (word, holds)
        (item,) = json.loads(summary([judged], Scale.QUICK))["items"]
        assert (item["verdict"], item["holds"]) == (word, holds)


@pytest.mark.parametrize(
    ("item", "real", "data"),
    [
        (toy_paper.SQUARES, True, "none needed"),
        (toy_paper.NEEDING, True, "real"),
        (toy_paper.NEEDING, False, "made up"),
    ],
)
def test_made_up_data_is_marked(item: Item, real: bool, data: str) -> None:
    judged = judge(toy_paper.PAPER, item, results(16, real))
    assert judged.data == data
    assert json.loads(summary([judged], Scale.QUICK))["items"][0]["data"] == data


def test_the_summary_says_all_that_a_machine_wants() -> None:
    judged = judge(toy_paper.PAPER, toy_paper.SQUARES, results(17))
    facts = json.loads(summary([judged], Scale.QUICK))
    assert (facts["scale"], facts["all_hold"]) == ("quick", False)
    (item,) = facts["items"]
    assert (item["name"], item["holds"], item["learners"]) == ("toy/squares", False, ["RUCB"])
    assert [verdict["name"] for verdict in item["verdicts"]] == ["fourth", "other"]
    assert item["verdicts"][0]["ours"] == "17"
    assert item["verdicts"][0]["why"] == "it is exact"
