"""All that a study's votes say: who beats whom, ratings, every kind of winner, who was shown how often."""

from typing import Any

import numpy as np

from duelist.analysis.analysis import of_votes, verdict_of
from duelist.service.answers import Answer
from duelist.service.limits import MOST_JUDGED
from duelist.service.summary import VerdictAnswer, VotesLeftAnswer, as_answer, as_range
from duelist.study import Study
from duelist.votes import Tally, Votes, count


class TrafficAnswer(Answer):
    """How often an arm was shown, of all places that were filled, and what share of its duels it won."""

    arm: str
    """The arm's name."""
    shown: int
    """In how many duels that were answered."""
    share: float
    """Of all places in those duels, the share that the arm filled."""
    won: float | None
    """The share of its votes that it won, a tie as half, repeats left out; None if there were none."""


class ReportAnswer(Answer):
    """All that the votes of a study say."""

    answers: int
    """The number of answers on record."""
    repeats: int
    """Answers that no count has: their voter had answered about the same pair and item before."""
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
    state = study.state()
    if state.knobs is not None:
        return ReportAnswer(
            answers=state.answers,
            repeats=0,
            verdict=None,
            votes_left=None,
            arms=[],
            wins=[],
            traffic=[],
            findings=None,
        )
    votes = study.votes(at=state)
    tally, few = count(votes), len(votes.arms) <= MOST_JUDGED
    verdict = verdict_of(votes, tally, delta) if state.has_verdicts else None
    return ReportAnswer(
        answers=state.answers,
        repeats=tally.repeats,
        verdict=None if verdict is None else as_answer(verdict),
        votes_left=as_range(study.votes_left(delta)) if verdict is not None and few else None,
        arms=list(votes.arms),
        wins=tally.scores.tolist(),
        traffic=traffic_of(votes, tally),
        findings=of_votes(votes, delta=delta).to_dict() if state.answers and few else None,
    )


def traffic_of(votes: Votes, tally: Tally) -> list[TrafficAnswer]:
    """Return how often each arm was shown, and what share of its votes it won."""
    shown = np.bincount(votes.left, minlength=votes.k) + np.bincount(votes.right, minlength=votes.k)
    counted, won = tally.votes.sum(axis=1), tally.scores.sum(axis=1)
    return [
        TrafficAnswer(
            arm=name,
            shown=int(shown[arm]),
            share=float(shown[arm]) / max(int(shown.sum()), 1),
            won=float(won[arm] / counted[arm]) if counted[arm] else None,
        )
        for arm, name in enumerate(votes.arms)
    ]
