"""Count votes: one rule for repeats, ties and degrees of preference, for every page, report and verdict.

**Repeats.** Of a named voter's votes on the same pair of arms and the same item, only the first counts. The
others add no information: they are left out and counted as repeats. A vote without a voter counts by itself.

**Ties and degrees.** A vote x in [0, 1] for the left arm counts as |2x - 1| of a win for the preferred arm
and 1 - |2x - 1| of a tie. A tie is half a win each way.
"""

from collections import defaultdict
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.votes.table import Votes, replace_columns

Repeats: TypeAlias = Literal["first", "all"]
"""Which of a voter's votes on the same pair and item count: the first, or all as recorded."""
Comparison: TypeAlias = tuple[int, int, str | None]
"""Two arms, the smaller number first, and the item they were compared on, if any."""


class Tally:
    """Votes counted by pair of arms.

    Parameters
    ----------
    k : int
        The number of arms.

    Examples
    --------
    >>> tally = Tally(2)
    >>> tally.add(0, 1, 0.8)
    >>> tally.wins[0, 1].round(9).item(), tally.ties[0, 1].round(9).item(), tally.scores[0, 1].item()
    (0.6, 0.4, 0.8)
    """

    def __init__(self, k: int) -> None:
        self.wins: FloatArray = np.zeros((k, k))
        """`wins[i, j]`: votes for i against j, without ties and repeats."""
        self.ties: FloatArray = np.zeros((k, k))
        """`ties[i, j]`, equal to `ties[j, i]`: ties between i and j."""
        self.scores: FloatArray = np.zeros((k, k))
        """`scores[i, j]`: wins of i against j, with a tie as half a win."""
        self.answers = 0
        """All recorded votes, including repeats."""
        self.repeats = 0
        """Votes that were left out because their voter had already voted on the same pair and item."""

    @property
    def votes(self) -> FloatArray:
        """`votes[i, j]`, equal to `votes[j, i]`: counted votes between i and j."""
        return self.wins + self.wins.T + self.ties

    def grow(self, k: int) -> None:
        """Add arms without votes.

        Parameters
        ----------
        k : int
            The new number of arms.

        Examples
        --------
        >>> tally = Tally(2)
        >>> tally.grow(3)
        >>> tally.wins.shape
        (3, 3)
        """
        more = k - len(self.wins)
        tables = (self.wins, self.ties, self.scores)
        self.wins, self.ties, self.scores = (np.pad(table, (0, more)) for table in tables)

    def add(self, left: Any, right: Any, outcome: float) -> None:
        """Count one vote, which must not be a repeat.

        Parameters
        ----------
        left, right : int
            The numbers of the two arms.
        outcome : float
            From 0 (right won) to 1 (left won).

        Examples
        --------
        >>> tally = Tally(2)
        >>> tally.add(0, 1, 0.5)
        >>> tally.ties.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        self.answers += 1
        self.scores[left, right] += outcome
        self.scores[right, left] += 1.0 - outcome
        lead = 2.0 * outcome - 1.0
        if lead > 0.0:
            self.wins[left, right] += lead
        else:
            self.wins[right, left] -= lead
        even = 1.0 - abs(lead)
        if even:
            self.ties[left, right] += even
            self.ties[right, left] += even

    def add_repeats(self, many: int) -> None:
        """Record votes that are left out of the counts.

        Parameters
        ----------
        many : int
            Their number.

        Examples
        --------
        >>> tally = Tally(2)
        >>> tally.add_repeats(3)
        >>> tally.answers, tally.repeats
        (3, 3)
        """
        self.answers += many
        self.repeats += many

    def add_all(self, left: IntArray, right: IntArray, outcomes: FloatArray, counts: IntArray) -> None:
        """Count many votes.

        Parameters
        ----------
        left, right : array of shape (rows,)
            The numbers of the two arms.
        outcomes : array of shape (rows,)
            From 0 (right won) to 1 (left won).
        counts : array of shape (rows,)
            The number of votes of each row.

        Examples
        --------
        >>> tally = Tally(2)
        >>> tally.add_all(np.array([0]), np.array([1]), np.array([1.0]), np.array([3]))
        >>> tally.wins.tolist()
        [[0.0, 3.0], [0.0, 0.0]]
        """
        self.answers += int(counts.sum())
        k, leads = len(self.wins), 2.0 * outcomes - 1.0
        cells, even = np.stack([left * k + right, right * k + left], axis=1), 1.0 - np.abs(leads)
        for table, ahead, behind in (
            (self.wins, np.maximum(leads, 0.0), np.maximum(-leads, 0.0)),
            (self.ties, even, even),
            (self.scores, outcomes, 1.0 - outcomes),
        ):
            # in the order of the votes, so that the sums equal those of `add` to the last bit
            votes = np.stack([ahead * counts, behind * counts], axis=1)
            np.add.at(table.reshape(-1), cells.reshape(-1), votes.reshape(-1))


class SeenComparisons:
    """The pairs and items that each voter has seen, and how often the voter answered each.

    Examples
    --------
    >>> seen = SeenComparisons()
    >>> seen.is_first("ann", 0, 1, None), seen.is_first("ann", 1, 0, None), seen.is_first(None, 0, 1, None)
    (True, False, True)
    """

    def __init__(self) -> None:
        self.by_voter: defaultdict[str, dict[Comparison, int]] = defaultdict(dict)

    def is_first(self, voter: str | None, left: Any, right: Any, item: str | None) -> bool:
        """Record a vote, and return whether it is the voter's first on this pair and item."""
        if voter is None:
            return True
        seen, comparison = self.by_voter[voter], comparison_of(left, right, item)
        before = seen.get(comparison, 0)
        seen[comparison] = before + 1
        return before == 0

    def note(self, voter: str | None, left: Any, right: Any, item: str | None) -> None:
        """Record that a voter has seen a pair and item without voting."""
        if voter is not None:
            self.by_voter[voter].setdefault(comparison_of(left, right, item), 0)


def comparison_of(left: Any, right: Any, item: str | None) -> Comparison:
    """Return the unordered pair of arms and the item."""
    return (left, right, item) if left <= right else (right, left, item)


def counted_rows(votes: Votes, repeats: Repeats = "first") -> IntArray:
    """Return the number of votes of each row that count.

    Examples
    --------
    >>> counted_rows(Votes(["a", "b"], [0, 1, 0], [1, 0, 1], [1, 0, 1], voters=["ann", "ann", None]))
    array([1, 0, 1])
    """
    if repeats not in get_args(Repeats):
        raise ParameterError(f"repeats must be one of {', '.join(get_args(Repeats))}; got {repeats!r}.")
    counts = np.where(votes.is_counted, votes.counts, 0)
    if repeats == "all" or votes.voters is None:
        return counts
    named = np.flatnonzero((votes.voters.codes >= 0) & (counts > 0))
    k = len(votes.arms)
    left, right, voters = votes.left[named], votes.right[named], votes.voters.codes[named]
    items = np.zeros(len(named), np.int64) if votes.items is None else votes.items.codes[named] + 1
    many = 1 if votes.items is None else len(votes.items.names) + 1
    seen = voters * many + items
    if len(votes.voters.names) * many * k * k >= 2**63:
        seen = np.unique(seen, return_inverse=True)[1]
    comparisons = (seen * k + np.minimum(left, right)) * k + np.maximum(left, right)
    _, first = np.unique(comparisons, return_index=True)
    counts[named] = 0
    counts[named[first]] = 1
    return counts


def counted_only(votes: Votes, repeats: Repeats = "first") -> Votes:
    """Return the counted votes, without repeats, retracted votes and skipped duels."""
    counts = counted_rows(votes, repeats)
    rows = np.flatnonzero(counts)
    return replace_columns(votes.take(rows), counts=counts[rows])


def count(votes: Votes, repeats: Repeats = "first") -> Tally:
    """Count votes by pair of arms.

    Parameters
    ----------
    votes : Votes
        The votes.
    repeats : {"first", "all"}, default "first"
        Whether to count only the first or all of a named voter's votes on the same pair and item.

    Returns
    -------
    Tally
        Wins, ties and scores of every pair of arms.

    Raises
    ------
    ParameterError
        If `repeats` is neither "first" nor "all".

    Examples
    --------
    >>> tally = count(Votes(["a", "b"], [0, 1, 0], [1, 0, 1], [1, 0.5, 0.5], voters=["ann", "ann", "bob"]))
    >>> tally.wins.tolist(), tally.ties.tolist(), tally.answers, tally.repeats
    ([[0.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], 3, 1)
    """
    counts, tally = counted_rows(votes, repeats), Tally(len(votes.arms))
    rows = np.flatnonzero(counts)
    tally.add_all(votes.left[rows], votes.right[rows], votes.outcomes[rows], counts[rows])
    recorded = int(votes.counts[votes.is_counted].sum())
    tally.answers, tally.repeats = recorded, recorded - tally.answers
    return tally


def grouped(votes: Votes) -> Votes:
    """Merge equal rows if rows differ only in sides and outcomes, to make sums over rows faster and smaller.

    Votes with voters, items or any other column, and votes by degree, are returned unchanged.

    Examples
    --------
    >>> grouped(Votes(["a", "b"], [0] * 15, [1] * 15, [1, 1, 0.5] * 5)).counts
    array([ 5, 10])
    """
    known = (
        votes.voters,
        votes.items,
        votes.rankings,
        votes.tickets,
        votes.weights,
        votes.statuses,
        votes.times,
    )
    codes, k = np.rint(2.0 * votes.outcomes), votes.k
    if any(column is not None for column in known) or votes.extras or 3 * k * k > len(codes):
        return votes
    if not np.array_equal(codes, 2.0 * votes.outcomes):
        return votes
    cells = (votes.left * k + votes.right) * 3 + codes.astype(np.int64)
    counts = np.bincount(cells, weights=votes.counts, minlength=3 * k * k)
    met = np.flatnonzero(counts)
    columns = {"left": met // 3 // k, "right": met // 3 % k, "outcomes": met % 3 / 2.0}
    return replace_columns(votes, **columns, counts=counts[met].astype(np.int64))


class MajorityAgreement(NamedTuple):
    """For each voter, how their votes compare with those of other people on the same pair and item.

    Comparisons on which nobody else voted are left out.
    """

    compared: IntArray
    """Decided votes on comparisons where other people have a majority."""
    agreed: IntArray
    """The number of these that agree with the majority."""
    ties: IntArray
    """Tie votes on comparisons where other people have a majority."""
    splits: IntArray
    """Votes on comparisons where other people are split evenly or all voted for a tie."""


def agreement_with_people(votes: Votes, people: BoolArray) -> MajorityAgreement:
    """Return how often each voter agrees with the majority of other people.

    Parameters
    ----------
    votes : Votes
        Votes with voters; of a voter's votes on the same pair and item, the first counts.
    people : array of shape (voters,)
        Flags of the voters who are people; votes without a voter count as people's.

    Examples
    --------
    >>> votes = Votes(["a", "b"], [0, 0, 1], [1, 1, 0], [1, 1, 1], voters=["ann", "bob", "judge"])
    >>> agreement_with_people(votes, np.array([True, True, False])).agreed
    array([1, 1, 0])
    """
    many = len(people)
    if votes.voters is None:
        return MajorityAgreement(*np.zeros((4, many), np.int64))
    rows = np.flatnonzero(counted_rows(votes))
    voter, left, right = votes.voters.codes[rows], votes.left[rows], votes.right[rows]
    items = np.zeros(len(rows), np.int64) if votes.items is None else votes.items.codes[rows] + 1
    pair = np.minimum(left, right) * votes.k + np.maximum(left, right)
    _, comparison = np.unique(items * votes.k**2 + pair, return_inverse=True)
    lead = np.where(left < right, 1.0, -1.0) * (2.0 * votes.outcomes[rows] - 1.0)
    is_person = np.append(people, True)[voter]  # votes without a voter have the code -1, the last entry
    voted = np.bincount(comparison, weights=is_person)[comparison] - is_person
    others = np.round(np.bincount(comparison, weights=lead * is_person)[comparison] - lead * is_person, 9)
    known = (voter >= 0) & (voted > 0)

    def by_voter(kind: BoolArray) -> IntArray:
        return np.bincount(voter[known & kind], minlength=many)[:many]

    ahead, split = lead != 0.0, others == 0.0
    return MajorityAgreement(
        compared=by_voter(ahead & ~split),
        agreed=by_voter(ahead & ~split & (np.sign(lead) == np.sign(others))),
        ties=by_voter(~ahead & ~split),
        splits=by_voter(split),
    )
