"""What came of a judge's run, in numbers and a few sentences."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.stats import binomtest

from duelist.defaults import CONFIDENCE
from duelist.errors import require_confidence
from duelist.judging.judge import is_judge
from duelist.stopping import Verdict
from duelist.text import Report, counted, enumeration, say_p_value
from duelist.votes.counting import agreement_with_people
from duelist.votes.table import Votes

Ended: TypeAlias = Literal["running", "done", "budget", "exhausted", "failures", "interrupted"]
LEVEL = 0.05
"""The chance below which a preference for one side is not taken for luck."""


@dataclass(frozen=True)
class JudgeReport(Report):
    """What came of a judge's run; prints as a few sentences.

    Examples
    --------
    >>> from duelist import Study
    >>> verdict = Study(arms=["a", "b"]).verdict()
    >>> print(JudgeReport("judge: gpt", 80, 0, 40, 0, 31, 9, 0, 0, (), verdict, "budget", ""))
    judge: gpt gave 40 votes in 80 calls.
    40 answers changed with the order, and count as ties. The judge prefers what is shown first: 31 of 40
    answers that changed with the order were for the left (p < 0.001).
    The budget is used up.
    Undecided: who wins is not proven yet.
    """

    judge: str
    calls: int
    """Calls that were made, also those that failed."""
    cached: int
    """Answers that were known already, and cost nothing."""
    votes: int
    """Votes that were told: one for two answers."""
    ties: int
    """Votes that were ties in both orders."""
    flips_left: int
    """Votes whose answer changed with the order, for the left side; they count as ties too."""
    flips_right: int
    failures: int
    """Calls that failed."""
    skipped: int
    """Duels that were skipped, because calls for them failed for good."""
    exhausted: tuple[tuple[str, str], ...]
    """Pairs of arms that the judge has seen on all items."""
    verdict: Verdict
    """What the votes have proven, also those of people."""
    ended: Ended
    """Why the run ended."""
    failure: str
    """The last failure; empty if there was none."""

    @property
    def flips(self) -> int:
        """Votes whose answer changed with the order."""
        return self.flips_left + self.flips_right

    @property
    def bias_p_value(self) -> float:
        """The chance of flips that lean to one side at least as much, if the judge preferred none."""
        return float(binomtest(self.flips_left, self.flips).pvalue) if self.flips else 1.0

    def __str__(self) -> str:
        """Say it in a few sentences, a line for each matter."""
        lines = [self._votes(), self._flips(), self._failures(), self._exhausted(), self._end()]
        return "\n".join([*filter(None, lines), str(self.verdict)])

    def _votes(self) -> str:
        votes, calls = counted(self.votes, "vote"), counted(self.calls, "call")
        ties = f", {self.ties:,} of them ties," if self.ties else ""
        known = f"; {counted(self.cached, 'answer')} cost nothing, being known already" if self.cached else ""
        return f"{self.judge} gave {votes}{ties} in {calls}{known}."

    def _flips(self) -> str:
        if not self.flips:
            return ""
        count = "counts as a tie" if self.flips == 1 else "count as ties"
        changed = f"{counted(self.flips, 'answer')} changed with the order, and {count}."
        place, side, most = "first", "left", self.flips_left
        if self.flips_right > most:
            place, side, most = "second", "right", self.flips_right
        share = f"{most:,} of {self.flips:,} answers that changed with the order were for the {side}"
        chance = say_p_value(self.bias_p_value)
        if self.bias_p_value < LEVEL:
            return f"{changed} The judge prefers what is shown {place}: {share} ({chance})."
        return f"{changed} No preference for a side is shown: {share} ({chance})."

    def _failures(self) -> str:
        if not self.failures:
            return ""
        skipped = f"; {counted(self.skipped, 'duel')} skipped" if self.skipped else ""
        return f"{counted(self.failures, 'call')} failed{skipped}. The last failure: {self.failure}"

    def _exhausted(self) -> str:
        pairs = [f"{one} and {other}" for one, other in self.exhausted]
        return f"Nothing new is left to judge for: {enumeration(pairs)}." if pairs else ""

    def _end(self) -> str:
        return {
            "running": "",
            "done": "There are enough votes.",
            "budget": "The budget is used up.",
            "exhausted": "The judge has seen every pair on every item.",
            "failures": "The run ended, because the judge gives no answers.",
            "interrupted": "The run was interrupted; what was judged is kept.",
        }[self.ended]


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


def agreements(votes: Votes, confidence: float = CONFIDENCE) -> list[Agreement]:
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
