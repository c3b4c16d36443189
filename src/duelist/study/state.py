"""What a study knows at a moment, for those who only look; and what its votes have proven."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from threading import RLock
from typing import Any

import numpy as np

from duelist.errors import ParameterError
from duelist.kernels.live import without_waiting
from duelist.protocols import Learner
from duelist.stopping import Verdict, verdict_on, votes_left
from duelist.study.choices import Arm, require_named
from duelist.study.fold import Fold
from duelist.study.parameters import Parameter, Parameters
from duelist.study.votes import VoteLog
from duelist.votes.counting import Tally
from duelist.votes.table import Votes


@dataclass(frozen=True)
class StudyState:
    """What a study knows after the first `seq` events of its journal.

    To get one costs microseconds: tables are copied when they are asked for, and are then as new as that.

    Examples
    --------
    >>> from duelist import Study
    >>> study = Study(arms=["tea", "coffee"], seed=7)
    >>> before = study.state()
    >>> study.tell(study.ask(), "left")
    >>> before.answers, study.state().answers, study.state().shown
    (0, 1, ('tea', 'coffee'))
    """

    seq: int
    """The number of the last event."""
    created: float
    """When the study began, in seconds since 1970."""
    learner: Learner[Any]
    """The learner at work."""
    settings: Mapping[str, Any]
    """The arguments that the study was made with: seed, answer_timeout and interleaving."""
    names: tuple[str, ...]
    """All arms that ever were, in the order of their numbers; none for a study of parameters."""
    parameters: Mapping[str, Parameter] | None
    """The parameters by name; None for a study of arms."""
    in_contexts: bool
    """Whether the learner looks at contexts."""
    example: Mapping[str, Any]
    """The context and features that a study in contexts began with."""
    initial_arms: int
    """How many arms there were at the beginning."""
    arms_changed: bool
    """Whether an arm was ever added or retired."""
    answers: int
    """The number of answers that count, repeats too."""
    repeats: int
    """How many of them repeat a voter's earlier vote on the same pair and item, and prove nothing new."""
    closed: bool
    """Whether the study has ended."""
    _retired: frozenset[int] = field(repr=False)
    _fold: Fold = field(repr=False, compare=False)
    _lock: RLock = field(repr=False, compare=False)
    _votes: VoteLog = field(repr=False, compare=False)

    @property
    def k(self) -> int:
        """The number of arms that ever were; 0 for parameters."""
        return len(self.names)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the arms that may be shown."""
        if not self._retired:
            return self.names
        return tuple(name for arm, name in enumerate(self.names) if arm not in self._retired)

    @property
    def retired(self) -> tuple[str, ...]:
        """The names of the arms that are shown no more."""
        return tuple(self.names[arm] for arm in sorted(self._retired))

    @property
    def has_verdicts(self) -> bool:
        """Whether this is a study of arms without contexts, on which there are verdicts."""
        return self.parameters is None and not self.in_contexts

    @property
    def tally(self) -> Tally:
        """The votes counted by pair of arms: a copy of what is known when it is asked for."""
        with self._lock:
            return deepcopy(self._fold.tally)

    def votes(self, all: bool = False) -> Votes:
        """Return the votes that counted then, a row each; with `all`, also the others, marked by status."""
        return self._votes.votes(self, all)

    def arm(self, name: str) -> Arm:
        """Return an arm with what it shows, retired ones too."""
        return require_named(self._fold.choices).about(name)

    def number(self, name: str) -> int:
        """Return an arm's number, which is its place in `names`."""
        return require_named(self._fold.choices).find(name)

    def answers_of(self, voter: str) -> int:
        """Return how many answers a voter has given, by now."""
        with self._lock:
            return sum(self._fold.seen_by(voter).values())


def state_of(fold: Fold, lock: RLock, votes: VoteLog) -> StudyState:
    """Return what a fold knows now; whoever calls it holds the lock."""
    created, choices = fold.created, fold.choices
    return StudyState(
        seq=fold.last.seq,
        created=created.time,
        learner=fold.learner,
        settings=fold.settings,
        names=choices.names,
        parameters=choices.named if isinstance(choices, Parameters) else None,
        in_contexts=fold.in_contexts,
        example=fold.example,
        initial_arms=fold.initial_arms,
        arms_changed=fold.arms_changed,
        answers=fold.tally.answers,
        repeats=fold.tally.repeats,
        closed=fold.closed,
        _retired=choices.retired,
        _fold=fold,
        _lock=lock,
        _votes=votes,
    )


def verdict_of(fold: Fold, delta: float, within: float) -> Verdict:
    """Return what is proven."""
    require_verdicts(fold)
    tally = fold.tally
    options = {"repeats": tally.repeats, "delta": delta, "within": within, **population(fold)}
    return without_waiting(partial(verdict_on, fold.choices.names, tally.wins, tally.ties, **options))


def forecast_of(fold: Fold, delta: float, within: float) -> Callable[[], tuple[float, float]]:
    """Return what counts the votes that a verdict will take, without looking at the fold any more.

    Equal votes give equal ranges.
    """
    if verdict_of(fold, delta, within).finding != "undecided":
        return lambda: (0.0, 0.0)
    rng = np.random.default_rng((fold.created.seed, fold.tally.answers))
    counts = fold.tally.wins.copy(), fold.tally.ties.copy()
    return partial(votes_left, *counts, rng, delta=delta, within=within, **population(fold))


def population(fold: Fold) -> dict[str, Any]:
    """Return which arms there are, and whether any came or went."""
    return {"active": fold.active, "initial_arms": fold.initial_arms, "changed": fold.arms_changed}


def require_verdicts(known: Fold | StudyState) -> None:
    """Say that there is no verdict yet on what is no list of arms."""
    if known.k == 0 or known.in_contexts:
        about = "in contexts" if known.in_contexts else "of parameters"
        raise ParameterError(
            f"there is no verdict on a study {about} yet: it says best(), but not when there are enough "
            "votes."
        )
