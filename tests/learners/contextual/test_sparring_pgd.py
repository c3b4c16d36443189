import json

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
from duelist.estimators.sparring_pgd import SLACK, Climb, SparringPGD, promised_calls
from duelist.logs import DuelLog
from duelist.parallel import silence
from duelist.policies.finite import FinitePolicies


@pytest.mark.parametrize(("eps", "calls"), [(0.2, 10), (0.1, 20), (0.05, 60)])
def test_agrees_with_the_linear_program(eps: float, calls: int) -> None:
    problem, policies = uneven_problem(4, 4, seed=5), all_policies(4, 4)
    log = problem.log(2000, np.random.default_rng(0))
    game = meta_game(log, policies)
    winner = SparringPGD(policies.oracle(), calls).fit(log)
    worst = float((weights_of(winner, policies) @ game).min())
    assert worst >= exact_value(game) - eps
    assert winner.made["gap"] == pytest.approx(-worst)
    assert (
        winner.made["calls"] <= calls + 2 < promised_calls(CompactGame(log).reach(policies.oracle(), 2), eps)
    )


@pytest.mark.parametrize("eps", [0.2, 0.1, 0.05])
def test_keeps_the_promise_of_theory(eps: float) -> None:
    # one duel of each pair of a cycle, known for certain
    log = DuelLog([[0.0]] * 3, [0, 1, 2], [1, 2, 0], [1, 1, 1], [1.0] * 3, 3)
    policies = all_policies(1, 3)
    calls = promised_calls(CompactGame(log).reach(policies.oracle(), 2), eps)
    winner = SparringPGD(policies.oracle(), calls, projecting=None).fit(log)
    assert error(winner, meta_game(log, policies), policies) <= eps
    assert winner.made["calls"] <= calls + 2


def test_mixture_of_a_cycle_ties_with_every_policy_where_none_alone_does() -> None:
    problem, policies = cyclic_problem(0.8, 0.4), all_policies(2, 3)
    truth = true_game(problem, policies)
    assert truth.min(axis=1).max() == pytest.approx(-0.6)
    log = problem.log(20_000, np.random.default_rng(1))
    winner = SparringPGD(policies.oracle(), 100).fit(log)
    known = winner.made["gap"] + estimation_error(len(log), log.k, len(policies))
    assert known < 0.1
    assert error(winner, truth, policies) <= known


def test_error_falls_with_the_root_of_the_log() -> None:
    learner = SparringPGD(all_policies(2, 3).oracle(), 60)
    assert error_slope(learner, [200, 800, 3200], seeds=24) == pytest.approx(-0.5, abs=0.1)


def test_projection_is_as_good_as_the_analysis_needs() -> None:
    problem, policies = uneven_problem(3, 4, seed=2), all_policies(3, 4)
    game = CompactGame(problem.log(300, np.random.default_rng(3)))
    climb = Climb(SparringPGD(policies.oracle(), 10_000, projecting=None, eta=0.4), game, silence)
    climb.ask(game.blank())
    acts = [policies[place].act(game.contexts) for place in range(len(policies))]
    weights = np.ones(1)
    for _ in range(5):
        rival, gain = climb.respond(weights)
        start, goal = game.blank(), game.blank()
        climb.hull.mix(weights, start)
        game.charge(climb.hull.actions(rival), goal)
        goal = start - 0.4 * goal
        weights = climb.step(weights, rival, gain)
        point = game.blank()
        climb.hull.mix(weights, point)
        np.testing.assert_allclose(point.sum(axis=1), 1.0)
        away = goal - point
        frank_wolfe = max(away[np.arange(300), act].sum() for act in acts) - (away * point).sum()
        assert frank_wolfe / 300 <= 1.01 * SLACK * 0.4 * gain
        assert np.square(goal - point).sum() < np.square(goal - start).sum()


class Watched(Climb):
    def __init__(self, rules: SparringPGD, game: CompactGame) -> None:
        super().__init__(rules, game, silence)
        self.points: list[FloatArray] = []

    def respond(self, weights: FloatArray) -> tuple[int, float]:
        self.points.append(weights)
        return super().respond(weights)


@pytest.mark.parametrize("calls", [3, 8, 30])
def test_answer_is_the_mean_of_points_or_the_best_of_them(calls: int) -> None:
    policies = all_policies(2, 3)
    log = cyclic_problem(0.8, 0.4).log(500, np.random.default_rng(4))
    game = meta_game(log, policies)
    climb = Watched(SparringPGD(policies.oracle(), calls), CompactGame(log))
    weights, gap = climb.run()
    *points, mean = map(climb.grown, climb.points)
    assert len(points) == climb.steps
    np.testing.assert_allclose(mean, np.mean(points, axis=0))
    errors = [error(climb.hull.seen.mixture(point, log, {}), game, policies) for point in (*points, mean)]
    assert gap == pytest.approx(min(errors))
    assert error(climb.hull.seen.mixture(weights, log, {}), game, policies) == pytest.approx(min(errors))


def test_calls_are_counted_and_kept() -> None:
    policies = all_policies(2, 3)
    log = cyclic_problem(0.8, 0.4).log(300, np.random.default_rng(0))
    for calls, projecting in ((2, 1), (7, 0), (20, 1), (21, None)):
        counted = CountedOracle(policies.oracle())
        winner = SparringPGD(counted, calls, projecting).fit(log)
        assert winner.made["calls"] == counted.calls <= calls + 2
    assert json.loads(json.dumps(winner.made)) == winner.made


def test_is_the_same_whatever_the_seed() -> None:
    policies = all_policies(2, 3)
    log = cyclic_problem(0.8, 0.4).log(300, np.random.default_rng(0))
    one, other = (SparringPGD(policies.oracle(), 40).fit(log, seed=seed) for seed in (0, 1))
    np.testing.assert_array_equal(one.weights, other.weights)


@pytest.mark.parametrize(("right", "outcome"), [(0, 1.0), (1, 0.5)])
def test_a_log_that_teaches_nothing(right: int, outcome: float) -> None:
    log = DuelLog(np.zeros((5, 1)), [0] * 5, [right] * 5, [outcome] * 5, [0.25] * 5, 2)
    winner = SparringPGD(FinitePolicies([[0], [1]]).oracle(), 10).fit(log)
    assert winner.made["gap"] == 0.0
    assert winner.made["promised_calls"] is None


class Constant:
    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, contexts: FloatArray) -> IntArray:
        return np.full(len(contexts), self.action)


class OwnOracle:
    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Constant:
        return Constant(int(costs.sum(axis=0).argmin()))


def test_an_own_oracle_and_its_interruption() -> None:
    log = cyclic_problem(0.8).log(600, np.random.default_rng(0))
    winner = SparringPGD(OwnOracle(), 40).fit(log)
    assert sorted(policy.action for policy in winner.policies if isinstance(policy, Constant)) == [0, 1, 2]
    assert winner.made["gap"] < 0.05

    class Interrupted(OwnOracle):
        def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Constant:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SparringPGD(Interrupted(), 40).fit(log)


def test_progress_is_shown_to_whom_asks(capsys: pytest.CaptureFixture[str]) -> None:
    log = cyclic_problem(0.8).log(20, np.random.default_rng(0))
    learner = SparringPGD(all_policies(1, 3).oracle(), 6)
    learner.fit(log, progress=False)
    assert capsys.readouterr().err == ""
    learner.fit(log, progress=True)
    assert "SparringPGD gap" in capsys.readouterr().err


def test_hyperparameters_that_cannot_work() -> None:
    with refused(ParameterError, "calls", 1):
        SparringPGD(OwnOracle(), calls=1)
    with refused(ParameterError, "projecting", -1):
        SparringPGD(OwnOracle(), projecting=-1)
    with refused(ParameterError, "eta", 0.0):
        SparringPGD(OwnOracle(), eta=0.0)
