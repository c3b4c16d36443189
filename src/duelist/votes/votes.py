"""Recorded votes between arms, as columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import ParameterError, PreferenceError
from duelist.preferences import as_labels
from duelist.text import counted
from duelist.votes.counts import as_counts
from duelist.votes.records import Texts, count_wins

ROUNDING = 1e-6  # how far a count may lie from a whole or half one, as a share of wins times a count does


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Votes:
    """Votes between two arms each: who was on which side, and who won.

    Parameters
    ----------
    arms : sequence of str or int
        The arms' names.
    left, right : array of shape (rows,)
        The arms that met, by number.
    outcomes : array of shape (rows,)
        1 left won, 0 right won, 0.5 a tie.
    counts : array of shape (rows,), optional
        How many votes each row stands for; by default one.
    voters, items : array of shape (rows,), optional
        Who voted, and what on, such as a question; an empty text where it is not known.
    tickets, times : array of shape (rows,), optional
        By what a study knows a vote again, and when it was cast; an empty text where it is not known.
    rankings : array of shape (rows,), optional
        Which ranking of several arms a vote is a part of; an empty text for a vote by itself.

    Examples
    --------
    >>> votes = Votes(["bm25", "dense"], [0, 1, 1], [1, 0, 0], [0.0, 1.0, 0.5], counts=[3, 1, 2])
    >>> votes
    Votes(6 votes, 2 ties, 2 arms)
    >>> votes.wins()
    array([[0., 1.],
           [5., 0.]])
    """

    arms: tuple[str, ...]
    left: IntArray
    right: IntArray
    outcomes: FloatArray
    counts: IntArray
    voters: Texts | None
    items: Texts | None
    tickets: Texts | None
    times: Texts | None
    rankings: Texts | None

    def __init__(
        self,
        arms: Sequence[str | int],
        left: ArrayLike,
        right: ArrayLike,
        outcomes: ArrayLike,
        counts: ArrayLike | None = None,
        voters: ArrayLike | None = None,
        items: ArrayLike | None = None,
        tickets: ArrayLike | None = None,
        times: ArrayLike | None = None,
        rankings: ArrayLike | None = None,
    ) -> None:
        known = as_labels(arms)
        if len(known) < 2:
            raise PreferenceError(f"arms are {list(known)}; give at least 2, because a vote needs two.")
        won = _numbers("outcomes", outcomes)
        columns: dict[str, NDArray[np.generic] | None] = {
            "left": _whole("left", left),
            "right": _whole("right", right),
            "outcomes": won,
            "counts": np.ones(won.shape, np.int64) if counts is None else _whole("counts", counts),
        }
        texts = {"voters": voters, "items": items, "tickets": tickets, "times": times, "rankings": rankings}
        for name, given in texts.items():
            columns[name] = None if given is None else np.ascontiguousarray(given, object)
        for name, column in columns.items():
            if column is not None and (won.ndim != 1 or column.shape != won.shape):
                raise ParameterError(
                    f"{name} has shape {column.shape} and outcomes {won.shape}; give one number for each row."
                )
        vars(self).update(columns, arms=known)
        k = len(known)
        faults = {
            f"left must be an arm from 0 to {k - 1}": (self.left < 0) | (self.left >= k),
            f"right must be an arm from 0 to {k - 1}": (self.right < 0) | (self.right >= k),
            "left and right must be two arms": self.left == self.right,
            "the outcome must be 1, 0 or 0.5": (won != LEFT_WINS) & (won != RIGHT_WINS) & (won != TIE),
            "the count must be 1 or more": self.counts < 1,
        }
        for rule, broken in faults.items():
            for row in np.flatnonzero(broken)[:1]:
                raise ParameterError(
                    f"row {row}: {rule}; got left {self.left[row]}, right {self.right[row]}, outcome "
                    f"{won[row]}, count {self.counts[row]}."
                )

    @classmethod
    def from_counts(
        cls, wins: ArrayLike, ties: ArrayLike | None = None, arms: Sequence[str | int] | None = None
    ) -> Self:
        """Return votes of which only the counts are known: `wins[i, j]` is how often arm i beat arm j.

        `ties[i, j]`, equal to `ties[j, i]`, is how often the two tied. Halves among the wins are ties too,
        half a win each way: as many as the halves show, one for each pair that has them.

        Examples
        --------
        >>> Votes.from_counts([[0, 3], [1, 0]], ties=[[0, 2], [2, 0]], arms=["dense", "bm25"])
        Votes(6 votes, 2 ties, 2 arms)
        >>> Votes.from_counts([[0, 3.5], [1.5, 0]]).tallies()[1]
        array([[0, 1],
               [1, 0]])
        """
        won = as_counts("wins", wins)
        tied = np.zeros_like(won) if ties is None else as_counts("ties", ties)
        if tied.shape != won.shape:
            raise PreferenceError(f"ties has shape {tied.shape} and wins {won.shape}; give both K rows of K.")
        for i, j in np.argwhere(tied != tied.T)[:1]:
            raise PreferenceError(
                f"ties[{i}, {j}] is {tied[i, j]} and ties[{j}, {i}] is {tied[j, i]}; give a tie in both."
            )
        halves = np.round(2.0 * won)
        odd = halves % 2.0
        for name, counts, wrong in (
            ("wins", won, (np.abs(2.0 * won - halves) > ROUNDING + 1e-15 * won) | (odd != odd.T)),
            ("ties", tied, tied % 1.0 != 0.0),
        ):
            for i, j in np.argwhere(wrong)[:1]:
                raise PreferenceError(
                    f"{name}[{i}, {j}] is {counts[i, j]}; give whole numbers of votes; a tie may be half a "
                    "win each way."
                )
        for arm in np.flatnonzero(np.diagonal(won) + np.diagonal(tied))[:1]:
            raise PreferenceError(f"arm {arm} has votes against itself; set the diagonal to 0.")
        won, tied = (halves - odd) / 2.0, np.triu(tied + odd)
        (i, j), (m, n) = np.nonzero(won), np.nonzero(tied)
        outcomes = np.repeat([LEFT_WINS, TIE], [len(i), len(m)])
        many = np.concatenate([won[i, j], tied[m, n]])
        known = range(len(won)) if arms is None else arms
        return cls(known, np.concatenate([i, m]), np.concatenate([j, n]), outcomes, many)

    def __len__(self) -> int:
        """Return the number of votes."""
        return int(self.counts.sum())

    def __repr__(self) -> str:
        """Say how many votes there are, of how many arms."""
        held = [counted(len(self), "vote")]
        if ties := int(self.counts[self.outcomes == TIE].sum()):
            held.append(counted(ties, "tie"))
        held.append(counted(len(self.arms), "arm"))
        for name, column in (("voter", self.voters), ("item", self.items), ("ranking", self.rankings)):
            if column is not None:
                held.append(counted(len(set(column.tolist()) - {""}), name))
        return f"{type(self).__name__}({', '.join(held)})"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield every vote by itself, with left, right and outcome by name, as `Study.import_votes` takes it.

        Examples
        --------
        >>> list(Votes(["a", "b"], [0], [1], [0.5], voters=["ann"]).rows())
        [{'left': 'a', 'right': 'b', 'outcome': 0.5, 'voter': 'ann'}]
        """
        texts = {"voter": self.voters, "item": self.items, "ticket": self.tickets, "time": self.times}
        known = {name: column for name, column in texts.items() if column is not None}
        columns = zip(self.left, self.right, self.outcomes.tolist(), self.counts.tolist(), strict=True)
        for place, (left, right, outcome, count) in enumerate(columns):
            row: dict[str, Any] = {"left": self.arms[left], "right": self.arms[right], "outcome": outcome}
            row |= {name: column[place] for name, column in known.items() if column[place]}
            if count > 1 and "ticket" in row:
                raise PreferenceError(
                    f"ticket {row['ticket']!r} has a count of {count}; a ticket is of one vote."
                )
            for _ in range(count):
                yield row

    def wins(self) -> FloatArray:
        """Return who beat whom how often, an array of shape (K, K); a tie is half a win each way."""
        return count_wins(len(self.arms), self.left, self.right, self.outcomes, self.counts)

    def tallies(self) -> tuple[IntArray, IntArray]:
        """Return who beat whom how often, ties apart, and who tied with whom how often.

        Examples
        --------
        >>> wins, ties = Votes(["a", "b"], [0, 1], [1, 0], [1.0, 0.5]).tallies()
        >>> wins.tolist(), ties.tolist()
        ([[0, 1], [0, 0]], [[0, 1], [1, 0]])
        """
        tied = self.outcomes == TIE
        wins = count_wins(len(self.arms), self.left, self.right, self.outcomes, self.counts * ~tied)
        ties = 2.0 * count_wins(len(self.arms), self.left, self.right, self.outcomes, self.counts * tied)
        return wins.astype(np.int64), ties.astype(np.int64)


def _numbers(name: str, given: ArrayLike) -> FloatArray:
    try:
        return np.ascontiguousarray(given, np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be a list of numbers; {error}.") from error


def _whole(name: str, given: ArrayLike) -> IntArray:
    if isinstance(given, np.ndarray) and given.dtype == np.int64:
        return np.ascontiguousarray(given)
    numbers = _numbers(name, given)
    for wrong in numbers[numbers % 1.0 != 0.0][:1]:
        raise ParameterError(f"{name} must be whole numbers; got {wrong}.")
    return numbers.astype(np.int64)
