"""How often judges agree with people, where both have voted."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.stats import binomtest

from duelist.arena.judges.judge import is_judge
from duelist.errors import require_confidence
from duelist.study.votes import OUTCOMES, Vote
from duelist.text import Report, counted

Compared = tuple[str, str, str | None]
"""Two arms in the order of the alphabet, and an item."""


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


def agreements(votes: Iterable[Vote], confidence: float = 0.95) -> list[Agreement]:
    """Return for each judge how often it agrees with the majority of people, on the same pairs and items.

    Parameters
    ----------
    votes : iterable of Vote
        As `study.votes()` returns them. One who votes again on the same pair and item counts once, by the
        first vote; votes without a voter are of as many people.
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
    people, judges = leads_of(votes)
    return [agreement(name, people, leads, confidence) for name, leads in judges.items()]


def leads_of(votes: Iterable[Vote]) -> tuple[dict[Compared, float], dict[str, dict[Compared, float]]]:
    """Return who leads each comparison, among people and by each judge: positive for the first arm."""
    people: defaultdict[Compared, float] = defaultdict(float)
    judges: defaultdict[str, dict[Compared, float]] = defaultdict(dict)
    voted: set[tuple[str, Compared]] = set()
    for vote in votes:
        if vote.status != "counted" or vote.outcome is None:
            continue
        given = OUTCOMES[vote.outcome] if isinstance(vote.outcome, str) else vote.outcome
        lead = 2.0 * given - 1.0
        compared = (vote.left, vote.right, vote.item)
        if vote.left > vote.right:
            compared, lead = (vote.right, vote.left, vote.item), -lead
        if vote.voter is not None:
            if (vote.voter, compared) in voted:
                continue
            voted.add((vote.voter, compared))
        if vote.voter is not None and is_judge(vote.voter):
            judges[vote.voter][compared] = lead
        else:
            people[compared] += lead
    return people, judges


def agreement(
    judge: str, people: dict[Compared, float], leads: dict[Compared, float], confidence: float
) -> Agreement:
    """Return how often a judge agrees with people."""
    both = [(people[compared], lead) for compared, lead in leads.items() if compared in people]
    products = [majority * lead for majority, lead in both if majority and lead]
    agreed, compared = sum(product > 0.0 for product in products), len(products)
    lower, upper = 0.0, 1.0
    if compared:
        lower, upper = binomtest(agreed, compared).proportion_ci(confidence, "wilson")
    return Agreement(
        judge=judge,
        agreed=agreed,
        compared=compared,
        judge_ties=sum(1 for majority, lead in both if majority and not lead),
        people_ties=sum(1 for majority, _ in both if not majority),
        lower=float(lower),
        upper=float(upper),
        confidence=confidence,
    )
