"""The theorems of Dudik et al. (2015), measured: what is played, how it is read, and who fails."""

import json
from typing import Any

import numpy as np
import pytest

from duelist.bounds import sparring_exp4p_upper_bound
from duelist.laboratory.items import Drawing, Finding, Grid
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Result, Results, Scale
from duelist.learners.contextual import SparringEXP4P
from duelist.learners.contextual.exploration import estimation_error, explore_rounds
from duelist.reproductions.dudik2015 import PAPER
from duelist.reproductions.dudik2015.theorems.figures import show
from duelist.reproductions.dudik2015.theorems.readings import Prices, levels, prices, rate, telling
from duelist.reproductions.dudik2015.theorems.sweep import (
    SWEEPS,
    describe,
    explore,
    learn,
    plan,
    price,
    promised_calls,
    spar,
)
from duelist.reproductions.dudik2015.theorems.verdicts import judge
from duelist.reproductions.dudik2015.theorems.world import gain_over, policies, problem
from duelist.simulation.contextual_runs import simulate_contextual
from duelist.types import FloatArray

NOWHERE = Sources(None)
EXPECTED = PAPER.expected["theorems"]
SPREAD = np.array([0.9, 0.95, 1.0, 1.05, 1.1])


def plain_gain(chances: FloatArray) -> float:
    """By how much the best policy beats chances of actions, policy by policy."""
    gains = []
    for actions in policies().actions:
        margins = [
            2.0 * float(problem().matrices[context][action] @ chances[context]) - 1.0
            for context, action in enumerate(actions)
        ]
        gains.append(float(problem().chances @ margins))
    return max(gains)


def made(
    regret: float = -0.5,
    error: float = -0.5,
    followed: float = -1 / 3,
    gap: float = -0.5,
    spread: FloatArray = SPREAD,
    factor: float = 1.0,
    **changed: Any,
) -> Results:
    """Results of learners whose regret, error and gap fall with given powers."""
    found = {"problem": Result({}, dict(describe(NOWHERE)) | changed)}
    for horizon in (10_000, 100_000, 1_000_000):
        scale = (horizon / 100_000) ** regret, (horizon / 100_000) ** error
        found[f"spar-{horizon}"] = Result(
            {"horizon": horizon},
            {
                "regret": factor * 0.04 * spread * scale[0],
                "error": 0.04 * spread * scale[1],
                "bound": np.array(sparring_exp4p_upper_bound(horizon, 3, 81)),
            },
        )
    for learner in ("SparringFPL", "SparringPGD"):
        for horizon in (2_000, 20_000, 200_000):
            duels = explore_rounds(horizon, 3, 81)
            found[f"{learner}-{horizon}"] = Result(
                {"learner": learner, "horizon": horizon, "calls": 200},
                {
                    "duels": np.array(duels),
                    "error": factor * 0.06 * spread * (duels / 500) ** error,
                    "regret": 0.09 * spread * (horizon / 2_000) ** followed,
                    "gap": np.zeros(len(spread)),
                    "misled": np.array(estimation_error(duels, 3, 81)),
                    "counted": np.full(len(spread), 202.0),
                    "told": np.full(len(spread), 202.0),
                },
            )
        calls = [8, 16, 32, 64, 128, 256, 512]
        gaps = 0.3 * SPREAD[:, np.newaxis] * (np.array(calls) / 8.0) ** gap
        found[f"{learner}-price"] = Result(
            {"learner": learner, "calls": calls, "accuracies": [0.2, 0.1, 0.05]},
            {
                "gap": gaps,
                "error": gaps + 0.01,
                "counted": np.tile(np.array(calls) + 2.0, (5, 1)),
                "told": np.tile(np.array(calls) + 2.0, (5, 1)),
                "promised": np.tile([1e6, 4e6, 16e6], (5, 1)),
            },
        )
    return Results(Scale.PAPER, real=False, found=found)


def failed(results: Results) -> set[str]:
    return {name for name, one in judge(results, EXPECTED).items() if one.holds is False}


@pytest.mark.parametrize("scale", list(Scale))
def test_the_plan_plays_every_run_once(scale: Scale) -> None:
    pieces = plan(Results(scale, real=False))
    names = [piece.name for piece in pieces]
    assert len(set(names)) == len(names)
    for piece in pieces:
        assert json.loads(json.dumps(piece.setting)) == piece.setting
    for horizon, runs in SWEEPS[scale].sparring:
        played = [one.setting for one in pieces if one.work is spar and one.setting["horizon"] == horizon]
        chosen = [run for one in played for run in range(one["first"], one["first"] + one["runs"])]
        assert chosen == list(range(runs))
    for learner, horizons in SWEEPS[scale].exploring.items():
        played = [one.setting for one in pieces if one.work is explore and one.setting["learner"] == learner]
        assert sum(one["runs"] for one in played) == sum(runs for _, runs in horizons)


def test_every_policy_has_its_better() -> None:
    world = describe(NOWHERE)
    assert not world["condorcet"]
    assert world["alone"] == pytest.approx(0.3)  # by 0.6 in two contexts of four
    assert world["uniform"] == pytest.approx(0.2)  # by 0.6 against two actions of three, in two contexts
    chances = np.random.default_rng(0).dirichlet(np.ones(3), size=4)
    assert gain_over(chances) == pytest.approx(plain_gain(chances))


def test_sparring_is_the_simulation_of_its_horizon() -> None:
    found = spar(NOWHERE, horizon=2_000, first=3, runs=2)
    learner = SparringEXP4P(policies(), 2_000)
    result = simulate_contextual(learner, problem(), policies(), 2_000, 2, seed=3)
    np.testing.assert_array_equal(found["regret"], result["SparringEXP4P"].regret[:, -1])
    np.testing.assert_array_equal(found["error"], result["SparringEXP4P"].error[:, -1])
    assert found["bound"] == result.bound[-1]
    assert (spar(NOWHERE, horizon=2_000, first=4, runs=2)["regret"] != found["regret"]).all()


@pytest.mark.parametrize("learner", ["SparringFPL", "SparringPGD"])
def test_exploring_and_following(learner: str) -> None:
    found = explore(NOWHERE, learner=learner, horizon=1_000, calls=60, first=2, runs=2)
    duels = explore_rounds(1_000, 3, 81)
    assert found["duels"] == duels
    assert found["misled"] == estimation_error(duels, 3, 81)
    log = problem().log(duels, np.random.default_rng((1_000, 3)))
    chances, gap, counted, told = learn(learner, log, 60, 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert found["error"][1] == pytest.approx(plain_gain(chances))
    assert found["gap"][1] == gap
    assert found["counted"][1] == found["told"][1] == counted == told == 62
    share = duels / 1_000
    assert found["regret"][1] == pytest.approx(plain_gain(share / 3 + (1.0 - share) * chances))
    again = explore(NOWHERE, learner=learner, horizon=1_000, calls=60, first=3, runs=1)
    assert again["error"][0] == found["error"][1]


@pytest.mark.parametrize("learner", ["SparringFPL", "SparringPGD"])
def test_more_calls_buy_smaller_gaps(learner: str) -> None:
    setting: dict[str, Any] = {"learner": learner, "duels": 300, "calls": [8, 128], "accuracies": [0.2, 0.1]}
    found = price(NOWHERE, **setting, first=1, runs=2)
    assert (found["gap"][:, 1] < found["gap"][:, 0]).all()
    assert (found["error"] >= 0.0).all()
    np.testing.assert_array_equal(found["counted"], found["told"])
    log = problem().log(300, np.random.default_rng((300, 2)))
    assert found["promised"][1].tolist() == [
        promised_calls(learner, log, 0.2),
        promised_calls(learner, log, 0.1),
    ]


def test_rates_know_how_sure_they_are() -> None:
    rng = np.random.default_rng(0)
    sizes = [100, 400, 1600, 6400]
    slopes, deviations = [], []
    for _ in range(300):
        found = rate(sizes, [size**-0.5 * (1.0 + 0.3 * rng.standard_normal(20)) for size in sizes])
        slopes.append(found.slope)
        deviations.append(found.deviation)
    assert np.mean(slopes) == pytest.approx(-0.5, abs=0.005)
    assert np.mean(deviations) == pytest.approx(np.std(slopes), rel=0.1)


def test_what_is_needed_must_suffice_for_all_logs_and_more_calls() -> None:
    gap = np.array([[0.3, 0.08, 0.12, 0.04], [0.2, 0.09, 0.01, 0.01]])
    found = Prices((8, 16, 32, 64), gap, gap, (0.2, 0.1, 0.05, 0.01), np.ones((2, 4)))
    assert found.needed == [16, 64, 64, None]
    assert found.exponent == np.inf
    reached = Prices((8, 16, 32, 64), gap, gap, (0.2, 0.05), np.ones((2, 2)))
    assert reached.exponent == pytest.approx(1.0)  # four times the calls for four times the accuracy
    assert reached.doubling == pytest.approx(0.5)


def test_levels_gather_pieces_and_tell_when_the_bound_says_something() -> None:
    results = made()
    assert [one.horizon for one in levels(results, "SparringEXP4P")] == [10_000, 100_000, 1_000_000]
    assert [one.horizon for one in telling(results)] == [100_000, 1_000_000]
    split = dict(results.found)
    split["more"] = split["spar-10000"]
    first = levels(Results(Scale.PAPER, False, split), "SparringEXP4P")[0]
    assert len(first.regret) == 10
    assert len(levels(results, "SparringPGD")[0].error) == 5
    assert prices(results, "SparringFPL").gap.shape == (5, 7)


def test_what_is_as_promised_holds() -> None:
    findings = judge(made(), EXPECTED)
    assert findings.keys() == EXPECTED["claims"].keys()
    assert {name for name, one in findings.items() if one.holds is not True} == set()
    faster = judge(made(error=-0.9), EXPECTED)
    assert all(one.holds for one in faster.values())


@pytest.mark.parametrize(
    ("wrong", "claims"),
    [
        ({"regret": -0.4}, {"exp4p_regret_rate"}),
        ({"regret": -0.6}, {"exp4p_regret_rate"}),
        ({"regret": 0.0, "factor": 5.0}, {"exp4p_regret_rate", "exp4p_regret_bound"}),
        ({"error": -0.4}, {"exp4p_error_rate", "fpl_error_rate", "pgd_error_rate"}),
        ({"followed": -0.24}, {"fpl_regret_rate", "pgd_regret_rate"}),
        ({"followed": -0.5}, {"fpl_regret_rate", "pgd_regret_rate"}),
        ({"factor": 10.0}, {"exp4p_regret_bound", "error_bound"}),
        ({"gap": -0.05}, {"fpl_calls", "pgd_calls"}),
        ({"condorcet": np.array(True)}, {"no_winner_alone"}),
        ({"alone": np.array(0.01)}, {"no_winner_alone"}),
    ],
)
def test_what_is_not_fails(wrong: dict[str, Any], claims: set[str]) -> None:
    assert failed(made(**wrong)) == claims


def test_calls_that_grow_too_fast_fail_where_theory_says_so() -> None:
    # a gap that falls with the fourth root needs calls in the fourth power of the accuracy
    results = made(gap=-0.25)
    assert prices(results, "SparringFPL").needed[-1] is None
    easier = {}
    for name, one in results.found.items():
        setting = dict(one.setting) | ({"accuracies": [0.25, 0.2, 0.125]} if name.endswith("price") else {})
        easier[name] = Result(setting, one.arrays)
    judged = judge(Results(Scale.PAPER, False, easier), EXPECTED)
    assert judged["fpl_calls"].holds is False
    assert judged["pgd_calls"].holds is True


def test_calls_that_are_not_told_fail() -> None:
    results = made()
    for name, counted in (("SparringFPL-2000", 203.0), ("SparringPGD-2000", 201.0)):
        arrays = dict(results[name].arrays) | {"counted": np.full(5, counted)}
        changed = dict(results.found) | {name: Result(results[name].setting, arrays)}
        assert failed(Results(Scale.PAPER, False, changed)) == {"calls_counted"}


def test_few_runs_are_not_judged_unless_far_off() -> None:
    noisy = np.array([0.2, 1.8])
    findings = judge(made(spread=noisy), EXPECTED)
    assert findings["exp4p_regret_rate"].holds is None
    assert findings["fpl_error_rate"].holds is None
    far: Finding = judge(made(regret=3.0, spread=noisy), EXPECTED)["exp4p_regret_rate"]
    assert far.holds is False


def test_figures_are_drawn_from_results() -> None:
    pytest.importorskip("matplotlib")
    shown = show(made(), EXPECTED)
    drawings = [one for one in shown if isinstance(one, Drawing)]
    tables = [one for one in shown if isinstance(one, Grid)]
    assert [one.name for one in drawings] == ["regret", "error", "calls"]
    for one in drawings:
        [axes] = one.figure.axes
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        one.figure.canvas.draw()
    rates, calls = tables
    # 0.0354 is the standard error of either mean, in parts of it: 0.0354 sqrt(2) / ln(10) = 0.022
    assert rates.rows[0] == ["regret", "SparringEXP4P", "T", "-0.500", "-0.500 ± 0.022"]
    assert [row[0] for row in calls.rows] == ["0.2", "0.1", "0.05"]
    assert {len(row) for row in calls.rows} == {len(calls.headings)}


def test_a_quick_look_holds() -> None:
    results = Results(Scale.QUICK, real=False)
    found = {piece.name: Result(piece.setting, piece.do(NOWHERE)) for piece in plan(results)}
    findings = judge(Results(Scale.QUICK, real=False, found=found), EXPECTED)
    assert {name for name, one in findings.items() if one.holds is False} == set()
    assert findings["exp4p_regret_bound"].holds
