"""The columnar table of recorded votes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, BoolArray, FloatArray, IntArray
from duelist.errors import MissingExtraError, ParameterError, PreferenceError, UnknownNameError
from duelist.preferences import as_counts
from duelist.tables.table import Notes, fold
from duelist.text import counted
from duelist.votes.columns import TextColumn, Texts, as_numbers, as_whole_numbers

if TYPE_CHECKING:
    from pandas import DataFrame

OUTCOMES: Mapping[str, float] = MappingProxyType({"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE})
WORDS = {value: word for word, value in OUTCOMES.items()}
COUNTED, RETRACTED, SKIPPED = 0, 1, 2
STATUSES = ("counted", "retracted", "skipped")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST, LATEST = -6e10, 2.5e11  # the range of a datetime, in seconds since 1970
ROUNDING = 1e-6  # rounding error of a share of wins times a count, which should be a whole or half number
RESERVED = frozenset(
    {"time", "voter", "left", "right", "outcome", "ticket", "status", "item", "count", "weight", "ranking_id"}
)
"""Names of regular columns, which no extra column may have."""


class Vote(msgspec.Struct, frozen=True):
    """One row of a table of votes.

    Examples
    --------
    >>> Vote(None, "ann", "a", "b", "right").status
    'counted'
    """

    time: datetime | None
    voter: str | None
    left: Any
    right: Any
    outcome: str | float | None
    """ "left", "right" or "tie", a number for a degree of preference, or None for a skipped duel."""
    ticket: str = ""
    """The study's identifier of the vote; empty if there is none."""
    status: str = "counted"
    """ "counted", "retracted" or "skipped"."""
    item: str | None = None
    """The item that the two were compared on, if any."""
    count: int = 1
    """The number of equal votes that the row stands for."""


Table = TypeVar("Table", bound="Votes")
COLUMNS = ("left", "right", "outcomes", "counts", "times", "statuses", "weights")
TEXTS = ("voters", "items", "tickets", "rankings")


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Votes:
    """Pairwise votes as a table with one row per vote, or per group of equal votes.

    Parameters
    ----------
    arms : sequence of str or int
        The names of the arms.
    left, right : array of shape (rows,)
        The numbers of the two arms.
    outcomes : array of shape (rows,)
        1 if left won, 0 if right won, 0.5 for a tie; numbers in between are degrees of preference. NaN for a
        skipped duel.
    counts : array of shape (rows,), optional
        The number of votes of each row; 1 by default.
    voters : sequence of str or None, optional
        Who voted; None or an empty text if unknown.
    items : sequence of str or None, optional
        The item of each comparison.
    tickets : sequence of str or None, optional
        The study's identifiers of the votes.
    times : array of shape (rows,), optional
        Seconds since 1970; NaN if unknown.
    rankings : sequence of str or None, optional
        The ranking that each vote belongs to.
    statuses : array of shape (rows,), optional
        0 counted, 1 retracted, 2 skipped; all are counted by default.
    weights : array of shape (rows,), optional
        The weight of each vote in ratings; 1 by default. Winners and verdicts count votes, not weights.
    extras : mapping of str to sequence of str or None, optional
        Extra columns by name: categories, covariates.
    initial_arms : int, optional
        The number of arms at the beginning, which have the lowest numbers; all by default.
    retired : iterable of int, default ()
        The numbers of retired arms. A verdict is about the other arms.
    changed : bool, optional
        Whether arms were added or retired while votes were collected; inferred from `initial_arms` and
        `retired` by default.
    notes : Notes, optional
        What the reader of a file noticed.

    Raises
    ------
    ParameterError
        If columns differ in length or hold invalid values.
    PreferenceError
        If there are fewer than 2 arms, or two arms have the same name.

    Examples
    --------
    >>> votes = Votes(["bm25", "dense"], [0, 1, 1], [1, 0, 0], [0.0, 1.0, 0.5], counts=[3, 1, 2])
    >>> votes
    Votes(6 votes, 2 ties, 2 arms)
    >>> votes[2]
    Vote(time=None, voter=None, left='dense', right='bm25', outcome='tie', ..., count=2)
    """

    arms: tuple[Any, ...]
    left: IntArray
    right: IntArray
    outcomes: FloatArray
    counts: IntArray
    times: FloatArray | None
    statuses: IntArray | None
    weights: FloatArray | None
    voters: Texts | None
    items: Texts | None
    tickets: Texts | None
    rankings: Texts | None
    extras: Mapping[str, Texts]
    initial_arms: int
    retired: frozenset[int]
    changed: bool
    notes: Notes | None = field(default=None)

    def __init__(
        self,
        arms: Sequence[str | int],
        left: ArrayLike,
        right: ArrayLike,
        outcomes: ArrayLike,
        counts: ArrayLike | None = None,
        voters: TextColumn | None = None,
        items: TextColumn | None = None,
        tickets: TextColumn | None = None,
        times: ArrayLike | None = None,
        rankings: TextColumn | None = None,
        statuses: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        extras: Mapping[str, TextColumn] = MappingProxyType({}),
        initial_arms: int | None = None,
        retired: Iterable[int] = (),
        changed: bool | None = None,
        notes: Notes | None = None,
    ) -> None:
        known, won = as_arms(arms), as_numbers("outcomes", outcomes)
        numbers = {
            "left": as_whole_numbers("left", left),
            "right": as_whole_numbers("right", right),
            "outcomes": won,
            "counts": np.ones(won.shape, np.int64) if counts is None else as_whole_numbers("counts", counts),
            "times": None if times is None else as_numbers("times", times),
            "statuses": None if statuses is None else as_whole_numbers("statuses", statuses),
            "weights": None if weights is None else as_numbers("weights", weights),
        }
        given = {"voters": voters, "items": items, "tickets": tickets, "rankings": rankings}
        texts = {name: None if column is None else Texts.of(column) for name, column in given.items()}
        others = {_extra(name): Texts.of(column) for name, column in extras.items()}
        lengths = [(name, column.shape) for name, column in numbers.items() if column is not None]
        lengths += [
            (name, column.codes.shape)
            for name, column in (*texts.items(), *others.items())
            if column is not None
        ]
        for name, shape in lengths:
            if won.ndim != 1 or shape != won.shape:
                raise ParameterError(
                    f"{name} has shape {shape} and outcomes {won.shape}; give one value for each row."
                )
        gone = frozenset(retired)
        first = len(known) if initial_arms is None else initial_arms
        vars(self).update(
            numbers,
            arms=known,
            extras=others,
            initial_arms=first,
            retired=gone,
            changed=bool(gone) or first < len(known) if changed is None else changed,
            notes=notes,
            **texts,
        )
        self._check()

    def _check(self) -> None:
        k, won = len(self.arms), self.outcomes
        real = self.statuses != SKIPPED if self.statuses is not None else np.ones(len(won), np.bool_)
        faults = {
            f"left must be an arm from 0 to {k - 1}": (self.left < 0) | (self.left >= k),
            f"right must be an arm from 0 to {k - 1}": (self.right < 0) | (self.right >= k),
            "left and right must be different arms": self.left == self.right,
            "the outcome must be a number from 0 to 1": real & ~((won >= RIGHT_WINS) & (won <= LEFT_WINS)),
            "the count must be 1 or more": self.counts < 1,
        }
        if self.statuses is not None:
            faults["the status must be 0, 1 or 2"] = (self.statuses < 0) | (self.statuses >= len(STATUSES))
        if not 0 <= self.initial_arms <= k or not self.retired <= set(range(k)):
            raise ParameterError(
                f"initial_arms must be from 0 to {k}, and retired arms from 0 to {k - 1}; got initial_arms "
                f"{self.initial_arms} and retired {sorted(self.retired)}."
            )
        if self.weights is not None:
            faults["the weight must be a finite number, 0 or more"] = ~(
                (self.weights >= 0.0) & np.isfinite(self.weights)
            )
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
        """Create votes from a table of wins.

        Parameters
        ----------
        wins : array of shape (K, K)
            `wins[i, j]` is how often arm i beat arm j. If `wins[i, j]` and `wins[j, i]` both end in one half,
            the two halves count as one tie.
        ties : array of shape (K, K), optional
            `ties[i, j]`, equal to `ties[j, i]`, is how often the two tied.
        arms : sequence of str or int, optional
            The names of the arms; by default their numbers.

        Returns
        -------
        Votes
            One row for each pair and outcome that occurred.

        Raises
        ------
        PreferenceError
            If a table is not square, ties are not symmetric, or an entry is not a number of votes.

        Examples
        --------
        >>> Votes.from_counts([[0, 3], [1, 0]], ties=[[0, 2], [2, 0]], arms=["dense", "bm25"])
        Votes(6 votes, 2 ties, 2 arms)
        >>> Votes.from_counts([[0, 3.5], [1.5, 0]])
        Votes(5 votes, 1 tie, 2 arms)
        """
        won = as_counts("wins", wins)
        tied = np.zeros_like(won) if ties is None else as_counts("ties", ties)
        if tied.shape != won.shape:
            raise PreferenceError(f"ties has shape {tied.shape} and wins {won.shape}; give both K rows of K.")
        for i, j in np.argwhere(tied != tied.T)[:1]:
            raise PreferenceError(
                f"ties[{i}, {j}] is {tied[i, j]}, but ties[{j}, {i}] is {tied[j, i]}; the two must be equal."
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

    @property
    def k(self) -> int:
        """The number of arms."""
        return len(self.arms)

    @property
    def active(self) -> list[int]:
        """The numbers of the arms that are not retired."""
        return [arm for arm in range(self.k) if arm not in self.retired]

    @property
    def is_counted(self) -> BoolArray:
        """Flags of the rows that are neither retracted nor skipped."""
        return np.ones(len(self.left), np.bool_) if self.statuses is None else self.statuses == COUNTED

    def __len__(self) -> int:
        """Return the number of votes."""
        return int(self.counts.sum())

    def __repr__(self) -> str:
        """Return a summary: the numbers of votes, ties, arms, voters, items and rankings."""
        held = [counted(len(self), "vote")]
        if ties := int(self.counts[self.outcomes == TIE].sum()):
            held.append(counted(ties, "tie"))
        held.append(counted(len(self.arms), "arm"))
        for name, column in (("voter", self.voters), ("item", self.items), ("ranking", self.rankings)):
            if column is not None:
                many = len(np.unique(column.codes[column.codes >= 0]))
                held.append(counted(many, name))
        return f"{type(self).__name__}({', '.join(held)})"

    def __iter__(self) -> Iterator[Vote]:
        """Yield a `Vote` for every row."""
        rows = len(self.left)
        texts = (
            [None] * rows if column is None else column.tolist()
            for column in (self.voters, self.tickets, self.items)
        )
        times = [None] * rows if self.times is None else [as_date(time) for time in self.times.tolist()]
        statuses = [COUNTED] * rows if self.statuses is None else self.statuses.tolist()
        numbers = (column.tolist() for column in (self.left, self.right, self.outcomes, self.counts))
        columns = zip(*numbers, *texts, times, statuses, strict=True)
        for left, right, outcome, count, voter, ticket, item, time, status in columns:
            word = None if status == SKIPPED else WORDS.get(outcome, outcome)
            sides = self.arms[left], self.arms[right]
            yield Vote(time, voter, *sides, word, ticket or "", STATUSES[status], item, count)

    @overload
    def __getitem__(self, row: int) -> Vote: ...
    @overload
    def __getitem__(self, row: slice) -> list[Vote]: ...
    def __getitem__(self, row: int | slice) -> Vote | list[Vote]:
        """Return a row as a `Vote`, or a slice of rows as a list."""
        chosen = self.take(np.arange(len(self.left))[row if isinstance(row, slice) else [row]])
        return list(chosen) if isinstance(row, slice) else next(iter(chosen))

    def __eq__(self, other: object) -> bool:
        """Return whether two tables hold the same arms and the same rows in the same order."""
        if not isinstance(other, Votes):
            return NotImplemented
        same = (self.arms, self.initial_arms, self.retired, self.changed)
        if same != (other.arms, other.initial_arms, other.retired, other.changed):
            return False
        mine, theirs = (
            (
                [*iter(one)],  # list(one) would preallocate len(one) items, the number of votes
                {name: column.tolist() for name, column in one.extras.items()},
                [1.0] * len(one.left) if one.weights is None else one.weights.tolist(),
                [None] * len(one.left) if one.rankings is None else one.rankings.tolist(),
            )
            for one in (self, other)
        )
        return mine == theirs

    def take(self, rows: BoolArray | IntArray) -> Self:
        """Return some of the rows; the arms stay the same.

        Parameters
        ----------
        rows : array
            Boolean flags or row numbers.

        Returns
        -------
        Votes
            The chosen rows.

        Examples
        --------
        >>> votes = Votes(["a", "b"], [0, 0, 1], [1, 1, 0], [1, 0, 1])
        >>> len(votes.take(votes.outcomes == 1.0))
        2
        """
        columns: dict[str, Any] = {}
        for name in COLUMNS:
            column = getattr(self, name)
            columns[name] = None if column is None else column[rows]
        for name in TEXTS:
            texts = getattr(self, name)
            columns[name] = None if texts is None else texts.take(rows)
        extras = {name: column.take(rows) for name, column in self.extras.items()}
        return replace_columns(self, **columns, extras=extras)

    def between(self, since: float | None = None, until: float | None = None) -> Self:
        """Return the votes cast in a period; votes without a time are left out.

        Parameters
        ----------
        since, until : float, optional
            The first and the last time, in seconds since 1970; unbounded by default.

        Returns
        -------
        Votes
            The votes of the period.

        Raises
        ------
        ParameterError
            If the votes have no times.

        Examples
        --------
        >>> len(Votes(["a", "b"], [0, 0], [1, 1], [1, 0], times=[10.0, 20.0]).between(until=15.0))
        1
        """
        if self.times is None:
            raise ParameterError("the votes have no times; name a column of times: --columns time=COLUMN.")
        from_start = -np.inf if since is None else since
        to_end = np.inf if until is None else until
        return self.take((self.times >= from_start) & (self.times <= to_end))

    def by(self, column: str) -> dict[str, Self]:
        """Split the votes by the values of a column.

        Parameters
        ----------
        column : str
            "voter", "item" or the name of an extra column.

        Returns
        -------
        dict of str to Votes
            The votes of each value, sorted by value; votes without a value come last, under an empty name.

        Raises
        ------
        UnknownNameError
            If the votes have no such column.

        Examples
        --------
        >>> votes = Votes(["a", "b"], [0, 0, 1], [1, 1, 0], [1, 0, 1], voters=["ann", "bob", "ann"])
        >>> {voter: len(part) for voter, part in votes.by("voter").items()}
        {'ann': 2, 'bob': 1}
        """
        known = {"voter": self.voters, "item": self.items, **self.extras}
        texts = known.get(column)
        if texts is None:
            raise UnknownNameError("column", column, [name for name, one in known.items() if one is not None])
        order = np.unique(texts.codes)
        names = {code: texts.names[code] if code >= 0 else "" for code in order.tolist()}
        ordered = sorted(names, key=lambda code: (code < 0, names[code]))
        return {names[code]: self.take(texts.codes == code) for code in ordered}

    def to_frame(self) -> "DataFrame":
        """Return a pandas data frame, which `load_votes` reads back.

        It has a row for each row of the table. These are preceded by a row for each arm that has no votes,
        was added later or is retired; the status of the row says which.

        Returns
        -------
        pandas.DataFrame
            The votes.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.

        Examples
        --------
        >>> Votes(["a", "b"], [0], [1], [0.5], voters=["ann"]).to_frame().columns.tolist()
        ['time', 'voter', 'left', 'right', 'outcome', 'ticket', 'status', 'item', 'count']
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frame") from error
        from duelist.votes.writing import columns_of, rows_of

        frame = pd.DataFrame(rows_of(self), columns=columns_of(self))
        if "count" not in frame:
            frame.insert(len(Vote.__struct_fields__) - 1, "count", 1)
        return frame


def replace_columns(votes: Table, **columns: Any) -> Table:
    """Return votes with some columns replaced, without validation: their values come from a valid table."""
    made = object.__new__(type(votes))
    vars(made).update({**vars(votes), **columns})
    return made


def unchecked(**columns: Any) -> Votes:
    """Return votes without validation; arms may be settings of parameters."""
    made = object.__new__(Votes)
    empty: dict[str, Any] = dict.fromkeys((*COLUMNS, *TEXTS, "notes"))
    vars(made).update({**empty, "extras": {}, **columns})
    return made


def as_arms(arms: Sequence[str | int]) -> tuple[str, ...]:
    """Check the names of arms: at least two, all different."""
    if isinstance(arms, str) or not isinstance(arms, Iterable):
        raise PreferenceError(f"arms must be a list of names; got {arms!r:.80}.")
    names = tuple(str(arm) if isinstance(arm, int | np.integer) else arm for arm in arms)
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise PreferenceError(f"arms[{number}] is {name!r:.80}; a name must be a non-empty string.")
    if len(names) < 2:
        raise PreferenceError(f"arms are {list(names)}; give at least 2.")
    if len(set(names)) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise PreferenceError(f"two arms are named {twice!r}; give each arm a unique name.")
    return names


def _extra(name: str) -> str:
    """Check that the name of an extra column is not empty and not that of a regular column."""
    if not isinstance(name, str) or not name.strip() or fold(name) in RESERVED:
        raise ParameterError(f"an extra column cannot be named {name!r:.60}; rename it.")
    return name


def as_date(seconds: float) -> datetime | None:
    """Return seconds since 1970 as a datetime; None for NaN."""
    if seconds != seconds:
        return None
    return EPOCH + timedelta(seconds=min(max(seconds, EARLIEST), LATEST))
