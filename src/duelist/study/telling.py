"""What people answer, as events: checked against the ticket, then written, then learned."""

import re
import secrets
from collections.abc import Iterable
from time import time
from typing import Any

from duelist.duel import Duel
from duelist.errors import ConflictError, OutcomeError, TicketError
from duelist.journal import Answered, Event, Journal, RepeatedEventError, Retracted, Skipped
from duelist.study.contexts import plain
from duelist.study.keys import KeyRing
from duelist.study.live_fold import LiveFold
from duelist.study.ticket import Ticket, unseal
from duelist.study.votes import WORDS, recorded_votes

IDENTITY = re.compile("[A-Za-z0-9_-]{1,64}")
"""The id of a ticket; a sealed ticket is longer."""
AT_ONCE = 10_000
"""Events that are appended at once."""


class Teller:
    """Writes answers into a journal.

    Parameters
    ----------
    journal : Journal
        Where they are kept.
    live : LiveFold
        Learns from them.
    keys : KeyRing
        What tickets were sealed with.
    """

    def __init__(self, journal: Journal, live: LiveFold, keys: KeyRing) -> None:
        self._journal, self._live, self._keys = journal, live, keys
        self._created = live.fold.created

    def tell(self, duel: object, outcome: float, voter: str | None) -> None:
        """Record an answer to a duel, to its ticket, or to a duel that was recorded elsewhere."""
        if isinstance(duel, Duel) and duel.ticket is None:
            self.record(self._elsewhere(duel, outcome, voter))
            return
        if voter is not None:
            raise OutcomeError("the ticket knows its voter; leave voter out.")
        ticket, now = self._ticket(duel), time()
        self.record(
            Answered(
                time=round(now, 3),
                ticket=ticket.id,
                left=ticket.left,
                right=ticket.right,
                outcome=outcome,
                voter=ticket.voter,
                flipped=ticket.flipped,
                propensity=ticket.propensity,
                round=ticket.round,
                note=ticket.note,
                context=ticket.context,
                learner=ticket.learner,
                late=now - ticket.time > self._created.patience,
            )
        )

    def skip(self, duel: object) -> None:
        """Record that a duel was seen and not answered."""
        ticket = self._ticket(duel)
        sides: dict[str, Any] = {"left": ticket.left, "right": ticket.right, "voter": ticket.voter}
        self.record(Skipped(time=round(time(), 3), ticket=ticket.id, **sides))

    def retract(self, duel: object) -> None:
        """Record that an answer is taken back, given by its duel, its ticket or the ticket's id."""
        known = isinstance(duel, str) and IDENTITY.fullmatch(duel) is not None
        identity = str(duel) if known else self._ticket(duel).id
        found = self._journal.read(keys=[identity])
        if not (found and isinstance(found[0].event, Answered)):
            raise TicketError(f"ticket {identity} has no answer that could be taken back.")
        self.record(Retracted(time=round(time(), 3), ticket=identity))

    def import_votes(self, rows: Iterable[Any]) -> int:
        """Record votes that were recorded elsewhere; return how many were new."""
        self._require_open()
        events, new = recorded_votes(rows, self._live.fold.choices), 0
        for start in range(0, len(events), AT_ONCE):
            part = events[start : start + AT_ONCE]
            while part:
                known = {one.event.key for one in self._journal.read(keys=[event.ticket for event in part])}
                part = [event for event in part if event.ticket not in known]
                try:
                    self._journal.append(part)
                    new += len(part)
                    break
                except RepeatedEventError as error:
                    if error.stored.event in part:
                        raise OutcomeError(
                            f"two votes have the ticket {error.stored.event.key!r}; each needs its own."
                        ) from error
        self._learn()
        return new

    def record(self, event: Event) -> None:
        """Write an event and learn from it; one that is there already changes nothing."""
        self._require_open()
        try:
            self._journal.append([event])
        except RepeatedEventError as error:
            stored = error.stored.event
            self._learn()
            if is_other(event, stored) or (
                isinstance(event, Answered) and event.ticket in self._live.fold.left_out
            ):
                raise ConflictError(self._conflict(event, stored)) from None
            return
        self._learn()

    def _require_open(self) -> None:
        if self._live.fold.closed:
            raise OutcomeError("the study is closed: nothing more is recorded.")

    def _learn(self) -> None:
        with self._live.lock:
            self._live.current()

    def _conflict(self, event: Event, stored: Event) -> str:
        was = "skipped" if isinstance(stored, Skipped) else "answered"
        if isinstance(stored, Answered):
            if stored.ticket in self._live.fold.left_out:
                was = "answered, and the answer taken back"
            elif isinstance(event, Answered):
                was = f"answered before with {said(stored.outcome)}, now with {said(event.outcome)}"
        return f"ticket {stored.key} was {was}; what was first stands. Ask anew."

    def _ticket(self, duel: object) -> Ticket:
        if not isinstance(duel, Duel | str):
            raise OutcomeError(
                f"tell a duel that ask() returned, or its ticket; got {duel!r}. For an answer that was "
                'recorded elsewhere write Duel("a", "b").'
            )
        ticket = unseal(duel.ticket if isinstance(duel, Duel) else duel, self._created.study, self._keys)
        if isinstance(duel, Duel):
            show = self._live.fold.choices.show
            if (duel.left, duel.right) != (show(ticket.left), show(ticket.right)):
                raise TicketError(
                    f"the ticket is for {show(ticket.left)!r} on the left and {show(ticket.right)!r} on the "
                    f"right; got {duel.left!r} and {duel.right!r}. Tell the duel as ask() returned it."
                )
        return ticket

    def _elsewhere(self, duel: Duel, outcome: float, voter: str | None) -> Answered:
        with self._live.lock:
            fold = self._live.current()
            left, right = fold.choices.find(duel.left), fold.choices.find(duel.right)
            if duel.context is not None or duel.propensity is not None:
                # what a learner would refuse must not be on record
                fold.player.check(Duel(left, right, duel.propensity, context=duel.context), outcome)
        return Answered(
            time=round(time(), 3),
            ticket=secrets.token_hex(16),
            left=left,
            right=right,
            outcome=outcome,
            voter=voter,
            propensity=None
            if duel.propensity is None
            else (float(duel.propensity[0]), float(duel.propensity[1])),
            context=plain(duel.context),
            learner=fold.learner_number,
        )


def is_other(event: Event, stored: Event) -> bool:
    """Return whether an event says something else than the one that is stored under its key."""
    if isinstance(event, Answered) and isinstance(stored, Answered):
        return event.outcome != stored.outcome
    return type(event) is not type(stored)


def said(outcome: float) -> str:
    """Return an outcome in words."""
    return WORDS.get(outcome, f"{outcome:g}")
