from typing import Any

import numpy as np
import pytest
from real_data import DATA, needs_rankings
from scipy.special import expit

from duelist import DuelingBanditGradientDescent, simulate
from duelist.laboratory import ItemResults, Scale, Sources
from duelist.problems import LinearRankerSpace
from duelist.ranking import synthetic_ranking_data
from duelist.winners import condorcet
from duelist_reproductions.yue2012.web_search import (
    BY_RATIOS,
    EVENLY,
    STEPS,
    choose_rankers,
    pass_rankers,
    plan_web_search,
    play_web_search,
    preferences,
    qualities,
    read_queries,
    times_of_looks,
)

TINY: dict[str, Any] = {"horizon": 1_000, "looks": 2, "between": 20, "spacing": EVENLY}


def test_preferences_are_mean_logistics() -> None:
    quality = np.random.default_rng(0).random((4, 7))
    matrix = preferences(quality, 10.0)
    for left in range(4):
        for right in range(4):
            chances = expit(10.0 * (quality[left] - quality[right]))
            assert matrix[left, right] == pytest.approx(chances.mean())


@pytest.mark.parametrize("place", [0, 7])
def test_rankers_are_what_gradient_descent_passes_through(place: int) -> None:
    data = synthetic_ranking_data(queries=40).with_relevant()
    times = np.array([20, 70, 150])
    rankers = pass_rankers(data, times)
    assert (len(STEPS), STEPS[0], STEPS[-1]) == (20, (0.5, 0.001), (3.0, 0.1))
    assert rankers.shape == (3 * len(STEPS), data.d)
    learner = DuelingBanditGradientDescent(*STEPS[place])
    for look, duels in enumerate(times.tolist()):
        played = simulate({"it": learner}, LinearRankerSpace(data), duels, place + 1, workers=1)
        assert (rankers[3 * place + look] == played["it"].best[place]).all()


def test_looks_are_as_many_and_as_late_however_they_are_spaced() -> None:
    assert times_of_looks(4, 2_500, EVENLY).tolist() == [2_500, 5_000, 7_500, 10_000]
    assert times_of_looks(4, 2_500, BY_RATIOS).tolist() == [10, 100, 1_000, 10_000]
    assert (np.diff(times_of_looks(50, 2_000, BY_RATIOS)) > 0).all()


def test_qualities_are_of_lists_of_ten() -> None:
    quality = qualities(Sources(None), 2, 20, EVENLY)
    data = read_queries(Sources(None))
    space = LinearRankerSpace(data)
    rankers = pass_rankers(data, np.array([20, 40]))
    assert quality.shape == (40, len(data))
    for place in (0, 39):
        assert quality[place].mean() == pytest.approx(space.quality(rankers[place]))


def test_choices_without_a_best_ranker_are_drawn_again() -> None:
    # rankers 0, 1 and 2 are best on one query each, so that they beat each other in a circle
    circle = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.5, 0.0, 1.0]])
    assert condorcet(preferences(circle, 10.0)) is None
    mixed = np.concatenate([circle, circle[:1] + 0.2])
    for seed in range(20):
        problem = choose_rankers(mixed, 3, 10.0, np.random.default_rng(seed))
        assert condorcet(problem.matrix) is not None


def test_choices_are_rows_and_trials_are_columns() -> None:
    found = play_web_search(Sources(None), k=8, first=1, settings=2, trials=3, scale=10.0, **TINY)
    assert found["if1_regret"].shape == (2, 3, 2)
    assert found["if2_rounds"].shape == (2, 3)
    assert found["winner"].shape == (2, 1)
    again = play_web_search(Sources(None), k=8, first=2, settings=1, trials=3, scale=10.0, **TINY)
    for name in found:
        assert np.array_equal(again[name][0], found[name][1], equal_nan=True)
    assert (found["if1_duels"][0] != found["if1_duels"][1]).any()


def test_paper_scale_is_the_papers() -> None:
    choices: dict[int, list[int]] = {}
    for piece in plan_web_search(ItemResults(Scale.PAPER, real=True)):
        setting = piece.setting
        assert 20 * setting["looks"] == 1_000
        if (setting["scale"], setting["spacing"]) == (10.0, EVENLY):
            assert setting["trials"] == 25
            last = setting["first"] + setting["settings"]
            choices.setdefault(setting["k"], []).extend(range(setting["first"], last))
    assert list(choices) == list(range(100, 501, 50))
    assert all(sorted(one) == list(range(25)) for one in choices.values())


@needs_rankings
def test_queries_of_the_first_fold() -> None:
    data = read_queries(Sources(DATA))
    assert (len(data), data.d) == (339, 46)
