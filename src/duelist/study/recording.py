"""How events come on record, in one way for all: each is checked, committed and folded.

What a study does is said in steps: a generator that yields events to be committed, and goes on when they are.
`run` commits them in a row; a service awaits each commit, and has those of many requests done together.
"""

import re
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from time import time
from typing import Any, TypeAlias, TypeVar, cast

from numpy.typing import ArrayLike

from duelist.card import card_of
from duelist.duel import Duel
from duelist.errors import ClosedError, ConflictError, OutcomeError, ParameterError, TicketError
from duelist.interleaving.files import read_impressions, read_listings
from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Closed,
    Event,
    Journal,
    LearnerChanged,
    Recorded,
    RepeatedEventError,
    Retracted,
    Skipped,
)
from duelist.protocols import Learner
from duelist.study.asking import Asker
from duelist.study.choices import (
    Arm,
    Items,
    NamedArms,
    as_arm,
    as_name,
    as_pair,
    example_of,
    plain,
    require_named,
)
from duelist.study.clicking import Collector, clicked_votes
from duelist.study.drafting import Document, Interleaver, ShownList
from duelist.study.fold import Fold
from duelist.study.live_fold import LiveFold
from duelist.study.open_duels import open_duels_of
from duelist.study.player import as_told, require_learner, write_learner
from duelist.study.storage import require_study
from duelist.study.tickets import KeyRing, Ticket, answer_fields, skipped, ticket_of
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


class StudySteps:
    """Everything that a study can be told to do, for a caller who commits events in a way of its own.

    Each method of `Study` that writes has one of the same name here. It returns a generator that yields
    events to be committed, all or none, and returns what the method of `Study` does. An error of a commit is
    to be thrown into it.

    Parameters
    ----------
    journal : Journal
        What is folded, and where events are looked up.
    learners : list of Learner
        Those that the journal may name although they are not in the registry.
    worker : int
        Tells processes apart that ask at the same time.

    Examples
    --------
    >>> from duelist import Study
    >>> from duelist.journal import MemoryJournal
    >>> journal = MemoryJournal()
    >>> study = Study(arms=["tea", "coffee"], journal=journal)
    >>> for events in study.steps.tell(study.ask(), 1.0):
    ...     print([type(event).__name__ for event in events], journal.append(events))
    ['Answered'] 2
    >>> study.answers
    1
    """

    def __init__(self, journal: Journal, learners: list[Learner[Any]], worker: int) -> None:
        keys = KeyRing(journal.key_store)
        open_duels = open_duels_of(journal, require_study(journal).answer_timeout)
        self.live = live = LiveFold(journal, learners, open_duels, worker)
        """What the study knows, and the lock that whoever uses it holds."""
        self._asker = Asker(live, open_duels, keys)
        self._journal, self._keys = journal, keys
        self._interleaver = Interleaver(live, keys)
        self._collector = Collector(live, keys, self._interleaver.method)
        self.asks_elsewhere = open_duels.waits
        """Whether `ask` waits for a database, which knows what other workers have asked."""

    def voter_of(self, ticket: str) -> str | None:
        """Return whose duel a sealed ticket is for."""
        return self._ticket(ticket).voter

    def ask(
        self,
        voter: str | None = None,
        n: int = 1,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
        items: Items | None = None,
        repeat: bool = True,
    ) -> Steps[list[Duel]]:
        """Settle the clicks that are due, and return n duels to show next.

        Without `repeat` there are none for a voter who has seen every pair, on every item.
        """
        if self.live.now().pending.by_ticket:
            yield from self.settle(time(), voter)
        return self._asker.ask(voter, n, context, features, items, repeat)

    def tell(self, duel: Duel | str, outcome: float, voter: str | None = None) -> Steps[Answered]:
        """Record an answer, from 0 (right) to 1 (left wins); return its event."""
        event = self._answered(duel, outcome, voter)
        yield from self._record(event)
        return event

    def skip(self, duel: Duel | str) -> Steps[Skipped]:
        """Record that a duel was seen and not answered; return the event."""
        event = skipped(self._ticket(duel))
        yield from self._record(event)
        return event

    def retract(self, duel: Duel | str, again: bool = False) -> Steps[Retracted]:
        """Take back an answer, by its duel, its ticket or the ticket's id; return the event.

        With `again`, the duel is shown to its voter next; it must be given by itself or by its ticket.
        """
        event = self._retracted(duel)
        yield from self._record(event)
        if again:
            self._asker.ask_again(self._ticket(duel))
        return event

    def import_votes(self, votes: Iterable[Any]) -> Steps[int]:
        """Record votes that were recorded elsewhere, all or none; return how many were new."""
        return self._record_new(recorded_votes(votes, self.live.now().choices))

    def import_clicks(self, shown: Path, clicks: Path, sides: tuple[str, str] | None = None) -> Steps[int]:
        """Record clicks on lists that were drawn elsewhere, all or none; return how many answers were new."""
        impressions = read_impressions(clicks, read_listings(shown))
        return self._record_new(clicked_votes(impressions, self.live.now().choices, sides))

    def _record_new(self, events: Mapping[str, Answered]) -> Steps[int]:
        """Record answers by their tickets, all or none, as far as they are new; return how many were."""
        if self.live.now().closed:
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
            self.live.now()
            return len(new)

    def interleave(
        self,
        duel: Duel | str,
        rankings: Mapping[str, Sequence[Document]] | None = None,
        length: int = 10,
        page: int = 1,
    ) -> Steps[ShownList]:
        """Return a page of one list of two rankings, after clicks on the voter's other lists were settled."""
        ticket = self._interleaver.ticket(duel)
        shown = self._interleaver.interleave(ticket, rankings, length, page)
        yield from self.settle(time(), ticket.voter, besides=ticket.id)
        return shown

    def clicks(self, ticket: str, clicked: Iterable[Document], final: bool = False) -> Steps[None]:
        """Collect clicks on a list; with `final`, settle them."""
        event = self._collector.event(ticket, clicked, final)
        if event is not None:
            yield from self._record(event)
            self._collector.confirm(event)

    def settle(self, now: float, voter: str | None = None, besides: str | None = None) -> Steps[None]:
        """Record the answers of clicks that are due; those that another process recorded are there."""
        if self.live.now().pending:
            for event in self._collector.due(now, voter, besides):
                yield from self._record(event)

    def add_arm(self, arm: str | Arm) -> Steps[None]:
        """Add an arm, or bring a retired one back."""
        yield from self._record(added(self.live.now(), arm))

    def retire_arm(self, name: str) -> Steps[None]:
        """Show an arm no more."""
        event = retired(self.live.now(), name)
        if event is not None:
            yield from self._record(event)

    def change_learner(
        self, learner: Learner[Any], context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> Steps[None]:
        """Let another learner go on."""
        event = changed(self.live.now(), learner, context, features)
        self.live.learners.append(learner)
        yield from self._record(event)

    def close(self) -> Steps[None]:
        """End the study, after clicks were settled."""
        yield from self.settle(inf)
        yield from self._record(Closed(time=round(time(), 3)))

    def _record(self, event: Event) -> Steps[None]:
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
        fold = self.live.now()
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
        left_out = self.live.now().left_out
        if stored is None:
            return
        taken_back = isinstance(event, Answered) and event.ticket in left_out and event.clicked is None
        if taken_back or is_other(event, stored.event):
            raise ConflictError(self._conflict(event, stored.event))

    def _conflict(self, event: Event, stored: Event) -> str:
        was = "skipped" if isinstance(stored, Skipped) else "answered"
        if isinstance(stored, Answered):
            if stored.ticket in self.live.fold.left_out:
                was = "answered, and the answer taken back"
            elif isinstance(event, Answered):
                was = f"answered before with {said(stored.outcome)}, now with {said(event.outcome)}"
        return f"ticket {stored.key} was {was}; what was first stands. Ask anew."

    def _ticket(self, duel: object) -> Ticket:
        """Return the ticket of a duel that was asked, given by the duel or by its sealed text."""
        return ticket_of(duel, self.live, self._keys)

    def _answered(self, duel: object, outcome: float, voter: str | None) -> Answered:
        """Return the answer to a duel, to its ticket, or to a duel that was recorded elsewhere."""
        if isinstance(duel, Duel) and duel.ticket is None:
            return self._elsewhere(duel, outcome, voter)
        if voter is not None:
            raise OutcomeError("the ticket knows its voter; leave voter out.")
        answer_timeout = self.live.fold.created.answer_timeout
        return Answered(**answer_fields(self._ticket(duel), time(), answer_timeout), outcome=outcome)

    def _retracted(self, duel: object) -> Retracted:
        """Return that an answer is taken back, given by its duel, its ticket or the ticket's id."""
        known = isinstance(duel, str) and IDENTITY.fullmatch(duel) is not None
        identity = str(duel) if known else self._ticket(duel).id
        found = self._journal.read(keys=[identity])
        if not (found and isinstance(found[0].event, Answered)):
            raise TicketError(f"ticket {identity} has no answer that could be taken back.")
        return Retracted(time=round(time(), 3), ticket=identity)

    def _elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> Answered:
        with self.live.lock:
            fold = self.live.current()
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
    require_learner(learner, "arms" if isinstance(fold.choices, NamedArms) else "parameters")
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
