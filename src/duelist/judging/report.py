"""The report of a judge's run, and its agreement with people."""

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
"""Significance level for a preference for one side."""


@dataclass(frozen=True)
class JudgeReport(Report):
    """The result of a judge's run; prints as a few sentences.

    Examples
    --------
    >>> from duelist import Study
    >>> verdict = Study(arms=["a", "b"]).verdict()
    >>> print(JudgeReport("judge: gpt", 80, 0, 40, 0, 31, 9, 0, 0, (), verdict, "budget", ""))
    judge: gpt gave 40 votes in 80 calls.
    40 answers changed with the order, and count as ties. The judge prefers the first position: 31 of 40
    answers that changed with the order were for the left (p < 0.001).
    The budget is used up.
    Undecided: no winner is proven yet.
    """

    judge: str
    calls: int
    """Number of calls, including failed ones."""
    cached: int
    """Number of answers from the cache, which cost nothing."""
    votes: int
    """Number of votes recorded, each from two answers."""
    ties: int
    """Number of votes that were ties in both orders."""
    flips_left: int
    """Number of votes whose answer changed with the order, in favour of the left side; they count as ties."""
    flips_right: int
    failures: int
    """Number of failed calls."""
    skipped: int
    """Number of duels skipped because their calls failed permanently."""
    exhausted: tuple[tuple[str, str], ...]
    """Pairs of arms that the judge has seen on all items."""
    verdict: Verdict
    """The verdict from all votes, including those of people."""
    ended: Ended
    """Why the run ended."""
    failure: str
    """The last failure; empty if there was none."""

    @property
    def flips(self) -> int:
        """Number of votes whose answer changed with the order."""
        return self.flips_left + self.flips_right

    @property
    def bias_p_value(self) -> float:
        """p-value of the two-sided test that flips favour neither side."""
        return float(binomtest(self.flips_left, self.flips).pvalue) if self.flips else 1.0

    def __str__(self) -> str:
        lines = [self._votes(), self._flips(), self._failures(), self._exhausted(), self._end()]
        return "\n".join([*filter(None, lines), str(self.verdict)])

    def _votes(self) -> str:
        votes, calls = counted(self.votes, "vote"), counted(self.calls, "call")
        ties = f", {self.ties:,} of them ties," if self.ties else ""
        known = f"; {counted(self.cached, 'answer')} came from the cache" if self.cached else ""
        return f"{self.judge} gave {votes}{ties} in {calls}{known}."

    def _flips(self) -> str:
        if not self.flips:
            return ""
        count = "counts as a tie" if self.flips == 1 else "count as ties"
        changed = f"{counted(self.flips, 'answer')} changed with the order, and {count}."
        position, side, most = "first", "left", self.flips_left
        if self.flips_right > most:
            position, side, most = "second", "right", self.flips_right
        share = f"{most:,} of {self.flips:,} answers that changed with the order were for the {side}"
        chance = say_p_value(self.bias_p_value)
        if self.bias_p_value < LEVEL:
            return f"{changed} The judge prefers the {position} position: {share} ({chance})."
        return f"{changed} There is no significant preference for a side: {share} ({chance})."

    def _failures(self) -> str:
        if not self.failures:
            return ""
        skipped = f"; {counted(self.skipped, 'duel')} skipped" if self.skipped else ""
        return f"{counted(self.failures, 'call')} failed{skipped}. The last failure: {self.failure}"

    def _exhausted(self) -> str:
        pairs = [f"{one} and {other}" for one, other in self.exhausted]
        return f"The judge has seen all items of: {enumeration(pairs)}." if pairs else ""

    def _end(self) -> str:
        return {
            "running": "",
            "done": "There are enough votes.",
            "budget": "The budget is used up.",
            "exhausted": "The judge has seen every pair on every item.",
            "failures": "The run ended because calls to the judge keep failing.",
            "interrupted": "The run was interrupted; its votes are kept.",
        }[self.ended]


@dataclass(frozen=True)
class Agreement(Report):
    """How often a judge agrees with the majority of people; prints as a sentence.

    Examples
    --------
    >>> print(Agreement("judge: gpt", 31, 40, 5, 0, 0.6249, 0.8768, 0.95))
    judge: gpt agrees with people on 31 of 40 comparisons (78%, 95% interval 62% to 88%); on 5 more, it saw a
    tie.
    """

    judge: str
    agreed: int
    """Number of comparisons (two arms on an item) in which the judge agrees with the majority of people."""
    compared: int
    """Number of comparisons in which both the judge and the majority of people prefer an arm."""
    judge_ties: int
    """Number of comparisons in which only the majority of people prefers an arm; not in `compared`."""
    people_ties: int
    """Number of comparisons without a majority of people."""
    lower: float
    """Lower bound of Wilson's interval for the share of agreement; the interval is [0, 1] without
    comparisons."""
    upper: float
    confidence: float

    @property
    def share(self) -> float | None:
        """The share of agreement; None without comparisons."""
        return self.agreed / self.compared if self.compared else None

    def __str__(self) -> str:
        ties = f"; on {self.judge_ties:,} more, it saw a tie" if self.judge_ties else ""
        split = f"; on {self.people_ties:,}, people were split" if self.people_ties else ""
        if self.share is None:
            return f"{self.judge} and people have no decided comparison in common{ties}{split}."
        interval = f"{self.confidence:.0%} interval {self.lower:.0%} to {self.upper:.0%}"
        of = counted(self.compared, "comparison")
        return (
            f"{self.judge} agrees with people on {self.agreed:,} of {of} ({self.share:.0%}, {interval})"
            f"{ties}{split}."
        )


def agreements(votes: Votes, confidence: float = CONFIDENCE) -> list[Agreement]:
    """Return how often each judge agrees with the majority of people on the same pairs and items.

    Parameters
    ----------
    votes : Votes
        Votes of judges and people, as `study.votes()` returns them.
    confidence : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    list of Agreement
        One entry per judge.

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
    report = []
    for judge in np.flatnonzero(judges & voted).tolist():
        compared, agreed, ties, splits = (int(column[judge]) for column in found)
        lower, upper = 0.0, 1.0
        if compared:
            lower, upper = binomtest(agreed, compared).proportion_ci(confidence, "wilson")
        name = votes.voters.names[judge]
        report.append(Agreement(name, agreed, compared, ties, splits, float(lower), float(upper), confidence))
    return report
