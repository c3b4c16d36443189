"""What a study says over the wire: a summary, a verdict, and a report on all its votes."""

from math import isinf

import numpy as np

from duelist.analysis.analysis import of_votes
from duelist.service.settings import MOST_JUDGED
from duelist.stopping import Verdict
from duelist.study import Study
from duelist.study.choices import NamedArms
from duelist.study.knobs import Knobs
from duelist.study.learner_record import write_learner
from duelist.study.verdicts import has_verdicts, verdict_of
from duelist.study.votes import moment_of
from duelist.votes import Tally, Votes, count
from duelist.wire import ArmAnswer, ReportAnswer, StudyAnswer, TrafficAnswer, VerdictAnswer, VotesLeftAnswer


def summarize(name: str, study: Study) -> StudyAnswer:
    """Return a study in a few lines."""
    with study.live.lock:
        fold = study.live.current()
        verdict = verdict_of(fold, 0.05, 0.0) if has_verdicts(fold) else None
        leader = None
        if verdict is not None:
            # without evidence nobody leads, and who is believed to be best stands in
            leader = verdict.leader
        choices = fold.choices
        return StudyAnswer(
            name=name,
            learner=write_learner(fold.learner),
            arms=arms_of(choices),
            knobs=choices.as_json()["knobs"] if isinstance(choices, Knobs) else None,
            answers=fold.tally.answers,
            leader=study.best() if isinstance(choices, Knobs) else leader,
            done=verdict is not None and verdict.finding != "undecided",
            confidence=None if verdict is None else verdict.confidence,
            verdict=None if verdict is None else str(verdict),
            closed=fold.closed,
            patience=fold.created.patience,
            interleaving=fold.created.interleaving,
        )


def arms_of(choices: NamedArms | Knobs) -> list[ArmAnswer]:
    """Return all arms, those that are retired too."""
    if isinstance(choices, Knobs):
        return []
    active = set(choices.shown)
    return [ArmAnswer(**choices.about(name)._asdict(), retired=name not in active) for name in choices.names]


def as_answer(verdict: Verdict) -> VerdictAnswer:
    """Return a verdict as it is answered."""
    return VerdictAnswer(
        finding=verdict.finding,
        winner=verdict.winner,
        circle=list(verdict.circle),
        leader=verdict.leader,
        unproven=list(verdict.unproven),
        confidence=verdict.confidence,
        delta=verdict.delta,
        within=verdict.within,
        rivals=list(verdict.rivals),
        repeats=verdict.repeats,
        text=str(verdict),
    )


def as_range(votes: tuple[float, float]) -> VotesLeftAnswer:
    """Return a range of votes as it is answered."""
    low, high = (None if isinf(bound) else round(bound) for bound in votes)
    return VotesLeftAnswer(low=low, high=high)


def report_on(study: Study, delta: float = 0.05) -> ReportAnswer:
    """Return all that the votes of a study say."""
    with study.live.lock:
        fold = study.live.current()
        judged = has_verdicts(fold)
        verdict = study.verdict(delta) if judged else None
        moment, answers = moment_of(fold), fold.tally.answers
    if not isinstance(moment.choices, NamedArms):
        return ReportAnswer(
            answers=answers,
            repeats=0,
            verdict=None,
            votes_left=None,
            arms=[],
            wins=[],
            traffic=[],
            findings=None,
        )
    votes = study.vote_log.votes(moment)
    tally, few = count(votes), len(votes.arms) <= MOST_JUDGED
    return ReportAnswer(
        answers=answers,
        repeats=tally.repeats,
        verdict=None if verdict is None else as_answer(verdict),
        votes_left=as_range(study.votes_left(delta)) if judged and few else None,
        arms=list(votes.arms),
        wins=tally.scores.tolist(),
        traffic=traffic_of(votes, tally),
        findings=of_votes(votes, delta=delta).to_dict() if answers and few else None,
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
