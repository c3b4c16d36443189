"""What a simulation found: arrays per learner, and ways to look at them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import MissingExtraError, ParameterError, UnknownNameError
from duelist.metrics import accuracy, shares

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


AnyRuns = TypeVar("AnyRuns", bound="Runs")


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """One learner's runs. Arrays have a row per run and a column per checkpoint, unless said otherwise."""

    arrays: ClassVar[tuple[str, ...]] = ("checkpoints",)
    """What is saved."""
    measures: ClassVar[tuple[str, ...]] = ()
    """What is looked at in every run at every checkpoint."""

    description: str
    """The learner with its hyperparameters."""
    checkpoints: IntArray
    """Rounds at which the runs were looked at."""

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(getattr(self, self.measures[0]))

    def __repr__(self) -> str:
        """Return what was played, not all that was measured."""
        return f"{type(self).__name__}({self.description}, runs={len(self)}, rounds={self.checkpoints[-1]})"

    def followed_by(self, *others: Self) -> Self:
        """Return these runs and then further ones of the same learner."""
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in (self, *others)])
            for name in self.arrays
            if name not in Runs.arrays
        }
        return replace(self, **whole)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a long table's columns, a row for every run and checkpoint."""
        places = {
            "run": np.repeat(np.arange(len(self)), len(self.checkpoints)),
            "round": np.tile(self.checkpoints, len(self)),
        }
        return places | {name: getattr(self, name).ravel() for name in self.measures}


@dataclass(frozen=True, eq=False, repr=False)
class DuelRuns(Runs):
    """One learner's runs of duels."""

    arrays: ClassVar[tuple[str, ...]] = (*Runs.arrays, "regret", "weak_regret")
    measures: ClassVar[tuple[str, ...]] = ("regret", "weak_regret")

    regret: FloatArray
    """Strong regret up to each checkpoint."""
    weak_regret: FloatArray
    """Weak regret up to each checkpoint."""

    @property
    def summed_regret(self) -> FloatArray:
        """Strong regret with the sum of the two gaps instead of their mean, as some papers count it."""
        return 2.0 * self.regret

    def generalized_regret(self, weight: float) -> FloatArray:
        """Return regret with a round's cost between its better side's gap and its worse side's.

        Parameters
        ----------
        weight : float
            0 for weak regret, 1/2 for strong regret, 1 for the worse side's gap.
        """
        if not 0.0 <= weight <= 1.0:
            raise ParameterError(f"weight must lie between 0 (weak regret) and 1; got {weight!r}.")
        # the mean of two gaps is half their sum, so the larger is twice the mean less the smaller
        return (1.0 - weight) * self.weak_regret + weight * (2.0 * self.regret - self.weak_regret)


@dataclass(frozen=True, eq=False, repr=False)
class LearnerResult(DuelRuns):
    """One learner's runs on arms."""

    arrays: ClassVar[tuple[str, ...]] = (*DuelRuns.arrays, "best_at", "plays", "informative")

    best_at: IntArray
    """The arm believed to be the winner at each checkpoint."""
    plays: IntArray
    """How often each arm stood on a side, two sides a round: a column per arm."""
    informative: IntArray
    """Duels between two different arms, one number per run."""
    winners: tuple[int, ...]
    """The arms that are right."""

    @property
    def best(self) -> IntArray:
        """The arm believed to be the winner at the end, one per run."""
        return self.best_at[:, -1]

    @property
    def accuracy(self) -> float:
        """The share of runs that were right at the end."""
        return float(self.accuracy_at[-1])

    @property
    def accuracy_at(self) -> FloatArray:
        """The share of runs that were right, at each checkpoint."""
        return accuracy(self.best_at, self.winners)

    @property
    def shares(self) -> FloatArray:
        """The share of sides on which each arm was shown, in each run."""
        return shares(self.plays)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a long table's columns, a row for every run and checkpoint."""
        found = {"best": self.best_at.ravel(), "correct": np.isin(self.best_at, self.winners).ravel()}
        return super().columns() | found


@dataclass(frozen=True, eq=False, repr=False)
class PointResult(DuelRuns):
    """One learner's runs on the points of a space."""

    arrays: ClassVar[tuple[str, ...]] = (*DuelRuns.arrays, "gap_at", "best")

    gap_at: FloatArray
    """The gap of the point believed to be best: the chance beyond 1/2 that the optimum beats it."""
    best: FloatArray
    """The point believed to be best at the end: a column per coordinate."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a long table's columns, a row for every run and checkpoint."""
        return super().columns() | {"gap": self.gap_at.ravel()}


class Summary(NamedTuple):
    """One learner's line of a table."""

    learner: str
    regret: float
    lowest: float
    highest: float
    weak_regret: float
    accuracy: float
    informative: float


@dataclass(frozen=True, eq=False, repr=False)
class Results(Mapping[str, AnyRuns], Generic[AnyRuns]):
    """The results of several learners, by name."""

    runs: ClassVar[type[Runs]]

    results: dict[str, AnyRuns]
    seed: int

    def __getitem__(self, name: str) -> AnyRuns:
        """Return one learner's result."""
        if name not in self.results:
            raise UnknownNameError("learner", name, self.results)
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the learners' names."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of learners."""
        return len(self.results)

    def __repr__(self) -> str:
        """Return what was played, not all that was measured."""
        return f"{type(self).__name__}({', '.join(self.results)})"

    def to_frame(self) -> "DataFrame":
        """Return a long table: learner, run, round, and what was measured."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        tables = [pd.DataFrame({"learner": name, **one.columns()}) for name, one in self.items()]
        return pd.concat(tables, ignore_index=True)

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Figure":
        """Draw what was measured over rounds; write the figure if a path is given."""
        from duelist.simulation.figures import draw_results, write_figure

        figure = draw_results(self)
        if path is not None:
            write_figure(figure, path)
        return figure

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to one `.npz` file and return its path."""
        from duelist.simulation.storage import save_results

        return save_results(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote."""
        from duelist.simulation.storage import load_results

        return load_results(cls, path)


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult(Results[LearnerResult]):
    """The results of several learners on arms, by name.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> result = simulate(RUCB(), worst_case(4, 0.2), horizon=1_000, runs=2)
    >>> list(result), result["RUCB"].regret.shape == (2, len(result["RUCB"].checkpoints))
    (['RUCB'], True)
    """

    runs: ClassVar[type[Runs]] = LearnerResult

    labels: tuple[str, ...]
    concept: str
    """The winner that regret is measured against."""
    winners: tuple[int, ...]
    lower_bound: float | None
    """Asymptotically no learner's regret stays below this times the logarithm of the round."""

    def summary(self) -> list[Summary]:
        """Return one line per learner, least regret first."""
        lines = [
            Summary(
                learner=name,
                regret=float(one.regret[:, -1].mean()),
                lowest=float(one.regret[:, -1].min()),
                highest=float(one.regret[:, -1].max()),
                weak_regret=float(one.weak_regret[:, -1].mean()),
                accuracy=one.accuracy,
                informative=float(one.informative.mean()),
            )
            for name, one in self.items()
        ]
        return sorted(lines, key=lambda line: line.regret)


@dataclass(frozen=True, eq=False, repr=False)
class PointSimulationResult(Results[PointResult]):
    """The results of several learners on the points of a space, by name.

    Examples
    --------
    >>> from duelist import DuelingBanditGradientDescent, simulate
    >>> from duelist.problems import p1
    >>> learner = DuelingBanditGradientDescent(exploration=1.0, exploitation=0.1)
    >>> result = simulate(learner, p1(d=3), horizon=100, runs=2)
    >>> result["DuelingBanditGradientDescent"].best.shape
    (2, 3)
    """

    runs: ClassVar[type[Runs]] = PointResult

    theorem_bound: FloatArray | None = None
    """At each horizon, what gradient descent's expected regret does not exceed (Theorem 2), where known."""
    bound: FloatArray | None = None
    """The same where the smoothed loss is convex (Corollary 2)."""
