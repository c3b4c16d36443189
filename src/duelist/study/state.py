"""The state of a study at a moment, for readers; and what its votes have proven."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from threading import RLock
from typing import Any

import numpy as np

from duelist.errors import ParameterError
from duelist.kernels.live import without_waiting
from duelist.protocols import AnyLearner
from duelist.stopping import Verdict, verdict_on, votes_left
from duelist.study.choices import Arm, require_duels, require_named
from duelist.study.documents import DocumentChoices
from duelist.study.fold import Fold
from duelist.study.parameters import Parameter, Parameters
from duelist.study.votes import VoteLog
from duelist.votes.counting import Tally
from duelist.votes.table import Votes


@dataclass(frozen=True)
class StudyState:
    """The state of a study after the first `seq` events of its journal.

    Making one takes microseconds: tables are copied when you ask for them, and are then up to date.

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
    """The time of the first event, in seconds since 1970."""
    learner: AnyLearner
    """The learner at work."""
    settings: Mapping[str, Any]
    """The arguments that the study was made with: seed, answer_timeout and interleaving."""
    names: tuple[str, ...]
    """The names of all arms, retired ones too, in the order of their numbers; empty without arms."""
    parameters: Mapping[str, Parameter] | None
    """The parameters by name; None in a study without parameters."""
    features: int | None
    """The number of features of a document; None in a study of duels."""
    in_contexts: bool
    """Whether the learner uses contexts."""
    example: Mapping[str, Any]
    """The example context and features that a study in contexts began with."""
    initial_arms: int
    """The number of arms at the beginning."""
    arms_changed: bool
    """Whether an arm was ever added or retired."""
    answers: int
    """The number of answers that count, repeats too."""
    repeats: int
    """The number of answers that repeat a voter's earlier vote on the same pair and item: no new evidence."""
    closed: bool
    """Whether the study has ended."""
    _retired: frozenset[int] = field(repr=False)
    _fold: Fold = field(repr=False, compare=False)
    _lock: RLock = field(repr=False, compare=False)
    _votes: VoteLog = field(repr=False, compare=False)

    @property
    def k(self) -> int:
        """The number of arms, retired ones too; 0 without arms."""
        return len(self.names)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the arms that are not retired."""
        if not self._retired:
            return self.names
        return tuple(name for arm, name in enumerate(self.names) if arm not in self._retired)

    @property
    def retired(self) -> tuple[str, ...]:
        """The names of the retired arms."""
        return tuple(self.names[arm] for arm in sorted(self._retired))

    @property
    def has_verdicts(self) -> bool:
        """Whether verdicts are defined: for a study of arms without contexts."""
        return self.k > 0 and not self.in_contexts

    @property
    def tally(self) -> Tally:
        """The votes counted by pair of arms: a copy, up to date when you ask for it."""
        with self._lock:
            return deepcopy(self._fold.tally)

    def votes(self, all: bool = False) -> Votes:
        """Return the votes that counted then, one a row.

        Parameters
        ----------
        all : bool, default False
            Whether to return retracted and skipped votes too, marked by their status.

        Returns
        -------
        Votes
            A table of votes.
        """
        return self._votes.votes(self, all)

    def arm(self, name: str) -> Arm:
        """Return an arm, also a retired one, with its text, link and image.

        Parameters
        ----------
        name : str
            The name of the arm.

        Returns
        -------
        Arm
            The arm.

        Raises
        ------
        UnknownNameError
            There is no arm of this name.
        """
        return require_named(self._fold.choices).about(name)

    def number(self, name: str) -> int:
        """Return an arm's number, which is its index in `names`.

        Parameters
        ----------
        name : str
            The name of the arm.

        Returns
        -------
        int
            The number.

        Raises
        ------
        UnknownNameError
            There is no arm of this name.
        """
        return require_named(self._fold.choices).find(name)

    def answers_of(self, voter: str) -> int:
        """Return the current number of a voter's answers.

        Parameters
        ----------
        voter : str
            The name of the voter.

        Returns
        -------
        int
            The number of answers, repeats too.
        """
        with self._lock:
            return sum(self._fold.seen_by(voter).values())


def state_of(fold: Fold, lock: RLock, votes: VoteLog) -> StudyState:
    """Return the state of a fold; the caller holds the lock."""
    created, choices = fold.created, fold.choices
    return StudyState(
        seq=fold.last.seq,
        created=created.time,
        learner=fold.learner,
        settings=fold.settings,
        names=choices.names,
        parameters=choices.named if isinstance(choices, Parameters) else None,
        features=choices.features if isinstance(choices, DocumentChoices) else None,
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
    """Return what the votes of a fold have proven."""
    require_verdicts(fold)
    tally = fold.tally
    options = {"repeats": tally.repeats, "delta": delta, "within": within, **population(fold)}
    return without_waiting(partial(verdict_on, fold.choices.names, tally.wins, tally.ties, **options))


def forecast_of(fold: Fold, delta: float, within: float) -> Callable[[], tuple[float, float]]:
    """Return a function that forecasts the votes left until a verdict, without using the fold again.

    Equal votes give equal ranges.
    """
    if verdict_of(fold, delta, within).finding != "undecided":
        return lambda: (0.0, 0.0)
    rng = np.random.default_rng((fold.created.seed, fold.tally.answers))
    counts = fold.tally.wins.copy(), fold.tally.ties.copy()
    return partial(votes_left, *counts, rng, delta=delta, within=within, **population(fold))


def population(fold: Fold) -> dict[str, Any]:
    """Return which arms are shown, and whether any were added or retired."""
    return {"active": fold.active, "initial_arms": fold.initial_arms, "changed": fold.arms_changed}


def require_verdicts(known: Fold | StudyState) -> None:
    """Raise ParameterError unless verdicts are defined: for a study of arms without contexts."""
    require_duels((known if isinstance(known, Fold) else known._fold).choices)
    if known.k == 0 or known.in_contexts:
        about = "in contexts" if known.in_contexts else "of parameters"
        raise ParameterError(
            f"verdicts are only defined for studies of arms, and this is a study {about}; use best(), and "
            "decide yourself when to stop."
        )
