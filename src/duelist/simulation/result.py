"""What a simulation found: named measures of every learner's runs, and ways to look at them."""

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
    """One learner's runs: what was measured at checkpoints, and what each run ended with.

    Measures and ends are named; those of every kind of problem are also attributes. An attribute that a
    problem has no measure for raises an `UnknownNameError`, which lists those it has.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist.problems import worst_case
    >>> runs = simulate(RUCB(), worst_case(4, 0.2), horizon=1_000, runs=2)["RUCB"]
    >>> list(runs.measures), list(runs.ends)
    (['regret', 'weak_regret', 'best', 'accuracy'], ['best', 'plays', 'informative'])
    """

    description: str
    """The learner with its hyperparameters."""
    checkpoints: IntArray
    """Rounds at which the runs were looked at."""
    measures: Arrays
    """By name, an array with a row for each run and a column for each checkpoint."""
    ends: Arrays
    """By name, an array with a row for each run: what is known of its end."""

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(next(iter({**self.measures, **self.ends}.values())))

    def __repr__(self) -> str:
        """Return what was played, not all that was measured."""
        return f"{type(self).__name__}({self.description}, runs={len(self)}, rounds={self.checkpoints[-1]})"

    def measure(self, name: str) -> NDArray[Any]:
        """Return a measure by its name: a row for each run, a column for each checkpoint."""
        require_known("measure", name, self.measures)
        return self.measures[name]

    def end(self, name: str) -> NDArray[Any]:
        """Return what is known of the ends of runs by its name: a row for each run."""
        require_known("end", name, self.ends)
        return self.ends[name]

    @property
    def regret(self) -> FloatArray:
        """Strong regret up to each checkpoint; in contexts the mean of a round, as a margin."""
        return self.measure("regret")

    @property
    def weak_regret(self) -> FloatArray:
        """Weak regret up to each checkpoint."""
        return self.measure("weak_regret")

    @property
    def best_at(self) -> IntArray:
        """On arms: the arm believed to be the winner at each checkpoint."""
        return self.measure("best")

    @property
    def gap_at(self) -> FloatArray:
        """On points: by how much beyond 1/2 the optimum beats the point believed to be best."""
        return self.measure("gap")

    @property
    def error(self) -> FloatArray:
        """In contexts: by how much the best policy beats what is learned; 0 for a von Neumann winner."""
        return self.measure("error")

    @property
    def quality(self) -> FloatArray:
        """For lists: the learned ranker's mean NDCG on the queries held out."""
        return self.measure("quality")

    @property
    def shown_quality(self) -> FloatArray:
        """For lists: the mean NDCG of all lists shown so far, what learning cost the users."""
        return self.measure("shown_quality")

    @property
    def best(self) -> NDArray[Any]:
        """The arm, or the point with a column for each coordinate, believed to be best at the end."""
        return self.end("best")

    @property
    def plays(self) -> IntArray:
        """On arms: how often each arm stood on a side, two sides a round, with a column for each arm."""
        return self.end("plays")

    @property
    def informative(self) -> IntArray:
        """On arms: duels between two different arms."""
        return self.end("informative")

    @property
    def learned(self) -> FloatArray:
        """In contexts: for every run, context and action the action's chance, as learned at the end."""
        return self.end("learned")

    @property
    def weights(self) -> FloatArray:
        """For lists: the ranker learned at the end, a column for each feature."""
        return self.end("weights")

    @property
    def accuracy_at(self) -> FloatArray:
        """On arms: the share of runs that were right at each checkpoint; nan where no arm is right."""
        return np.asarray(self.measure("accuracy").mean(axis=0))

    @property
    def accuracy(self) -> float:
        """On arms: the share of runs that were right at the end; nan where no arm is right."""
        return float(self.accuracy_at[-1])

    @property
    def shares(self) -> FloatArray:
        """On arms: the share of sides on which each arm was shown, in each run."""
        return shares(self.plays)

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

    def followed_by(self, other: Self) -> Self:
        """Return these runs and then further ones of the same learner."""
        measures = {name: np.concatenate([a, other.measures[name]]) for name, a in self.measures.items()}
        ends = {name: np.concatenate([a, other.ends[name]]) for name, a in self.ends.items()}
        return replace(self, measures=measures, ends=ends)

    def picked(self, rows: IntArray) -> Self:
        """Return some of these runs, in the order given."""
        measures = {name: array[rows] for name, array in self.measures.items()}
        ends = {name: array[rows] for name, array in self.ends.items()}
        return replace(self, measures=measures, ends=ends)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a long table's columns, a row for every run and checkpoint."""
        places = {
            "run": np.repeat(np.arange(len(self)), len(self.checkpoints)),
            "round": np.tile(self.checkpoints, len(self)),
        }
        return places | {name: array.ravel() for name, array in self.measures.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Results(Mapping[str, AnyRuns], Generic[AnyRuns]):
    """The runs of several learners, by name: a mapping that is saved, drawn and printed."""

    runs: ClassVar[type[Runs]] = Runs

    results: dict[str, AnyRuns]
    seed: int

    def __getitem__(self, name: str) -> AnyRuns:
        """Return one learner's runs."""
        require_known("learner", name, self.results)
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the learners' names."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of learners."""
        return len(self.results)

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
        """Read what `save` wrote, in this version or an earlier one."""
        from duelist.simulation.storage import load_results

        return load_results(cls, path)


class Summary(NamedTuple):
    """One learner's line of a table: what was measured at the last checkpoint, over all runs."""

    learner: str
    mean: dict[str, float]
    """By name of the measure, the mean of all runs."""
    lowest: dict[str, float]
    highest: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Result(Results[Runs]):
    """What `simulate` found: the runs of several learners, by name, and what they are measured against.

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
    """What was played on: "arms", "points", "contexts" or "lists"."""
    against: str = ""
    """What regret is measured against, in words; empty where it is not measured."""
    bounds: dict[str, FloatArray] = field(default_factory=dict)
    """What is proven of regret, by the name of the theorem: a number for each checkpoint."""
    labels: tuple[str, ...] = ()
    """On arms: their names."""
    concept: str = ""
    """On arms: what regret is measured against, one of `metrics.CONCEPTS`, or "score"."""
    winners: tuple[int, ...] = ()
    """On arms: those that are right; none where in hindsight every arm loses to another."""
    lower_bound: float | None = None
    """On arms: asymptotically no learner's regret stays below this times the logarithm of the round."""
    depth: int = 0
    """For lists: they are judged by their first `depth` places."""
    held_out: bool = False
    """For lists: whether quality was measured on queries that were not learned from."""

    def __repr__(self) -> str:
        """Return what was played, not all that was measured."""
        against = f"; regret against {self.against}" if self.against else ""
        return f"{type(self).__name__}({', '.join(self.results)}{against})"

    def summary(self) -> list[Summary]:
        """Return one line per learner, the best first: with least regret, or with the best ranker."""
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
        """Return the summary as a table, for notebooks."""
        lines = self.summary()
        heads = ["learner", *(measure.replace("_", " ") for measure in lines[0].mean)]
        rows = [[line.learner, *map(number, line.mean.values())] for line in lines]
        return as_table(repr(self), heads, rows)

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


def as_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts as HTML."""
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
