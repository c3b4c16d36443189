"""The theorems of Dudik et al. (2015), measured: what is played, how it is read, and who fails."""

import json
from math import isinf
from typing import Any

import numpy as np
import pytest

from duelist.bounds import sparring_exp4p_upper_bound
from duelist.duel import FloatArray
from duelist.estimators.exploration import estimation_error, explore_rounds
from duelist.laboratory.items import Drawing, Finding, Table
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.learners.contextual import (
    SparringEXP4P,
    SparringFPL,
    SparringPGD,
)
from duelist.logs import DuelLog
from duelist.simulation.contexts import simulate_contextual
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.theorems.figures import show
from duelist_reproductions.dudik2015.theorems.learning import learn, theory
from duelist_reproductions.dudik2015.theorems.readings import (
    Prices,
    levels,
    prices,
    promises,
    rate,
    telling,
)
from duelist_reproductions.dudik2015.theorems.sweep import (
    SWEEPS,
    describe,
    explore,
    keep,
    plan,
    price,
    spar,
)
from duelist_reproductions.dudik2015.theorems.verdicts import judge
from duelist_reproductions.dudik2015.theorems.world import gain_over, gap_on, policies, problem

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


def plain_gap(log: DuelLog, chances: FloatArray) -> float:
    """By how much the best policy beats chances of actions on a log, duel by duel."""
    gains = []
    for actions in policies().actions:
        gained = 0.0
        for [context], left, right, sign, chance in zip(
            log.contexts.astype(int), log.left, log.right, log.signs, log.propensities, strict=True
        ):
            if left != right:
                met = (actions[context] == left) * chances[context, right]
                met -= (actions[context] == right) * chances[context, left]
                gained += met * sign / (2.0 * chance)
        gains.append(gained / len(log))
    return max(gains)


def made(
    regret: float = -0.5,
    error: float = -0.5,
    followed: float = -1 / 3,
    gap: float = -0.5,
    left: float = 0.0,
    kept: float = 0.5,
    policies: float = 1.0,
    spread: FloatArray = SPREAD,
    factor: float = 1.0,
    **changed: Any,
) -> ItemResults:
    """Results of learners whose regret, error and gap fall with given powers.

    `left` is what they leave to gain on the log, `kept` by how much they keep theory's promises, and
    `policies` how many they mix, in parts of what is allowed.
    """
    found = {"problem": PieceResult({}, dict(describe(NOWHERE)) | changed)}
    for horizon in (10_000, 100_000, 1_000_000):
        scale = (horizon / 100_000) ** regret, (horizon / 100_000) ** error
        found[f"spar-{horizon}"] = PieceResult(
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
            found[f"{learner}-{horizon}"] = PieceResult(
                {"learner": learner, "horizon": horizon, "calls": 200},
                {
                    "duels": np.array(duels),
                    "error": factor * 0.06 * spread * (duels / 500) ** error,
                    "regret": 0.09 * spread * (horizon / 2_000) ** followed,
                    "gap": np.full(len(spread), left),
                    "misled": np.array(estimation_error(duels, 3, 81)),
                    "over": np.full(len(spread), 2.0),
                    "untold": np.zeros(len(spread)),
                },
            )
        half = 1 if learner == "SparringPGD" else 2
        calls = 8 * 2 ** np.arange(12)
        gaps = 0.15 * half * SPREAD[:, np.newaxis] * (calls / 8.0) ** gap
        found[f"{learner}-price"] = PieceResult(
            {"learner": learner, "calls": calls.tolist(), "accuracies": [0.1, 0.05, 0.025]},
            {
                "gap": gaps,
                "error": gaps + 0.01,
                "support": np.tile(policies * np.minimum(calls // half, 81), (5, 1)),
                "over": np.full(gaps.shape, 2.0),
                "untold": np.zeros(gaps.shape),
            },
        )
        found[f"{learner}-promise"] = PieceResult(
            {"learner": learner, "duels": 20},
            {
                "promised": np.array([0.2, 0.3]),
                "calls": np.array([4_000.0, 2_000.0]),
                "gap": kept * np.array([0.2, 0.3]),
                "over": np.full(2, 2.0),
                "untold": np.zeros(2),
            },
        )
    return ItemResults(Scale.PAPER, real=False, found=found)


def changed_in(results: ItemResults, name: str, **arrays: FloatArray) -> ItemResults:
    one = results[name]
    new = PieceResult(one.setting, dict(one.arrays) | arrays)
    return ItemResults(results.scale, results.real, dict(results.found) | {name: new})


def failed(results: ItemResults) -> set[str]:
    return {name for name, one in judge(results, EXPECTED).items() if one.value is False}


@pytest.mark.parametrize("scale", list(Scale))
def test_the_plan_plays_every_run_once(scale: Scale) -> None:
    pieces = plan(ItemResults(scale, real=False))
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
    for work, logs in (
        (price, dict.fromkeys(SWEEPS[scale].doublings, SWEEPS[scale].logs)),
        (keep, {learner: logs for learner, (_, logs) in SWEEPS[scale].promised.items()}),
    ):
        for learner, many in logs.items():
            played = [one.setting for one in pieces if one.work is work and one.setting["learner"] == learner]
            assert sum(one["runs"] for one in played) == many


def test_every_policy_has_its_better() -> None:
    world = describe(NOWHERE)
    assert not world["condorcet"]
    assert world["alone"] == pytest.approx(0.3)  # by 0.6 in two contexts of four
    assert world["uniform"] == pytest.approx(0.2)  # by 0.6 against two actions of three, in two contexts
    chances = np.random.default_rng(0).dirichlet(np.ones(3), size=4)
    assert gain_over(chances) == pytest.approx(plain_gain(chances))
    assert max(max(one.accuracies) for one in SWEEPS.values()) < world["uniform"]


@pytest.mark.parametrize("learner", [SparringFPL, SparringPGD])
def test_the_gap_is_measured_duel_by_duel_and_is_what_learners_report(learner: Any) -> None:
    log = problem().log(60, np.random.default_rng(3))
    winner = learner(policies().oracle(), 6).fit(log, 1, progress=False)
    chances = winner.chances(np.arange(4.0)[:, np.newaxis])
    assert gap_on(log, chances) == pytest.approx(plain_gap(log, chances))
    assert gap_on(log, chances) == pytest.approx(winner.made["gap"])
    assert gap_on(log, chances) > 0.01


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
    one = learn(learner, log, 60, 3)
    np.testing.assert_allclose(one.chances.sum(axis=1), 1.0)
    assert found["error"][1] == pytest.approx(plain_gain(one.chances))
    assert found["gap"][1] == one.gap == pytest.approx(plain_gap(log, one.chances))
    assert (found["over"][1], found["untold"][1]) == (one.over, one.untold) == (2, 0)
    assert 1 < one.support <= 60
    share = duels / 1_000
    assert found["regret"][1] == pytest.approx(plain_gain(share / 3 + (1.0 - share) * one.chances))
    again = explore(NOWHERE, learner=learner, horizon=1_000, calls=60, first=3, runs=1)
    assert again["error"][0] == found["error"][1]


@pytest.mark.parametrize("learner", ["SparringFPL", "SparringPGD"])
def test_more_calls_buy_smaller_gaps(learner: str) -> None:
    setting: dict[str, Any] = {"learner": learner, "duels": 300, "calls": [8, 128], "accuracies": [0.2, 0.1]}
    found = price(NOWHERE, **setting, first=1, runs=2)
    assert (found["gap"][:, 1] < found["gap"][:, 0]).all()
    assert (found["error"] >= 0.0).all()
    log = problem().log(300, np.random.default_rng((300, 2)))
    one = learn(learner, log, 8, 2)
    assert (found["gap"][1, 0], found["support"][1, 0], found["over"][1, 0]) == (one.gap, one.support, 2)
    assert not found["untold"].any()


@pytest.mark.parametrize(("learner", "duels"), [("SparringFPL", 4), ("SparringPGD", 30)])
def test_promises_are_for_half_of_what_playing_at_random_loses(learner: str, duels: int) -> None:
    found = keep(NOWHERE, learner=learner, duels=duels, first=1, runs=1)
    log = problem().log(duels, np.random.default_rng((duels, 1)))
    half = plain_gap(log, np.full((4, 3), 1 / 3)) / 2.0
    assert found["promised"][0] == pytest.approx(half)
    half = float(found["promised"][0])
    calls, eta = theory(learner, log, half)
    assert found["calls"][0] == calls
    assert found["gap"][0] == pytest.approx(learn(learner, log, calls, 1, eta).gap)
    # twice the accuracy takes four times the calls, and a shorter step
    more, shorter = theory(learner, log, half / 2.0)
    assert more == pytest.approx(4.0 * calls, rel=0.01)
    assert shorter == pytest.approx(eta / 2.0, rel=0.01)


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
    found = Prices((8, 16, 32, 64), gap, gap, gap, (0.2, 0.1, 0.05, 0.01))
    assert found.needed == [16, 64, 64, None]
    assert isinf(found.exponent)
    reached = Prices((8, 16, 32, 64), gap, gap, gap, (0.2, 0.05))
    assert reached.exponent == pytest.approx(1.0)  # four times the calls for four times the accuracy
    assert reached.doubling == pytest.approx(0.5)
    assert Prices((8, 16, 32, 64), gap, gap, gap, (0.2, 0.1)).largest == pytest.approx(2.0)


def test_levels_gather_pieces_and_tell_when_the_bound_says_something() -> None:
    results = made()
    assert [one.horizon for one in levels(results, "SparringEXP4P")] == [10_000, 100_000, 1_000_000]
    assert [one.horizon for one in telling(results, "SparringEXP4P")] == [100_000, 1_000_000]
    # from 4,600 duels or so on
    assert [one.horizon for one in telling(results, "SparringFPL")] == [200_000]
    split = dict(results.found)
    split["more"] = split["spar-10000"]
    first = levels(ItemResults(Scale.PAPER, False, split), "SparringEXP4P")[0]
    assert len(first.regret) == 10
    assert len(levels(results, "SparringPGD")[0].error) == 5
    assert prices(results, "SparringFPL").gap.shape == (5, 12)
    assert promises(results, "SparringPGD").promised.tolist() == [0.2, 0.3]


def test_what_is_as_promised_holds() -> None:
    findings = judge(made(), EXPECTED)
    assert findings.keys() == EXPECTED["claims"].keys()
    assert {name for name, one in findings.items() if one.value is not True} == set()
    faster = judge(made(error=-0.9), EXPECTED)
    assert all(one.value for one in faster.values())


@pytest.mark.parametrize(
    ("wrong", "claims"),
    [
        ({"regret": -0.4}, {"exp4p_regret_rate"}),
        ({"regret": -0.6}, {"exp4p_regret_rate"}),
        ({"regret": 0.0, "factor": 5.0}, {"exp4p_regret_rate", "exp4p_regret_bound"}),
        ({"error": -0.4}, {"exp4p_error_rate", "fpl_error_rate", "pgd_error_rate"}),
        ({"followed": -0.24}, {"fpl_regret_rate", "pgd_regret_rate"}),
        ({"followed": -0.5}, {"fpl_regret_rate", "pgd_regret_rate"}),
        ({"factor": 10.0}, {"exp4p_regret_bound", "error_bound", "no_winner_alone"}),
        ({"left": 0.1}, {"error_bound"}),  # a bound that playing at random would keep to
        ({"gap": -0.05}, {"fpl_calls", "pgd_calls", "pgd_fewer_calls"}),
        ({"kept": 1.01}, {"fpl_promise", "pgd_promise"}),
        ({"policies": 1.2}, {"support"}),
        ({"condorcet": np.array(True)}, {"no_winner_alone"}),
        ({"alone": np.array(0.01)}, {"no_winner_alone"}),
    ],
)
def test_what_is_not_fails(wrong: dict[str, Any], claims: set[str]) -> None:
    assert failed(made(**wrong)) == claims


def test_mixtures_must_lose_less_than_playing_at_random_and_than_promised() -> None:
    results = made()
    for name, error, kept in (
        ("SparringFPL-200000", 0.21, False),  # less than any policy alone
        ("SparringFPL-200000", 0.11, False),  # less than at random; 0.106 is promised of so many duels
        ("SparringFPL-200000", 0.10, True),
        ("spar-1000000", 0.06, False),
    ):
        changed = changed_in(results, name, error=np.full(5, error))
        assert judge(changed, EXPECTED)["no_winner_alone"].value is kept


def test_calls_that_grow_too_fast_fail_if_that_could_be_seen() -> None:
    for gap, fpl, pgd in ((-0.5, True, True), (-0.4, True, True), (-0.3, False, False)):
        findings = judge(made(gap=gap), EXPECTED)
        assert (findings["fpl_calls"].value, findings["pgd_calls"].value) == (fpl, pgd)
    results = dict(made().found)
    one = results["SparringPGD-price"]
    # just enough calls for all gaps: exponent 2, and no larger one could be seen; then too few
    for most, holds in ((7, None), (6, False)):
        few = {name: array[:, :most] for name, array in one.arrays.items()}
        setting = dict(one.setting) | {"calls": one.setting["calls"][:most]}
        short = ItemResults(Scale.PAPER, False, results | {"SparringPGD-price": PieceResult(setting, few)})
        assert judge(short, EXPECTED)["pgd_calls"].value is holds


def test_as_many_calls_are_not_fewer() -> None:
    results = made()
    slow = results["SparringFPL-price"]["gap"]
    assert failed(changed_in(results, "SparringPGD-price", gap=slow)) == {"pgd_fewer_calls"}


def test_calls_that_are_not_told_fail() -> None:
    results = made()
    assert failed(changed_in(results, "SparringFPL-2000", over=np.full(5, 3.0))) == {"calls_counted"}
    assert failed(changed_in(results, "SparringPGD-2000", untold=np.full(5, -1.0))) == {"calls_counted"}


def test_few_runs_are_not_judged_unless_far_off() -> None:
    noisy = np.array([0.2, 1.8])
    findings = judge(made(spread=noisy), EXPECTED)
    assert findings["exp4p_regret_rate"].value is None
    assert findings["fpl_error_rate"].value is None
    far: Finding = judge(made(regret=3.0, spread=noisy), EXPECTED)["exp4p_regret_rate"]
    assert far.value is False


def test_figures_are_drawn_from_results() -> None:
    pytest.importorskip("matplotlib")
    shown = show(made(), EXPECTED)
    drawings = [one for one in shown if isinstance(one, Drawing)]
    tables = [one for one in shown if isinstance(one, Table)]
    assert [one.name for one in drawings] == ["regret", "error", "calls"]
    for one in drawings:
        [axes] = one.figure.axes
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        one.figure.canvas.draw()
    rates, calls, kept = tables
    # 0.0354 is the standard error of either mean, in parts of it: 0.0354 sqrt(2) / ln(10) = 0.022
    assert rates.rows[0] == ["regret", "SparringEXP4P", "T", "-0.500", "-0.500 ± 0.022"]
    assert [row[0] for row in calls.rows] == ["0.1", "0.05", "0.025", "exponent of 1 / gap"]
    assert kept.rows[0] == ["SparringFPL", "20", "2", "2,000 to 4,000", "0.200 to 0.300", "0.100 to 0.150"]
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.headings)}
