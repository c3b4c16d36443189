"""How fast learners are simulated, on one core unless said otherwise."""

from typing import Any

from numpy.random import default_rng

from benchmarks.baselines import plain_interleaved_filter, plain_rucb
from benchmarks.table import Figure, rate, seconds
from duelist import (
    RUCB,
    DuelingBanditGradientDescent,
    InterleavedFilter1,
    InterleavedFilter2,
    Uniform,
    UtilityProblem,
    simulate,
)
from duelist.checks.environments import interpreted
from duelist.problems import MatrixProblem, p1, random_bradley_terry, worst_case
from duelist.protocols import Learner
from duelist.registry import build_learner, learners_for
from duelist.simulation import Runs


def timed(
    learner: Learner[Any], problem: MatrixProblem, horizon: int, runs: int, workers: int = 1
) -> tuple[Runs, float]:
    def play(rounds: int, times: int) -> Runs:
        return simulate({"it": learner}, problem, rounds, times, workers=workers, progress=False)["it"]

    play(10, 1)
    kept: list[Runs] = []
    elapsed = seconds(lambda: kept.append(play(horizon, runs)))
    return kept[0], elapsed


def rucb(k: int, runs: int) -> Figure:
    problem, horizon = random_bradley_terry(k), 4_500_000
    result, elapsed = timed(RUCB(), problem, horizon, runs)
    rng, plain_rounds = default_rng(0), 4_000_000 // k**2
    plain_rucb(problem.matrix, 0.51, 10, rng)
    plain: list[int] = []
    plain_elapsed = seconds(lambda: plain.append(plain_rucb(problem.matrix, 0.51, plain_rounds, rng)))
    informative = int(result.informative.sum())
    return Figure(
        f"RUCB, random Bradley-Terry, K={k}, {runs} runs to 4.5 million: informative duels",
        rate(informative, elapsed),
        rate(plain[0], plain_elapsed),
        "Algorithm 1 as written, compiled",
        informative / elapsed / (plain[0] / plain_elapsed),
    )


def rucb_on_two_cores() -> Figure:
    problem = random_bradley_terry(64)
    _, one = timed(RUCB(), problem, 4_500_000, 100, workers=1)
    _, two = timed(RUCB(), problem, 4_500_000, 100, workers=2)
    return Figure(
        "RUCB, K=64, 100 runs to 4.5 million, two cores: seconds",
        f"{two:.2f} s",
        f"{one:.2f} s",
        "the same on one core",
        one / two,
    )


def interleaved_filter(kind: type[InterleavedFilter1] | type[InterleavedFilter2], runs: int) -> Figure:
    horizon, problem = 10**7, worst_case(500, 0.1)
    result, elapsed = timed(kind(horizon=horizon), problem, horizon, runs)
    rng = default_rng(0)
    plain_interleaved_filter(problem.matrix, horizon, 1000, kind.prunes, rng)
    plain: list[int] = []
    plain_elapsed = seconds(
        lambda: plain.append(plain_interleaved_filter(problem.matrix, horizon, horizon, kind.prunes, rng))
    )
    made = int(result.informative.sum())
    return Figure(
        f"{kind.__name__}, worst case, K=500, T=10^7, {runs} runs: comparisons",
        rate(made, elapsed),
        rate(plain[0], plain_elapsed),
        "one comparison after another, compiled",
        made / elapsed / (plain[0] / plain_elapsed),
    )


def against_python(learner: Learner[Any], k: int, horizon: int, runs: int) -> Figure:
    problem = random_bradley_terry(k)
    _, elapsed = timed(learner, problem, horizon, runs)
    slow_rounds = 20_000
    _, slow_elapsed = timed(interpreted(learner), problem, slow_rounds, 1)
    rounds = horizon * runs
    return Figure(
        f"{type(learner).__name__}, random Bradley-Terry, K={k}, T=10^6, {runs} runs: rounds",
        rate(rounds, elapsed),
        rate(slow_rounds, slow_elapsed),
        "the same kernels, called from Python",
        rounds / elapsed / (slow_rounds / slow_elapsed),
    )


def gradient_descent() -> Figure:
    rounds, problem = 10**6, p1()
    learner = DuelingBanditGradientDescent.for_horizon(rounds, problem.menu(), start=problem.start)

    def play(given: UtilityProblem, horizon: int, runs: int) -> float:
        return seconds(lambda: simulate(learner, given, horizon, runs, workers=1, progress=False))

    plain = UtilityProblem(problem.menu(), lambda point: -float(point @ point), problem.optimum)
    play(problem, 10, 1)
    elapsed, slow_rounds = play(problem, rounds, 3), 10_000
    slow_elapsed = play(plain, slow_rounds, 1)
    return Figure(
        "DuelingBanditGradientDescent, P1, d=50, T=10^6, 3 runs: rounds",
        rate(3 * rounds, elapsed),
        rate(slow_rounds, slow_elapsed),
        "a utility and a loop in Python",
        3 * rounds / elapsed / (slow_rounds / slow_elapsed),
    )


def others() -> list[Learner[Any]]:
    """Every learner over arms without a baseline of its own, told the horizon if it needs one."""
    measured = (RUCB, InterleavedFilter1, InterleavedFilter2, Uniform)
    return [
        build_learner(name, **({"horizon": 10**6} if kind.card.needs_horizon else {}))
        for name, kind in learners_for("arms").items()
        if kind not in measured
    ]


def figures() -> list[Figure]:
    return [
        rucb(16, 100),
        rucb(64, 100),
        rucb_on_two_cores(),
        interleaved_filter(InterleavedFilter1, 20),
        interleaved_filter(InterleavedFilter2, 20),
        *(against_python(learner, 64, 10**6, 20) for learner in others()),
        gradient_descent(),
    ]
