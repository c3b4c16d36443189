from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from made import claims_with, holds

from duelist.laboratory import ItemResults, PieceResult
from duelist.learners.armed import InterleavedFilter1
from duelist.problems import worst_case
from duelist_reproductions.yue2012 import PAPER
from duelist_reproductions.yue2012.sweep import EPSILON, HORIZON
from duelist_reproductions.yue2012.watched import play_watched

pytest_plugins = ["quick_scale"]
THEOREMS = PAPER.items[-1]
SINGLE = "single-matches"


@pytest.fixture(scope="module")
def played(play_quickly: Callable[[str], ItemResults]) -> ItemResults:
    return play_quickly(PAPER.name_of(THEOREMS))


def altered(results: ItemResults, change: Callable[[PieceResult], Any], name: str = "") -> ItemResults:
    """Return results with other arrays in some pieces, or in one."""
    found = {
        key: PieceResult(one.setting, {**one, **change(one)}) if name in ("", key) else one
        for key, one in results.items()
    }
    return ItemResults(results.scale, results.real, found)


def failing(results: ItemResults, **tolerances: float) -> set[str]:
    """Return the claims that fail, some of them with other tolerances."""
    return claims_with(holds(PAPER, THEOREMS, results, **tolerances), False)


def test_everything_holds(played: ItemResults) -> None:
    assert set(holds(PAPER, THEOREMS, played).values()) == {True}


WRONG = {
    "rounds": {"if2_rounds": 1.25, "if1_rounds": 0.8},
    "dominated": {"if1_rounds": 1.6},
    "if1_matches": {"if1_matches": 1.6},
    "if2_matches": {"if2_matches": 2.4},
    "exact_matches": {"if1_matches": 0.9, "if2_matches": 1.1},
    "exact_regret": {"if2_regret": 1.05, "if1_regret": 0.95},
    "regret": {"if1_regret": 0.02, "if2_regret": 12.0},
}
NOTHING_TOLERATED = {"walk": 0.0, "rounds": 0.0, "if1_matches": 1e9, "if2_matches": 1e9, "mistakes": -1.0}
NOTHING_TOLERATED |= {"regret": 1e9, "match_length": 1.0}
NOTHING_TOLERATED |= {"full_matches": 0.0, "exact_matches": 0.0, "exact_regret": 0.0}


@pytest.mark.parametrize(
    ("claim", "array", "by"), [(claim, *one) for claim, wrong in WRONG.items() for one in wrong.items()]
)
def test_wrong_numbers_are_found_out(played: ItemResults, claim: str, array: str, by: float) -> None:
    assert claim in failing(altered(played, lambda one: {array: by * one[array]} if array in one else {}))


@pytest.mark.parametrize("factor", [3.84, 4.16])
def test_a_radius_off_by_2_percent_is_found_out(played: ItemResults, factor: float) -> None:
    learner, runs = InterleavedFilter1(HORIZON, factor), range(played[SINGLE].setting["runs"])
    other = play_watched(learner, worst_case(2, EPSILON), (HORIZON,), runs, seed=2)
    assert failing(altered(played, lambda one: {"if1_duels": other["duels"]}, SINGLE)) == {"match_length"}


@pytest.mark.parametrize(("claim", "tolerance"), NOTHING_TOLERATED.items())
def test_tolerances_are_those_of_the_expectations(played: ItemResults, claim: str, tolerance: float) -> None:
    assert failing(played, **{claim: tolerance}) == {claim}


def test_domination_has_its_tolerance_too(played: ItemResults) -> None:
    more = altered(played, lambda one: {"if1_rounds": 1.6 * one["if1_rounds"]} if "if1_rounds" in one else {})
    assert "dominated" not in failing(more, dominated=1e-300)


def test_walks_of_another_length_are_found_out(played: ItemResults) -> None:
    longer = altered(played, lambda one: {"lengths": np.roll(one["lengths"], 1, axis=1)}, "walks")
    assert failing(longer) == {"walk"}


def test_a_filter_that_does_not_prune_is_found_out(played: ItemResults) -> None:
    same = altered(played, lambda one: {key: one[key.replace("if2", "if1")] for key in one})
    assert failing(same) >= {"pruning_saves", "exact_matches"}


def test_a_wrong_winner_is_found_out(played: ItemResults) -> None:
    name = next(name for name in played if name.startswith("k=8"))
    wrong = altered(played, lambda one: {"if1_best": np.append(one["if1_best"][:-1], 1)}, name)
    assert failing(wrong) == {"mistakes"}
