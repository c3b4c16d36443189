"""How events come on record, in one way for all: each is checked, committed and folded.

What is written is said in steps: a generator that yields events to be committed, and goes on when they are.
`run` commits them in a row; a service awaits each commit, and has those of many requests done together.
"""

import re
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from time import time
from typing import Any, TypeAlias, TypeVar, cast

from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.duel import Duel
from duelist.errors import ClosedError, ConflictError, OutcomeError, ParameterError, TicketError
from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Event,
    LearnerChanged,
    Recorded,
    RepeatedEventError,
    Retracted,
    Skipped,
)
from duelist.protocols import Learner
from duelist.study.choices import Arm, NamedArms, as_arm, as_name, as_pair, example_of, plain, require_named
from duelist.study.fold import Fold
from duelist.study.live_fold import LiveFold
from duelist.study.player import as_told, require_learner, write_learner
from duelist.study.tickets import KeyRing, Ticket, answer_fields, ticket_of
from duelist.study.votes import recorded_votes
from duelist.votes.table import WORDS

T = TypeVar("T")
Steps: TypeAlias = Generator[Sequence[Event], None, T]
"""Yields events to be committed, all or none; where they cannot be, the error is thrown into it."""

IDENTITY = re.compile("[A-Za-z0-9_-]{1,64}")
"""The id of a ticket; a sealed ticket is longer."""
CLOSED = "the study is closed: nothing more is recorded."


def onwards(steps: Steps[T], error: Exception | None = None) -> tuple[Sequence[Event], T | None]:
    """Go on with steps after a commit, or the error of one; return what to commit next, or their result."""
    try:
        return (next(steps) if error is None else steps.throw(error)), None
    except StopIteration as end:
        return (), end.value


def run(steps: Steps[T], commit: Callable[[Sequence[Event]], object]) -> T:
    """Go through steps in a row, and return their result."""
    events, found = onwards(steps)
    while events:
        error: Exception | None = None
        try:
            commit(events)
        except Exception as fault:
            error = fault
        events, found = onwards(steps, error)
    return cast("T", found)


class Recorder:
    """Puts events on record.

    Parameters
    ----------
    live : LiveFold
        Learns from them; its journal has what is on record.
    keys : KeyRing
        What tickets were sealed with.
    """

    def __init__(self, live: LiveFold, keys: KeyRing) -> None:
        self._journal, self._live, self._keys = live.journal, live, keys

    def record(self, event: Event) -> Steps[None]:
        """Check an event, have it committed, and fold it; one that is there already changes nothing."""
        stored = self._check(event)
        if stored is None:
            try:
                yield [event]
            except RepeatedEventError as error:
                stored = error.stored
        self._fold(event, stored)

    def _check(self, event: Event) -> Recorded | None:
        """Refuse what must not be written; return what a closed study has on record under its key."""
        fold = self._live.now()
        if isinstance(event, Answered) and fold.player.is_plug_in:
            # a learner that fails must do so before the answer is on record
            fold.player.check(*as_told(event, fold.learner_number))
        if not fold.closed:
            return None
        found = self._journal.read(keys=[str(event.key)])
        if not found:
            raise ClosedError(CLOSED)
        return found[0]

    def _fold(self, event: Event, stored: Recorded | None) -> None:
        """Learn from what was written; refuse what says otherwise than an event that was stored before."""
        left_out = self._live.now().left_out
        if stored is None:
            return
        taken_back = isinstance(event, Answered) and event.ticket in left_out and event.clicked is None
        if taken_back or is_other(event, stored.event):
            raise ConflictError(self._conflict(event, stored.event))

    def _conflict(self, event: Event, stored: Event) -> str:
        was = "skipped" if isinstance(stored, Skipped) else "answered"
        if isinstance(stored, Answered):
            if stored.ticket in self._live.fold.left_out:
                was = "answered, and the answer taken back"
            elif isinstance(event, Answered):
                was = f"answered before with {said(stored.outcome)}, now with {said(event.outcome)}"
        return f"ticket {stored.key} was {was}; what was first stands. Ask anew."

    def record_votes(self, rows: Iterable[Any]) -> Steps[int]:
        """Record votes that were recorded elsewhere, all or none; return how many were new."""
        return self.record_new(recorded_votes(rows, self._live.now().choices))

    def record_new(self, events: Mapping[str, Answered]) -> Steps[int]:
        """Record answers by their tickets, all or none, as far as they are new; return how many were."""
        if self._live.now().closed:
            raise ClosedError(CLOSED)
        while True:
            stored = {one.event.key: one.event for one in self._journal.read(keys=list(events))}
            for ticket, event in stored.items():
                if ticket is not None and is_other(events[ticket], event):
                    raise ConflictError(f"a vote with the ticket {ticket!r} is on record and says otherwise.")
            new = [event for ticket, event in events.items() if ticket not in stored]
            if not new:
                return 0
            try:
                yield new
            except RepeatedEventError:
                continue  # another process imports them at the same moment
            self._live.now()
            return len(new)

    def ticket(self, duel: object) -> Ticket:
        """Return the ticket of a duel that was asked, given by the duel or by its sealed text."""
        return ticket_of(duel, self._live, self._keys)

    def answered(self, duel: object, outcome: float, voter: str | None) -> Answered:
        """Return the answer to a duel, to its ticket, or to a duel that was recorded elsewhere."""
        if isinstance(duel, Duel) and duel.ticket is None:
            return self._elsewhere(duel, outcome, voter)
        if voter is not None:
            raise OutcomeError("the ticket knows its voter; leave voter out.")
        patience = self._live.fold.created.patience
        return Answered(**answer_fields(self.ticket(duel), time(), patience), outcome=outcome)

    def retracted(self, duel: object) -> Retracted:
        """Return that an answer is taken back, given by its duel, its ticket or the ticket's id."""
        known = isinstance(duel, str) and IDENTITY.fullmatch(duel) is not None
        identity = str(duel) if known else self.ticket(duel).id
        found = self._journal.read(keys=[identity])
        if not (found and isinstance(found[0].event, Answered)):
            raise TicketError(f"ticket {identity} has no answer that could be taken back.")
        return Retracted(time=round(time(), 3), ticket=identity)

    def _elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> Answered:
        with self._live.lock:
            fold = self._live.current()
            left, right = fold.choices.find(duel.left), fold.choices.find(duel.right)
            if left == right:
                raise OutcomeError(f"left and right are both {duel.left!r}: nothing was compared.")
            event = Answered(
                time=round(time(), 3),
                ticket=secrets.token_hex(16),
                left=left,
                right=right,
                outcome=outcome,
                voter=voter,
                propensity=None if duel.propensity is None else as_pair(duel.propensity),
                context=plain(duel.context),
                learner=fold.learner_number,
                item=None if duel.item is None else as_name("item", duel.item),
            )
            if duel.context is not None or duel.propensity is not None:
                # what a learner would refuse must not be on record
                fold.player.check(*as_told(event, fold.learner_number))
        return event


def skipped(ticket: Ticket) -> Skipped:
    """Return that the duel of a ticket was seen and not answered."""
    return Skipped(
        time=round(time(), 3),
        ticket=ticket.id,
        left=ticket.left,
        right=ticket.right,
        voter=ticket.voter,
        item=ticket.item,
    )


def added(fold: Fold, arm: str | Arm) -> ArmAdded:
    """Return the event of an arm that joins, or say why it cannot."""
    given = as_arm("arm", arm)
    arms = require_named(fold.choices)
    if not fold.player.takes_new_arms:
        raise ParameterError(
            f"{type(fold.learner).__name__} cannot take new arms while it learns; change to a learner that "
            "can, such as RUCB: study.change_learner(RUCB())."
        )
    if arms.is_active(given.name):
        raise ParameterError(f"there is an arm named {given.name!r} already; give the new one another name.")
    return ArmAdded(arm=given.name, time=round(time(), 3), **given.content())


def retired(fold: Fold, name: str) -> ArmRetired | None:
    """Return the event of an arm that is shown no more, or say why it must be; None if it is not shown."""
    arms = require_named(fold.choices)
    if fold.in_contexts:
        raise ParameterError(f"{type(fold.learner).__name__} cannot do without one of its choices.")
    known = arms.show(arms.find(name))
    if not arms.is_active(known):
        return None
    if len(arms.shown) == 2:
        raise ParameterError(f"{known!r} cannot be retired: a duel needs two arms; add another first.")
    return ArmRetired(arm=known, time=round(time(), 3))


def changed(
    fold: Fold, learner: Learner[Any], context: ArrayLike | None, features: ArrayLike | None
) -> LearnerChanged:
    """Return the event of another learner that takes over, or say why it cannot."""
    require_learner(learner, "arms" if isinstance(fold.choices, NamedArms) else "knobs")
    example = example_of(learner, context, features)
    if fold.choices.retired and card_of(learner).setting == "contexts":
        raise ParameterError(
            f"{type(learner).__name__} cannot do without one of its choices, and some arms are retired; "
            "bring them back first: study.add_arm(...)."
        )
    event = LearnerChanged(learner=write_learner(learner), example=example, time=round(time(), 3))
    # it must be able to begin with the arms there are: nobody could take back the event
    trial = Fold(fold.created, learner, example, fold.learner_number + 1, set())
    trial.choices, trial.k = fold.choices, fold.k
    trial.begin()
    return event


def is_other(event: Event, stored: Event) -> bool:
    """Return whether an event says something else than the one that is stored under its key."""
    if isinstance(event, Answered) and event.clicked is not None:
        return False  # clicks were settled by another process, or answered otherwise: what was first stands
    if isinstance(event, Answered) and isinstance(stored, Answered):
        return (event.left, event.right, event.outcome) != (stored.left, stored.right, stored.outcome)
    return type(event) is not type(stored)


def said(outcome: float) -> str:
    """Return an outcome in words."""
    return WORDS.get(outcome, f"{outcome:g}")
