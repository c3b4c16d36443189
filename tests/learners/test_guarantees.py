"""The guarantees of the papers: the winner is found, and regret grows like log T; and known pitfalls."""

from collections.abc import Callable
from functools import cache
from math import ceil, log

import numpy as np
import pytest
from real_data import needs_data, real_matrix
from reference_learners.twins import ArmedLearner

from duelist import (
    RMED1,
    RMED2,
    RMED2FH,
    RUCB,
    Arms,
    BeatTheMean,
    CondorcetSavage,
    DoubleThompsonSampling,
    Duel,
    InterleavedFilter1,
    InterleavedFilter2,
    MatrixProblem,
    Runs,
    Uniform,
    simulate,
)
from duelist.bounds import asymptotic_lower_bound
from duelist.duel import FloatArray
from duelist.problems import bradley_terry, condorcet_cycle, random_bradley_terry, worst_case

Record = Callable[[str, object], None]

LEARNERS: dict[str, Callable[[int], ArmedLearner]] = {
    "RUCB": lambda horizon: RUCB(),
    "DoubleThompsonSampling": lambda horizon: DoubleThompsonSampling(),
    "RMED1": lambda horizon: RMED1(),
    "RMED2": lambda horizon: RMED2(),
    "RMED2FH": RMED2FH,
    "InterleavedFilter1": InterleavedFilter1,
    "InterleavedFilter2": InterleavedFilter2,
    "BeatTheMean": BeatTheMean,
    "CondorcetSavage": CondorcetSavage,
}


def play(
    learner: ArmedLearner, problem: MatrixProblem, horizon: int, runs: int, seed: int, *marks: int
) -> Runs:
    return simulate({"it": learner}, problem, horizon, runs, seed, checkpoints=marks)["it"]


def final_regret(learner: ArmedLearner, problem: MatrixProblem, horizon: int, runs: int, seed: int) -> float:
    return float(play(learner, problem, horizon, runs, seed).regret[:, -1].mean())


def test_rucb_has_a_third_of_the_regret_of_random_play(record_property: Record) -> None:
    ratios = []
    for seed in range(10):
        problem = random_bradley_terry(10, epsilon=0.1, rng=seed)
        ours = final_regret(RUCB(), problem, 5000, runs=20, seed=seed)
        ratios.append(ours / final_regret(Uniform(), problem, 5000, runs=20, seed=seed))
    record_property("ratios", ratios)
    assert 0.2 < np.mean(ratios) < 0.35
    assert max(ratios) < 0.6


@pytest.mark.parametrize(
    ("learner", "horizon"),
    [
        (RUCB(), 10_000),
        (DoubleThompsonSampling(), 10_000),
        (DoubleThompsonSampling(plus=True), 10_000),
        (RMED1(), 10_000),
        (RMED2(), 10_000),
        (RMED2FH(10_000), 10_000),
        (InterleavedFilter1(100_000), 100_000),
        (InterleavedFilter2(100_000), 100_000),
        (BeatTheMean(100_000), 100_000),
        (CondorcetSavage(30_000), 30_000),
        (Uniform(), 30_000),
    ],
    ids=repr,
)
def test_the_winner_is_found(learner: ArmedLearner, horizon: int) -> None:
    problem = random_bradley_terry(8, epsilon=0.15, rng=1).subset([1, 2, 3, 4, 5, 0, 6, 7])
    assert (play(learner, problem, horizon, runs=100, seed=5).best == 5).sum() >= 95


@pytest.mark.parametrize("name", LEARNERS)
def test_regret_grows_like_the_logarithm(name: str, record_property: Record) -> None:
    problem = random_bradley_terry(5, epsilon=0.2, rng=2)
    short, long = 100_000, 1_000_000
    before = final_regret(LEARNERS[name](short), problem, short, runs=100, seed=3)
    after = final_regret(LEARNERS[name](long), problem, long, runs=100, seed=4)
    record_property("ratio", after / before)
    assert 1.05 < after / before < 1.1 * log(long) / log(short)


def test_random_play_grows_in_proportion() -> None:
    problem = random_bradley_terry(5, epsilon=0.2, rng=2)
    regret = play(Uniform(), problem, 100_000, 10, 0, 10_000).regret.mean(axis=0)
    assert regret[1] / regret[0] == pytest.approx(10, rel=0.02)


SIXTEEN = random_bradley_terry(16, epsilon=0.15, rng=5)


@cache
def of_random_play(horizon: int) -> float:
    return final_regret(Uniform(), SIXTEEN, horizon, runs=4, seed=3)


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("RUCB", 0.005),
        ("DoubleThompsonSampling", 0.001),
        ("RMED1", 0.002),
        ("RMED2", 0.003),
        ("RMED2FH", 0.004),
        ("InterleavedFilter1", 0.03),
        ("InterleavedFilter2", 0.03),
        ("BeatTheMean", 0.25),
        ("CondorcetSavage", 0.03),
    ],
)
def test_regret_is_far_below_random_play(name: str, share: float, record_property: Record) -> None:
    horizon = 1_000_000
    ratio = final_regret(LEARNERS[name](horizon), SIXTEEN, horizon, runs=20, seed=3) / of_random_play(horizon)
    record_property("ratio", ratio)
    assert ratio < share


def test_rucb_does_not_beat_the_lower_bound(record_property: Record) -> None:
    problem = random_bradley_terry(5, epsilon=0.2, rng=2)
    regret = play(RUCB(), problem, 10**8, 400, 1, 10**6).regret.mean(axis=0)
    slope = float(regret[1] - regret[0]) / log(100)
    ratio = slope / asymptotic_lower_bound(problem.matrix)
    record_property("slope over bound", ratio)
    assert 0.9 < ratio < 5


@pytest.mark.parametrize("problem", [random_bradley_terry(10, 0.1, rng=0), condorcet_cycle()], ids=repr)
@pytest.mark.parametrize("name", ["RMED1", "RMED2", "RMED2FH"])
def test_rmed_has_less_regret_than_rucb(name: str, problem: MatrixProblem, record_property: Record) -> None:
    horizon = 10**6
    ratio = final_regret(LEARNERS[name](horizon), problem, horizon, runs=50, seed=1) / final_regret(
        RUCB(), problem, horizon, runs=50, seed=1
    )
    record_property("ratio", ratio)
    assert ratio < 0.85


@pytest.mark.parametrize(
    ("learner", "problem", "lowest", "highest"),
    [
        (RMED1(), random_bradley_terry(10, 0.1, rng=0), 0.9, 1.2),
        (RMED2(), random_bradley_terry(10, 0.1, rng=0), 0.9, 1.3),
        # the winner is the most expensive opponent here, ten times as expensive as the cheapest
        (RMED1(), condorcet_cycle(), 7.0, 12.0),
        (RMED2(), condorcet_cycle(), 0.9, 1.3),
        # after this many draws the cheapest opponents are known; the slope excludes these initial draws
        (RMED2FH(10**8, alpha=10.0), condorcet_cycle(), 0.7, 1.1),
    ],
    ids=repr,
)
def test_rmed_grows_as_the_lower_bound(
    learner: ArmedLearner, problem: MatrixProblem, lowest: float, highest: float, record_property: Record
) -> None:
    regret = play(learner, problem, 10**8, 100, 1, 10**6).regret.mean(axis=0)
    ratio = float(regret[1] - regret[0]) / log(100) / asymptotic_lower_bound(problem.matrix)
    record_property("slope over bound", ratio)
    assert lowest < ratio < highest


def answered(learner: ArmedLearner, matrix: FloatArray, rounds: int, seed: int, *, inverted: bool) -> int:
    """Return the arm believed to be best after duels whose outcomes may be reversed."""
    rng, world_rng = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    menu = Arms(len(matrix))
    state = learner.init(menu, rng)
    for _ in range(rounds):
        duel = learner.ask(state, menu, rng)
        won = bool(world_rng.random() < matrix[duel.left, duel.right])
        state = learner.tell(state, Duel(duel.left, duel.right), float(won != inverted))
    return int(learner.best(state, menu))


@pytest.mark.parametrize(
    ("learner", "rounds"),
    [
        (RUCB(), 1000),
        (DoubleThompsonSampling(), 1000),
        (RMED1(), 1000),
        (RMED2(), 1000),
        (RMED2FH(1000), 1000),
        (InterleavedFilter1(100, factor=1.0), 1000),
        (InterleavedFilter2(100, factor=1.0), 1000),
        (BeatTheMean(1), 3000),
        (CondorcetSavage(100), 1000),
        (Uniform(), 1000),
    ],
    ids=repr,
)
def test_the_outcome_decides_not_the_side(learner: ArmedLearner, rounds: int) -> None:
    matrix = bradley_terry([4.0, 64.0, 1.0, 16.0]).matrix
    assert answered(learner, matrix, rounds, seed=0, inverted=False) == 1
    assert answered(learner, matrix, rounds, seed=0, inverted=True) == 2


@pytest.mark.parametrize("delta", [None, 0.2])
def test_savage_removes_no_arm_that_is_as_good(delta: float | None) -> None:
    horizon, k, runs = 20_000, 8, 100
    alike = MatrixProblem(np.full((k, k), 0.5))
    result = play(CondorcetSavage(horizon, delta), alike, horizon, runs, 0)
    even = (result.plays.max(axis=1) - result.plays.min(axis=1) < k) & (result.informative == horizon)
    assert (~even).sum() <= (0 if delta is None else delta * runs)


@pytest.mark.parametrize(("horizon", "delta"), [(1000, None), (1000, 0.05), (10**6, 0.5)])
def test_savage_stops_when_its_radius_says_so(horizon: int, delta: float | None) -> None:
    certain = MatrixProblem([[0.5, 0.0], [1.0, 0.5]])
    result = play(CondorcetSavage(horizon, delta), certain, 1000, 5, 0)
    # one arm has won all n duels: 1 - sqrt(log(2 N T / delta) / (2 n)) > 1/2, with N = 1 pair
    needed = ceil(2 * log(2 * horizon / (1 / horizon if delta is None else delta)))
    assert result.informative.tolist() == [needed] * 5
    assert result.best.tolist() == [1] * 5


@pytest.mark.parametrize("kind", [InterleavedFilter1, InterleavedFilter2])
@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_interleaved_filter_stops_when_its_radius_says_so(
    kind: type[InterleavedFilter1] | type[InterleavedFilter2], factor: float
) -> None:
    certain = MatrixProblem([[0.5, 0.0], [1.0, 0.5]])
    result = play(kind(1000, factor), certain, 1000, 5, 0)
    # one arm has won all n duels: 1 - sqrt(factor log(T K^2) / n) >= 1/2
    assert result.informative.tolist() == [ceil(4 * factor * log(1000 * 4))] * 5
    assert result.best.tolist() == [1] * 5


@pytest.mark.parametrize("k", [8, 16])
def test_the_incumbents_are_a_random_walk(k: int, record_property: Record) -> None:
    runs, horizon = 200, 60_000
    learner, problem = InterleavedFilter1(10_000, factor=1.0), worst_case(k, 0.2)
    # no incumbent falls within 20 rounds: even one that loses every duel stands 4 log(T K^2) of them
    incumbents = play(learner, problem, horizon, runs, 5, *range(1, horizon, 20)).best_at
    steps = np.diff(incumbents, axis=1)
    assert (steps <= 0).all()
    assert (incumbents[:, -1] == 0).all()
    visited = 1 + (steps != 0).sum(axis=1)
    record_property("mean number of incumbents", float(visited.mean()))
    harmonic = sum(1 / i for i in range(1, k + 1))
    deviation = np.sqrt(sum(1 / i - 1 / i**2 for i in range(1, k + 1)) / runs)
    # Arm i (from 1) is visited with probability 1/i, the first incumbent being drawn at random (Lemma 5).
    assert abs(visited.mean() - harmonic) < 3.5 * deviation
    assert visited.mean() < 1 + harmonic - 1 / k


def test_pruning_halves_the_regret(record_property: Record) -> None:
    problem, runs = worst_case(100, 0.1), 30
    filters = [
        play(kind(10**7), problem, 10**9, runs, 1) for kind in (InterleavedFilter1, InterleavedFilter2)
    ]
    ratio = float(filters[0].regret[:, -1].mean() / filters[1].regret[:, -1].mean())
    record_property("ratio", ratio)
    assert 1.7 < ratio < 2.6
    for one in filters:
        assert one.accuracy == 1.0
        assert one.informative.max() < 10**9


@needs_data
def test_rucb_on_the_rankers_of_its_paper(record_property: Record) -> None:
    problem = MatrixProblem(real_matrix("np2004_64"))
    million, most = 1_000_000, 4_500_000
    long = play(RUCB(), problem, most, 5, 0, million)
    short = play(RUCB(), problem, million, 15, 1)
    right = int((long.best_at[:, 0] == 13).sum() + (short.best == 13).sum())
    at_million = float(np.concatenate([long.regret[:, 0], short.regret[:, 0]]).mean())
    at_most = float(long.regret[:, 1].mean())
    record_property("right of 20", right)
    record_property("regret", (at_million, at_most))
    assert right >= 19
    assert (long.best == 13).all()
    assert at_million == pytest.approx(43_200, rel=0.1)
    assert at_most == pytest.approx(45_600, rel=0.1)
