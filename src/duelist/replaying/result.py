"""The results of replays: how many votes each learner needed, by run and in a summary."""

import os
from dataclasses import dataclass, replace
from math import ceil, inf, isinf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, number_or_nan
from duelist.replaying.world import NO_WINNER, UNDECIDED
from duelist.simulation.result import Results, Runs, as_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.9  # the share of runs for "votes until right" in tables
CONFIDENCE = 0.95


def as_votes(number: float) -> int | None:
    """Return a number of votes; None if it is infinite."""
    return None if isinf(number) else int(number)


def votes_until(needed: FloatArray, share: float) -> int | None:
    """Return the number of votes after which this share of runs has what it needed; None if it never has.

    Parameters
    ----------
    needed : array of shape (runs,)
        The votes that each run needed; inf if the limit was too low.
    share : float
        The share of runs, above 0 and at most 1.

    Returns
    -------
    int or None
        The number of votes.

    Raises
    ------
    ParameterError
        If `share` is out of range.

    Examples
    --------
    >>> votes_until(np.array([30.0, 10.0, np.inf, 20.0]), 0.5)
    20
    """
    if not 0.0 < number_or_nan(share) <= 1.0:
        raise ParameterError(f"share must be above 0 and at most 1, such as 0.9; got {share!r}.")
    # rounding must not add a run: in floating point, 0.55 * 100 exceeds 55
    runs = ceil(share * len(needed) * (1.0 - 1e-12))
    return as_votes(float(np.sort(needed)[runs - 1]))


def interval_of(needed: FloatArray, share: float) -> tuple[int | None, int | None]:
    """Return a 95% confidence interval for the value of `votes_until` with infinitely many runs.

    Its ends are votes that runs needed: the number of runs that need at most the true quantile is binomial,
    whatever their distribution. With too few runs, the lower end is 1 or the upper end None.

    Examples
    --------
    >>> interval_of(np.arange(1.0, 101.0), 0.5)
    (40, 61)
    """
    from scipy.special import bdtr

    order, tail = np.concatenate([[1.0], np.sort(needed), [inf]]), 0.5 * (1.0 - CONFIDENCE)
    # the probability that at most 0, 1, ... runs are below the quantile
    fewer = bdtr(np.arange(len(needed)), len(needed), share)
    low, high = np.searchsorted(fewer, tail, side="right"), np.searchsorted(fewer, 1.0 - tail) + 1
    return as_votes(float(order[low])), as_votes(float(order[high]))


@dataclass(frozen=True, eq=False, repr=False)
class ReplayRuns(Runs):
    """One learner's runs over recorded votes; arrays have a row for each run.

    Parameters
    ----------
    description, checkpoints, measures, ends
        As in `Runs`.
    truth : int
        The Condorcet winner of all recorded votes; -2 if there is none.

    Examples
    --------
    >>> from duelist import Uniform, Votes, replay
    >>> runs = replay(Uniform(), Votes.from_counts([[0, 8], [2, 0]]), runs=20)["Uniform"]
    >>> runs.truth, runs.votes_until_sure.shape
    (0, (20,))
    """

    truth: int

    @property
    def votes_until_sure(self) -> FloatArray:
        """The number of votes at which each run stopped; inf if it reached the limit."""
        return self.end("votes_until_sure")

    @property
    def stopped_at(self) -> IntArray:
        """The arm proven to win; -1 if a run reached the limit, -2 if it proved that there is no winner."""
        return self.end("stopped_at")

    @property
    def last_wrong(self) -> IntArray:
        """The last vote after which the learner named a wrong arm; 0 if it never did."""
        return self.end("last_wrong")

    @property
    def stopped(self) -> BoolArray:
        """Whether each run stopped."""
        return np.not_equal(self.stopped_at, UNDECIDED)

    @property
    def right(self) -> BoolArray:
        """Whether each run was finally right: at its stop or, at the limit, with the last arm named."""
        named_right = np.less(self.last_wrong, self.checkpoints[-1]) & (self.truth != NO_WINNER)
        return np.where(self.stopped, np.equal(self.stopped_at, self.truth), named_right)

    @property
    def right_from(self) -> FloatArray:
        """The vote from which each run was right; inf if it was not finally right."""
        return np.where(self.right, self.last_wrong + 1.0, inf)

    @property
    def right_at(self) -> BoolArray:
        """Whether each run was right, and stayed right, with a column for each checkpoint."""
        return self.measure("right")

    @property
    def sure_at(self) -> BoolArray:
        """Whether each run had stopped, with a column for each checkpoint."""
        return self.measure("sure")

    @property
    def stopped_right(self) -> float:
        """The share of all runs that stopped at the right arm or, without a winner, that proved it."""
        return float((self.stopped_at == self.truth).mean())

    @property
    def stopped_wrong(self) -> float:
        """The share of all runs that stopped with a wrong verdict."""
        return float((self.stopped & (self.stopped_at != self.truth)).mean())

    def votes_until_right(self, share: float) -> int | None:
        """Return the number of votes after which this share of runs names the winner and stays right.

        Parameters
        ----------
        share : float
            The share of runs, above 0 and at most 1.

        Returns
        -------
        int or None
            The number of votes; None if fewer runs are finally right, or the recorded votes have no winner.

        Raises
        ------
        ParameterError
            If `share` is out of range.

        Examples
        --------
        >>> from duelist import Uniform, Votes, replay
        >>> votes = Votes.from_counts([[0, 8], [2, 0]])
        >>> replay(Uniform(), votes, runs=20)["Uniform"].votes_until_right(0.9)
        4
        """
        until = votes_until(self.right_from, share)
        return None if self.truth == NO_WINNER else until

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with a row for every run.

        Returns
        -------
        dict of str to array
            The columns.

        Examples
        --------
        >>> from duelist import Uniform, Votes, replay
        >>> list(replay(Uniform(), Votes.from_counts([[0, 8], [2, 0]]), runs=20)["Uniform"].columns())[:3]
        ['run', 'right', 'right_from']
        """
        return {
            "run": np.arange(len(self)),
            "right": self.right,
            "right_from": self.right_from,
            "votes_until_sure": self.votes_until_sure,
            "stopped_at": self.stopped_at,
            "last_wrong": self.last_wrong,
        }


def runs_of_ends(
    description: str, checkpoints: IntArray, ends: dict[str, NDArray[Any]], truth: int
) -> ReplayRuns:
    """Return runs with the measures at checkpoints that follow from their final values."""
    runs = ReplayRuns(description, checkpoints, {}, ends, truth)
    since = {"right": runs.right_from, "sure": runs.votes_until_sure}
    return replace(runs, measures={name: votes[:, None] <= checkpoints for name, votes in since.items()})


class ReplaySummary(NamedTuple):
    """One learner's row of a table; intervals have 95% confidence, and None is beyond the limit.

    Parameters
    ----------
    learner : str
        The learner's name.
    until_right : int or None
        The number of votes until 90% of runs name the winner and stay right.
    until_right_interval : tuple of int or None
        Its interval.
    until_sure : int or None
        The number of votes until half of the runs have stopped: the median.
    until_sure_interval : tuple of int or None
        Its interval.
    sure_range : tuple of int or None
        The numbers of votes until 10% and until 90% of runs have stopped.
    stopped_right, stopped_wrong, not_stopped : float
        The shares of runs that stopped with the right verdict, with a wrong one, and not at all.

    Examples
    --------
    >>> from duelist import Uniform, Votes, replay
    >>> replay(Uniform(), Votes.from_counts([[0, 8], [2, 0]]), runs=20).summary()[0].until_right
    4
    """

    learner: str
    until_right: int | None
    until_right_interval: tuple[int | None, int | None]
    until_sure: int | None
    until_sure_interval: tuple[int | None, int | None]
    sure_range: tuple[int | None, int | None]
    stopped_right: float
    stopped_wrong: float
    not_stopped: float


@dataclass(frozen=True, eq=False, repr=False)
class ReplayResult(Results[ReplayRuns]):
    """Replays of recorded votes by several learners, by name; prints as a verdict and a table.

    Parameters
    ----------
    results : dict of str to ReplayRuns
        The runs.
    seed : int
        The seed of the random streams.
    arms : tuple of str
        The arms.
    votes : int
        The number of recorded votes.
    winner : str or None
        The Condorcet winner of all recorded votes, if there is one.
    delta : float
        The maximum share of runs that stop with a wrong verdict.
    limit : int
        The maximum number of votes in a run.

    Examples
    --------
    >>> from duelist import RUCB, Uniform, Votes, replay
    >>> votes = Votes.from_counts([[0, 60, 70], [40, 0, 55], [30, 45, 0]], arms=["a", "b", "c"])
    >>> result = replay([RUCB(), Uniform()], votes, runs=20)
    >>> result.winner, result["RUCB"].votes_until_sure.shape
    ('a', (20,))
    """

    runs: ClassVar[type[Runs]] = ReplayRuns

    arms: tuple[str, ...]
    votes: int
    winner: str | None
    delta: float
    limit: int

    def __str__(self) -> str:
        from duelist.replaying.report import tell

        return tell(self)

    def __repr__(self) -> str:
        """Omit the arrays."""
        return f"{type(self).__name__}({', '.join(self.results)})"

    def _repr_html_(self) -> str:
        from duelist.replaying.report import COLUMNS, rows

        return as_table(self.verdict, COLUMNS, rows(self))

    @property
    def verdict(self) -> str:
        """A sentence about the learner that is sure first, compared with random pairs."""
        from duelist.replaying.report import verdict

        return verdict(self)

    def summary(self) -> list[ReplaySummary]:
        """Return one row per learner, sorted by the votes it needs to be sure, then to be right.

        Returns
        -------
        list of ReplaySummary
            The rows.

        Examples
        --------
        >>> from duelist import Uniform, Votes, replay
        >>> [row.learner for row in replay(Uniform(), Votes.from_counts([[0, 8], [2, 0]]), runs=20).summary()]
        ['Uniform']
        """
        lines = []
        for name, one in self.items():
            right, sure = one.right_from, one.votes_until_sure
            lines.append(
                ReplaySummary(
                    learner=name,
                    until_right=one.votes_until_right(SHARE),
                    until_right_interval=interval_of(right, SHARE) if self.winner else (None, None),
                    until_sure=votes_until(sure, 0.5),
                    until_sure_interval=interval_of(sure, 0.5),
                    sure_range=(votes_until(sure, 0.1), votes_until(sure, 0.9)),
                    stopped_right=one.stopped_right,
                    stopped_wrong=one.stopped_wrong,
                    not_stopped=float((~one.stopped).mean()),
                )
            )
        return sorted(lines, key=lambda line: (line.until_sure or inf, line.until_right or inf))

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Figure":
        """Draw the shares of runs that are right and that are sure, over votes.

        Parameters
        ----------
        path : path, optional
            A file to write; its suffix selects the format.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        MissingExtraError
            If Matplotlib is not installed.

        Examples
        --------
        >>> from duelist import Uniform, Votes, replay
        >>> len(replay(Uniform(), Votes.from_counts([[0, 8], [2, 0]]), runs=20).plot().axes)
        2
        """
        from duelist.figures import write_figure
        from duelist.replaying.report import draw_replay

        figure = draw_replay(self)
        if path is not None:
            write_figure(figure, path)
        return figure
