import json

import numpy as np
import pytest

from duelist import RUCB, BeatTheMean, CondorcetSavage, simulate
from duelist.bounds import asymptotic_lower_bound
from duelist.laboratory import Results, Scale, Sources
from duelist.problems import MatrixProblem
from duelist.reproductions.zoghi2014.figure4.sweep import (
    DELTAS,
    GAMMAS,
    SETTINGS,
    TOLD,
    contrast,
    describe_problem,
    plan,
    play,
    seed_for,
)
from duelist.reproductions.zoghi2014.rankers import subset_preferences

SOURCES = Sources(None)


@pytest.mark.parametrize("scale", Scale)
def test_the_plan_plays_every_run_once(scale: Scale) -> None:
    pieces = plan(Results(scale, real=True))
    assert len({piece.name for piece in pieces}) == len(pieces)
    setting = SETTINGS[scale]
    for k in setting.sizes:
        for learner in ("RUCB", "CondorcetSavage", "BeatTheMean"):
            asked = [p.setting for p in pieces if p.setting.items() >= {"k": k, "learner": learner}.items()]
            runs = [run for one in asked for run in range(one["first"], one["first"] + one["runs"])]
            assert runs == list(range(setting.runs))
    for piece in pieces:
        assert json.loads(json.dumps(piece.setting)) == piece.setting


def test_the_settings_are_the_papers() -> None:
    paper = SETTINGS[Scale.PAPER]
    assert paper.sizes == (16, 32, 64)
    assert paper.runs == 100
    assert (paper.horizons[0], paper.horizons[-1]) == (1_000, 4_500_000)
    assert GAMMAS == {16: 4.85, 32: 11.6, 64: 47.3}
    for k, gamma in GAMMAS.items():
        assert TOLD["BeatTheMean"](9_000, k) == BeatTheMean(9_000, gamma=gamma)
        assert TOLD["CondorcetSavage"](9_000, k) == CondorcetSavage(9_000)


@pytest.mark.parametrize(
    ("name", "learner"),
    [("BeatTheMean", BeatTheMean(2_000, gamma=4.85)), ("CondorcetSavage", CondorcetSavage(2_000))],
)
def test_every_horizon_is_new_runs_of_a_learner_that_knows_it(
    name: str, learner: BeatTheMean | CondorcetSavage
) -> None:
    both = play(SOURCES, k=16, learner=name, horizons=[500, 2_000], first=3, runs=2)
    assert both["rounds"].tolist() == [500, 2_000]
    problem = MatrixProblem(subset_preferences(SOURCES, 16, 0))
    played = simulate(learner, problem, 2_000, 2, seed_for(16, 2_000, 3), checkpoints=[2_000])[name]
    assert np.array_equal(both["regret"][:, 1], played.regret[:, -1])
    assert np.array_equal(both["right"][:, 1], np.isin(played.best, played.winners))
    assert np.array_equal(both["informative"][:, 1], played.informative)


def test_rucb_is_looked_at_on_its_way() -> None:
    played = play(SOURCES, k=16, learner="RUCB", horizons=[500, 4_500], first=0, runs=2)
    rounds = played["rounds"].tolist()
    assert {500, 1_000, 4_500} <= set(rounds)
    assert rounds == sorted(set(rounds))
    problem = MatrixProblem(subset_preferences(SOURCES, 16, 0))
    once = simulate(RUCB(0.51), problem, 4_500, 2, seed_for(16, 0, 0), checkpoints=[500, 4_500])["RUCB"]
    places = [rounds.index(500), rounds.index(4_500)]
    assert np.array_equal(played["regret"][:, places], once.regret)


def test_equal_settings_give_equal_arrays_and_other_runs_other_luck() -> None:
    first, again, other = (
        play(SOURCES, k=16, learner="RUCB", horizons=[2_000], first=run, runs=2)["regret"]
        for run in (0, 0, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_contrast_is_of_two_learners_at_the_same_horizons() -> None:
    found = contrast(SOURCES, k=16, subset=1, horizons=[1_000, 20_000], runs=3)
    assert found["RUCB"].shape == found["CondorcetSavage"].shape == (3, 2)
    assert found["RUCB"][:, 1].mean() < found["CondorcetSavage"][:, 1].mean() < found["wide"][:, 1].mean()


def test_the_wide_radius_is_twice_the_square_of_savages_own() -> None:
    own, wide = (CondorcetSavage(9_000, DELTAS[name](9_000, 16)) for name in ("CondorcetSavage", "wide"))
    assert own.rules(16) == CondorcetSavage(9_000).rules(16)
    assert wide.rules(16).spread == pytest.approx(2.0 * own.rules(16).spread)


def test_a_problem_is_described() -> None:
    found = describe_problem(SOURCES, k=32)
    assert len(found["rankers"]) == 32
    assert float(found["lower_bound"]) == asymptotic_lower_bound(subset_preferences(SOURCES, 32, 0))
    assert float(found["gamma_of_table"]) >= float(found["gamma"]) >= 1.0
