"""Who voted: how often, how far they agree with the others, and what looks like stuffing or carelessness."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import TIE, BoolArray, FloatArray, IntArray
from duelist.judging.judge import is_judge
from duelist.text import Labels
from duelist.votes.columns import Texts
from duelist.votes.counting import agreement_with_people, counted_rows
from duelist.votes.table import Votes

UNNAMED = -1
"""The number of a voter whose name is not known."""
LEVEL = 0.01
"""The chance that a test marks anyone at all where everyone votes alike."""
MOSTLY = 0.9
"""The share of votes from which on one side, or one arm, is chosen nearly always."""
FAST_VOTES, FAST_SECONDS = 10, 10.0
"""How many votes in how many seconds are too fast for someone who looks."""
MOST_SET_ASIDE = 25
"""How many voters are set aside, at most, so that others are compared without them."""


class PairVotes(NamedTuple):
    """A row for each voter and each pair that they voted on; all unnamed voters together are one."""

    voter: IntArray
    smaller: IntArray
    """The arm of the pair that has the smaller number, and the other one."""
    larger: IntArray
    pair: IntArray
    """Which pair it is; pairs are numbered from 0."""
    votes: IntArray
    """How many votes there are."""
    won: IntArray
    """How many of them are for the smaller arm."""

    def totals(self, rows: BoolArray) -> tuple[IntArray, IntArray]:
        """Return for the pair of each row the votes on it in `rows`, and those for its smaller arm."""
        pairs = int(self.pair.max(initial=-1)) + 1
        votes = total(self.pair[rows], self.votes[rows], pairs)
        won = total(self.pair[rows], self.won[rows], pairs)
        return votes[self.pair], won[self.pair]


def pair_votes(votes: Votes, voters: Texts, kept: BoolArray) -> PairVotes:
    """Return the votes that are kept, none of them ties, counted by voter and pair."""
    k, left, right = votes.k, votes.left[kept], votes.right[kept]
    won = (votes.outcomes[kept] > TIE) == (left < right)
    pair = np.minimum(left, right) * k + np.maximum(left, right)
    keys, row = np.unique((voters.codes[kept] - UNNAMED) * k * k + pair, return_inverse=True)
    known, pair = np.unique(keys % (k * k), return_inverse=True)
    return PairVotes(
        voter=keys // (k * k) + UNNAMED,
        smaller=known[pair] // k,
        larger=known[pair] % k,
        pair=pair,
        votes=np.bincount(row, minlength=len(keys)),
        won=np.bincount(row[won], minlength=len(keys)),
    )


def total(places: IntArray, counts: IntArray, size: int) -> IntArray:
    """Return the sum of counts at each of as many places."""
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)


class Findings(NamedTuple):
    """What a test says of each voter; the last is all unnamed ones together."""

    chances: FloatArray
    """How likely it would be if they voted as the others do; 1 where it is as usual."""
    tested: int
    """How many such chances there were, of which one may be small by luck."""
    words: dict[int, str]
    """What was found, by voter, of those that may be marked."""

    @property
    def corrected(self) -> FloatArray:
        """The chance that anyone at all is found to be so, or more so, by luck: Bonferroni's bound."""
        return self.chances * max(self.tested, 1)


def marks_of(votes: Votes, judges: BoolArray) -> dict[int, tuple[str, ...]]:
    """Return what is suspicious about people, in words, by voter; none of judges and unnamed votes."""
    if votes.voters is None:
        return {}
    voters = votes.voters
    people = np.append(~judges, True)  # unnamed votes are people's; their number, -1, is the last
    fast = too_fast(votes, voters) & people
    pool = people & ~fast
    sided = (votes.outcomes != TIE) & people[voters.codes]
    own = pair_votes(votes, voters, (counted_rows(votes) > 0) & sided)
    for _ in range(MOST_SET_ASIDE):
        # beside one who stuffs all look strange: the strangest is set aside, and the others compared anew
        tests = at_odds(own, pool), one_arm(own, pool, votes.arms), one_side(votes, voters, sided, pool)
        strange = np.min([np.where(pool, test.corrected, np.inf) for test in tests], axis=0)
        strange[UNNAMED] = np.inf
        if strange.min() > LEVEL:
            break
        pool[np.argmin(strange)] = False
    said = f"cast {FAST_VOTES} votes within {FAST_SECONDS:g} seconds"
    aside = np.flatnonzero(people[:-1] & ~pool[:-1]).tolist()
    return {
        voter: (
            *([said] if fast[voter] else []),
            *(test.words[voter] for test in tests if test.corrected[voter] <= LEVEL),
        )
        for voter in aside
    }


def too_fast(votes: Votes, known: Texts) -> BoolArray:
    """Return who cast many votes within seconds; votes of equal times were imported, and count as one."""
    all_times = np.full(len(votes.left), np.nan) if votes.times is None else votes.times
    timed = ~np.isnan(all_times)
    times, voters = all_times[timed], known.codes[timed]
    order = np.lexsort((times, voters))
    times, voters = times[order], voters[order]
    fast = np.zeros(len(known.names) + 1, np.bool_)
    differ = np.append(True, (np.diff(times) > 0.0) | (np.diff(voters) != 0))[: len(times)]
    times, voters = times[differ], voters[differ]
    ahead = FAST_VOTES - 1
    runs = (times[ahead:] - times[:-ahead] <= FAST_SECONDS) & (voters[ahead:] == voters[:-ahead])
    fast[voters[ahead:][runs]] = True
    fast[UNNAMED] = False
    return fast


def at_odds(own: PairVotes, pool: BoolArray) -> Findings:
    """Find who votes with the majority on a pair less often than others who saw the same pairs."""
    votes, won = compared(own, pool)
    lead = 2 * won - votes
    rows = (lead != 0) & (votes > own.votes)
    agreed = np.where(lead > 0, own.won, own.votes - own.won)
    usual = own.votes * np.maximum(won, votes - won) / np.maximum(votes, 1)
    n, done, mean = (by_voter(own.voter[rows], one[rows], len(pool)) for one in (own.votes, agreed, usual))
    chances = lower_tail(done, n, mean)
    words = {
        voter: f"agrees with most others in {done[voter]:.0f} of {n[voter]:.0f} votes, where "
        f"{mean[voter]:.0f} would be usual"
        for voter in np.flatnonzero(chances <= LEVEL).tolist()
    }
    return Findings(chances, int((n > 0.0).sum()), words)


def one_arm(own: PairVotes, pool: BoolArray, arms: tuple[str, ...]) -> Findings:
    """Find who votes for an arm nearly always, and more often than others who saw the same pairs."""
    votes, won = compared(own, pool)
    rows = votes > own.votes
    share = (won / np.maximum(votes, 1))[rows]
    n, done, mean = np.zeros((3, len(pool), len(arms)))
    for arm, chosen, chance in (
        (own.smaller[rows], own.won[rows], share),
        (own.larger[rows], (own.votes - own.won)[rows], 1.0 - share),
    ):
        np.add.at(n, (own.voter[rows], arm), own.votes[rows])
        np.add.at(done, (own.voter[rows], arm), chosen)
        np.add.at(mean, (own.voter[rows], arm), own.votes[rows] * chance)
    by_arm = np.where(done >= MOSTLY * n, lower_tail(n - done, n, n - mean), 1.0)
    favourite, chances = by_arm.argmin(axis=1), by_arm.min(axis=1)
    words, label = {}, Labels(arms)
    for voter in np.flatnonzero(chances <= LEVEL).tolist():
        arm = favourite[voter]
        words[voter] = (
            f"votes for {label.in_sentence(arms[arm])} in {done[voter, arm]:.0f} of {n[voter, arm]:.0f} "
            f"votes, where {mean[voter, arm]:.0f} would be usual"
        )
    return Findings(chances, int((n > 0.0).sum()), words)


def one_side(votes: Votes, known: Texts, rows: BoolArray, pool: BoolArray) -> Findings:
    """Find who chooses one side nearly always, and more often than the others do."""
    voters, to_left = known.codes[rows], votes.outcomes[rows] > TIE
    n = by_voter(voters, np.ones(len(voters)), len(pool))
    left = by_voter(voters, to_left, len(pool))
    mean = n * (left[pool].sum() + left * ~pool) / np.maximum(n[pool].sum() + n * ~pool, 1.0)
    chances, words = np.ones(len(pool)), {}
    for side, chosen, usual in (("left", left, mean), ("right", n - left, n - mean)):
        found = np.where(chosen >= MOSTLY * n, lower_tail(n - chosen, n, n - usual), 1.0)
        for voter in np.flatnonzero((found < chances) & (found <= LEVEL)).tolist():
            words[voter] = f"chooses the {side} side in {chosen[voter]:.0f} of {n[voter]:.0f} votes"
        chances = np.minimum(chances, found)
    return Findings(chances, 2 * int((n > 0).sum()), words)


def compared(own: PairVotes, pool: BoolArray) -> tuple[IntArray, IntArray]:
    """Return for each row the votes of the pool and its voter on its pair, and those for the smaller arm."""
    inside = pool[own.voter]
    votes, won = own.totals(inside)
    return np.where(inside, votes, votes + own.votes), np.where(inside, won, won + own.won)


def by_voter(voters: IntArray, counts: ArrayLike, size: int) -> FloatArray:
    """Return the sum of counts for each voter; that of unnamed ones is the last."""
    return np.roll(np.bincount(voters - UNNAMED, weights=np.asarray(counts), minlength=size), -1)


def lower_tail(done: FloatArray, votes: FloatArray, mean: FloatArray) -> FloatArray:
    """Return the chance that a binomial number is so small; 1 near its mean, where it bounds no other."""
    from scipy.special import bdtr

    chances = np.ones(np.shape(votes))
    low = done <= mean - 1.0
    chances[low] = bdtr(
        done[low], np.asarray(votes)[low].astype(np.int64), (mean[low] / votes[low]).clip(0.0, 1.0)
    )
    return chances


FEWEST = 5
"""Votes that can be compared, without which no share of agreement is given."""


class Voter(NamedTuple):
    """One voter, or one judge."""

    name: str
    votes: int
    """The number of votes that count."""
    compared: int
    """Votes on pairs and items on which most other people prefer one arm; ties and repeats left out."""
    agreed: int
    """How many of these are for that arm."""
    marks: tuple[str, ...] = ()
    """What is suspicious, each in a few words."""

    @property
    def agreement(self) -> float | None:
        """The share of votes that agree with the majority of other people; None where there are too few."""
        return self.agreed / self.compared if self.compared >= FEWEST else None


def voters_of(votes: Votes) -> tuple[tuple[Voter, ...], tuple[Voter, ...]]:
    """Return people and judges, each with those that are marked first, then by their number of votes."""
    if votes.voters is None:
        return (), ()
    names = votes.voters.names
    judges = np.array([is_judge(name) for name in names], np.bool_)
    found = agreement_with_people(votes, ~judges)
    cast = np.bincount(votes.voters.codes + 1, minlength=len(names) + 1)[1:]
    marks = marks_of(votes, judges)
    everyone = [
        (judges[voter], Voter(name, int(cast[voter]), compared, agreed, marks.get(voter, ())))
        for voter, (name, compared, agreed) in enumerate(
            zip(names, found.compared.tolist(), found.agreed.tolist(), strict=True)
        )
        if cast[voter]  # not one whose votes were all taken back
    ]
    everyone.sort(key=lambda one: (not one[1].marks, -one[1].votes))
    return (
        tuple(voter for judge, voter in everyone if not judge),
        tuple(voter for judge, voter in everyone if judge),
    )
