"""The results of a simulation: named measures of every learner's runs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import MissingExtraError, ParameterError, require_known
from duelist.metrics import shares
from duelist.simulation.figures import Band
from duelist.text import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


AnyRuns = TypeVar("AnyRuns", bound="Runs")
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """One learner's runs: measures at checkpoints, and final values.

    Measures and final values ("ends") have names; those of each kind of problem are also attributes. An
    attribute that the problem has no measure for raises an `UnknownNameError`, which lists the available
    ones.

    Parameters
    ----------
    description : str
        The learner with its hyperparameters.
    checkpoints : array of int
        The rounds at which the runs were measured.
    measures : mapping of str to array
        By name, an array with a row for each run and a column for each checkpoint.
    ends : mapping of str to array
        By name, an array of final values with a row for each run.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> runs = simulate(RUCB(), worst_case(4, 0.2), horizon=1_000, runs=2)["RUCB"]
    >>> list(runs.measures), list(runs.ends)
    (['regret', 'weak_regret', 'best', 'accuracy'], ['best', 'plays', 'informative'])
    """

    description: str
    checkpoints: IntArray
    measures: Arrays
    ends: Arrays

    def __len__(self) -> int:
        return len(next(iter({**self.measures, **self.ends}.values())))

    def __repr__(self) -> str:
        """Omit the arrays."""
        return f"{type(self).__name__}({self.description}, runs={len(self)}, rounds={self.checkpoints[-1]})"

    def measure(self, name: str) -> NDArray[Any]:
        """Return a measure by its name.

        Parameters
        ----------
        name : str
            The name of the measure.

        Returns
        -------
        array of shape (runs, checkpoints)
            The measure.

        Raises
        ------
        UnknownNameError
            If the problem has no such measure.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> runs = simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2, checkpoints=[10])["RUCB"]
        >>> runs.measure("regret").shape
        (2, 2)
        """
        require_known("measure", name, self.measures)
        return self.measures[name]

    def end(self, name: str) -> NDArray[Any]:
        """Return the final values of runs by their name.

        Parameters
        ----------
        name : str
            The name of the values.

        Returns
        -------
        array
            A row for each run.

        Raises
        ------
        UnknownNameError
            If the problem has no such values.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)["RUCB"].end("plays").sum(axis=1)
        array([200, 200])
        """
        require_known("end", name, self.ends)
        return self.ends[name]

    @property
    def regret(self) -> FloatArray:
        """Cumulative strong regret at each checkpoint; in contexts, the mean margin per round."""
        return self.measure("regret")

    @property
    def weak_regret(self) -> FloatArray:
        """Cumulative weak regret at each checkpoint."""
        return self.measure("weak_regret")

    @property
    def best_at(self) -> IntArray:
        """On arms: the arm that the learner considers best at each checkpoint."""
        return self.measure("best")

    @property
    def gap_at(self) -> FloatArray:
        """On points: the probability beyond 1/2 that the optimum beats the best point so far."""
        return self.measure("gap")

    @property
    def error(self) -> FloatArray:
        """In contexts: the margin of the best policy over the learned one; 0 for a von Neumann winner."""
        return self.measure("error")

    @property
    def quality(self) -> FloatArray:
        """For lists: the learned ranker's mean NDCG on the evaluation queries."""
        return self.measure("quality")

    @property
    def shown_quality(self) -> FloatArray:
        """For lists: the mean NDCG of all lists shown so far, which measures the cost of learning."""
        return self.measure("shown_quality")

    @property
    def best(self) -> NDArray[Any]:
        """The final best arm, or the final best point with a column for each coordinate."""
        return self.end("best")

    @property
    def plays(self) -> IntArray:
        """On arms: how often each arm was on a side, two sides per round, with a column for each arm."""
        return self.end("plays")

    @property
    def informative(self) -> IntArray:
        """On arms: the number of duels between two different arms."""
        return self.end("informative")

    @property
    def learned(self) -> FloatArray:
        """In contexts: the final probability of each action, by run, context and action."""
        return self.end("learned")

    @property
    def weights(self) -> FloatArray:
        """For lists: the final ranker, a column for each feature."""
        return self.end("weights")

    @property
    def accuracy_at(self) -> FloatArray:
        """On arms: the share of correct runs at each checkpoint; nan if no arm is correct."""
        return np.asarray(self.measure("accuracy").mean(axis=0))

    @property
    def accuracy(self) -> float:
        """On arms: the final share of correct runs; nan if no arm is correct."""
        return float(self.accuracy_at[-1])

    @property
    def shares(self) -> FloatArray:
        """On arms: the share of sides on which each arm was shown, in each run."""
        return shares(self.plays)

    @property
    def summed_regret(self) -> FloatArray:
        """Strong regret with the sum of the two gaps instead of their mean, as in some papers."""
        return 2.0 * self.regret

    def generalized_regret(self, weight: float) -> FloatArray:
        """Return regret in which the cost of a round is interpolated between the gaps of its two sides.

        Parameters
        ----------
        weight : float
            0 for weak regret, 1/2 for strong regret, 1 for the worse side's gap.

        Returns
        -------
        array of shape (runs, checkpoints)
            The cumulative regret.

        Raises
        ------
        ParameterError
            If `weight` is not between 0 and 1.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> runs = simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)["RUCB"]
        >>> np.allclose(runs.generalized_regret(0.5), runs.regret)
        True
        """
        if not 0.0 <= weight <= 1.0:
            raise ParameterError(f"weight must lie between 0 (weak regret) and 1; got {weight!r}.")
        # the larger gap is twice the mean minus the smaller gap
        return (1.0 - weight) * self.weak_regret + weight * (2.0 * self.regret - self.weak_regret)

    def followed_by(self, other: Self) -> Self:
        """Return these runs followed by further runs of the same learner.

        Parameters
        ----------
        other : Runs
            The further runs.

        Returns
        -------
        Runs
            All runs.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> runs = simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)["RUCB"]
        >>> len(runs.followed_by(runs))
        4
        """
        measures = {name: np.concatenate([a, other.measures[name]]) for name, a in self.measures.items()}
        ends = {name: np.concatenate([a, other.ends[name]]) for name, a in self.ends.items()}
        return replace(self, measures=measures, ends=ends)

    def picked(self, rows: IntArray) -> Self:
        """Return some of these runs.

        Parameters
        ----------
        rows : array of int
            The indices of the runs, in their new order.

        Returns
        -------
        Runs
            The selected runs.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> runs = simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)["RUCB"]
        >>> len(runs.picked(np.array([1])))
        1
        """
        measures = {name: array[rows] for name, array in self.measures.items()}
        ends = {name: array[rows] for name, array in self.ends.items()}
        return replace(self, measures=measures, ends=ends)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a long table with a row for every run and checkpoint.

        Returns
        -------
        dict of str to array
            "run", "round", and every measure.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> list(simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)["RUCB"].columns())
        ['run', 'round', 'regret', 'weak_regret', 'best', 'accuracy']
        """
        keys = {
            "run": np.repeat(np.arange(len(self)), len(self.checkpoints)),
            "round": np.tile(self.checkpoints, len(self)),
        }
        return keys | {name: array.ravel() for name, array in self.measures.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Results(Mapping[str, AnyRuns], Generic[AnyRuns]):
    """The runs of several learners by name: a mapping that can be saved, drawn and printed.

    Parameters
    ----------
    results : dict of str to Runs
        The runs.
    seed : int
        The seed of the random streams.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> isinstance(simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2), Results)
    True
    """

    runs: ClassVar[type[Runs]] = Runs

    results: dict[str, AnyRuns]
    seed: int

    def __getitem__(self, name: str) -> AnyRuns:
        require_known("learner", name, self.results)
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def to_frame(self) -> "DataFrame":
        """Return a long table with columns for the learner, the run, the round and every measure.

        Returns
        -------
        pandas.DataFrame
            The table.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> list(simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2).to_frame().columns[:4])
        ['learner', 'run', 'round', 'regret']
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        tables = [pd.DataFrame({"learner": name, **one.columns()}) for name, one in self.items()]
        return pd.concat(tables, ignore_index=True)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to one `.npz` file.

        Parameters
        ----------
        path : path
            The file to write.

        Returns
        -------
        pathlib.Path
            The path of the file.

        Examples
        --------
        >>> import tempfile
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> result = simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Result.load(result.save(Path(folder) / "result.npz"))
        Result(RUCB; regret against the Condorcet winner)
        """
        from duelist.simulation.storage import save_results

        return save_results(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file by `save`.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Result
            The results.

        Raises
        ------
        FileError
            If the file cannot be read, or has another format or kind of results.

        Examples
        --------
        >>> import tempfile
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> result = simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Result.load(result.save(Path(folder) / "result.npz")).seed
        0
        """
        from duelist.simulation.storage import load_results

        return load_results(cls, path)


class Summary(NamedTuple):
    """One learner's row of a table: its measures at the last checkpoint, over all runs.

    Parameters
    ----------
    learner : str
        The learner's name.
    mean, lowest, highest : dict of str to float
        By measure, the mean, the minimum and the maximum over runs.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2).summary()[0].learner
    'RUCB'
    """

    learner: str
    mean: dict[str, float]
    lowest: dict[str, float]
    highest: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Result(Results[Runs]):
    """The results of `simulate`: the runs of several learners by name, and the reference of their regret.

    Parameters
    ----------
    results : dict of str to Runs
        The runs.
    seed : int
        The seed of the random streams.
    kind : str
        The kind of problem: "arms", "points", "contexts" or "lists".
    against : str
        The reference of regret, in words; empty if regret is not measured.
    bounds : dict of str to array
        Proven bounds on regret, by the name of the theorem: a number for each checkpoint.
    labels : tuple of str
        On arms: their names.
    concept : str
        On arms: the winner concept that regret is measured against, one of `metrics.CONCEPTS`, or "score".
    winners : tuple of int
        On arms: the correct ones; empty if in hindsight every arm loses to another.
    lower_bound : float or None
        On arms: asymptotically, no learner's regret stays below this times the logarithm of the round.
    depth : int
        For lists: the cut-off of the NDCG.
    held_out : bool
        For lists: whether quality was measured on held-out queries.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> result = simulate(RUCB(), worst_case(4, 0.2), horizon=1_000, runs=2)
    >>> result
    Result(RUCB; regret against the Condorcet winner)
    >>> result["RUCB"].regret.shape == (2, len(result["RUCB"].checkpoints))
    True
    """

    kind: str
    against: str = ""
    bounds: dict[str, FloatArray] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    concept: str = ""
    winners: tuple[int, ...] = ()
    lower_bound: float | None = None
    depth: int = 0
    held_out: bool = False

    def __repr__(self) -> str:
        """Omit the arrays."""
        against = f"; regret against {self.against}" if self.against else ""
        return f"{type(self).__name__}({', '.join(self.results)}{against})"

    def summary(self) -> list[Summary]:
        """Return one row per learner, best first: by least regret, or for lists by the best ranker.

        Returns
        -------
        list of Summary
            The rows.

        Examples
        --------
        >>> from duelist import RUCB, Uniform, simulate
        >>> from duelist.problems import worst_case
        >>> result = simulate([Uniform(), RUCB()], worst_case(4, 0.2), horizon=10_000, runs=2)
        >>> [row.learner for row in result.summary()]
        ['RUCB', 'Uniform']
        """
        lines = []
        for name, one in self.items():
            last = {measure: array[:, -1].astype(np.float64) for measure, array in one.measures.items()}
            means = {measure: float(runs.mean()) for measure, runs in last.items() if measure != "best"}
            lowest = {measure: float(last[measure].min()) for measure in means}
            highest = {measure: float(last[measure].max()) for measure in means}
            lines.append(Summary(name, means, lowest, highest))
        if self.kind == "lists":
            return sorted(lines, key=lambda line: -line.mean["quality"])
        return sorted(lines, key=lambda line: line.mean["regret"])

    def _repr_html_(self) -> str:
        lines = self.summary()
        heads = ["learner", *(measure.replace("_", " ") for measure in lines[0].mean)]
        rows = [[line.learner, *map(number, line.mean.values())] for line in lines]
        return as_table(repr(self), heads, rows)

    def plot(self, path: str | os.PathLike[str] | None = None, band: Band = "interval") -> "Figure":
        """Draw the measures over rounds.

        Lines are means over runs. Bands are the mean's 95% confidence interval (Student's, for every round
        separately) or, with `band="range"`, the range from the lowest to the highest run. The title tells
        which.

        Parameters
        ----------
        path : path, optional
            A file to write; its suffix selects the format.
        band : {"interval", "range"}, default "interval"
            The meaning of the shaded bands.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        MissingExtraError
            If Matplotlib is not installed.
        ParameterError
            If there is no such band.

        Examples
        --------
        >>> from duelist import RUCB, simulate
        >>> from duelist.problems import worst_case
        >>> len(simulate(RUCB(), worst_case(4, 0.2), horizon=100, runs=2).plot().axes)
        2
        """
        from duelist.figures import write_figure
        from duelist.simulation.figures import draw_results

        figure = draw_results(self, band)
        if path is not None:
            write_figure(figure, path)
        return figure


def as_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row"><bdi>{escape(first)}</bdi></th>'
        + "".join(f"<td>{escape(text)}</td>" for text in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
