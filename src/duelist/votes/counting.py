"""How votes are counted: one rule for repeats, ties and degrees, for every page, report and verdict.

**Repeats.** Of a named voter's votes on one pair of arms and one item, the first counts. The others say
nothing new: they are left out and counted as repeats. A vote without a voter's name counts by itself.

**Ties and degrees.** A vote x from 0 to 1 for the left arm is |2x - 1| of a win for the arm that it prefers
and 1 - |2x - 1| of a tie. A tie is half a win each way.
"""

from collections import defaultdict
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.votes.table import Votes, replace_columns

Repeats: TypeAlias = Literal["first", "all"]
"""Which of a voter's votes on one pair and item count: the first, or all as recorded."""
Comparison: TypeAlias = tuple[int, int, str | None]
"""Two arms, the smaller number first, and the item that they were compared on, if any."""


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
        """`wins[i, j]`: votes for i against j; ties and repeats are not among them."""
        self.ties: FloatArray = np.zeros((k, k))
        """`ties[i, j]`, equal to `ties[j, i]`: how often the two tied."""
        self.scores: FloatArray = np.zeros((k, k))
        """`scores[i, j]`: wins of i against j, a tie as half a win."""
        self.answers = 0
        """All votes on record, repeats too."""
        self.repeats = 0
        """Votes that were left out, because their voter had voted on the same pair and item before."""

    @property
    def votes(self) -> FloatArray:
        """`votes[i, j]`, equal to `votes[j, i]`: how many votes between the two count."""
        return self.wins + self.wins.T + self.ties

    def grow(self, k: int) -> None:
        """Add arms, up to k in all."""
        more = k - len(self.wins)
        tables = (self.wins, self.ties, self.scores)
        self.wins, self.ties, self.scores = (np.pad(table, (0, more)) for table in tables)

    def add(self, left: Any, right: Any, outcome: float) -> None:
        """Count one vote that is no repeat."""
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
        """Note votes that are on record and left out."""
        self.answers += many
        self.repeats += many

    def add_all(self, left: IntArray, right: IntArray, outcomes: FloatArray, counts: IntArray) -> None:
        """Count many votes; those of a row stand for `counts` of them."""
        self.answers += int(counts.sum())
        k, leads = len(self.wins), 2.0 * outcomes - 1.0
        cells, even = np.stack([left * k + right, right * k + left], axis=1), 1.0 - np.abs(leads)
        for table, ahead, behind in (
            (self.wins, np.maximum(leads, 0.0), np.maximum(-leads, 0.0)),
            (self.ties, even, even),
            (self.scores, outcomes, 1.0 - outcomes),
        ):
            # in the order of votes, as single ones are added: sums are equal to the last bit
            votes = np.stack([ahead * counts, behind * counts], axis=1)
            np.add.at(table.reshape(-1), cells.reshape(-1), votes.reshape(-1))


class SeenComparisons:
    """Which pairs each voter has seen, on which items, and how often they were answered.

    Examples
    --------
    >>> seen = SeenComparisons()
    >>> seen.is_first("ann", 0, 1, None), seen.is_first("ann", 1, 0, None), seen.is_first(None, 0, 1, None)
    (True, False, True)
    """

    def __init__(self) -> None:
        self.by_voter: defaultdict[str, dict[Comparison, int]] = defaultdict(dict)

    def is_first(self, voter: str | None, left: Any, right: Any, item: str | None) -> bool:
        """Note a vote; return whether it is its voter's first on the pair and item."""
        if voter is None:
            return True
        seen, comparison = self.by_voter[voter], comparison_of(left, right, item)
        before = seen.get(comparison, 0)
        seen[comparison] = before + 1
        return before == 0

    def note(self, voter: str | None, left: Any, right: Any, item: str | None) -> None:
        """Note that a voter has seen a pair on an item without voting on it."""
        if voter is not None:
            self.by_voter[voter].setdefault(comparison_of(left, right, item), 0)


def comparison_of(left: Any, right: Any, item: str | None) -> Comparison:
    """Return a pair of arms, whichever side they were on, and the item."""
    return (left, right, item) if left <= right else (right, left, item)


def counted_rows(votes: Votes, repeats: Repeats = "first") -> IntArray:
    """Return how many votes of each row count.

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
    """Return the votes that count, without repeats, retracted votes and skipped duels."""
    counts = counted_rows(votes, repeats)
    rows = np.flatnonzero(counts)
    return replace_columns(votes.take(rows), counts=counts[rows])


def count(votes: Votes, repeats: Repeats = "first") -> Tally:
    """Count votes by pair of arms; repeats are left out unless all are asked for.

    Parameters
    ----------
    votes : Votes
        The votes.
    repeats : {"first", "all"}, default "first"
        Of a named voter's votes on one pair and item, count the first or all.

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
    """Return votes with equal rows as one, where nothing but sides and outcomes tells rows apart.

    Whoever sums over rows is quicker then, and needs less memory. Votes that name voters, items or anything
    else, and votes by degree, are returned as they are.

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

    A pair and item are left out where nobody else voted on them.
    """

    compared: IntArray
    """Votes for an arm where most other people are for an arm."""
    agreed: IntArray
    """How many of these are for the same arm."""
    ties: IntArray
    """Ties where most other people are for an arm."""
    splits: IntArray
    """Votes where other people are for no arm: as many for each, or all ties."""


def agreement_with_people(votes: Votes, people: BoolArray) -> MajorityAgreement:
    """Return how often each voter agrees with the majority of other people.

    Parameters
    ----------
    votes : Votes
        With voters; of a voter's votes on one pair and item, the first counts.
    people : array of shape (voters,)
        Which voters are people; votes without a name are people's too.

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
    is_person = np.append(people, True)[voter]  # votes without a name have the number -1, the last
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
