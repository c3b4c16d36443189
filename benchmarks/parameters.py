"""What sixty answers about three parameters are worth, and how long a question takes."""

import time
from dataclasses import dataclass
from math import cos, pi
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from benchmarks.table import Figure
from duelist import Box, Duel, PreferentialOptimization, UtilityProblem, simulate
from duelist.duel import FloatArray
from duelist.menus import Space
from duelist.protocols import Learner

CUBE = Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
ANSWERS, RUNS = 60, 20


def quadratic() -> UtilityProblem:
    peak = np.array([0.3, 0.7, 0.55])
    return UtilityProblem(CUBE, lambda x: -8.0 * float(np.sum((x - peak) ** 2)), peak)


def branin() -> UtilityProblem:
    """Return Branin's function of two parameters, upside down and scaled; a third one does nothing."""

    def utility(x: FloatArray) -> float:
        a, b = 15.0 * x[0] - 5.0, 15.0 * x[1]
        bowl = b - 5.1 * a * a / (4.0 * pi**2) + 5.0 * a / pi - 6.0
        return -float(bowl**2 + 10.0 * (1.0 - 1.0 / (8.0 * pi)) * cos(a) + 10.0) / 20.0

    return UtilityProblem(CUBE, utility, [(pi + 5.0) / 15.0, 2.275 / 15.0, 0.5])


@dataclass(frozen=True)
class RandomDuels:
    """The same model, asked about points at random."""

    model: PreferentialOptimization

    def init(self, menu: Space, rng: Generator) -> Any:
        return self.model.init(menu, rng)

    def ask(self, state: Any, menu: Space, rng: Generator) -> Duel:
        return Duel(*menu.sample(rng, 2))

    def tell(self, state: Any, duel: Duel, outcome: float) -> Any:
        return self.model.tell(state, duel, outcome)

    def best(self, state: Any, menu: Space) -> FloatArray:
        return self.model.best(state, menu)


def gap_after(learner: Learner[Any], problem: UtilityProblem) -> float:
    runs = simulate({"it": learner}, problem, ANSWERS, RUNS, checkpoints=[ANSWERS], progress=False)["it"]
    return float(np.median(runs.gap_at[:, -1]))


def gap(name: str, problem: UtilityProblem) -> Figure:
    learner = PreferentialOptimization()
    ours, random = gap_after(learner, problem), gap_after(RandomDuels(learner), problem)
    return Figure(
        f"PreferentialOptimization, {name}, 60 answers, 20 runs: median gap of the best",
        f"{ours:.3f}",
        f"{random:.3f}",
        "random duels, the same model",
        random / ours,
    )


def slowest_ask() -> Figure:
    learner, problem, rng = PreferentialOptimization(), quadratic(), default_rng(0)
    state = learner.init(CUBE, rng)
    taken = []
    for _ in range(ANSWERS):
        start = time.perf_counter()
        duel = learner.ask(state, CUBE, rng)
        taken.append(time.perf_counter() - start)
        state = learner.tell(state, duel, problem.play(duel, rng))
    return Figure(
        "PreferentialOptimization, the slowest of 60 questions: seconds",
        f"{max(taken):.2f} s",
        f"{float(np.median(taken)):.2f} s",
        "the median question",
        float(np.median(taken)) / max(taken),
    )


def figures() -> list[Figure]:
    return [gap("quadratic", quadratic()), gap("Branin", branin()), slowest_ask()]
