"""The one way in which events are recorded: each is checked, committed and folded.

What a study does is a generator of steps: it yields events to commit and continues once they are committed.
`run` commits them one after the other; a service awaits each commit and groups those of many requests.
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
from duelist.errors import ClosedError, ConflictError, DuelistError, OutcomeError, ParameterError, TicketError
from duelist.interleaving.files import read_impressions, read_listings
from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Closed,
    DocumentsClicked,
    Event,
    Journal,
    LearnerChanged,
    Recorded,
    RepeatedEventError,
    Retracted,
    Skipped,
)
from duelist.journal.clicks import clicked_places, is_answer
from duelist.menus import Impression
from duelist.protocols import AnyLearner
from duelist.study.asking import Asker
from duelist.study.choices import (
    Arm,
    Items,
    as_arm,
    as_name,
    as_pair,
    example_of,
    plain,
    require_duels,
    require_named,
)
from duelist.study.clicking import Collector, clicked_votes
from duelist.study.documents import DocumentChoices
from duelist.study.drafting import Document, Interleaver, ShownList
from duelist.study.fold import Fold
from duelist.study.live_fold import LiveFold
from duelist.study.open_duels import open_duels_of
from duelist.study.player import require_learner, write_learner
from duelist.study.ranking import Ranker, as_names
from duelist.study.storage import require_study
from duelist.study.tickets import KeyRing, Ticket, answer_fields, any_ticket_of, skipped, ticket_of
from duelist.study.votes import recorded_votes
from duelist.votes.table import WORDS

T = TypeVar("T")
Steps: TypeAlias = Generator[Sequence[Event], None, T]
"""Yields events to commit, all or none; an error of the commit is thrown into it."""

IDENTITY = re.compile("[A-Za-z0-9_-]{1,64}")
"""The id of a ticket; a sealed ticket is longer."""
CLOSED = "the study is closed; it records no more events."


def onwards(steps: Steps[T], error: Exception | None = None) -> tuple[Sequence[Event], T | None]:
    """Resume steps after a commit or its error; return the next events to commit, or the result."""
    try:
        return (next(steps) if error is None else steps.throw(error)), None
    except StopIteration as end:
        return (), end.value


def run(steps: Steps[T], commit: Callable[[Sequence[Event]], object]) -> T:
    """Run steps to the end, committing their events; return their result."""
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
    """Everything that a study can do, for a caller that commits events itself.

    Each method of `Study` that writes has a counterpart of the same name here. It returns a generator that
    yields events to commit, all or none, and returns what the method of `Study` returns. Throw the error of a
    commit into the generator.

    Parameters
    ----------
    journal : Journal
        The journal to fold, and to look up events in.
    learners : list of Learner
        Learners outside the registry that the journal may name.
    worker : int
        Distinguishes processes that ask at the same time.

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

    def __init__(self, journal: Journal, learners: list[AnyLearner], worker: int) -> None:
        keys = KeyRing(journal.key_store)
        open_duels = open_duels_of(journal, require_study(journal).answer_timeout)
        self.live = live = LiveFold(journal, learners, open_duels, worker)
        """The fold, and the lock that its users hold."""
        self._asker = Asker(live, open_duels, keys)
        self._journal, self._keys = journal, keys
        self._interleaver = Interleaver(live, keys)
        self._ranker = Ranker(live, keys)
        self._collector = Collector(live, keys, self._interleaver.method)
        self.asks_elsewhere = open_duels.waits
        """Whether `ask` waits for a database that knows what other workers asked."""

    def voter_of(self, ticket: str) -> str | None:
        """Return the voter of the duel or list of a sealed ticket."""
        return any_ticket_of(ticket, self.live, self._keys).voter

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

        Without `repeat`, a voter who has seen every pair on every item gets none.
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
        """Record that a duel was skipped; return the event."""
        event = skipped(self._ticket(duel))
        yield from self._record(event)
        return event

    def retract(self, duel: Duel | str, again: bool = False) -> Steps[Retracted]:
        """Retract an answer, given by its duel, its ticket or the ticket's id; return the event.

        With `again`, its voter is shown the duel next; the ticket's id alone is then not enough.
        """
        event = self._retracted(duel)
        retracted = self._ticket(duel) if again else None
        yield from self._record(event)
        if retracted is not None:
            self._asker.ask_again(retracted)
        return event

    def import_votes(self, votes: Iterable[Any]) -> Steps[int]:
        """Record votes from elsewhere, all or none; return the number of new ones."""
        choices = self.live.now().choices
        require_duels(choices)
        return self._record_new(recorded_votes(votes, choices))

    def import_clicks(self, shown: Path, clicks: Path, sides: tuple[str, str] | None = None) -> Steps[int]:
        """Record clicks on lists from elsewhere, all or none; return the number of new answers."""
        impressions = read_impressions(clicks, read_listings(shown))
        return self._record_new(clicked_votes(impressions, self.live.now().choices, sides))

    def _record_new(self, events: Mapping[str, Answered]) -> Steps[int]:
        """Record those answers whose tickets are new, all or none; return their number."""
        if self.live.now().closed:
            raise ClosedError(CLOSED)
        while True:
            stored = {one.event.key: one.event for one in self._journal.read(keys=list(events))}
            for ticket, event in stored.items():
                if ticket is not None and is_other(events[ticket], event):
                    raise ConflictError(f"ticket {ticket!r} is already recorded with a different vote.")
                if ticket is not None and has_other_sides(events[ticket], event):
                    raise ConflictError(f"ticket {ticket!r} is already recorded with other arms as sides.")
            new = [event for ticket, event in events.items() if ticket not in stored]
            if not new:
                return 0
            try:
                yield new
            except RepeatedEventError:
                continue  # another process is importing them at the same moment
            self.live.now()
            return len(new)

    def interleave(
        self,
        duel: Duel | str,
        rankings: Mapping[str, Sequence[Document]] | None = None,
        length: int = 10,
        page: int = 1,
    ) -> Steps[ShownList]:
        """Settle clicks on the voter's other lists; return a page of one list of two rankings."""
        ticket = self._interleaver.ticket(duel)
        shown = self._interleaver.interleave(ticket, rankings, length, page)
        yield from self.settle(time(), ticket.voter, except_for=ticket.id)
        return shown

    def rank(
        self, features: ArrayLike, documents: Sequence[Document] | None = None, voter: str | None = None
    ) -> Steps[ShownList]:
        """Settle the clicks that are due, and return the list of documents to show."""
        menu = self._ranker.menu(features)
        names = as_names(documents, len(menu))
        yield from self.settle(time(), voter)
        return self._ranker.rank(menu, names, voter)

    def clicks(self, ticket: str, clicked: Iterable[Document], final: bool = False) -> Steps[None]:
        """Collect clicks on a list; with `final`, settle them."""
        event = self._collector.event(ticket, clicked, final)
        if event is not None:
            yield from self._record(event)
            self._collector.confirm(event)

    def settle(self, now: float, voter: str | None = None, except_for: str | None = None) -> Steps[None]:
        """Record the answers of clicks that are due, unless another process already has."""
        if self.live.now().pending:
            for event in self._collector.due(now, voter, except_for):
                yield from self._record(event)

    def add_arm(self, arm: str | Arm) -> Steps[None]:
        """Add an arm, or bring back a retired one."""
        yield from self._record(added(self.live.now(), arm))

    def retire_arm(self, name: str) -> Steps[None]:
        """Stop showing an arm."""
        event = retired(self.live.now(), name)
        if event is not None:
            yield from self._record(event)

    def change_learner(
        self, learner: AnyLearner, context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> Steps[None]:
        """Switch to another learner."""
        event = changed(self.live.now(), learner, context, features, self._journal)
        self.live.learners.append(learner)
        yield from self._record(event)

    def close(self) -> Steps[None]:
        """Settle all clicks and end the study."""
        yield from self.settle(inf)
        yield from self._record(Closed(time=round(time(), 3)))

    def _record(self, event: Event) -> Steps[None]:
        """Check an event, have it committed and fold it; an event that is already recorded is a no-op."""
        stored = self._check(event)
        if stored is None:
            try:
                yield [event]
            except RepeatedEventError as error:
                stored = error.stored
        self._fold(event, stored)

    def _check(self, event: Event) -> Recorded | None:
        """Check that an event may be written; return a closed study's recorded event with the same key."""
        fold = self.live.now()
        if isinstance(event, Answered | DocumentsClicked) and fold.player.is_plug_in:
            # a learner that fails must do so before the answer is recorded
            try:
                fold.player.check(*fold.as_told(event))
            except DuelistError:
                if event.learner == fold.learner_number:
                    raise  # it may only decline what another learner asked
        if not fold.closed:
            return None
        found = self._journal.read(keys=[str(event.key)])
        if not found:
            raise ClosedError(CLOSED)
        return found[0]

    def _fold(self, event: Event, stored: Recorded | None) -> None:
        """Learn from an event that was written; raise ConflictError if the stored event says otherwise."""
        left_out = self.live.now().left_out
        if stored is None:
            return
        is_retracted = isinstance(event, Answered) and event.ticket in left_out and event.clicked is None
        if is_retracted or is_other(event, stored.event):
            raise ConflictError(self._conflict(event, stored.event))

    def _conflict(self, event: Event, stored: Event) -> str:
        was = "skipped" if isinstance(stored, Skipped) else "answered"
        if is_answer(stored):
            if stored.ticket in self.live.fold.left_out:
                was = "answered, and the answer retracted"
            elif isinstance(stored, Answered) and isinstance(event, Answered):
                was = f"answered before with {in_words(stored.outcome)}, now with {in_words(event.outcome)}"
        return f"ticket {stored.key} was {was}; the first event is kept. Ask again for a new ticket."

    def _ticket(self, duel: object) -> Ticket:
        """Return the ticket of a duel, given by the duel or its sealed text."""
        return ticket_of(duel, self.live, self._keys)

    def _answered(self, duel: object, outcome: float, voter: str | None) -> Answered:
        """Return the answer to a duel, to its ticket, or to a duel that was recorded elsewhere."""
        if isinstance(duel, Duel) and duel.ticket is None:
            return self._elsewhere(duel, outcome, voter)
        if voter is not None:
            raise OutcomeError(f"the ticket names its voter; leave out voter={voter!r}.")
        answer_timeout = self.live.fold.created.answer_timeout
        return Answered(**answer_fields(self._ticket(duel), time(), answer_timeout), outcome=outcome)

    def _retracted(self, duel: object) -> Retracted:
        """Return the retraction of an answer, given by its duel, its ticket or the ticket's id."""
        known = isinstance(duel, str) and IDENTITY.fullmatch(duel) is not None
        identity = str(duel) if known else any_ticket_of(duel, self.live, self._keys).id
        found = self._journal.read(keys=[identity])
        if not (found and is_answer(found[0].event)):
            raise TicketError(f"ticket {identity} has no answer to retract.")
        return Retracted(time=round(time(), 3), ticket=identity)

    def _elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> Answered:
        with self.live.lock:
            fold = self.live.current()
            left, right = fold.choices.find(duel.left), fold.choices.find(duel.right)
            if left == right:
                raise OutcomeError(
                    f"left and right are both {duel.left!r}; a vote compares two different choices."
                )
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
                # an answer that the learner would reject must not be recorded
                fold.player.check(*fold.as_told(event))
        return event


def added(fold: Fold, arm: str | Arm) -> ArmAdded:
    """Return the event that adds an arm; raise ParameterError if the arm cannot be added."""
    given = as_arm("arm", arm)
    arms = require_named(fold.choices)
    if not fold.player.takes_new_arms:
        raise ParameterError(
            f"{type(fold.learner).__name__} cannot take new arms while it learns; switch to a learner that "
            "can, such as RUCB: study.change_learner(RUCB())."
        )
    if arms.is_active(given.name):
        raise ParameterError(f"an arm named {given.name!r} already exists; give the new one another name.")
    return ArmAdded(arm=given.name, time=round(time(), 3), **given.content())


def retired(fold: Fold, name: str) -> ArmRetired | None:
    """Return the event that retires an arm; None if it is retired already."""
    arms = require_named(fold.choices)
    if fold.in_contexts:
        raise ParameterError(
            f"{type(fold.learner).__name__} learns in contexts and cannot retire an arm; got {name!r}."
        )
    known = arms.show(arms.find(name))
    if not arms.is_active(known):
        return None
    if len(arms.shown) == 2:
        raise ParameterError(f"{known!r} cannot be retired: a duel needs two arms; add another first.")
    return ArmRetired(arm=known, time=round(time(), 3))


def changed(
    fold: Fold,
    learner: AnyLearner,
    context: ArrayLike | None,
    features: ArrayLike | None,
    journal: Journal,
) -> LearnerChanged:
    """Return the event that switches to another learner; raise ParameterError if it cannot take over."""
    require_learner(learner, fold.choices.kind)
    example = example_of(learner, context, features)
    if fold.choices.retired and card_of(learner).setting == "contexts":
        raise ParameterError(
            f"{type(learner).__name__} cannot learn with retired arms, and some are retired; bring them back "
            "first: study.add_arm(...)."
        )
    event = LearnerChanged(learner=write_learner(learner), example=example, time=round(time(), 3))
    # the learner must be able to start with these arms: the event cannot be retracted
    trial = Fold(fold.created, learner, example, fold.learner_number + 1, fold.left_out)
    trial.choices, trial.k = fold.choices, fold.k
    trial.begin()
    if trial.player.is_plug_in:
        # and learn from the answers so far, and from a list that another learner made
        trial.restart(journal.read())
        if isinstance(fold.choices, DocumentChoices):
            trial.player.tell(Impression((0,), fold.choices.menu), (0,))
    return event


def is_other(event: Event, stored: Event) -> bool:
    """Return whether an event contradicts the one that is stored under its key."""
    if is_answer(event) and clicked_places(event) is not None:
        return False  # another process settled or answered first, and its event is kept
    if isinstance(event, Answered) and isinstance(stored, Answered):
        return (event.left, event.right, event.outcome) != (stored.left, stored.right, stored.outcome)
    return type(event) is not type(stored)


def has_other_sides(event: Answered, stored: Event) -> bool:
    """Return whether the clicks on a list are stored as a vote between other arms, or with sides swapped."""
    return isinstance(stored, Answered) and (event.left, event.right) != (stored.left, stored.right)


def in_words(outcome: float) -> str:
    return WORDS.get(outcome, f"{outcome:g}")
