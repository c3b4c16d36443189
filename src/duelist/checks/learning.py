"""Learning: a learner must find the winner, stop showing bad arms, and play alike however it is run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.checks.stages import stage_for
from duelist.duel import Duel
from duelist.menus import Menu
from duelist.problems import MatrixProblem, UtilityProblem
from duelist.protocols import Learner
from duelist.simulation import LearnerResult, PointResult, simulate

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


def measure(
    learner: Learner[Any], problem: MatrixProblem | UtilityProblem, seed: int, **options: Any
) -> LearnerResult | PointResult:
    """Return the result of a simulation of one learner, a hundred runs unless told otherwise."""
    settings = {"horizon": HORIZON, "runs": 100, "progress": False} | options
    return simulate({"it": learner}, problem, seed=seed, **settings)["it"]


def runs_that_are_right(result: LearnerResult | PointResult) -> int:
    """Return how many runs end with the winner, or with a point that the optimum beats by 0.6 at most."""
    if isinstance(result, LearnerResult):
        return int(np.isin(result.best, result.winners).sum())
    return int((result.gap_at[:, -1] <= 0.1).sum())


def check_finds_the_winner(learner: Learner[Any]) -> None:
    """Demand that on an easy problem at least 95 of 100 runs end with the winner."""
    right = runs_that_are_right(measure(learner, stage_for(learner).easy, seed=0))
    assert right >= 95, f"only {right} of 100 runs found the winner"


def check_late_regret(learner: Learner[Any]) -> None:
    """Demand that a round of the second half costs at most a quarter of one of the first hundredth."""
    marks = [HORIZON // 100, HORIZON // 2]
    regret = measure(learner, stage_for(learner).easy, seed=1, checkpoints=marks).regret.mean(axis=0)
    early, late = regret[0] / marks[0], (regret[2] - regret[1]) / (HORIZON - marks[1])
    assert late <= 0.25 * early, f"a round cost {early:.4f} at first and {late:.4f} at last"


def check_relabelling(learner: Learner[Any]) -> None:
    """Demand that other names for arms or coordinates change nothing, in distribution."""
    stage = stage_for(learner)
    results = [measure(learner, problem, seed) for seed, problem in ((2, stage.easy), (3, stage.renamed))]
    (mean, other), (spread, other_spread) = (
        [statistic(result.regret[:, -1]) for result in results] for statistic in (np.mean, np.var)
    )
    error = np.sqrt((spread + other_spread) / 100)
    assert abs(mean - other) <= 5.0 * error, f"mean regret {mean:.1f} became {other:.1f}, error {error:.1f}"
    right = [runs_that_are_right(result) for result in results]
    assert abs(right[0] - right[1]) <= 5


def check_compiled_equals_interpreted(learner: Learner[Any]) -> None:
    """Demand that the compiled loop and the protocol's ask and tell give the same runs."""
    easy, options = stage_for(learner).easy, {"horizon": 2_000, "runs": 2}
    singly = {"stepwise": True} if isinstance(easy, MatrixProblem) else {}
    compiled = measure(learner, easy, seed=4, **options, **singly)
    interpreted = measure(Interpreted(learner), easy, seed=4, **options)
    for field in compiled.arrays:
        one, other = getattr(compiled, field), getattr(interpreted, field)
        assert np.allclose(one, other, rtol=1e-12, atol=0.0), f"{field} differs"


def yield_learning_checks() -> Iterator[tuple[str, Callable[[Learner[Any]], None]]]:
    """Yield the name and the function of every check of learning."""
    for name, function in list(globals().items()):
        if name.startswith("check_"):
            yield name.removeprefix("check_"), function
