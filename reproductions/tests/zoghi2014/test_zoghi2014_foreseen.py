from math import log, sqrt

import numpy as np
import pytest

from duelist import BeatTheMean, simulate
from duelist.laboratory import made_up_preferences
from duelist.metrics import target
from duelist.problems import worst_case
from duelist_reproductions.zoghi2014.figure4.foreseen import foresee


def test_two_arms_by_hand() -> None:
    # against the mean of both, the better arm wins 0.7 of its duels, and the other 0.3
    found = foresee(worst_case(2, 0.4).matrix, horizon=10_000, gamma=1.0)
    radius = 3.0 * sqrt(log(40_000))
    duels = (2.0 * radius / 0.4) ** 2
    assert found.removed == 1
    # half of all sides are the worse arm's, at a cost of 0.4
    assert found.regret == pytest.approx(2.0 * duels * 0.2)
    assert found.scatter == pytest.approx(1.0 / (sqrt(2.0) * radius))


def test_three_arms_by_hand_forget_a_third_of_their_duels() -> None:
    preferences = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]])
    found = foresee(preferences, horizon=10**6, gamma=2.0)
    edge = 2.0 * 12.0 * sqrt(log(6 * 10**6))
    first = (edge / (2.3 / 3.0 - 0.7 / 3.0)) ** 2
    second = (edge / 0.4) ** 2 - first * 2.0 / 3.0
    assert found.regret == pytest.approx(3.0 * first * 0.8 / 3.0 + 2.0 * second * 0.2)


def test_without_a_removal_it_is_random_play() -> None:
    preferences = made_up_preferences(16)
    found = foresee(preferences, horizon=1_000, gamma=5.0)
    assert found.removed == 0
    assert found.regret == pytest.approx(1_000 * target(preferences).gaps.mean())


@pytest.mark.parametrize(("gamma", "agrees"), [(1.0, True), (1.02, False), (0.98, False)])
def test_what_is_foreseen_comes_and_a_radius_off_by_4_percent_is_found_out(
    gamma: float, agrees: bool
) -> None:
    problem, horizon = worst_case(6, 0.3), 500_000
    played = simulate(BeatTheMean(horizon), problem, horizon, runs=6, seed=1, checkpoints=[horizon])
    found = foresee(problem.matrix, horizon, gamma)
    assert found.removed == 5
    assert (played["BeatTheMean"].best == 0).all()
    ratio = played["BeatTheMean"].regret.mean() / found.regret
    assert (abs(ratio - 1.0) <= 0.04) == agrees
