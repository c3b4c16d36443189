import tracemalloc
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng
from refusals import refused

from duelist import RUCB, BeatTheMean, CondorcetSavage, InterleavedFilter2, Uniform, metrics, simulate
from duelist.duel import Duel, IntArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.menus import Arms
from duelist.problems import MatrixProblem, cycle, random_bradley_terry, worst_case
from duelist.protocols import Learner
from duelist.simulation import Runs

ARRAYS = ("regret", "weak_regret", "best_at", "plays", "informative", "checkpoints")


def assert_same(one: Runs, other: Runs) -> None:
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


class FixedState(NamedTuple):
    rounds: IntArray


@dataclass(frozen=True)
class AlwaysTheSame:
    """A learner as a plug-in's author would write it: plain Python, no kernels."""

    left: int
    right: int

    def init(self, menu: Arms, rng: Generator) -> FixedState:
        return FixedState(np.zeros(1, np.int64))

    def ask(self, state: FixedState, menu: Arms, rng: Generator) -> Duel:
        return Duel(self.left, self.right)

    def tell(self, state: FixedState, duel: Duel, outcome: float) -> FixedState:
        return FixedState(state.rounds + 1)

    def best(self, state: FixedState, menu: Arms) -> int:
        return self.left


def test_shapes_and_meaning_of_a_result() -> None:
    result = simulate(
        [RUCB(), InterleavedFilter2(horizon=20_000)], worst_case(5, 0.2), 20_000, runs=7, seed=0
    )
    assert list(result) == ["RUCB", "InterleavedFilter2"]
    for one in result.values():
        marks = len(one.checkpoints)
        assert one.checkpoints[0] == 1
        assert one.checkpoints[-1] == 20_000
        assert one.regret.shape == one.weak_regret.shape == one.best_at.shape == (7, marks)
        assert one.plays.shape == (7, 5)
        assert (one.plays.sum(axis=1) == 2 * 20_000).all()
        assert one.best.tolist() == [0] * 7
        assert one.accuracy == 1.0
        assert (one.informative <= 20_000).all()
        assert (np.diff(one.regret, axis=1) >= 0).all()
        assert (one.weak_regret <= one.regret + 1e-9).all()
        assert one.shares.sum(axis=1) == pytest.approx(np.ones(7))


def test_strong_regret_is_the_sum_of_mean_gaps_and_weak_regret_of_smaller_gaps() -> None:
    problem = worst_case(4, 0.2)
    one = simulate({"it": AlwaysTheSame(0, 2)}, problem, horizon=50, runs=2, checkpoints=[10])["it"]
    assert one.checkpoints.tolist() == [10, 50]
    assert one.regret == pytest.approx(np.array([[1.0, 5.0]] * 2))
    assert one.weak_regret == pytest.approx(np.zeros((2, 2)))
    assert one.generalized_regret(0.5) == pytest.approx(one.regret)
    assert one.generalized_regret(1.0) == pytest.approx(np.array([[2.0, 10.0]] * 2))
    assert one.informative.tolist() == [50, 50]
    with refused(ParameterError, "weight", 0, 1, -0.1):
        one.generalized_regret(-0.1)


def test_the_ledger_agrees_with_the_metrics_round_by_round() -> None:
    problem = random_bradley_terry(6, 0.1, 3)
    gaps = metrics.target(problem.matrix).gaps
    learner, horizon = BeatTheMean(horizon=500), 500
    one = simulate(learner, problem, horizon, runs=1, seed=11, checkpoints=range(1, horizon))["BeatTheMean"]
    rng, world_rng = (default_rng(child) for child in SeedSequence(11, spawn_key=(0,)).spawn(2))
    state = learner.init(Arms(6), rng)
    strong, weak = [], []
    for _ in range(horizon):
        duel = learner.ask(state, Arms(6), rng)
        state = learner.tell(state, duel, problem.play(duel, world_rng))
        strong.append(metrics.strong(gaps[duel.left], gaps[duel.right]))
        weak.append(metrics.weak(gaps[duel.left], gaps[duel.right]))
    assert one.regret[0] == pytest.approx(np.cumsum(strong))
    assert one.weak_regret[0] == pytest.approx(np.cumsum(weak))


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    learners: list[Learner[Any]] = [RUCB(), CondorcetSavage(horizon=30_000)]
    results = [
        simulate(learners, random_bradley_terry(6), 30_000, runs=9, seed=5, workers=workers)
        for workers in (1, 2, 5)
    ]
    for name in results[0]:
        assert_same(results[0][name], results[1][name])
        assert_same(results[0][name], results[2][name])


def test_company_changes_nothing_and_more_runs_keep_the_first() -> None:
    alone = simulate(RUCB(), worst_case(4), 2_000, runs=3, seed=1)["RUCB"]
    among = simulate([Uniform(), RUCB()], worst_case(4), 2_000, runs=5, seed=1)["RUCB"]
    assert np.array_equal(alone.regret, among.regret[:3])


def test_another_seed_is_another_luck() -> None:
    first, second = (simulate(RUCB(), worst_case(4), 2_000, runs=3, seed=seed)["RUCB"] for seed in (1, 2))
    assert not np.array_equal(first.plays, second.plays)


def test_learners_of_one_class_are_told_apart_by_their_hyperparameters() -> None:
    result = simulate([RUCB(), RUCB(alpha=1.0), Uniform()], worst_case(3), 100, runs=1)
    assert list(result) == ["RUCB(alpha=0.51)", "RUCB(alpha=1.0)", "Uniform"]
    with refused(UnknownNameError, "learner", "'RUCB'", "RUCB(alpha=0.51)"):
        result["RUCB"]


def test_without_a_condorcet_winner_regret_is_against_a_concept_of_choice() -> None:
    matrix = np.array(
        [[0.5, 0.9, 0.1, 0.8], [0.1, 0.5, 0.9, 0.8], [0.9, 0.1, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]]
    )
    problem = MatrixProblem(matrix)
    mixed = simulate(Uniform(), problem, 1_000, runs=2, against="von_neumann")
    assert (mixed.concept, mixed.winners, mixed.lower_bound) == ("von_neumann", (0, 1, 2), None)
    shares = mixed["Uniform"].shares
    assert mixed["Uniform"].regret[:, -1] == pytest.approx(1_000 * 0.3 * shares[:, 3])
    copeland = simulate(Uniform(), problem, 1_000, runs=2, against="copeland")
    assert copeland["Uniform"].regret[:, -1] == pytest.approx(1_000 * (2 / 3) * shares[:, 3])
    with refused(ParameterError, "condorcet"):
        simulate(Uniform(), cycle(3), 100, against="condorcet")


def test_who_plays_rock_for_ever_regrets_not_having_played_paper() -> None:
    problem = MatrixProblem([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    settled = CondorcetSavage(horizon=10**5)
    result = simulate([settled, Uniform()], problem, 10**5, runs=2, checkpoints=[500, 5_000])
    assert (result.concept, result.winners, result.lower_bound) == ("hindsight", (), None)
    assert repr(result).endswith("regret against the best arm in hindsight)")
    for one in result.values():
        hindsight = one.plays @ (problem.matrix.T - 0.5) / 2  # what each arm would have gained
        assert one.regret[:, -1] == pytest.approx(hindsight.max(axis=1))
        assert np.isnan(one.weak_regret).all()
        assert np.isnan(one.accuracy)
    assert result["CondorcetSavage"].regret[:, -1].min() > 30_000
    assert result["Uniform"].regret[:, -1].max() < 1_000
    assert result.against == "the best arm in hindsight"


def test_regret_in_hindsight_is_the_same_through_ask_and_tell() -> None:
    one = simulate(AlwaysTheSame(0, 1), cycle(4, 0.2), 100, runs=1, checkpoints=[10])["AlwaysTheSame"]
    # arm 3 beats arm 0 by 0.2 and ties with arm 1, which arm 0 beats
    assert one.regret[0].tolist() == pytest.approx([1.0, 10.0])


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"horizon": 0}, ("horizon", 1, 0)),
        ({"horizon": 1e6}, ("horizon", 1, 1e6)),
        ({"runs": -1}, ("runs", 1, -1)),
        ({"workers": 0}, ("workers", 1, 0)),
        ({"learners": []}, ("learners", [])),
        ({"learners": [RUCB(), RUCB()]}, ("learners", "RUCB(alpha=0.51)")),
        ({"learners": [3]}, ("learners", "init", "ask", "tell", "best", 3)),
        ({"checkpoints": [0, 5]}, ("checkpoints", 1, 100, 0)),
        ({"checkpoints": [500]}, ("checkpoints", 1, 100, 500)),
        ({"problem": "worst_case"}, ("problem", "MatrixProblem", "str")),
    ],
)
def test_bad_settings_are_refused(change: dict[str, Any], facts: tuple[object, ...]) -> None:
    settings: dict[str, Any] = {"learners": RUCB(), "problem": worst_case(3), "horizon": 100, "runs": 1}
    with refused(ParameterError, *facts):
        simulate(**(settings | change))


def test_memory_does_not_grow_with_the_horizon() -> None:
    def peak(horizon: int) -> int:
        tracemalloc.start()
        simulate(RUCB(), random_bradley_terry(8), horizon, runs=2, checkpoints=[10, 100])
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(1_000)
    assert peak(10_000_000) < 1.5 * peak(1_000)
