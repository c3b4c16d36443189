"""The reports of a study over the wire: summary, verdict, and a full report on its votes."""

from math import isinf

import numpy as np

from duelist.analysis.analysis import of_votes, verdict_of
from duelist.defaults import DELTA
from duelist.service.settings import MOST_JUDGED
from duelist.stopping import Verdict
from duelist.study import Study, StudyState
from duelist.study.player import write_learner
from duelist.votes import Tally, Votes, count
from duelist.wire import ArmAnswer, ReportAnswer, StudyAnswer, TrafficAnswer, VerdictAnswer, VotesLeftAnswer


def summarize(name: str, study: Study) -> StudyAnswer:
    state = study.state()
    verdict = study.verdict() if state.has_verdicts else None
    # a study of parameters has no verdict; its best setting is reported as the leader
    leader = None if verdict is None else verdict.leader
    parameters = (
        None
        if state.parameters is None
        else {name: parameter.as_json() for name, parameter in state.parameters.items()}
    )
    return StudyAnswer(
        name=name,
        learner=write_learner(state.learner),
        arms=arms_of(state),
        parameters=parameters,
        answers=state.answers,
        leader=leader if parameters is None else study.best(),
        done=verdict is not None and verdict.finding != "undecided",
        confidence=None if verdict is None else verdict.confidence,
        verdict=None if verdict is None else str(verdict),
        closed=state.closed,
        **{name: value for name, value in state.settings.items() if name in StudyAnswer.__struct_fields__},
    )


def arms_of(state: StudyState) -> list[ArmAnswer]:
    retired = {*state.retired}
    return [ArmAnswer(**state.arm(name)._asdict(), retired=name in retired) for name in state.names]


def as_answer(verdict: Verdict) -> VerdictAnswer:
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
    low, high = (None if isinf(bound) else round(bound) for bound in votes)
    return VotesLeftAnswer(low=low, high=high)


def report_on(study: Study, delta: float = DELTA) -> ReportAnswer:
    state = study.state()
    if state.parameters is not None:
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
    votes = state.votes()
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
    """Return how often each arm was shown, and the share of its votes that it won."""
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
