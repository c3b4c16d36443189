"""Recorded comparisons, tallied: who beat whom, and how often."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from duelist.duel import FloatArray
from duelist.votes.frames import Frame, gather


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


def tally(
    records: Iterable[Sequence[Any]] | Frame,
    labels: Iterable[str | int] | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
) -> tuple[tuple[str, ...], FloatArray]:
    """Return the arms and who beat whom: `wins[i, j]` is how often arm i beat arm j.

    Records are (winner, loser) or (winner, loser, count), or a data frame with such columns; a missing count
    is 1. Labels name the arms in their order, for instance to include one never compared; by default they
    come as they appear. A data frame may have two columns of arms and one of the winner instead, such as
    `model_a`, `model_b` and `winner`: there stands the winner's name, the name of its column, or a word such
    as tie, which is half a win each way. `a`, `b` and `winner` name these columns where they are called
    otherwise.

    Examples
    --------
    >>> labels, wins = tally([("dense", "bm25", 3), ("bm25", "dense")])
    >>> labels
    ('dense', 'bm25')
    >>> wins
    array([[0., 3.],
           [1., 0.]])
    """
    found = gather(records, labels, a=a, b=b, winner=winner)
    return found.arms, found.wins()
