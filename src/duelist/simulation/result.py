"""What a simulation found: arrays per learner, and ways to look at them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import MissingExtraError, ParameterError, require_known
from duelist.simulation.lines import Band

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


AnyRuns = TypeVar("AnyRuns", bound="Runs")


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """One learner's runs. Arrays have a row per run and a column per checkpoint, unless said otherwise."""

    measures: ClassVar[tuple[str, ...]] = ()
    """What is looked at in every run at every checkpoint, in the order of a ledger's first rows."""

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

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays, by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}

    def followed_by(self, other: Self) -> Self:
        """Return these runs and then further ones of the same learner."""
        ours, theirs = self.arrays, other.arrays
        whole: dict[str, Any] = {name: np.concatenate([ours[name], theirs[name]]) for name in ours}
        return replace(self, **whole | {"checkpoints": self.checkpoints})

    def picked(self, rows: IntArray) -> Self:
        """Return some of these runs, in the order given."""
        by_run = {name: array for name, array in self.arrays.items() if name != "checkpoints"}
        chosen: dict[str, Any] = {name: array[rows] for name, array in by_run.items()}
        return replace(self, **chosen)

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
class Results(Mapping[str, AnyRuns], Generic[AnyRuns]):
    """The results of several learners, by name."""

    runs: ClassVar[type[Runs]]

    results: dict[str, AnyRuns]
    seed: int

    def __getitem__(self, name: str) -> AnyRuns:
        """Return one learner's result."""
        require_known("learner", name, self.results)
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the learners' names."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of learners."""
        return len(self.results)

    def __repr__(self) -> str:
        """Return what was played, not all that was measured."""
        against = f"; regret against {self.against}" if self.against else ""
        return f"{type(self).__name__}({', '.join(self.results)}{against})"

    @property
    def against(self) -> str:
        """What regret is measured against, in words; nothing where it is not measured."""
        return ""

    def to_frame(self) -> "DataFrame":
        """Return a long table: learner, run, round, and what was measured."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        tables = [pd.DataFrame({"learner": name, **one.columns()}) for name, one in self.items()]
        return pd.concat(tables, ignore_index=True)

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
class Curves(Results[AnyRuns]):
    """The results of several learners, by name: what was measured over rounds."""

    def plot(self, path: str | os.PathLike[str] | None = None, band: Band = "interval") -> "Figure":
        """Draw what was measured over rounds; write the figure if a path is given.

        Lines are means over runs. Shades are the mean's 95% confidence interval (Student's, for every round
        by itself), or, with `band="range"`, from the lowest run to the highest. The title says which.
        """
        from duelist.figures import write_figure
        from duelist.simulation.figures import draw_results

        figure = draw_results(self, band)
        if path is not None:
            write_figure(figure, path)
        return figure
