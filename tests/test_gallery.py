"""The gallery is up to date, and has every learner."""

import json

import pytest
from refusals import refused

from docs.gallery import KEPT, PAGE, checked, gallery, verdicts
from duelist.laboratory import choose
from duelist.registry import ESTIMATORS, LEARNERS

NAMED = {**LEARNERS, **ESTIMATORS}


def test_the_page_is_what_catalogue_and_results_make() -> None:
    assert PAGE.read_text("utf-8") == gallery(json.loads(KEPT.read_text("utf-8")))


def test_the_results_are_of_everything_at_the_papers_scale_on_real_data() -> None:
    kept = checked(json.loads(KEPT.read_text("utf-8")))
    assert {item["name"] for item in kept["items"]} == {paper.name_of(item) for paper, item in choose([])}


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"scale": "quick"}, "quick"),
        ({"items": []}, "zoghi2014/figure4"),
        ({"items": [{"name": "yue2012/figure1", "data": "made up"}]}, "yue2012/figure1"),
    ],
)
def test_other_summaries_are_refused(changes: dict[str, object], fact: str) -> None:
    kept = json.loads(KEPT.read_text("utf-8"))
    with refused(SystemExit, fact):
        checked({**kept, **changes})


def test_every_learner_is_there_with_all_that_is_said_of_it() -> None:
    rows = {
        line.split("`")[1]: line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")
    }
    assert rows.keys() == NAMED.keys()
    for name, kind in NAMED.items():
        assert rows[name].count(" | ") == 6
        for said in (kind.card.seeks, kind.card.assumes, kind.card.regret, kind.card.citation):
            assert f" | {said} | " in rows[name]


def test_reproductions_name_learners_that_exist() -> None:
    named = {name for _, item in choose([]) for name in item.learners}
    assert named <= NAMED.keys()
    assert {"RUCB", "CondorcetSavage", "BeatTheMean", "InterleavedFilter1", "InterleavedFilter2"} <= named


def test_a_failing_claim_is_seen() -> None:
    item: dict[str, object] = {"name": "yue2012/figure1", "learners": ["RUCB"], "verdict": "fails"}
    item["verdicts"] = [{"holds": True}, {"holds": False}]
    said = verdicts("RUCB", {"items": [item]})
    assert said.endswith("**fails**, 1 of 2 claims")
    assert "yue2012 figure1" in said
    assert verdicts("Uniform", {"items": [item]}) == "in no figure of the five papers"
