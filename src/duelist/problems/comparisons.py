"""Preferences from recorded comparisons: tally who beat whom, then estimate the probabilities.

Edwin B. Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, nan
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError, UnknownNameError, require_confidence
from duelist.preferences import as_name, as_preferences

COLUMNS = ("winner", "loser", "count")
"""What a table of comparisons calls its columns, in upper or lower case; the last may be missing."""
OF_TIES = ("tie", "draw", "outcome", "result")
"""Columns that would make of a win something else, and so may not be passed over like any other column."""

MOST = 1e15
"""How often a pair may be compared: beyond, single wins are lost to rounding, and sums overflow."""


class Comparison(NamedTuple):
    """Who won, who lost, and how many times; a tie is half a win for either side.

    Examples
    --------
    >>> Comparison("dense", "bm25")
    Comparison(winner='dense', loser='bm25', times=1.0)
    """

    winner: str
    loser: str
    times: float = 1.0


@runtime_checkable
class Frame(Protocol):
    """What is needed of a data frame, so that pandas need not be imported."""

    @property
    def columns(self) -> Iterable[Any]:
        """Return the columns' names."""

    def itertuples(self, index: bool = ..., name: str | None = ...) -> Iterable[tuple[Any, ...]]:
        """Return the rows."""


def tally(
    records: Iterable[Sequence[Any]] | Frame, labels: Iterable[str | int] | None = None
) -> tuple[tuple[str, ...], FloatArray]:
    """Return the arms and who beat whom: `wins[i, j]` is how often arm i beat arm j.

    Records are (winner, loser) or (winner, loser, count), or a data frame with such columns; a missing count
    is 1. Labels name the arms in their order, for instance to include one never compared; by default they
    come as they appear.

    Examples
    --------
    >>> labels, wins = tally([("dense", "bm25", 3), ("bm25", "dense")])
    >>> labels
    ('dense', 'bm25')
    >>> wins
    array([[0., 3.],
           [1., 0.]])
    """
    return count_wins(_checked(_rows(records)), labels)


def count_wins(
    comparisons: Iterable[Comparison], labels: Iterable[str | int] | None = None
) -> tuple[tuple[str, ...], FloatArray]:
    """Return what `tally` does, of comparisons that are checked already."""
    arms = {} if labels is None else {name: arm for arm, name in enumerate(as_labels(labels))}
    winners, losers, counts = [], [], []
    for number, (winner, loser, times) in enumerate(comparisons, start=1):
        for name in (winner, loser):
            if name not in arms:
                if labels is not None:
                    raise PreferenceError(f"record {number}: {UnknownNameError('arm', name, arms)}")
                arms[name] = len(arms)
        winners.append(arms[winner])
        losers.append(arms[loser])
        counts.append(times)
    if not counts:
        raise PreferenceError("the table holds no comparison; give at least one (winner, loser).")
    wins = np.zeros((len(arms), len(arms)))
    np.add.at(wins, (winners, losers), counts)
    return tuple(arms), wins


def estimate(wins: ArrayLike, prior: float = 0.0) -> FloatArray:
    """Estimate the preferences: the share of its duels that arm i won against arm j, `wins[i, j]` times.

    The prior is added to the wins on both sides of every pair, which draws rarely compared ones towards 1/2,
    the estimate of a pair never compared.

    Examples
    --------
    >>> estimate([[0, 3], [1, 0]]).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    >>> estimate([[0, 3], [1, 0]], prior=1.0)[0, 1].round(3).item()
    0.667
    """
    if not (isfinite(prior) and prior >= 0.0):
        raise ParameterError(f"prior must be a finite number of wins, 0 or more; got {prior}.")
    won = as_counts("wins", wins) + prior
    played = won + won.T
    matrix = np.divide(won, played, out=np.full_like(won, 0.5), where=played > 0.0)
    np.fill_diagonal(matrix, 0.5)
    return as_preferences(matrix)


def wilson_interval(wins: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds of each preference: Wilson's score interval, also valid for few duels.

    The bounds of a pair never compared are 0 and 1.

    Examples
    --------
    >>> lower, upper = wilson_interval([[0, 30], [10, 0]])
    >>> lower[0, 1].round(3).item(), upper[0, 1].round(3).item()
    (0.598, 0.858)
    """
    require_confidence(confidence)
    won = as_counts("wins", wins)
    played = won + won.T
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    variance = np.divide(won * won.T, played, out=np.zeros_like(won), where=played > 0.0)
    lower = (won + z * z / 2.0 - z * np.sqrt(variance + z * z / 4.0)) / (played + z * z)
    lower = np.clip(lower, 0.0, 1.0)
    np.fill_diagonal(lower, 0.5)
    # Arm i wins as often as arm j loses, so the two bounds are one.
    return lower, 1.0 - lower.T


def as_comparison(winner: Any, loser: Any, count: Any = 1.0) -> Comparison:
    """Return a checked comparison; an error begins with the column."""
    better, worse = as_name('column "winner"', winner), as_name('column "loser"', loser)
    if better == worse:
        raise PreferenceError(f'column "loser": {worse!r} is the winner too; name two arms.')
    try:
        times = float(count)
    except (OverflowError, TypeError, ValueError):
        times = nan
    if not 0.0 <= times <= MOST:
        raise PreferenceError(
            f'column "count": {count!r} is not a number of wins; give 0 or more, {MOST:.0e} at most.'
        )
    return Comparison(better, worse, times)


def as_counts(name: str, counts: ArrayLike) -> FloatArray:
    """Return counts of pairs as a square array of numbers from 0 to `MOST`."""
    try:
        array = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PreferenceError(f"{name} is not a table of numbers ({error}); give K rows of K.") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise PreferenceError(f"{name} has shape {array.shape}; give one row and one column for each arm.")
    for i, j in np.argwhere(~((array >= 0.0) & (array <= MOST))):
        raise PreferenceError(
            f"{name}[{i}, {j}] is {array[i, j]}; give finite counts, 0 or more, {MOST:.0e} at most."
        )
    return array


def as_labels(labels: Iterable[str | int]) -> tuple[str, ...]:
    """Return the arms' names, each one line of text and no two alike."""
    arms: dict[str, int] = {}
    for arm, label in enumerate(labels):
        name = as_name(f"labels[{arm}]", label)
        if name in arms:
            raise PreferenceError(f"labels[{arm}]: {name!r} is arm {arms[name]} too; name each once.")
        arms[name] = arm
    return tuple(arms)


def comparison_columns(header: Iterable[Any]) -> list[int] | None:
    """Return where a table has its winner, loser and, if any, count; None if it is no such table.

    Other columns are ignored, except those that record ties, which are refused.
    """
    found = {str(name).casefold(): column for column, name in enumerate(header)}
    if not {"winner", "loser"} <= found.keys():
        return None
    for name in OF_TIES:
        if name in found:
            raise PreferenceError(
                f'a table of winners and losers has no column "{name}"; remove it, and write a tie as half a '
                "win each way: a,b,0.5 and b,a,0.5 under winner,loser,count."
            )
    return [found[name] for name in COLUMNS if name in found]


def _checked(records: Iterable[Sequence[Any]]) -> Iterator[Comparison]:
    for number, record in enumerate(records, start=1):
        if not 2 <= len(record) <= 3:
            raise PreferenceError(f"record {number} has {len(record)} fields; give (winner, loser, count).")
        try:
            yield as_comparison(*record)
        except PreferenceError as error:
            raise PreferenceError(f"record {number}, {error}") from None


def _rows(records: Iterable[Sequence[Any]] | Frame) -> Iterable[Sequence[Any]]:
    if not isinstance(records, Frame):
        return records
    names = list(records.columns)
    columns = comparison_columns(names)
    if columns is None:
        raise PreferenceError(f'the columns are {names}; name two of them "winner" and "loser".')
    return ([row[column] for column in columns] for row in records.itertuples(index=False, name=None))
