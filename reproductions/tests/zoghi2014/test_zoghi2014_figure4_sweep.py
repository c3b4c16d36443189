import numpy as np
import pytest

from duelist import RUCB, BeatTheMean, CondorcetSavage, Uniform, simulate
from duelist.assumptions import relaxed_gamma
from duelist.bounds import asymptotic_lower_bound
from duelist.laboratory import Scale, Sources
from duelist.problems import MatrixProblem
from duelist_reproductions.zoghi2014.figure4.foreseen import foresee
from duelist_reproductions.zoghi2014.figure4.sweep import (
    GAMMAS,
    NEEDING_HORIZON,
    SETTINGS,
    describe_problem,
    play,
    play_needed_gamma,
    seed_for,
)
from duelist_reproductions.zoghi2014.rankers import subset_preferences

SOURCES = Sources(None)


def test_the_settings_are_the_papers() -> None:
    paper = SETTINGS[Scale.PAPER]
    assert paper.sizes == (16, 32, 64)
    assert paper.runs == 100
    assert (paper.horizons[0], paper.horizons[-1]) == (1_000, 4_500_000)
    assert GAMMAS == {16: 4.85, 32: 11.6, 64: 47.3}
    for k, gamma in GAMMAS.items():
        assert NEEDING_HORIZON["BeatTheMean"](9_000, k) == BeatTheMean(9_000, gamma=gamma)
        assert NEEDING_HORIZON["CondorcetSavage"](9_000, k) == CondorcetSavage(9_000)


@pytest.mark.parametrize(
    ("name", "learner"),
    [("BeatTheMean", BeatTheMean(2_000, gamma=4.85)), ("CondorcetSavage", CondorcetSavage(2_000))],
)
def test_every_horizon_is_new_runs_of_a_learner_that_knows_it(
    name: str, learner: BeatTheMean | CondorcetSavage
) -> None:
    both = play(SOURCES, k=16, learner=name, horizons=[500, 2_000], first=3, runs=2)
    assert both["rounds"].tolist() == [500, 2_000]
    problem = MatrixProblem(subset_preferences(SOURCES, 16))
    played = simulate(learner, problem, 2_000, 2, seed_for(16, 2_000, 3), checkpoints=[2_000])[name]
    assert np.array_equal(both["regret"][:, 1], played.regret[:, -1])
    assert np.array_equal(both["right"][:, 1], played.measure("accuracy")[:, -1] == 1.0)
    assert np.array_equal(both["informative"][:, 1], played.informative)


def test_rucb_is_looked_at_on_its_way() -> None:
    played = play(SOURCES, k=16, learner="RUCB", horizons=[500, 4_500], first=0, runs=2)
    rounds = played["rounds"].tolist()
    assert {500, 1_000, 4_500} <= set(rounds)
    assert rounds == sorted(set(rounds))
    problem = MatrixProblem(subset_preferences(SOURCES, 16))
    once = simulate(RUCB(0.51), problem, 4_500, 2, seed_for(16, 0, 0), checkpoints=[500, 4_500])["RUCB"]
    places = [rounds.index(500), rounds.index(4_500)]
    assert np.array_equal(played["regret"][:, places], once.regret)


def test_equal_settings_give_equal_arrays_and_other_runs_other_streams() -> None:
    first, again, other = (
        play(SOURCES, k=16, learner="RUCB", horizons=[2_000], first=run, runs=2)["regret"]
        for run in (0, 0, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_problem_is_described() -> None:
    found = describe_problem(SOURCES, k=32, horizon=500)
    preferences = subset_preferences(SOURCES, 32)
    assert float(found["lower_bound"]) == asymptotic_lower_bound(preferences)
    assert float(found["gamma_of_table"]) >= float(found["gamma"]) >= 1.0
    # random play, many rounds of it
    played = simulate(Uniform(), MatrixProblem(preferences), 500, runs=200, checkpoints=[500])["Uniform"]
    assert float(found["random_regret"]) == pytest.approx(played.regret.mean(), rel=0.01)


def test_beat_the_mean_is_played_with_the_gamma_that_the_problem_needs() -> None:
    found = play_needed_gamma(SOURCES, k=16, told=2_000, first=4, runs=2)
    preferences = subset_preferences(SOURCES, 16)
    gamma = relaxed_gamma(preferences)
    assert gamma is not None
    assert float(found["gamma"]) == gamma
    learner, seed = BeatTheMean(2_000, gamma), seed_for(16, 2_000, 4, 1)
    played = simulate(learner, MatrixProblem(preferences), 2_000, 2, seed)["BeatTheMean"]
    assert np.array_equal(found["played"], played.regret[:, -1])
    assert np.array_equal(found["right"], played.measure("accuracy")[:, -1] == 1.0)
    assert float(found["regret"]) == foresee(preferences, 2_000, gamma).regret
