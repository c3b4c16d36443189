"""Trials: runs of a learner on an easy problem, and what checks of learning look at in them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from duelist.duel import BoolArray, FloatArray


class Effort(NamedTuple):
    """How much checks of learning play."""

    runs: int
    rounds: int
    least: float  # the share of runs that must end with the winner
    progress: bool | None = False  # whether to show a bar; None shows it to people only, not to files


FULL = Effort(runs=100, rounds=50_000, least=0.95)
QUICK = Effort(runs=5, rounds=5_000, least=0.8)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be played, and how."""

    name: str  # of the check, for the progress bar
    effort: Effort
    seed: int
    checkpoints: Sequence[int] | None = None
    renamed: bool = False  # whether arms, coordinates or features have their other names
    interpreted: bool = False  # whether every round goes through ask and tell

    def options(self) -> dict[str, Any]:
        """Return the arguments that all simulations share."""
        runs, progress = self.effort.runs, self.effort.progress
        return {"runs": runs, "seed": self.seed, "progress": progress, "checkpoints": self.checkpoints}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Problems for checks of conduct, two of different menus, and of learning, the same by two names."""

    measure: Callable[[dict[str, Any], Any, Plan], "Trial"]
    """Return what a simulation of a single learner on a problem found."""
    problem: Any
    other: Any
    easy: Any
    renamed: Any
    full: Effort = FULL
    quick: Effort = QUICK
    late_share: float = 0.25  # what a late round may cost of an early one

    def play(self, learner: Any, plan: Plan) -> "Trial":
        """Return what comes of a learner's runs on the easy problem."""
        played = interpreted(learner) if plan.interpreted else learner
        return self.measure({plan.name: played}, self.renamed if plan.renamed else self.easy, plan)


class Trial(NamedTuple):
    """What came of a learner's runs."""

    right: BoolArray  # of each run: whether it ended with the winner
    costs: FloatArray  # of each run, up to each checkpoint: what it cost to show other than the winner
    arrays: dict[str, Any]  # everything that was measured, by name


def checks_in(module: Mapping[str, Any]) -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the name and the function of every check among a module's names."""
    for name, function in list(module.items()):
        if name.startswith("check_"):
            yield name.removeprefix("check_"), function


def interpreted(learner: Any) -> Any:
    """Return a learner without its kernels, so that the engine must go through ask and tell."""
    parts = ("init", "ask", "tell", "best", "winner", "length")
    return SimpleNamespace(**{name: getattr(learner, name) for name in parts if hasattr(learner, name)})
