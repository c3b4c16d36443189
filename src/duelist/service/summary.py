"""A study in a few lines: what it is about, and how far it is."""

from math import isinf
from typing import Any

from duelist.service.answers import Answer
from duelist.stopping import Verdict
from duelist.study import Study, StudyState
from duelist.study.player import write_learner


class ArmAnswer(Answer):
    """An arm, and what to show of it."""

    name: str
    """The arm's name."""
    text: str | None = None
    """What to show, in plain text."""
    link: str | None = None
    """A URL that begins with https:// or http://."""
    image: str | None = None
    """Such a URL, or the image itself, as data:image/png;base64,…."""
    retired: bool = False
    """Whether it is shown no more."""


class StudyAnswer(Answer):
    """What a study is about, and how far it is."""

    name: str
    """The study's name."""
    learner: dict[str, Any]
    """The learner's name and its hyperparameters."""
    arms: list[ArmAnswer]
    """All arms, those that are retired too; none for a study of knobs."""
    knobs: dict[str, Any] | None = None
    """The knobs with their ranges, by name; None for a study of arms."""
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
    """Whether the study has ended."""
    patience: float
    """Seconds after which a duel is no longer taken to be open, and an answer is marked as late."""
    interleaving: str
    """How two rankings become one list."""


class VerdictAnswer(Answer):
    """What the votes have proven."""

    finding: str
    """winner, no winner or undecided."""
    winner: str | None
    """The arm that is proven to beat all others, or within a margin to lose to none by more."""
    circle: list[str]
    """Where there is no winner: arms that beat each other in a circle, each the next."""
    leader: str
    """The arm with the most evidence for it."""
    unproven: list[str]
    """The arms against which the leader has not enough evidence, the least proven first."""
    confidence: float
    """How sure it is that the leader is the winner: one minus the smallest delta for which it would be."""
    delta: float
    """The share of studies in which such a verdict may be wrong."""
    within: float
    """The difference that was taken not to matter."""
    rivals: list[str]
    """All arms but the leader."""
    repeats: int
    """Votes that do not count here, because a voter had voted on the same pair before."""
    text: str
    """All of it in a sentence."""


class VotesLeftAnswer(Answer):
    """About how many more votes it will take until it is done."""

    low: int | None
    """If it goes well; None where it came to no end."""
    high: int | None
    """If it goes badly; None where it came to no end."""


def summarize(name: str, study: Study) -> StudyAnswer:
    """Return a study in a few lines."""
    state = study.state()
    verdict = study.verdict() if state.has_verdicts else None
    # without evidence nobody leads, and who is believed to be best stands in
    leader = None if verdict is None else verdict.leader
    knobs = None if state.knobs is None else {name: knob.as_json() for name, knob in state.knobs.items()}
    return StudyAnswer(
        name=name,
        learner=write_learner(state.learner),
        arms=arms_of(state),
        knobs=knobs,
        answers=state.answers,
        leader=leader if knobs is None else study.best(),
        done=verdict is not None and verdict.finding != "undecided",
        confidence=None if verdict is None else verdict.confidence,
        verdict=None if verdict is None else str(verdict),
        closed=state.closed,
        patience=state.patience,
        interleaving=state.interleaving,
    )


def arms_of(state: StudyState) -> list[ArmAnswer]:
    """Return all arms, those that are retired too."""
    retired = {*state.retired}
    return [ArmAnswer(**state.arm(name)._asdict(), retired=name in retired) for name in state.names]


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
