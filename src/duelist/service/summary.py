"""A study in a few lines: what it is about, and how far it is."""

from math import isinf
from typing import Any

from duelist.service.models import Answer
from duelist.stopping import Verdict
from duelist.study import Study
from duelist.study.choices import NamedArms
from duelist.study.knobs import Knobs
from duelist.study.learner_record import write_learner
from duelist.study.verdicts import has_verdicts, verdict_of


class ArmAnswer(Answer):
    """An arm, and what to show of it."""

    name: str
    text: str | None = None
    link: str | None = None
    image: str | None = None
    retired: bool = False


class StudyAnswer(Answer):
    """What a study is about, and how far it is."""

    name: str
    learner: dict[str, Any]
    arms: list[ArmAnswer]
    knobs: dict[str, Any] | None = None
    answers: int
    """The number of answers that count."""
    leader: str | dict[str, float] | None
    """Who has the most evidence for it; the best setting of knobs; None in contexts, where it depends."""
    done: bool
    """Whether there are enough votes: a winner is proven, or that there is none."""
    confidence: float | None = None
    """How sure it is that the leader is the winner, however often one looks."""
    verdict: str | None = None
    """What is proven, in a sentence."""
    closed: bool
    patience: float
    interleaving: str


class VerdictAnswer(Answer):
    """What the votes have proven."""

    finding: str
    winner: str | None
    circle: list[str]
    leader: str
    unproven: list[str]
    confidence: float
    delta: float
    within: float
    rivals: list[str]
    repeats: int
    text: str
    """All of it in a sentence."""


class VotesLeftAnswer(Answer):
    """About how many more votes it will take until it is done."""

    low: int | None
    high: int | None
    """None where it came to no end."""


def summarize(name: str, study: Study) -> StudyAnswer:
    """Return a study in a few lines."""
    with study.live.lock:
        fold = study.live.current()
        verdict = verdict_of(fold, 0.05, 0.0) if has_verdicts(fold) else None
        leader = None if verdict is None else verdict.leader
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
