"""Learning: a learner must find the winner, stop showing bad arms, and play alike however it is run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.menus import Menu
from duelist.problems import MatrixProblem, worst_case
from duelist.protocols import Learner
from duelist.simulation import LearnerResult, simulate
from duelist.types import Duel

EASY = worst_case(4, 0.3)
HORIZON = 50_000
"""Enough for every learner of the catalogue, told this horizon, to finish exploring the easy problem."""


@dataclass(frozen=True)
class Interpreted:
    """A learner without its kernels, so that the engine must go through ask and tell."""

    learner: Learner[Any]

    def init(self, menu: Menu, rng: Generator) -> Any:
        """Pass on."""
        return self.learner.init(menu, rng)

    def ask(self, state: Any, menu: Menu, rng: Generator) -> Duel:
        """Pass on."""
        return self.learner.ask(state, menu, rng)

    def tell(self, state: Any, duel: Duel, outcome: float) -> Any:
        """Pass on."""
        return self.learner.tell(state, duel, outcome)

    def best(self, state: Any, menu: Menu) -> Any:
        """Pass on."""
        return self.learner.best(state, menu)


def measure(learner: Learner[Any], problem: MatrixProblem, seed: int, **options: Any) -> LearnerResult:
    """Return the result of a simulation of one learner, a hundred runs unless told otherwise."""
    settings = {"horizon": HORIZON, "runs": 100, "progress": False} | options
    return simulate({"it": learner}, problem, seed=seed, **settings)["it"]


def check_finds_the_winner(learner: Learner[Any]) -> None:
    """Demand that on an easy problem at least 95 of 100 runs end with the winner."""
    right = round(100 * measure(learner, EASY, seed=0).accuracy)
    assert right >= 95, f"only {right} of 100 runs found the winner"


def check_late_regret(learner: Learner[Any]) -> None:
    """Demand that the second half of a run costs at most a tenth of the first half."""
    regret = measure(learner, EASY, seed=1, checkpoints=[HORIZON // 2]).regret.mean(axis=0)
    early, late = regret[0], regret[1] - regret[0]
    assert late <= 0.1 * early, f"regret was {early:.1f} in the first half and {late:.1f} in the second"


def check_relabelling(learner: Learner[Any]) -> None:
    """Demand that other names for the arms change nothing, in distribution."""
    order = np.array([2, 0, 3, 1])
    renamed = MatrixProblem(EASY.matrix[np.ix_(order, order)])
    results = [measure(learner, problem, seed) for seed, problem in ((2, EASY), (3, renamed))]
    (mean, other), (spread, other_spread) = (
        [statistic(result.regret[:, -1]) for result in results] for statistic in (np.mean, np.var)
    )
    error = np.sqrt((spread + other_spread) / 100)
    assert abs(mean - other) <= 5.0 * error, f"mean regret {mean:.1f} became {other:.1f}, error {error:.1f}"
    assert abs(results[0].accuracy - results[1].accuracy) <= 0.05


def check_compiled_equals_interpreted(learner: Learner[Any]) -> None:
    """Demand that the compiled loop and the protocol's ask and tell give the same runs."""
    options = {"horizon": 2_000, "runs": 2}
    compiled = measure(learner, EASY, seed=4, stepwise=True, **options)
    interpreted = measure(Interpreted(learner), EASY, seed=4, **options)
    for field in ("plays", "regret", "weak_regret", "best_at", "informative"):
        assert np.array_equal(getattr(compiled, field), getattr(interpreted, field)), f"{field} differs"


def yield_learning_checks() -> Iterator[tuple[str, Callable[[Learner[Any]], None]]]:
    """Yield the name and the function of every check of learning."""
    for name, function in list(globals().items()):
        if name.startswith("check_"):
            yield name.removeprefix("check_"), function
