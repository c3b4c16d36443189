from math import log
from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist.bounds import asymptotic_lower_bound
from duelist.errors import PreferenceError
from duelist.laboratory import ItemResults, Scale, Sources
from duelist.problems import cycle, random_bradley_terry, worst_case
from duelist_reproductions.yue2012 import PAPER
from duelist_reproductions.yue2012.sweep import play_both, play_case

NOWHERE = Sources(None)


@pytest.mark.parametrize("name", ["figure1", "figure2"])
def test_paper_scale_is_the_papers(name: str) -> None:
    item = next(item for item in PAPER.items if item.name == name)
    runs: dict[int, list[int]] = {}
    for piece in item.plan(ItemResults(Scale.PAPER, real=False)):
        setting = piece.setting
        assert (setting["horizon"], setting["epsilon"]) == (10**7, 0.1)
        runs.setdefault(setting["k"], []).extend(range(setting["first"], setting["first"] + setting["runs"]))
    assert list(runs) == list(range(100, 501, 50))
    assert all(sorted(one) == list(range(500)) for one in runs.values())


@pytest.mark.parametrize("case", ["worst", "random"])
def test_pieces_put_together_are_the_whole(case: str) -> None:
    shared: dict[str, Any] = {"case": case, "k": 9, "horizon": 10_000, "epsilon": 0.2}
    whole = play_case(NOWHERE, first=0, runs=6, **shared)
    parts = [play_case(NOWHERE, first=first, runs=3, **shared) for first in (0, 3)]
    for name in whole:
        if name not in ("winner", "lower_bound"):
            assert (np.concatenate([part[name] for part in parts]) == whole[name]).all()


def test_the_horizon_sets_confidence_and_does_not_end_exploration() -> None:
    found = play_case(NOWHERE, case="worst", k=12, first=0, runs=5, horizon=100, epsilon=0.1)
    for name in ("if1", "if2"):
        assert (found[f"{name}_duels"] > 100).all()
        assert (found[f"{name}_remaining"] == 0).all()
        assert (found[f"{name}_best"] == found["winner"]).all()
        assert (found[f"{name}_regret"][:, 1] > found[f"{name}_regret"][:, 0]).all()
        assert (found[f"{name}_regret"][:, 0] <= 0.1 * 100).all()


def test_random_instances_are_the_papers_construction() -> None:
    matrix = random_bradley_terry(30, 0.1, rng=30).matrix
    weights = matrix[:, 1] / matrix[1, :]  # relative to arm 1
    assert matrix[0, 1:].min() == pytest.approx(0.6)
    assert weights[0] == pytest.approx(weights[1:].max() * 1.2 / 0.8)
    assert matrix[3, 4] == pytest.approx(weights[3] / (weights[3] + weights[4]))


def test_lower_bound_is_that_of_the_instance() -> None:
    found = play_both(worst_case(5, 0.2), 1_000, range(2), seed=0)
    bound = asymptotic_lower_bound(worst_case(5, 0.2).matrix) * log(1_000)
    assert found["lower_bound"][0] == pytest.approx(bound)


def test_without_a_best_arm_there_is_nothing_to_regret() -> None:
    with refused(PreferenceError, "Condorcet", "duelist.winners.condorcet"):
        play_both(cycle(5, 0.3), 100, range(1), seed=0)
