"""Trials: runs of a learner on an easy problem, and what checks of learning look at in them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

import numpy as np

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
        runs, progress = self.effort.runs, self.effort.progress
        return {"runs": runs, "seed": self.seed, "progress": progress, "checkpoints": self.checkpoints}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Problems for checks of conduct, two of different menus, and of learning, the same by two names."""

    problem: Any
    other: Any
    easy: Any
    renamed: Any
    full: Effort
    quick: Effort
    late_share: float = 0.25
    """What a late round may cost of an early one."""

    def elsewhere(self) -> Self:
        """Return the stage with the other problem in the place of the first."""
        return replace(self, problem=self.other)


class Trial(NamedTuple):
    """What came of a learner's runs."""

    right: BoolArray  # of each run: whether it ended with the winner
    costs: FloatArray  # of each run, up to each checkpoint: what it cost to show other than the winner
    arrays: dict[str, Any]  # everything that was measured, by name


def trial(right: Any, costs: FloatArray, result: Any) -> Trial:
    """Return a trial out of a simulation's result."""
    return Trial(np.asarray(right), costs, {name: getattr(result, name) for name in result.arrays})


def interpreted(learner: Any) -> Any:
    """Return a learner without its kernels, so that the engine must go through ask and tell."""
    parts = ("init", "ask", "tell", "best", "winner", "length")
    return SimpleNamespace(**{name: getattr(learner, name) for name in parts if hasattr(learner, name)})
