from math import comb
from typing import Any

import numpy as np
import pytest
from made import holds, make_results
from refusals import names

from duelist.laboratory import Drawing, ItemResults, Piece, ResultTable, Scale, judge
from duelist_reproductions.zoghi2014 import PAPER
from duelist_reproductions.zoghi2014.figure4.sweep import SETTINGS

FIGURE4, FIGURE5 = PAPER.items
HORIZONS = np.array(SETTINGS[Scale.PAPER].horizons)
CURVE = np.unique([*np.geomspace(100, 4_500_000, 60).astype(int), *HORIZONS])
END, LATE = 45_600.0, 43_200.0
"""RUCB's regret at 4.5 and at 1 million rounds."""
HALVES = np.array([0.0, 0.5, 0.5])


def runs_of(mean: Any, runs: int = 100, spread: float = 0.04) -> Any:
    """Return runs with this mean exactly: a row a run."""
    deviations = np.linspace(-1.0, 1.0, runs)
    return np.multiply.outer(1.0 + spread * deviations, mean)


def optimist(
    late: float = LATE,
    found: float = 50_000,
    wrong: int = 0,
    informative: float = 1.09e6,
    look: int = 4_500_000,
) -> Any:
    regret = np.interp(np.log(CURVE), np.log([100, 1_000_000, 4_500_000]), [10.0, late, END])
    right = np.arange(100)[:, np.newaxis] < 100 * np.clip(np.log10(CURVE / found) + 0.5, 0.0, 1.0)
    right[:wrong, look == CURVE] = False
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


def needed(arrays: Any, runs: int) -> dict[str, Any]:
    """Return Beat the Mean with the gamma it needs, with one in fifty between its runs."""
    return {
        "played": 100.0 + np.arange(runs) / 50.0,
        "right": np.full(runs, arrays["right"]),
        "regret": np.array(100.0 * arrays["foreseen"]),
        "random_regret": np.array(100.0 * arrays["random"]),
        "scatter": np.array(0.015),
        "removed": np.array(arrays["removed"]),
        "gamma": np.array(2.0),
    }


def findings(real: bool = True, **changed: Any) -> dict[str, bool | None]:
    """Return which claims hold on results in which all do, but for what is changed."""
    return holds(PAPER, FIGURE4, made(real, **changed))


def made(real: bool = True, **changed: Any) -> ItemResults:
    """Return results in which all claims hold, but for what is changed."""
    arrays = {
        "RUCB": optimist(),
        "CondorcetSavage": told(7.0, 250_000),
        "BeatTheMean": told(10.0, 1e9),
        "gamma_of_table": np.array(47.34),
        "gamma": np.array(4.28),
        "lower_bound": np.array(1e3),
        "foreseen": 1.0,
        "random": 2.0,
        "right": True,
        "removed": 3,
        "lengths": {"duels": np.array([1, 2] * 1_000), "decided": np.array([0.0, 0.5, 0.5])},
        "sweeps": {"sweeps": np.array([1, 2] * 500), "decided": HALVES, "soonest": HALVES},
    } | changed

    def arrays_of(piece: Piece) -> Any:
        asked = dict(piece.setting)
        if "learner" in asked:
            part = slice(asked["first"], asked["first"] + asked["runs"])
            whole = arrays.get(f"{asked['learner']}_{asked['k']}", arrays[asked["learner"]])
            return {name: one if name == "rounds" else one[part] for name, one in whole.items()}
        if "told" in asked:
            return needed(arrays, asked["runs"])
        if "epsilon" in asked:
            return arrays["lengths" if piece.name == "savage-matches" else "sweeps"]
        return {name: arrays[name] for name in ("gamma_of_table", "gamma", "lower_bound")}

    return make_results(FIGURE4, arrays_of, real=real)


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
        ({"RUCB_32": optimist(wrong=1)}, "right_at_the_end"),
        ({"BeatTheMean_16": told(6.9, 1e9)}, "beat_the_mean"),
        ({"CondorcetSavage_64": told(3.9, 250_000)}, "regret_ratio_64"),
        ({"BeatTheMean": told(10.0, 240_000)}, "accuracy_contrast"),
        ({"BeatTheMean_16": told(10.0, 100_000)}, "accuracy_contrast_16"),
        ({"gamma_of_table": np.array(47.36)}, "gamma_64"),
        ({"gamma": np.array(1.0)}, "gamma_above_1"),
        ({"RUCB_64": optimist(wrong=1, look=2_000_000)}, "right_from_a_million"),
        ({"lengths": {"duels": np.array([1, 1, 2] * 1_000), "decided": HALVES}}, "savage_match"),
        (
            {"sweeps": {"sweeps": np.array([1, 1, 2] * 500), "decided": HALVES, "soonest": HALVES}},
            "beat_the_mean_match",
        ),
        ({"foreseen": 1.05}, "needed_gamma"),
        ({"foreseen": 0.95}, "needed_gamma"),
        ({"random": 1.0}, "needed_gamma"),
        ({"right": False}, "needed_gamma"),
        ({"RUCB": optimist(informative=1.12e6)}, "earlier_program"),
    ],
)
def test_a_wrong_number_fails_its_claim_alone(changed: dict[str, Any], failing: str) -> None:
    failed = {name for name, held in findings(**changed).items() if not held}
    assert failed
    assert all(name.startswith(failing) for name in failed)


@pytest.mark.parametrize("late", [END / 4.5, END / 4.5**0.5, END])
def test_regret_that_grows_too_fast_or_not_at_all_is_not_logarithmic(late: float) -> None:
    failed = {name for name, held in findings(RUCB=optimist(late=late)).items() if not held}
    assert failed == {"logarithmic_growth", "earlier_program"}


def test_a_wrong_run_at_the_end_fails_both_claims_on_it() -> None:
    failed = {name for name, held in findings(RUCB=optimist(wrong=1)).items() if not held}
    assert failed == {"right_at_the_end", "right_from_a_million"}


def test_a_share_of_time_just_outside_holds_if_its_interval_reaches_in_and_says_so() -> None:
    verdicts = judge(PAPER, FIGURE4, made(CondorcetSavage=told(7.0, 120_000))).verdicts
    for verdict in (one for one in verdicts if one.name.startswith("accuracy_time")):
        assert verdict.holds
        assert names(verdict.note, "10%", "40%", "42%")
        assert "6 of 6 levels count" in verdict.note


def test_the_span_between_the_latest_and_the_soonest_is_allowed() -> None:
    sweeps = {"sweeps": np.array([1, 1, 2] * 500), "decided": HALVES, "soonest": np.array([0.0, 0.7, 0.3])}
    assert findings(sweeps=sweeps)["beat_the_mean_match"]


def test_what_plays_as_if_at_random_is_not_judged() -> None:
    assert findings(removed=0, random=1.0)["needed_gamma"] is None


def test_numbers_of_the_papers_data_are_not_judged_on_other_data() -> None:
    held = findings(real=False)
    unjudged = {name for name, held in held.items() if held is None}
    by_size = ("regret_ratio", "accuracy_time", "accuracy_contrast")
    numbers = {f"{claim}_{k}" for claim in by_size for k in (16, 32, 64)}
    assert unjudged == numbers | {"gamma_64", "gamma_above_1", "earlier_program", "right_from_a_million"}
    assert all(holds for name, held in held.items() if name not in unjudged)


def test_the_curves_are_drawn_at_every_horizon_with_the_lower_bound() -> None:
    shown = FIGURE4.show(made(), PAPER.expected["figure4"])
    drawing, lengths = (one for one in shown if isinstance(one, Drawing))
    regret, *_, accuracy = drawing.figure.axes
    labels = [line.get_label() for line in regret.get_lines() if not str(line.get_label()).startswith("_")]
    assert labels == ["Beat the Mean", "Condorcet SAVAGE", "RUCB", "asymptotic lower bound"]
    assert (regret.get_xscale(), regret.get_yscale()) == ("log", "log")
    assert (accuracy.get_xscale(), accuracy.get_yscale()) == ("log", "linear")
    assert np.size(regret.get_lines()[0].get_xdata()) == len(HORIZONS)
    assert len(lengths.figure.axes) == 2
    end, time, *_ = (one for one in shown if isinstance(one, ResultTable))
    assert [row[1] for row in end.rows[:3]] == ["RUCB", "Condorcet SAVAGE", "Beat the Mean"]
    ratio = "7.00 (95%: 6.95 to 7.05)"
    assert end.rows[1][2:] == ["319,200", "306,432 to 331,968", ratio, "5 to 10", "100 of 100"]
    assert [row[:2] for row in time.rows[:2]] == [["16", "Condorcet SAVAGE"], ["16", "Beat the Mean"]]


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
    return holds(PAPER, FIGURE5, make_results(FIGURE5, lambda piece: arrays))


def test_the_claims_on_assumptions_can_fail() -> None:
    assert set(chances().values()) == {True}
    assert not chances(chance=np.full(64, 0.96))["condorcet_chance"]
    assert not chances(chance=np.ones(64))["condorcet_shape"]
    assert not chances(chance=np.linspace(1.0, 0.98, 64))["condorcet_shape"]
    assert not chances(chance=np.array([1.0] * 5 + [0.98] * 58 + [1.0]))["condorcet_shape"]
    assert not chances(ordered=np.linspace(100_000, 50_000, 64))["total_order_vanishes"]
    assert not chances(cyclic_triples=np.array(600))["total_order_of_three"]
