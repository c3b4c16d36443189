from math import comb
from typing import Any

import numpy as np
import pytest

from duelist.laboratory import Result, Results, Scale, judge
from duelist.reproductions.zoghi2014 import PAPER
from duelist.reproductions.zoghi2014.figure4.measures import ratio_of_means, reached
from duelist.reproductions.zoghi2014.figure4.sweep import SETTINGS, plan

FIGURE4, FIGURE5 = PAPER.items
HORIZONS = np.array(SETTINGS[Scale.PAPER].horizons)
CURVE = np.unique([*np.geomspace(100, 4_500_000, 60).astype(int), *HORIZONS])
END, LATE = 45_600.0, 43_200.0
"""RUCB's regret at 4.5 and at 1 million rounds."""


def runs_of(mean: Any, runs: int = 100, spread: float = 0.04) -> Any:
    """Return runs with this mean exactly: a row a run."""
    luck = np.linspace(-1.0, 1.0, runs)
    return np.multiply.outer(1.0 + spread * luck, mean)


def optimist(late: float = LATE, found: float = 50_000, wrong: int = 0, informative: float = 1.09e6) -> Any:
    regret = np.interp(np.log(CURVE), np.log([100, 1_000_000, 4_500_000]), [10.0, late, END])
    right = np.arange(100)[:, np.newaxis] < 100 * np.clip(np.log10(CURVE / found) + 0.5, 0.0, 1.0)
    right[:wrong, -1] = False
    return {
        "rounds": CURVE,
        "regret": runs_of(regret),
        "right": right,
        "informative": runs_of([informative]),
    }


def told(times: float, found: float) -> Any:
    right = np.arange(100)[:, np.newaxis] < 100 * np.clip(np.log10(HORIZONS / found) + 0.5, 0.0, 1.0)
    return {
        "rounds": HORIZONS,
        "regret": runs_of(times * END * HORIZONS / HORIZONS[-1]),
        "right": right,
        "informative": np.broadcast_to(HORIZONS, right.shape),
    }


def findings(real: bool = True, **changed: Any) -> dict[str, bool | None]:
    """Return the verdicts on results in which all claims hold, but for what is changed."""
    arrays = {
        "RUCB": optimist(),
        "CondorcetSavage": told(7.0, 250_000),
        "BeatTheMean": told(10.0, 1e9),
        "gamma_of_table": np.array(47.34),
    } | changed
    found = {}
    for piece in plan(Results(Scale.PAPER, real)):
        asked = dict(piece.setting)
        if "learner" in asked:
            part = slice(asked["first"], asked["first"] + asked["runs"])
            whole = arrays.get(f"{asked['learner']}_{asked['k']}", arrays[asked["learner"]])
            cut = {name: one if name == "rounds" else one[part] for name, one in whole.items()}
            found[piece.name] = Result(asked, cut)
        elif "subset" in asked:
            regret = runs_of(np.linspace(1.0, 2.0, len(asked["horizons"])), asked["runs"])
            savages = {"CondorcetSavage": 5.0 * regret, "wide": 9.0 * regret}
            found[piece.name] = Result(asked, {"RUCB": regret, **savages})
        else:
            problem = {"gamma_of_table": arrays["gamma_of_table"], "gamma": np.array(4.28)}
            found[piece.name] = Result(asked, problem)
    judged = judge(PAPER, FIGURE4, Results(Scale.PAPER, real, found))
    return {verdict.name: verdict.holds for verdict in judged.verdicts}


def test_all_claims_hold_on_results_like_the_papers() -> None:
    assert set(findings().values()) == {True}


@pytest.mark.parametrize(
    ("changed", "failing"),
    [
        ({"CondorcetSavage": told(3.9, 250_000)}, "regret_ratio"),
        ({"CondorcetSavage": told(12.0, 250_000), "BeatTheMean": told(20.0, 1e9)}, "regret_ratio"),
        ({"CondorcetSavage": told(7.0, 60_000)}, "accuracy_time"),
        ({"RUCB": optimist(found=10_000)}, "accuracy_time"),
        ({"BeatTheMean": told(6.9, 1e9)}, "beat_the_mean"),
        ({"RUCB": optimist(wrong=1)}, "right_at_the_end"),
        ({"RUCB_32": optimist(wrong=1)}, "right_at_the_end"),
        ({"BeatTheMean_16": told(6.9, 1e9)}, "beat_the_mean"),
        ({"CondorcetSavage_64": told(3.9, 250_000)}, "regret_ratio_64"),
        ({"gamma_of_table": np.array(47.36)}, "gamma_64"),
        ({"RUCB": optimist(informative=1.12e6)}, "earlier_program"),
    ],
)
def test_a_wrong_number_fails_its_claim_alone(changed: dict[str, Any], failing: str) -> None:
    failed = {name for name, holds in findings(**changed).items() if not holds}
    assert failed
    assert all(name.startswith(failing) for name in failed)


@pytest.mark.parametrize("late", [END / 4.5, END / 4.5**0.5, END])
def test_regret_that_grows_too_fast_or_not_at_all_is_not_logarithmic(late: float) -> None:
    failed = {name for name, holds in findings(RUCB=optimist(late=late)).items() if not holds}
    assert failed == {"logarithmic_growth", "earlier_program"}


def test_numbers_of_the_papers_data_are_not_judged_on_other_data() -> None:
    held = findings(real=False)
    unjudged = {name for name, holds in held.items() if holds is None}
    numbers = {f"{claim}_{k}" for claim in ("regret_ratio", "accuracy_time") for k in (16, 32, 64)}
    assert unjudged == numbers | {"gamma_64", "earlier_program"}
    assert all(holds for name, holds in held.items() if name not in unjudged)


def test_the_interval_of_a_ratio_covers_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        ratio = ratio_of_means(rng.normal(10.0, 2.0, 50), rng.normal(2.0, 0.2, 50))
        covered += ratio.low <= 5.0 <= ratio.high
    assert 0.92 < covered / 400 < 0.98


def test_a_level_counts_once_it_is_kept() -> None:
    rounds = np.array([1, 10, 100, 1_000])
    assert reached(rounds, np.array([0.9, 0.2, 0.6, 1.0]), 0.4) == pytest.approx(10.0**1.5)
    assert np.isnan(reached(rounds, np.array([0.9, 0.9, 0.9, 0.9]), 0.4))
    assert np.isnan(reached(rounds, np.array([0.9, 0.9, 0.9, 0.3]), 0.4))


def chances(**changed: Any) -> dict[str, bool | None]:
    sizes = np.arange(1, 65)
    chance = np.where(sizes < 22, 1.0 - 0.001 * (sizes - 2), 0.98 + 0.02 * (sizes - 22) / 42)
    chance[:2] = 1.0
    arrays = {
        "chance": chance,
        "cyclic_triples": np.array(434),
        "ordered": np.array([int(100_000 * (1.0 - 434 / comb(64, 3)) ** comb(size, 3)) for size in sizes]),
        "samples": np.array(100_000),
    } | changed
    found = {name: Result({}, arrays) for name in ("condorcet", "total-order")}
    judged = judge(PAPER, FIGURE5, Results(Scale.PAPER, real=True, found=found))
    return {verdict.name: verdict.holds for verdict in judged.verdicts}


def test_the_claims_on_assumptions_can_fail() -> None:
    assert set(chances().values()) == {True}
    assert not chances(chance=np.full(64, 0.96))["condorcet_chance"]
    assert not chances(chance=np.ones(64))["condorcet_shape"]
    assert not chances(chance=np.linspace(1.0, 0.98, 64))["condorcet_shape"]
    assert not chances(chance=np.array([1.0] * 5 + [0.98] * 58 + [1.0]))["condorcet_shape"]
    assert not chances(ordered=np.linspace(100_000, 50_000, 64))["total_order_vanishes"]
    assert not chances(cyclic_triples=np.array(600))["total_order_of_three"]
