"""The fold of a journal: the state of a study as a function of its events alone."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from duelist.card import card_of
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import DuelistError, FileError
from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Clicked,
    Closed,
    Created,
    DocumentsClicked,
    Event,
    LearnerChanged,
    Recorded,
    Retracted,
    Skipped,
)
from duelist.journal.clicks import PendingClicks, is_answer
from duelist.menus import Actions, Arms, Impression
from duelist.menus.finite import require_best
from duelist.protocols import AnyLearner
from duelist.study.choices import Arm, Choices, NamedArms, read_choices, require_documents, require_named
from duelist.study.documents import DocumentChoices, impression_of
from duelist.study.parameters import Parameters
from duelist.study.player import Player, RandomStreams, as_told, columns_of, read_learner
from duelist.votes.counting import Comparison, SeenComparisons, Tally

BACKWARD = (Retracted, LearnerChanged)
"""Events that change what earlier events mean."""
NOTHING: Mapping[Comparison, int] = MappingProxyType({})


class Fold:
    """A learner's state, the tally and the table of arms after the first `seq` events.

    Parameters
    ----------
    created : Created
        The first event.
    learner : Learner
        The last learner of the journal.
    example : mapping
        Example context and features, for a learner of contexts.
    learner_number : int
        How often the learner was changed.
    left_out : set of str
        The tickets whose answers were retracted.
    """

    def __init__(
        self,
        created: Created,
        learner: AnyLearner,
        example: Mapping[str, Any],
        learner_number: int,
        left_out: set[str],
    ) -> None:
        self.created, self.learner, self.example = created, learner, example
        self.learner_number, self.left_out = learner_number, left_out
        self.choices: Choices = read_choices(created.choices)
        self.k = len(self.choices.names)
        """The number of arms, retired ones too; 0 without arms."""
        self.settings = created.settings
        self.initial_arms = self.k
        """The number of arms at the beginning."""
        self.arms_changed = False
        """Whether an arm was ever added or retired."""
        self.tally = Tally(self.k)
        self.seen = SeenComparisons()
        self.streams = RandomStreams(created.seed)
        self.pending = PendingClicks()
        self.last = Recorded(0, created)
        self.closed = False
        self.stuck = False
        """Whether the learner has lost the arm it had found, and must restart."""
        self.in_contexts = card_of(learner).setting == "contexts"
        self._arms: Arms | None = None
        self.player: Player
        """The learner at work, once it has begun."""
        self._has_begun = False

    @property
    def active(self) -> tuple[int, ...] | None:
        """The numbers of the arms that are not retired; None if none is retired."""
        return require_named(self.choices).active

    def seen_by(self, voter: str | None) -> Mapping[Comparison, int]:
        """Return what a voter has seen, and how often they answered it."""
        return NOTHING if voter is None else self.seen.by_voter.get(voter, NOTHING)

    def apply(self, events: Sequence[Recorded]) -> bool:
        """Apply the next events; return False if everything must be folded again."""
        for one in events:
            if type(one.event) in BACKWARD:
                return False
        self.follow(events)
        return not self.stuck

    def best(self, menu: Any) -> Any:
        """Return the choice believed to be best; if it is retired, the arm that beats the most others."""
        answer = self.player.best(menu)
        if not isinstance(menu, Arms | Actions):
            return answer
        best = require_best(self.learner, answer, menu.k)
        active = getattr(menu, "active", None) or range(menu.k)
        if best in active:
            return best
        scores = self.tally.scores
        return max(active, key=lambda arm: sum(scores[arm, rival] > scores[rival, arm] for rival in active))

    def begin(self) -> None:
        """Start the learner with the arms that there are."""
        self._has_begun = True
        example = {name: np.asarray(value, np.float64) for name, value in self.example.items()}
        if self.k == 0 or self.in_contexts:
            self.player = Player(self.learner, self.menu(**example), self.streams.start())
            return
        self.player = Player(self.learner, Arms(self.k), self.streams.start())
        if self.player.takes_new_arms:
            self.player.grow(self._ranks())

    def menu(self, context: Any = None, features: Any = None, open_pairs: Any = None) -> Any:
        """Return the menu of what can be shown now."""
        if not isinstance(self.choices, NamedArms):
            return self.choices.menu
        if self.in_contexts:
            return Actions(self.k, context, features, self_duels=False)
        if self._arms is None:
            self._arms = Arms(self.k, self.active, self_duels=False, wins=self.tally.scores)
        return self._arms.with_open(open_pairs) if open_pairs else self._arms

    def restart(self, events: Iterable[Recorded]) -> None:
        """Restart the learner without retired arms, and tell it the answers counted so far."""
        self.begin()
        self.stuck = False
        for arm in sorted(self.choices.retired):
            self.player.eliminate(arm)
        counted = [
            one.event for one in events if is_answer(one.event) and one.event.ticket not in self.left_out
        ]
        if self.k == 0:
            for one in counted:
                self.player.tell(*self.as_told(one))
            return
        answers = [one for one in counted if isinstance(one, Answered)]
        is_first = SeenComparisons().is_first
        first = [is_first(one.voter, one.left, one.right, one.item) for one in answers]
        answers = [one for one, fresh in zip(answers, first, strict=True) if fresh or self._teaches(one)]
        if answers:
            self.player.tell_all(answers, self.learner_number)

    def as_told(self, answer: Answered | DocumentsClicked) -> tuple[Duel | Impression, Any]:
        """Return an answer as the learner is told it: a duel and its outcome, or a list and its clicks."""
        if isinstance(answer, Answered):
            return as_told(answer, self.learner_number)
        features = require_documents(self.choices).features
        own = answer.learner == self.learner_number
        impression = impression_of(answer.ticket, answer.shown, features, own)
        return impression, tuple(impression.documents[place] for place in answer.places)

    def _teaches(self, answer: Answered) -> bool:
        """Return whether the learner is told a repeated vote: in another context, or from clicks.

        A visitor's next list is for another search, even if the pair of rankers is the same.
        """
        return self.k == 0 or self.in_contexts or answer.clicked is not None

    def _ranks(self) -> Any:
        return np.array([self.streams.rank(arm) for arm in range(self.k)])

    def follow(self, events: Iterable[Recorded]) -> None:
        """Apply events in order, until the learner gets stuck; retracted answers are left out."""
        answers: list[Recorded] = []
        for recorded in events:
            if self.stuck:
                return
            event = recorded.event
            if type(event) is Answered or (type(event) is DocumentsClicked and event.final):
                if self.pending.by_ticket:
                    self.pending.close(event.ticket)
                if not self.left_out or event.ticket not in self.left_out:
                    answers.append(recorded)
            elif isinstance(event, Clicked | DocumentsClicked):
                self._check_choices(recorded.seq, event)
                self.pending.add(event)
            else:
                self._learn(answers)
                answers = []
                self._change(recorded.seq, event)
                self._arms = None
            self.last = recorded
        self._learn(answers)

    def _learn(self, recorded: Sequence[Recorded]) -> None:
        if len(recorded) > 1 and self.k > 0:
            self._learn_many(recorded)
            return
        for seq, answer in recorded:
            if not isinstance(answer, Answered | DocumentsClicked):
                continue
            self._check_choices(seq, answer)
            teaches = True
            if self.k == 0 or not isinstance(answer, Answered):
                self.tally.answers += 1
            elif self.seen.is_first(answer.voter, answer.left, answer.right, answer.item):
                self.tally.add(answer.left, answer.right, answer.outcome)
            else:
                self.tally.add_repeats(1)
                teaches = self._teaches(answer)
            if teaches and self._has_begun:
                self.player.tell(*self.as_told(answer))

    def _learn_many(self, recorded: Sequence[Recorded]) -> None:
        """Count and tell answers on arms as columns; raise FileError if an arm is unknown."""
        answers = [one.event for one in recorded if isinstance(one.event, Answered)]
        sides, outcomes = self._columns(recorded, answers)
        is_first = self.seen.is_first
        first = np.fromiter(
            (is_first(one.voter, one.left, one.right, one.item) for one in answers), np.bool_, len(answers)
        )
        left, right = sides[first].T
        self.tally.add_all(left, right, outcomes[first], np.ones(len(left), np.int64))
        self.tally.add_repeats(len(answers) - len(left))
        if self._has_begun:
            pairs = zip(answers, first.tolist(), strict=True)
            told = answers if first.all() else [one for one, fresh in pairs if fresh or self._teaches(one)]
            self.player.tell_all(told, self.learner_number)

    def _columns(
        self, recorded: Sequence[Recorded], answers: Sequence[Answered]
    ) -> tuple[IntArray, FloatArray]:
        try:
            sides, outcomes = columns_of(answers)
            fine = len(answers) == len(recorded) and sides.max() < self.k
        except TypeError:
            fine = False
        if not fine:
            for seq, event in recorded:
                if is_answer(event):
                    self._check_choices(seq, event)
        return sides, outcomes

    def _check_choices(self, seq: int, event: Answered | Clicked | DocumentsClicked | Skipped) -> None:
        """Raise FileError if an event does not fit the choices of the study."""
        of_documents = isinstance(self.choices, DocumentChoices)
        if isinstance(event, DocumentsClicked) or of_documents:
            if not (isinstance(event, DocumentsClicked) and of_documents):
                kind = type(event).__name__
                raise FileError(f"event {seq} ({kind}) cannot be in a study of {self.choices.kind}.")
            return
        for side in (event.left, event.right):
            if type(side) is int and side < self.k:
                continue
            if self.k > 0:
                raise FileError(f"event {seq} compares arm {side!r}, but there are only {self.k} arms.")
            if not (
                isinstance(side, list) and isinstance(self.choices, Parameters) and self.choices.has(side)
            ):
                raise FileError(f"event {seq} compares {side!r}, which is not a setting of the parameters.")

    def _change(self, seq: int, event: Event) -> None:
        try:
            if isinstance(event, Skipped):
                self._check_choices(seq, event)
                self.pending.close(event.ticket)
                if self.k > 0:
                    self.seen.note(event.voter, event.left, event.right, event.item)
            elif isinstance(event, ArmAdded):
                self._add_arm(Arm(event.arm, event.text, event.link, event.image))
            elif isinstance(event, ArmRetired):
                self._retire_arm(event.arm)
            elif isinstance(event, Closed):
                self.closed = True
        except FileError:
            raise
        except DuelistError as error:
            raise FileError(f"event {seq} ({type(event).__name__}) is invalid: {error}") from error

    def _add_arm(self, arm: Arm) -> None:
        arms = require_named(self.choices)
        self.arms_changed = True
        if arms.add(arm) < self.k:
            return
        self.k = len(arms.names)
        self.tally.grow(self.k)
        if self._has_begun:
            # another process may have switched to a learner without new arms at the same moment
            self.stuck = not self.player.takes_new_arms
            if not self.stuck:
                self.player.grow(self._ranks())

    def _retire_arm(self, name: str) -> None:
        arms = require_named(self.choices)
        if len(arms.shown) == 2:
            return  # another process retired an arm at the same moment, and a duel needs two
        arm = arms.retire(name)
        self.arms_changed = True
        if self._has_begun:
            self.stuck = not self.player.eliminate(arm)


@contextmanager
def without_collections() -> Iterator[None]:
    """Pause garbage collection while a long history is read: it would scan all of it repeatedly."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def fold_events(events: Sequence[Recorded], learners: Sequence[AnyLearner] = ()) -> Fold:
    """Return the fold of all events of a journal.

    Parameters
    ----------
    events : sequence of Recorded
        From the first.
    learners : sequence of Learner, default ()
        Learners outside the registry that the journal may name.
    """
    created = events[0].event if events else None
    if not isinstance(created, Created):
        raise FileError("the journal does not begin with the event 'created'; use a backup.")
    sources = [
        (index, one.event) for index, one in enumerate(events) if isinstance(one.event, LearnerChanged)
    ]
    begun, source = sources[-1] if sources else (0, created)
    left_out = {one.event.ticket for one in events if isinstance(one.event, Retracted)}
    learner = read_learner(source.learner, learners)
    fold = Fold(created, learner, source.example, len(sources), left_out)
    # earlier answers are counted first, then told to the last learner as if from the start
    fold.follow(events[:begun])
    fold.restart(events[:begun])
    fold.follow(events[begun:])
    while fold.stuck:
        fold.restart(events[: fold.last.seq])
        fold.follow(events[fold.last.seq :])
    return fold
