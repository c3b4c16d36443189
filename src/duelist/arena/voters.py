"""Voters: how often they voted, how far they agree, and marks for suspected stuffing or carelessness."""

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
"""Code of a voter without a name."""
LEVEL = 0.01
"""Family-wise error rate of a test: the chance that it marks anyone at all if everyone votes alike."""
MOSTLY = 0.9
"""Smallest share of votes for one side, or one arm, that is marked."""
FAST_VOTES, FAST_SECONDS = 10, 10.0
"""This many votes within this many seconds are too fast for a careful voter."""
MOST_SET_ASIDE = 25
"""Maximum number of suspicious voters excluded from the votes that others are compared with."""


class PairVotes(NamedTuple):
    """One row per voter and pair that they voted on; all unnamed voters count as one."""

    voter: IntArray
    smaller: IntArray
    """The arm of the pair with the smaller number; `larger` is the other."""
    larger: IntArray
    pair: IntArray
    """Index of the pair, from 0."""
    votes: IntArray
    won: IntArray
    """How many of them are for the smaller arm."""

    def totals(self, rows: BoolArray) -> tuple[IntArray, IntArray]:
        """Return, for each row's pair, the votes on it in `rows` and how many are for its smaller arm."""
        pairs = int(self.pair.max(initial=-1)) + 1
        votes = total(self.pair[rows], self.votes[rows], pairs)
        won = total(self.pair[rows], self.won[rows], pairs)
        return votes[self.pair], won[self.pair]


def pair_votes(votes: Votes, voters: Texts, kept: BoolArray) -> PairVotes:
    """Count the kept votes, none of which may be a tie, by voter and pair."""
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


def total(indices: IntArray, counts: IntArray, size: int) -> IntArray:
    return np.bincount(indices, weights=counts, minlength=size).astype(np.int64)


class Findings(NamedTuple):
    """The result of a test for each voter; the last entry is all unnamed voters together."""

    chances: FloatArray
    """P-values under the hypothesis that all vote alike; 1 for unsuspicious voters."""
    tested: int
    """Number of tests, for the correction."""
    words: dict[int, str]
    """The finding in words, for voters that may be marked."""

    @property
    def corrected(self) -> FloatArray:
        """P-values with Bonferroni's correction for the number of tests."""
        return self.chances * max(self.tested, 1)


def marks_of(votes: Votes, judges: BoolArray) -> dict[int, tuple[str, ...]]:
    """Return the marks of suspicious people, by voter; judges and unnamed votes get none."""
    if votes.voters is None:
        return {}
    voters = votes.voters
    people = np.append(~judges, True)  # unnamed votes are people's; their number, -1, is the last
    fast = too_fast(votes, voters) & people
    pool = people & ~fast
    sided = (votes.outcomes != TIE) & people[voters.codes]
    own = pair_votes(votes, voters, (counted_rows(votes) > 0) & sided)
    for _ in range(MOST_SET_ASIDE):
        # next to a ballot stuffer everyone looks strange: exclude the strangest and compare the rest again
        tests = at_odds(own, pool), one_arm(own, pool, votes.arms), one_side(votes, voters, sided, pool)
        strange = np.min([np.where(pool, test.corrected, np.inf) for test in tests], axis=0)
        strange[UNNAMED] = np.inf
        if strange.min() > LEVEL:
            break
        pool[np.argmin(strange)] = False
    hasty = f"cast {FAST_VOTES} votes within {FAST_SECONDS:g} seconds"
    aside = np.flatnonzero(people[:-1] & ~pool[:-1]).tolist()
    return {
        voter: (
            *([hasty] if fast[voter] else []),
            *(test.words[voter] for test in tests if test.corrected[voter] <= LEVEL),
        )
        for voter in aside
    }


def too_fast(votes: Votes, known: Texts) -> BoolArray:
    """Return which voters cast many votes within seconds; votes of equal times are imports and count once."""
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
    """Find voters who agree with the majority less often than others who saw the same pairs."""
    votes, won = compared(own, pool)
    lead = 2 * won - votes
    rows = (lead != 0) & (votes > own.votes)
    agreed = np.where(lead > 0, own.won, own.votes - own.won)
    usual = own.votes * np.maximum(won, votes - won) / np.maximum(votes, 1)
    n, done, mean = (by_voter(own.voter[rows], one[rows], len(pool)) for one in (own.votes, agreed, usual))
    chances = lower_tail(done, n, mean)
    words = {
        voter: f"agrees with most others in {done[voter]:.0f} of {n[voter]:.0f} votes, where "
        f"{mean[voter]:.0f} would be typical"
        for voter in np.flatnonzero(chances <= LEVEL).tolist()
    }
    return Findings(chances, int((n > 0.0).sum()), words)


def one_arm(own: PairVotes, pool: BoolArray, arms: tuple[str, ...]) -> Findings:
    """Find voters who nearly always vote for one arm, and more often than others who saw the same pairs."""
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
            f"votes, where {mean[voter, arm]:.0f} would be typical"
        )
    return Findings(chances, int((n > 0.0).sum()), words)


def one_side(votes: Votes, known: Texts, rows: BoolArray, pool: BoolArray) -> Findings:
    """Find voters who nearly always choose one side, and more often than others."""
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
    """Return each row's votes by the pool and its voter on its pair, and how many are for the smaller arm."""
    inside = pool[own.voter]
    votes, won = own.totals(inside)
    return np.where(inside, votes, votes + own.votes), np.where(inside, won, won + own.won)


def by_voter(voters: IntArray, counts: ArrayLike, size: int) -> FloatArray:
    """Sum counts by voter; the last entry is for unnamed voters."""
    return np.roll(np.bincount(voters - UNNAMED, weights=np.asarray(counts), minlength=size), -1)


def lower_tail(done: FloatArray, votes: FloatArray, mean: FloatArray) -> FloatArray:
    """Bound the lower-tail probability by a binomial one; return 1 near the mean, where that is no bound."""
    from scipy.special import bdtr

    chances = np.ones(np.shape(votes))
    low = done <= mean - 1.0
    chances[low] = bdtr(
        done[low], np.asarray(votes)[low].astype(np.int64), (mean[low] / votes[low]).clip(0.0, 1.0)
    )
    return chances


FEWEST = 5
"""Minimum number of comparable votes for a share of agreement."""


class Voter(NamedTuple):
    """A person or a judge."""

    name: str
    votes: int
    """The number of votes that count."""
    compared: int
    """Votes on pairs and items on which most other people prefer one arm, without ties and repeats."""
    agreed: int
    """How many of them are for that arm."""
    marks: tuple[str, ...] = ()
    """Reasons for suspicion, each in a few words."""

    @property
    def agreement(self) -> float | None:
        """The share of votes that agree with the majority of other people; None if there are too few."""
        return self.agreed / self.compared if self.compared >= FEWEST else None


def voters_of(votes: Votes) -> tuple[tuple[Voter, ...], tuple[Voter, ...]]:
    """Return people and judges, marked ones first, then by number of votes."""
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
        if cast[voter]  # without voters whose votes were all retracted
    ]
    everyone.sort(key=lambda one: (not one[1].marks, -one[1].votes))
    return (
        tuple(voter for judge, voter in everyone if not judge),
        tuple(voter for judge, voter in everyone if judge),
    )
