"""Trials: runs of a learner on an easy problem, and what checks of learning look at in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from duelist.duel import BoolArray, FloatArray


class Effort(NamedTuple):
    """How much checks of learning play."""

    runs: int
    rounds: int
    least: float
    """The share of runs that must end with the winner."""
    progress: bool | None = False
    """Whether to show a bar; None shows it to people only, not to files."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be played, and how."""

    name: str
    """Of the check, for the progress bar."""
    effort: Effort
    seed: int
    checkpoints: Sequence[int] | None = None
    renamed: bool = False
    """Whether arms, coordinates or features have their other names."""
    interpreted: bool = False
    """Whether every round goes through ask and tell."""

    def options(self) -> dict[str, Any]:
        """Return the arguments that all simulations share."""
        effort = self.effort
        shared = {"runs": effort.runs, "seed": self.seed, "progress": effort.progress}
        return shared | {"checkpoints": self.checkpoints}


class Trial(NamedTuple):
    """What came of a learner's runs."""

    right: BoolArray  # of each run: whether it ended with the winner
    costs: FloatArray  # of each run, up to each checkpoint: what it cost to show other than the winner
    arrays: dict[str, Any]  # everything that was measured, by name


def trial(right: Any, costs: FloatArray, result: Any) -> Trial:
    """Return a trial out of a simulation's result."""
    return Trial(np.asarray(right), costs, {name: getattr(result, name) for name in result.arrays})


class Interpreted:
    """A learner without its kernels, so that the engine must go through ask and tell."""

    init: Any
    ask: Any
    tell: Any
    best: Any

    def __init__(self, learner: Any) -> None:
        for name in ("init", "ask", "tell", "best", "winner"):
            if hasattr(learner, name):
                setattr(self, name, getattr(learner, name))


def has_kernels(learner: Any) -> bool:
    """Return whether a learner's class has compiled kernels."""
    return any(name.endswith("kernels") for name in dir(type(learner)))


def luck(seed: int, run: int) -> tuple[Generator, Generator]:
    """Return a run's two generators, the learner's and the world's, as simulations draw them."""
    rng, world_rng = SeedSequence(seed, spawn_key=(run,)).spawn(2)
    return default_rng(rng), default_rng(world_rng)
