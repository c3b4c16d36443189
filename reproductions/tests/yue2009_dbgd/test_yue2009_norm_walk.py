import numpy as np
import pytest
from numpy.random import default_rng

from duelist.laboratory.sources import Sources
from duelist.learners import DuelingBanditGradientDescent
from duelist.menus import Ball
from duelist.problems import UtilityProblem
from duelist.simulation import simulate
from duelist_reproductions.yue2009_dbgd.norm_walk import average_regret, play_euclidean


def test_the_walk_of_a_norm_has_the_regret_of_the_walk_of_a_point() -> None:
    horizon, runs, start = 400, 40, np.full(5, 0.6)
    space = Ball(5, 2.0)
    world = UtilityProblem(space, lambda point: -float(np.linalg.norm(point)), np.zeros(5), start=start)
    learner = DuelingBanditGradientDescent.for_horizon(horizon, space, factor=1.0, start=start)
    played = simulate({"DBGD": learner}, world, horizon, runs, workers=1, progress=False)["DBGD"]
    points = played.summed_regret[:, -1] / horizon
    norm = float(np.linalg.norm(start))
    norms = np.array(
        [average_regret(norm, learner.exploration, space, horizon, default_rng(run)) for run in range(runs)]
    )
    error = np.sqrt((points.var() + norms.var()) / runs)
    assert abs(points.mean() - norms.mean()) < 3.0 * error
    # a walk that stayed where it began would be told apart
    resting = average_regret(norm, learner.exploration, Ball(5, 1e-9), horizon, default_rng(0))
    assert abs(points.mean() - resting) > 10.0 * error


def test_a_row_a_factor_and_a_column_a_run() -> None:
    found = play_euclidean(Sources(None), factors=[0.6, 3.0], start="printed", horizon=1000, runs=3)["regret"]
    assert found.shape == (2, 3)
    # with factor 3 the neighbour is so far off that it never wins: the point stays at sqrt 5
    assert found[1] == pytest.approx(1.0 / (1.0 + np.exp(-np.sqrt(5.0))), abs=0.005)
    assert (found[0] > found[1] + 0.02).all()
