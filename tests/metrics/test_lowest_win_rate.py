import json

import numpy as np
import pytest
from metrics.worlds import World, random_world
from refusals import names, refused

from duelist.errors import ParameterError
from duelist.logs import DuelLog
from duelist.metrics import lowest_win_rate, win_rate_against
from duelist.policies import FinitePolicies

METHODS = ["doubly_robust", "inverse_propensity"]


@pytest.mark.parametrize("method", METHODS)
def test_intervals_hold_the_truth_and_estimates_have_no_bias(method: str) -> None:
    world = random_world(3, 4, seed=7, skewed=True)
    policies = FinitePolicies(np.random.default_rng(1).integers(4, size=(10, 3)))
    weights = np.r_[0.5, 0.3, 0.2, np.zeros(7)]
    mixture, truth = world.mixture(policies, weights), world.truth(policies, weights, policies)
    held, values, bounds = np.zeros(10), [], []
    for seed in range(200):
        report = lowest_win_rate(
            mixture, policies, world.draw(2000, np.random.default_rng(seed)), method=method
        )
        held += [rate.lower <= wanted <= rate.upper for rate, wanted in zip(report.rates, truth, strict=True)]
        values.append([rate.value for rate in report.rates])
        bounds.append(report.lower)
    shares = held / 200
    # not so wide either that they would hold anything
    assert 0.93 <= shares.mean() <= 0.975
    # of 200 logs by themselves, three standard deviations below 0.95
    assert shares.min() >= 0.90
    assert np.abs(np.mean(values, axis=0) - truth) == pytest.approx(
        0.0, abs=3.5 * float(np.std(values, axis=0).max()) / np.sqrt(200)
    )
    assert np.mean(np.array(bounds) <= truth.min()) >= 0.93


@pytest.mark.parametrize("method", METHODS)
def test_the_bound_is_as_tight_as_that_of_the_worst_opponent_alone(method: str) -> None:
    preferences = np.zeros((1, 3, 3))
    preferences[0, 0] = [0.0, -0.6, 0.3]
    preferences -= preferences.transpose(0, 2, 1)
    world = World(preferences, np.full((1, 3, 3), 1 / 9))
    policies = FinitePolicies([[0], [1], [2]])
    mixture = world.mixture(policies, np.array([1.0, 0.0, 0.0]))
    reports = [
        lowest_win_rate(mixture, policies, world.draw(800, np.random.default_rng(seed)), method=method)
        for seed in range(200)
    ]
    assert {report.worst for report in reports} == {1}
    assert 0.92 <= np.mean([report.lower <= 0.2 for report in reports]) <= 0.98


def small() -> tuple[World, FinitePolicies, DuelLog]:
    world = random_world(2, 3, seed=8, skewed=False)
    policies = FinitePolicies([[0, 1], [2, 0], [1, 1], [0, 0]])
    return world, policies, world.draw(300, np.random.default_rng(0))


def test_a_report_lists_what_each_opponent_alone_would_get() -> None:
    world, policies, log = small()
    mixture = world.mixture(policies, np.full(4, 0.25))
    report = lowest_win_rate(mixture, policies, log, confidence=0.9)
    assert report.rates == tuple(win_rate_against(mixture, policies[number], log, 0.9) for number in range(4))
    assert report == lowest_win_rate(mixture, [policies[number] for number in range(4)], log, confidence=0.9)
    assert report.value == min(rate.value for rate in report.rates) == report.rates[report.worst].value
    # one bound errs on one side only, so it is nearer than the lower end of an interval as sure
    lowest = min(win_rate_against(mixture, policies[number], log, 0.8).lower for number in range(4))
    assert report.lower == lowest
    assert report.warnings == ()


def test_a_report_prints_and_goes_into_json() -> None:
    world, policies, log = small()
    report = lowest_win_rate(world.mixture(policies, np.full(4, 0.25)), policies, log)
    lines = str(report).splitlines()
    assert lines[0].split() == ["policy", "won", "95%", "interval", "differs", "duels"]
    assert lines[1].split()[:2] == [str(report.worst), f"{report.value:.1%}"]
    assert names(lines[5], f"{report.lower:.1%}", "4 policies", "95% confidence")
    back = json.loads(json.dumps(report.to_dict()))
    assert back["lower"] == report.lower
    assert [rate["value"] for rate in back["rates"]] == [rate.value for rate in report.rates]


def test_only_the_worst_of_many_are_printed_and_the_doubtful_named() -> None:
    world, _, log = small()
    shown = log.subset((log.left == 0) | (log.right == 0))
    policies = FinitePolicies([[0, 0]] + [[2, 2]] * 12)
    report = lowest_win_rate(world.mixture(FinitePolicies([[1, 1]]), np.ones(1)), policies, shown)
    assert report.lower == 0.0
    assert [warning.split(":")[0] for warning in report.warnings[:3]] == ["policy 1", "policy 2", "policy 3"]
    assert names(report.warnings[3], "9 more")
    assert names(str(report), "3 more")
    assert str(report).count("Warning: ") == 4


def test_no_opponents_are_refused() -> None:
    world, policies, log = small()
    with refused(ParameterError, "opponents"):
        lowest_win_rate(world.mixture(policies, np.full(4, 0.25)), [], log)
