"""What a simulation found: arrays per learner, and ways to look at them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duelist.errors import MissingExtraError, ParameterError, UnknownNameError
from duelist.metrics import accuracy, shares
from duelist.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class LearnerResult:
    """One learner's runs. Arrays have a row per run, and a column per checkpoint or per arm."""

    description: str
    """The learner with its hyperparameters."""
    checkpoints: IntArray
    """Rounds at which the runs were looked at."""
    regret: FloatArray
    """Strong regret up to each checkpoint."""
    weak_regret: FloatArray
    """Weak regret up to each checkpoint."""
    best_at: IntArray
    """The arm believed to be the winner at each checkpoint."""
    plays: IntArray
    """How often each arm stood on a side, two sides a round."""
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

    def generalized_regret(self, weight: float) -> FloatArray:
        """Return regret with a round's cost between its better arm's gap and its worse arm's.

        Parameters
        ----------
        weight : float
            0 for weak regret, 1/2 for strong regret, 1 for the worse arm's gap.
        """
        if not 0.0 <= weight <= 1.0:
            raise ParameterError(f"weight must lie between 0 (weak regret) and 1; got {weight!r}.")
        # the mean of two gaps is half their sum, so the larger is twice the mean less the smaller
        return (1.0 - weight) * self.weak_regret + weight * (2.0 * self.regret - self.weak_regret)


class Summary(NamedTuple):
    """One learner's line of a table."""

    learner: str
    regret: float
    lowest: float
    highest: float
    weak_regret: float
    accuracy: float
    informative: float


@dataclass(frozen=True, eq=False)
class SimulationResult(Mapping[str, LearnerResult]):
    """The results of all learners, by name.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> result = simulate(RUCB(), worst_case(4, 0.2), horizon=1_000, runs=2)
    >>> list(result), result["RUCB"].regret.shape == (2, len(result["RUCB"].checkpoints))
    (['RUCB'], True)
    """

    results: dict[str, LearnerResult]
    labels: tuple[str, ...]
    concept: str
    """The winner that regret is measured against."""
    winners: tuple[int, ...]
    lower_bound: float | None
    """Asymptotically no learner's regret stays below this times the logarithm of the round."""
    seed: int

    def __getitem__(self, name: str) -> LearnerResult:
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

    def to_frame(self) -> "DataFrame":
        """Return a long table: learner, run, round, regret, weak_regret, best, correct."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        tables = []
        for name, one in self.items():
            runs, marks = one.regret.shape
            columns = {
                "learner": np.full(runs * marks, name, dtype=object),
                "run": np.repeat(np.arange(runs), marks),
                "round": np.tile(one.checkpoints, runs),
                "regret": one.regret.ravel(),
                "weak_regret": one.weak_regret.ravel(),
                "best": one.best_at.ravel(),
                "correct": np.isin(one.best_at, one.winners).ravel(),
            }
            tables.append(pd.DataFrame(columns))
        return pd.concat(tables, ignore_index=True)

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Figure":
        """Draw regret and accuracy over rounds; write the figure if a path is given (SVG, PNG, PDF)."""
        from duelist.simulation.figures import draw_result, write_figure

        figure = draw_result(self)
        if path is not None:
            write_figure(figure, path)
        return figure

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to one `.npz` file and return its path."""
        from duelist.simulation.storage import save_result

        return save_result(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "SimulationResult":
        """Read what `save` wrote."""
        from duelist.simulation.storage import load_result

        return load_result(path)
