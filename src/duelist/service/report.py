"""All that a study's votes say: who beats whom, ratings, every kind of winner, who was shown how often."""

from typing import Any

import numpy as np

from duelist.problems.findings import examine_wins
from duelist.service.answers import Answer
from duelist.service.limits import MOST_JUDGED
from duelist.service.summary import VerdictAnswer, VotesLeftAnswer, as_answer, as_range
from duelist.study import Study
from duelist.study.choices import NamedArms
from duelist.study.verdicts import has_verdicts

CONFIDENCE = 0.95


class TrafficAnswer(Answer):
    """How often an arm was shown, of all places that were filled, and what share of its duels it won."""

    arm: str
    """The arm's name."""
    shown: int
    """In how many duels that were answered."""
    share: float
    """Of all places in those duels, the share that the arm filled."""
    won: float | None
    """The share of its duels that it won, a tie being half; None if there were none."""


class ReportAnswer(Answer):
    """All that the votes of a study say."""

    answers: int
    """The number of answers that count."""
    verdict: VerdictAnswer | None
    """What is proven; None for a study in contexts or of knobs."""
    votes_left: VotesLeftAnswer | None
    """About how many more votes it will take; None where there is no verdict, or with many arms."""
    arms: list[str]
    """All arms, those that are retired too; none for a study of knobs."""
    wins: list[list[float]]
    """How often the arm of a row beat that of a column; a tie is half a win for each."""
    traffic: list[TrafficAnswer]
    """Who was shown how often."""
    findings: dict[str, Any] | None
    """Winners by every definition, pairs with intervals, ratings; None without votes, or with many arms."""


def report_on(study: Study, delta: float = 0.05) -> ReportAnswer:
    """Return all that the votes of a study say."""
    with study.live.lock:
        fold = study.live.current()
        arms = list(fold.choices.names) if isinstance(fold.choices, NamedArms) else []
        wins, answers, judged = fold.tally.wins.copy(), fold.tally.answers, has_verdicts(fold)
        verdict = study.verdict(delta) if judged else None
    findings = None
    if arms and wins.any() and len(arms) <= MOST_JUDGED:
        findings = examine_wins(wins, labels_of(arms), CONFIDENCE).to_dict()
    return ReportAnswer(
        answers=answers,
        verdict=None if verdict is None else as_answer(verdict),
        votes_left=as_range(study.votes_left(delta)) if judged and len(arms) <= MOST_JUDGED else None,
        arms=arms,
        wins=wins.tolist(),
        traffic=traffic_of(arms, wins),
        findings=findings,
    )


def labels_of(arms: list[str]) -> list[str]:
    """Return names as tables of preferences have them, without spaces around them, each once.

    Examples
    --------
    >>> labels_of(["a", " a", " "])
    ['a', 'a (1)', 'arm 2']
    """
    labels: dict[str, None] = {}
    for number, arm in enumerate(arms):
        label = arm.strip() or f"arm {number}"
        while label in labels:
            label += f" ({number})"
        labels[label] = None
    return list(labels)


def traffic_of(arms: list[str], wins: Any) -> list[TrafficAnswer]:
    """Return how often each arm was shown."""
    shown = (wins + wins.T).sum(axis=1)
    total, won = max(float(shown.sum()), 1.0), wins.sum(axis=1)
    return [
        TrafficAnswer(
            arm=arm,
            shown=int(np.rint(count)),
            share=float(count) / total,
            won=float(wins_of / count) if count else None,
        )
        for arm, count, wins_of in zip(arms, shown, won, strict=True)
    ]
