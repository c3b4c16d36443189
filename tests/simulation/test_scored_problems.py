"""Problems that are played live and only know the quality of their arms: accounting and errors."""

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng
from refusals import refused

from duelist import RUCB, Duel, Uniform, clicks, simulate
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.menus import Arms
from duelist.problems import RankerDuel
from duelist.protocols import KnownProblem, ScoredProblem
from duelist.ranking import synthetic_ranking_data

LIVE = RankerDuel(synthetic_ranking_data(queries=30, documents=8, features=4, seed=5), range(4))


class Coins:
    """A live problem as the author of a plug-in would write it: arm 2 is best, arms 0 and 1 tie at times."""

    labels = ("a", "b", "c")
    gaps: FloatArray = np.array([0.3, 0.1, 0.0])

    def menu(self, rng: Generator | None = None) -> Arms:
        return Arms(3)

    def play(self, duel: Duel, rng: Generator) -> float:
        better = float(self.gaps[duel.right] - self.gaps[duel.left])
        return 0.5 if rng.random() < 0.2 else 1.0 if rng.random() < 0.5 + better else 0.0


def test_a_live_problem_is_known_by_its_gaps_alone() -> None:
    for problem in (LIVE, Coins()):
        assert isinstance(problem, ScoredProblem)
        assert not isinstance(problem, KnownProblem)


@pytest.mark.parametrize("problem", [LIVE, Coins()], ids=["rankers", "coins"])
def test_a_run_is_what_asking_and_telling_makes_of_the_same_luck(problem: ScoredProblem) -> None:
    learner, horizon, seed = RUCB(), 300, 4
    gaps = problem.gaps.tolist()
    result = simulate({"it": learner}, problem, horizon, runs=2, seed=seed, checkpoints=[1, 40])
    one = result["it"]
    assert (result.concept, result.winners, result.lower_bound) == ("score", (int(np.argmin(gaps)),), None)
    assert result.labels == tuple(problem.labels)
    for run in range(2):
        rng, world_rng = (default_rng(child) for child in SeedSequence(seed, spawn_key=(run,)).spawn(2))
        menu = problem.menu(world_rng)
        state = learner.init(menu, rng)
        strong, weak = [0.0], [0.0]
        plays, best = np.zeros(len(gaps), int), [0]
        for _ in range(horizon):
            duel = learner.ask(state, menu, rng)
            state = learner.tell(state, duel, problem.play(duel, world_rng))
            strong.append(strong[-1] + 0.5 * (gaps[duel.left] + gaps[duel.right]))
            weak.append(weak[-1] + min(gaps[duel.left], gaps[duel.right]))
            plays[[duel.left, duel.right]] += 1 if duel.left != duel.right else 2
            best.append(learner.best(state, menu))
        marks = [1, 40, horizon]
        np.testing.assert_allclose(one.regret[run], np.array(strong)[marks], atol=1e-9)
        np.testing.assert_allclose(one.weak_regret[run], np.array(weak)[marks], atol=1e-9)
        assert one.best_at[run].tolist() == np.array(best)[marks].tolist()
        assert one.plays[run].tolist() == plays.tolist()


def test_a_learner_finds_the_best_arm_of_a_live_problem() -> None:
    result = simulate([RUCB(), Uniform()], Coins(), 2_000, runs=2)
    assert result["RUCB"].best.tolist() == [2] * 2
    assert result["RUCB"].accuracy == 1.0
    assert result["RUCB"].regret[:, -1].max() < result["Uniform"].regret[:, -1].min()


def test_workers_change_nothing() -> None:
    one, other = (simulate(RUCB(), LIVE, 100, runs=3, workers=workers)["RUCB"] for workers in (1, 3))
    assert one.regret.tobytes() == other.regret.tobytes()


def test_a_live_problem_has_no_other_winners() -> None:
    with refused(ParameterError, "against", "RankerDuel"):
        simulate(RUCB(), LIVE, 10, against="borda")


def test_clicks_decide_what_a_live_duel_says() -> None:
    blind = RankerDuel(LIVE.data, range(4), clicks=clicks.random_clicks(0.0, 3))
    played = simulate(Uniform(), blind, 200, runs=1)["Uniform"].informative[0]
    assert played > 0
    assert {blind.play(Duel(0, 1), default_rng(seed)) for seed in range(20)} == {0.5}
