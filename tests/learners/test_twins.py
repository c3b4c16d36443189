"""Every learner against an uncompiled reference: equal outcomes and seeds give equal duels."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from reference_learners.beat_the_mean import ReferenceBeatTheMean
from reference_learners.interleaved_filter import ReferenceInterleavedFilter
from reference_learners.savage import ReferenceSavage
from reference_learners.twins import ArmedLearner, Reference, twin

from duelist import (
    RMED1,
    RMED2,
    RMED2FH,
    RUCB,
    Arms,
    Auto,
    BeatTheMean,
    CondorcetSavage,
    DoubleThompsonSampling,
    Duel,
    InterleavedFilter1,
    InterleavedFilter2,
    MatrixProblem,
    TopTwoBradleyTerry,
    Uniform,
    WidestInterval,
    simulate,
)
from duelist.duel import FloatArray
from duelist.kernels.arms import arm_menu
from duelist.kernels.duels import arm_buffer
from duelist.metrics import target
from duelist.problems import bradley_terry, condorcet_cycle, cycle, random_bradley_terry, worst_case


class ByKernels:
    """A learner called through its kernels, which change the state in place."""

    def __init__(self, learner: ArmedLearner, k: int, rng: np.random.Generator) -> None:
        self.kernels, self.state = learner.kernels, learner.init(Arms(k), rng)
        self.rules = learner.rules_for(self.state)
        self.menu, self.duel = arm_menu(Arms(k)), arm_buffer()

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        self.kernels.ask(self.rules, self.state, self.menu, self.duel, rng)
        return int(self.duel.sides[0]), int(self.duel.sides[1])

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.duel.sides[:] = left, right
        self.kernels.tell(self.rules, self.state, self.duel, outcome)

    def best(self) -> int:
        answer = np.zeros(1, np.int64)
        self.kernels.best(self.rules, self.state, self.menu, answer)
        return int(answer[0])


class ByProtocol:
    """A learner called through its public interface."""

    def __init__(self, learner: ArmedLearner, k: int, rng: np.random.Generator) -> None:
        self.learner, self.menu = learner, Arms(k)
        self.state = learner.init(self.menu, rng)

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        duel = self.learner.ask(self.state, self.menu, rng)
        return duel.left, duel.right

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.state = self.learner.tell(self.state, Duel(left, right), outcome)

    def best(self) -> int:
        return int(self.learner.best(self.state, self.menu))


def toss(
    matrix: FloatArray, left: int, right: int, world_rng: np.random.Generator, ties: float = 0.0
) -> float:
    if left == right or (ties > 0 and world_rng.random() < ties):
        return 0.5
    return 1.0 if world_rng.random() < matrix[left, right] else 0.0


class Played(NamedTuple):
    reference: Reference
    duels: list[tuple[int, int]]


def assert_twins_agree(
    door: type[ByKernels] | type[ByProtocol],
    learner: ArmedLearner,
    matrix: FloatArray,
    rounds: int,
    seed: int,
    ties: float = 0.0,
) -> Played:
    """Play a learner and its reference, comparing every duel."""
    k = len(matrix)
    rng, same = np.random.default_rng(seed), np.random.default_rng(seed)
    world_rng = np.random.default_rng([seed, 1])
    ours, reference = door(learner, k, rng), twin(learner, k, same)
    duels = []
    for t in range(1, rounds + 1):
        duel = reference.ask(same)
        assert ours.ask(rng) == duel, f"round {t}"
        outcome = toss(matrix, *duel, world_rng, ties)
        ours.tell(*duel, outcome)
        reference.tell(*duel, outcome)
        duels.append(duel)
        if t % 100 == 0 or t == rounds:
            assert ours.best() == reference.best(), f"round {t}"
    assert rng.bit_generator.state == same.bit_generator.state
    return Played(reference, duels)


def certain_order(k: int) -> FloatArray:
    return np.tril(np.ones((k, k)), -1) + np.eye(k) / 2


def certain_cycle(k: int) -> FloatArray:
    steps = (np.arange(k) - np.arange(k)[:, np.newaxis]) % k
    return np.where(2 * steps % k == 0, 0.5, np.where(2 * steps < k, 1.0, 0.0))


PREFERENCES: dict[str, Callable[[int], FloatArray]] = {
    "bradley_terry": lambda k: bradley_terry(np.arange(1.0, k + 1.0) ** 3).matrix,
    "worst_case": lambda k: worst_case(k, 0.3).matrix,
    "cycle": lambda k: cycle(max(k, 3), 0.4).matrix[:k, :k],
    "no_difference": lambda k: np.full((k, k), 0.5),
    "certain_order": certain_order,
    "certain_cycle": certain_cycle,
}

# Short horizons and a small factor: exploration must end within the rounds played here.
HASTY: dict[str, ArmedLearner] = {
    "Auto": Auto(),
    "TopTwoBradleyTerry": TopTwoBradleyTerry(),
    "RUCB": RUCB(),
    "RUCB of the proceedings": RUCB(remembers_champion=True),
    "RMED1": RMED1(),
    "RMED2": RMED2(),
    "RMED2FH": RMED2FH(horizon=1000),
    "DoubleThompsonSampling": DoubleThompsonSampling(),
    "InterleavedFilter1": InterleavedFilter1(horizon=2, factor=0.5),
    "InterleavedFilter2": InterleavedFilter2(horizon=2, factor=0.5),
    "BeatTheMean": BeatTheMean(horizon=1),
    "CondorcetSavage": CondorcetSavage(horizon=2, delta=0.5),
    "Uniform": Uniform(),
    "WidestInterval": WidestInterval(),
}
every_learner = pytest.mark.parametrize("name", HASTY)


PLAYED = [
    # two arms have one win probability: even, large or certain
    *((2, 500, problem) for problem in ("bradley_terry", "no_difference", "certain_order")),
    *((3, 500, problem) for problem in ("cycle", "certain_cycle")),
    *((5, 600, problem) for problem in PREFERENCES),
    *((10, 600, problem) for problem in ("bradley_terry", "worst_case", "cycle", "certain_cycle")),
]
WITH_TIES = [(2, "no_difference"), (5, "no_difference"), (5, "worst_case")]


@every_learner
@pytest.mark.parametrize(("k", "rounds", "problem"), PLAYED)
def test_duels_equal_the_papers(name: str, k: int, rounds: int, problem: str) -> None:
    ties = 0.3 if (k, problem) in WITH_TIES else 0.0
    assert_twins_agree(ByKernels, HASTY[name], PREFERENCES[problem](k), rounds, seed=k, ties=ties)


@every_learner
def test_the_public_face_shows_the_same_duels(name: str) -> None:
    matrix = PREFERENCES["bradley_terry"](5)
    assert_twins_agree(ByProtocol, HASTY[name], matrix, 1000, seed=0, ties=0.1)


@pytest.mark.parametrize(
    "learner",
    [
        Auto(horizon=4000),
        TopTwoBradleyTerry(precision=2.0),
        RUCB(alpha=2.0),
        RUCB(alpha=2.0, remembers_champion=True),
        RMED1(scale=0.05, exponent=1.5),
        RMED2(alpha=1.0, scale=0.01),
        RMED2FH(horizon=100, alpha=1.5, scale=0.01),
        DoubleThompsonSampling(alpha=2.0),
        DoubleThompsonSampling(plus=True),
        InterleavedFilter1(horizon=1000, factor=1.0),
        InterleavedFilter2(horizon=1000),
        BeatTheMean(horizon=5, gamma=1.1),
        CondorcetSavage(horizon=1000),
        CondorcetSavage(horizon=1000, delta=0.1),
    ],
    ids=repr,
)
def test_hyperparameters_mean_what_the_papers_say(learner: ArmedLearner) -> None:
    # with one hyperparameter at its default, the duels differ on at least one of these problems
    assert_twins_agree(ByKernels, learner, PREFERENCES["certain_order"](4), 1000, seed=3)
    assert_twins_agree(ByKernels, learner, PREFERENCES["cycle"](4), 1000, seed=6)


@pytest.mark.parametrize("k", [3, 5, 16])
def test_beat_the_mean_removes_one_arm_at_a_time(k: int) -> None:
    # The first arm ties with the last, which is therefore removed first; the next one is far behind.
    matrix = certain_order(k)[::-1, ::-1].copy()
    matrix[0, -1] = matrix[-1, 0] = 0.5
    for seed in range(1, 4):
        assert_twins_agree(ByKernels, BeatTheMean(horizon=1), matrix, 250 * k + 2000, seed)


def test_interleaved_filter_passes_through_every_stage() -> None:
    dethroned = pruned = finished = 0
    for seed in range(5):
        learner = InterleavedFilter2(horizon=10, factor=0.5)
        reference, _ = assert_twins_agree(ByKernels, learner, worst_case(16, 0.25).matrix, 2500, seed)
        assert isinstance(reference, ReferenceInterleavedFilter)
        dethroned += len(reference.incumbents) - 1
        pruned += len(reference.pruned)
        finished += not reference.rivals
    assert dethroned >= 5
    assert pruned >= 10
    assert finished == 5


def test_beat_the_mean_goes_down_to_one_arm() -> None:
    reference, _ = assert_twins_agree(ByKernels, HASTY["BeatTheMean"], certain_order(8), 7000, seed=0)
    assert isinstance(reference, ReferenceBeatTheMean)
    assert reference.active == [7]


def test_savage_goes_down_to_one_arm() -> None:
    matrix = worst_case(8).matrix
    reference, _ = assert_twins_agree(ByKernels, HASTY["CondorcetSavage"], matrix, 7000, seed=0)
    assert isinstance(reference, ReferenceSavage)
    assert len(reference.active) == 1


def test_rucb_comes_to_rest_and_wakes_again() -> None:
    _, duels = assert_twins_agree(ByKernels, RUCB(), certain_order(3), 5000, seed=0)
    alone = [left == right for left, right in duels]
    woken = sum(before and not now for before, now in pairwise(alone))
    assert woken >= 3
    assert alone[-1]


MARKS = [1, 2, 10, 77, 500, 999]
AGAINST = "von_neumann"  # every problem has it, and with it weak regret


def reference_run(
    learner: ArmedLearner, problem: MatrixProblem, horizon: int, seed: int, run: int
) -> tuple[list[float], list[float], list[int], list[int], int]:
    """Play a reference like the engine: two generators per run, and no draws for an arm against itself."""
    gaps = target(problem.matrix, AGAINST).gaps
    children = np.random.SeedSequence(seed, spawn_key=(run,)).spawn(2)
    rng, world_rng = (np.random.default_rng(child) for child in children)
    reference = twin(learner, problem.k, rng)
    strong, weak, best, plays, informative = [0.0], [0.0], [], [0] * problem.k, 0
    for t in range(1, horizon + 1):
        left, right = reference.ask(rng)
        reference.tell(left, right, toss(problem.matrix, left, right, world_rng))
        strong.append(strong[-1] + (gaps[left] + gaps[right]) / 2)
        weak.append(weak[-1] + min(gaps[left], gaps[right]))
        plays[left] += 1
        plays[right] += 1
        informative += left != right
        if t in MARKS or t == horizon:
            best.append(reference.best())
    marks = [*MARKS, horizon]
    return [strong[t] for t in marks], [weak[t] for t in marks], best, plays, informative


@every_learner
@pytest.mark.parametrize("problem", [bradley_terry([1.0, 8.0, 4.0, 2.0]), condorcet_cycle(5, 0.2), cycle(5)])
def test_whole_compiled_runs_equal_the_reference(name: str, problem: MatrixProblem) -> None:
    horizon, seed = 1000, 11
    result = simulate(
        {name: HASTY[name]}, problem, horizon, 2, seed, checkpoints=MARKS, against=AGAINST, stepwise=True
    )
    # the second of two runs, with its own random numbers
    strong, weak, best, plays, informative = reference_run(HASTY[name], problem, horizon, seed, run=1)
    np.testing.assert_allclose(result[name].regret[1], strong, rtol=0, atol=1e-9)
    np.testing.assert_allclose(result[name].weak_regret[1], weak, rtol=0, atol=1e-9)
    assert result[name].best_at[1].tolist() == best
    assert result[name].plays[1].tolist() == plays
    assert result[name].informative[1] == informative


@pytest.mark.parametrize(
    "problem",
    [random_bradley_terry(6, 0.2), worst_case(10, 0.2), condorcet_cycle(6), cycle(4), worst_case(2, 0.4)],
)
@pytest.mark.parametrize(
    "learner",
    [
        RUCB(),
        RUCB(alpha=1.0),
        RUCB(remembers_champion=True),
        RMED1(),
        RMED1(scale=0.01),
        RMED2(),
        RMED2(alpha=1.0, scale=0.01),
        RMED2FH(horizon=10_000),
        BeatTheMean(horizon=100),
        Uniform(),
    ],
    ids=repr,
)
def test_resting_changes_not_one_bit(learner: ArmedLearner, problem: MatrixProblem) -> None:
    marks = [3, 100, 12_345, 100_000]
    jumping, stepping = (
        simulate({"it": learner}, problem, 200_000, runs=2, seed=2, checkpoints=marks, stepwise=stepwise)[
            "it"
        ]
        for stepwise in (False, True)
    )
    assert np.array_equal(jumping.regret, stepping.regret)
    assert np.array_equal(jumping.plays, stepping.plays)
    assert np.array_equal(jumping.best_at, stepping.best_at)
    assert np.array_equal(jumping.informative, stepping.informative)
    np.testing.assert_allclose(jumping.weak_regret, stepping.weak_regret, rtol=1e-9)


@pytest.mark.parametrize(
    "learner", [RUCB(), RMED1(), RMED2(), RMED2FH(horizon=1000), BeatTheMean(horizon=10)], ids=repr
)
def test_there_are_rounds_to_rest_in(learner: ArmedLearner) -> None:
    result = simulate({"it": learner}, worst_case(2, 0.4), 200_000, runs=5, seed=2)["it"]
    assert result.informative.max() < 20_000
