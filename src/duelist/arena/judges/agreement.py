"""How often judges agree with people, where both have voted."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from duelist.arena.judges.judge import is_judge
from duelist.errors import require_confidence
from duelist.text import Report, counted
from duelist.votes.agreement import agreement_with_people
from duelist.votes.table import Votes


@dataclass(frozen=True)
class Agreement(Report):
    """How often a judge agrees with the majority of people; prints as a sentence.

    Examples
    --------
    >>> print(Agreement("judge: gpt", 31, 40, 5, 0, 0.6249, 0.8768, 0.95))
    judge: gpt agrees with people on 31 of 40 comparisons (78%, 95% interval 62% to 88%); on 5 more it saw a
    tie.
    """

    judge: str
    agreed: int
    """Comparisons, of two arms on an item, on which the judge is for the same arm as most people."""
    compared: int
    """Comparisons on which both the judge and most people are for an arm."""
    judge_ties: int
    """Those on which most people are for an arm and the judge for none; they do not count as compared."""
    people_ties: int
    """Those on which people are for no arm: as many for each, or all ties."""
    lower: float
    """Where the share of agreement may lie, by Wilson's interval; from 0 to 1 where nothing is compared."""
    upper: float
    confidence: float

    @property
    def share(self) -> float | None:
        """The share of agreement; None where nothing is compared."""
        return self.agreed / self.compared if self.compared else None

    def __str__(self) -> str:
        """Say it in a sentence."""
        ties = f"; on {self.judge_ties:,} more it saw a tie" if self.judge_ties else ""
        split = f"; on {self.people_ties:,} people were split" if self.people_ties else ""
        if self.share is None:
            return f"{self.judge} and people have not both decided any comparison{ties}{split}."
        interval = f"{self.confidence:.0%} interval {self.lower:.0%} to {self.upper:.0%}"
        of = counted(self.compared, "comparison")
        return (
            f"{self.judge} agrees with people on {self.agreed:,} of {of} ({self.share:.0%}, {interval})"
            f"{ties}{split}."
        )


def agreements(votes: Votes, confidence: float = 0.95) -> list[Agreement]:
    """Return for each judge how often it agrees with the majority of people, on the same pairs and items.

    Parameters
    ----------
    votes : Votes
        As `study.votes()` returns them.
    confidence : float, default 0.95
        The level of the intervals.

    Examples
    --------
    >>> from duelist import Duel, Study
    >>> study = Study(arms=["a", "b"])
    >>> for voter in ("Ada", "Alan", "judge: ./judge.py"):
    ...     study.tell(Duel("a", "b"), "left", voter=voter)
    >>> [(one.judge, one.agreed, one.compared) for one in agreements(study.votes())]
    [('judge: ./judge.py', 1, 1)]
    """
    require_confidence(confidence)
    if votes.voters is None:
        return []
    judges = np.array([is_judge(name) for name in votes.voters.names], np.bool_)
    found = agreement_with_people(votes, ~judges)
    voted = np.bincount(votes.voters.codes + 1, minlength=len(judges) + 1)[1:] > 0
    told = []
    for judge in np.flatnonzero(judges & voted).tolist():
        compared, agreed, ties, splits = (int(column[judge]) for column in found)
        lower, upper = 0.0, 1.0
        if compared:
            lower, upper = binomtest(agreed, compared).proportion_ci(confidence, "wilson")
        name = votes.voters.names[judge]
        told.append(Agreement(name, agreed, compared, ties, splits, float(lower), float(upper), confidence))
    return told
