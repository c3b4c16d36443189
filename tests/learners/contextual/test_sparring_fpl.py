import json
from threading import Lock

import numpy as np
import pytest
from learners.contextual.cycles import (
    all_policies,
    cyclic_problem,
    error,
    error_slope,
    exact_value,
    meta_game,
    true_game,
    uneven_problem,
    weights_of,
)
from refusals import refused

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.estimators.exploration import estimation_error
from duelist.estimators.game import CompactGame, CountedOracle
from duelist.estimators.sparring_fpl import SparringFPL, best_eta, promised_calls, promised_gap
from duelist.logs import DuelLog
from duelist.policies.finite import FinitePolicies


def obvious(vectors: FloatArray, matrix: FloatArray, rounds: int, eta: float) -> FloatArray:
    """The paper's algorithm with full vectors; return how often the row player plays each policy."""
    row, column = (np.random.default_rng(part) for part in np.random.SeedSequence(7).spawn(2))
    counts = np.zeros(len(vectors))
    row_losses, column_losses = np.zeros(vectors.shape[1]), np.zeros(vectors.shape[1])
    for _ in range(rounds):
        x = int((vectors @ (row_losses + row.random(vectors.shape[1]) / eta)).argmin())
        y = int((vectors @ (column_losses + column.random(vectors.shape[1]) / eta)).argmin())
        row_losses -= matrix @ vectors[y]
        column_losses += vectors[x] @ matrix
        counts[x] += 1.0 / rounds
    return counts


def test_plays_like_the_obvious_version() -> None:
    policies = all_policies(2, 3)
    log = cyclic_problem(0.8, 0.4).log(30, np.random.default_rng(0))
    vectors = np.array([np.eye(3)[policies[i].act(log.contexts)].ravel() for i in range(9)]) / np.sqrt(30)
    matrix = np.zeros((90, 90))
    for i in range(30):
        if log.left[i] != log.right[i]:
            matrix[3 * i + log.left[i], 3 * i + log.right[i]] = log.signs[i] / (2 * log.propensities[i])
            matrix[3 * i + log.right[i], 3 * i + log.left[i]] = -log.signs[i] / (2 * log.propensities[i])
    winner = SparringFPL(policies.oracle(), 200, eta=0.3).fit(log, seed=7)
    expected = obvious(vectors, matrix, rounds=100, eta=0.3)
    assert len(np.flatnonzero(expected)) > 3
    np.testing.assert_allclose(weights_of(winner, policies), expected)


@pytest.mark.parametrize(("eps", "calls"), [(0.2, 30), (0.1, 120), (0.05, 480)])
def test_agrees_with_the_linear_program(eps: float, calls: int) -> None:
    problem, policies = uneven_problem(4, 4, seed=5), all_policies(4, 4)
    log = problem.log(1000, np.random.default_rng(0))
    game = meta_game(log, policies)
    winner = SparringFPL(policies.oracle(), calls).fit(log)
    worst = float((weights_of(winner, policies) @ game).min())
    assert worst >= exact_value(game) - eps
    assert winner.made["gap"] == pytest.approx(-worst)
    reach = CompactGame(log).reach(policies.oracle(), 1)
    assert winner.made["calls"] == calls + 2 < promised_calls(len(log), reach, eps)


@pytest.mark.parametrize("eps", [0.2, 0.1])
def test_keeps_the_promise_of_theory(eps: float) -> None:
    # one duel of each pair of a cycle, known for certain
    log = DuelLog([[0.0]] * 3, [0, 1, 2], [1, 2, 0], [1, 1, 1], [1.0] * 3, 3)
    policies = all_policies(1, 3)
    reach = CompactGame(log).reach(policies.oracle(), 1)
    assert reach == pytest.approx(1 / 3)
    calls = promised_calls(3, reach, eps)
    best = best_eta(reach, calls // 2)
    assert promised_gap(3, reach, calls // 2, best) == pytest.approx(eps, rel=0.01)
    winner = SparringFPL(policies.oracle(), calls, eta=best).fit(log)
    assert error(winner, meta_game(log, policies), policies) <= winner.made["promised_gap"] <= eps


def test_the_usual_step_is_ten_times_theorys_and_gets_closer() -> None:
    problem, policies = uneven_problem(4, 4, seed=5), all_policies(4, 4)
    log = problem.log(4000, np.random.default_rng(0))
    reach = CompactGame(log).reach(policies.oracle(), 1)
    best = best_eta(reach, 60)
    usual = [SparringFPL(policies.oracle(), 120).fit(log, seed).made for seed in range(5)]
    careful = [SparringFPL(policies.oracle(), 120, eta=best).fit(log, seed).made for seed in range(5)]
    assert {made["eta"] for made in usual} == {10.0 * best}
    assert usual[0]["promised_gap"] == pytest.approx(promised_gap(4000, reach, 60, 10.0 * best))
    assert sum(made["gap"] for made in usual) < sum(made["gap"] for made in careful)


def test_best_eta_is_the_best() -> None:
    best = best_eta(2.5, 100)
    gaps = [promised_gap(50, 2.5, 100, factor * best) for factor in (0.9, 1.0, 1.1)]
    assert gaps[1] == min(gaps)


def test_mixture_of_a_cycle_ties_with_every_policy_where_none_alone_does() -> None:
    problem, policies = cyclic_problem(0.8, 0.4), all_policies(2, 3)
    truth = true_game(problem, policies)
    assert truth.min(axis=1).max() == pytest.approx(-0.6)
    log = problem.log(10_000, np.random.default_rng(1))
    winner = SparringFPL(policies.oracle(), 400).fit(log)
    known = winner.made["gap"] + estimation_error(len(log), log.k, len(policies))
    assert known < 0.2
    assert error(winner, truth, policies) <= known


def test_error_falls_with_the_root_of_the_log() -> None:
    learner = SparringFPL(all_policies(2, 3).oracle(), 300, eta=1.0, workers=1)
    assert error_slope(learner, [50, 200, 800], seeds=16) == pytest.approx(-0.5, abs=0.1)


def test_equal_seeds_equal_mixtures_in_any_number_of_threads() -> None:
    policies = all_policies(2, 3)
    log = cyclic_problem(0.8, 0.4).log(300, np.random.default_rng(0))
    one, two, other = (
        weights_of(SparringFPL(policies.oracle(), 40, workers=workers).fit(log, seed=seed), policies)
        for workers, seed in ((1, 0), (2, 0), (2, 1))
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


@pytest.mark.parametrize(("right", "outcome"), [(0, 1.0), (1, 0.5)])
def test_a_log_that_teaches_nothing(right: int, outcome: float) -> None:
    log = DuelLog(np.zeros((5, 1)), [0] * 5, [right] * 5, [outcome] * 5, [0.25] * 5, 2)
    winner = SparringFPL(FinitePolicies([[0], [1]]).oracle(), 10).fit(log)
    assert winner.made["gap"] == 0.0
    assert winner.made["promised_calls"] is None
    assert json.loads(json.dumps(winner.made, allow_nan=False)) == winner.made


class Constant:
    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, contexts: FloatArray) -> IntArray:
        return np.full(len(contexts), self.action)


class OwnOracle:
    """An oracle that is not thread-safe."""

    def __init__(self, answer_timeout: int) -> None:
        self.answer_timeout = answer_timeout
        self.asking = Lock()

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Constant:
        assert self.asking.acquire(blocking=False)
        self.answer_timeout -= 1
        if self.answer_timeout < 0:
            raise KeyboardInterrupt
        self.asking.release()
        return Constant(int(costs.sum(axis=0).argmin()))


def test_an_own_oracle_and_its_interruption() -> None:
    log = cyclic_problem(0.8).log(600, np.random.default_rng(0))
    counted = CountedOracle(OwnOracle(answer_timeout=1000))
    winner = SparringFPL(counted, 300, workers=1).fit(log)
    assert sorted(policy.action for policy in winner.policies if isinstance(policy, Constant)) == [0, 1, 2]
    assert winner.made["gap"] < 0.2
    assert winner.made["calls"] == counted.calls == 302
    impatient = CountedOracle(OwnOracle(answer_timeout=20))
    with pytest.raises(KeyboardInterrupt):
        SparringFPL(impatient, 300, workers=1).fit(log)
    assert impatient.calls <= 22


def test_progress_is_shown_to_whom_asks(capsys: pytest.CaptureFixture[str]) -> None:
    log = cyclic_problem(0.8).log(20, np.random.default_rng(0))
    learner = SparringFPL(all_policies(1, 3).oracle(), 6)
    learner.fit(log, progress=False)
    assert capsys.readouterr().err == ""
    learner.fit(log, progress=True)
    assert "SparringFPL gap" in capsys.readouterr().err


def test_hyperparameters_that_cannot_work() -> None:
    oracle = FinitePolicies([[0]]).oracle()
    with refused(ParameterError, "calls", 1):
        SparringFPL(oracle, calls=1)
    with refused(ParameterError, "eta", -1.0):
        SparringFPL(oracle, eta=-1.0)
    with refused(ParameterError, "workers", 0):
        SparringFPL(oracle, workers=0)
