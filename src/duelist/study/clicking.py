"""Clicks on lists as events, collected until they are settled as one answer; and which arm they prefer."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from duelist.errors import ConflictError, OutcomeError, ParameterError
from duelist.interleaving import Interleaving
from duelist.interleaving.analysis import AnytimeReport, PreferenceReport
from duelist.interleaving.analysis.preference import judge_preference, outcomes_of
from duelist.interleaving.base import find_clicked
from duelist.interleaving.files import ClickedList, Listing
from duelist.journal import Answered, Clicked, DocumentsClicked, Event, Recorded, Skipped
from duelist.journal.clicks import Clicks, clicked_places, is_answer, united
from duelist.kernels.live import without_waiting
from duelist.shown import Shown
from duelist.study.choices import Choices, as_name, require_named
from duelist.study.fold import Fold
from duelist.study.live_fold import LiveFold
from duelist.study.tickets import KeyRing, any_ticket_of

SETTLE_AFTER = 600.0
"""Seconds after the first click on a list before its clicks are settled."""


class Collector:
    """Makes the events of clicks; writes nothing itself.

    To record clicks, write what `event` returns, then call `confirm`. Before a duel is asked or a list is
    shown, write what `due` returns; events that another process has settled meanwhile do no harm.

    Parameters
    ----------
    live : LiveFold
        Has the pending clicks; its journal has the answers.
    keys : KeyRing
        The keys that sealed the tickets.
    method : Interleaving
        The method that credits clicks on interleaved lists.
    """

    def __init__(self, live: LiveFold, keys: KeyRing, method: Interleaving) -> None:
        self._journal, self._live, self._keys, self._method = live.journal, live, keys, method
        self._too_late: set[str] = set()  # tickets that another process settled while they were clicked

    def event(self, ticket: object, clicked: object, final: bool) -> Event | None:
        """Return the event to write for clicks on a list; None if all of them are recorded.

        With `final`, the event is the answer from all clicks on the list, or says that there were none.
        """
        require_final(final)
        opened = any_ticket_of(ticket, self._live, self._keys)
        places = tuple(find_clicked(opened.documents, require_documents(clicked)))
        fold = self._live.now()
        moment = time(), fold.created.answer_timeout
        if self._is_settled(fold, opened.id, places):
            return None
        known = fold.pending.get(opened.id)
        if known is not None and not known.shown.is_same_list(opened.shown):
            raise ConflictError(
                f"ticket {opened.id} has clicks on another list; ask again for every list that you show."
            )
        if not final:
            is_new = places and (known is None or not {*places} <= {*known.places})
            return opened.clicked(places, *moment) if is_new else None
        if not places:
            return opened.unclicked(*moment) if known is None else self._settled(known)
        new = opened.clicked(places, *moment)
        return self._settled(new if known is None else united(known, new))

    def confirm(self, event: Event) -> None:
        """Raise ConflictError if another process settled the list without these clicks at the same moment."""
        if isinstance(event, Answered | Clicked | DocumentsClicked):
            self._is_settled(self._live.now(), event.ticket, clicked_places(event) or ())

    def due(self, now: float, voter: str | None = None, except_for: str | None = None) -> list[Event]:
        """Return the answers of clicks that are due now, in the order of their first clicks.

        Parameters
        ----------
        now : float
            Seconds since 1970; lists that were first clicked ten minutes ago are due.
        voter : str, optional
            A voter who moves on to something else: all their lists are due.
        except_for : str, optional
            The id of the ticket whose list they continue with.
        """
        fold = self._live.now()
        if fold.closed or not fold.pending:
            return []
        due = {one.ticket: one for one in fold.pending.until(now - SETTLE_AFTER)}
        for one in [] if voter is None else fold.pending.of(voter):
            if one.ticket != except_for:
                due[one.ticket] = one
        candidates = [ticket for ticket in due if ticket not in self._too_late]
        if candidates:
            self._too_late |= {str(one.event.key) for one in self._journal.read(keys=candidates)}
        return [self._settled(due[ticket]) for ticket in candidates if ticket not in self._too_late]

    def _is_settled(self, fold: Fold, ticket: str, places: Iterable[int]) -> bool:
        """Return whether a ticket is settled; raise ConflictError if it was settled without these clicks."""
        found = self._journal.read(keys=[ticket])
        if not found:
            return False
        stored = found[0].event
        counted = clicked_places(stored)
        if is_answer(stored) and ticket in fold.left_out:
            was = "answered, and the answer retracted"
        elif {*places} <= {*(counted or ())}:
            return True
        elif counted is not None:
            was = "settled before, without these clicks"
        else:
            was = "skipped" if isinstance(stored, Skipped) else "answered before, not by clicks"
        raise ConflictError(
            f"ticket {ticket} was {was}; the first event is kept. Ask again for a new ticket."
        )

    def _settled(self, clicks: Clicks) -> Event:
        """Return clicks as the answer that the learner learns from, dated to the first click."""
        return clicks.settled(self._outcome)

    def _outcome(self, shown: Shown, documents: Sequence[int]) -> float:
        return without_waiting(self._method.outcome, shown, documents)


def require_documents(clicked: object) -> Iterable[Any]:
    if not isinstance(clicked, Iterable) or isinstance(clicked, str | bytes):
        raise OutcomeError(f"clicked must be a list of documents that were shown; got {clicked!r:.80}.")
    return clicked


def require_final(final: object) -> None:
    if not isinstance(final, bool | np.bool_):
        raise ParameterError(f"final must be True or False; got {final!r:.80}.")


def clicked_votes(
    impressions: Sequence[ClickedList], choices: Choices, sides: tuple[str, str] | None
) -> dict[str, Answered]:
    """Return clicks on lists drawn elsewhere as answers, by ticket; equal impressions get equal tickets.

    A ticket consists of the id of the list and that of the impression: impressions of one list can be found.
    """
    arms = require_named(choices)
    if sides is not None and (not isinstance(sides, tuple | list) or len(sides) != 2):
        raise ParameterError(f"sides must be two names of arms, of left and right; got {sides!r:.80}.")
    events: dict[str, Answered] = {}
    for one, outcome in zip(impressions, outcomes_of(impressions), strict=True):
        if one.clicked:
            listing = one.listing
            left, right = map(arms.find, sides_of(listing) if sides is None else sides)
            if left == right:
                raise ParameterError(f"both sides are {arms.show(left)!r}; give two different arms as sides.")
            ticket = f"{digest(*listing)}-{digest(listing.query, one.impression, one.user)}"
            events[ticket] = Answered(
                ticket=ticket,
                left=left,
                right=right,
                outcome=outcome,
                voter=as_name("voter", one.user) if one.user else None,
                clicked=tuple(find_clicked(listing.shown.documents, one.clicked)),
            )
    return events


def sides_of(listing: Listing) -> tuple[str, str]:
    """Return the arms that are named like the files of the rankings, without their extensions."""
    left, right = listing.files
    return Path(left).stem, Path(right).stem


def digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=15).hexdigest()


def preference_of(
    events: Iterable[Recorded], fold: Fold, pair: tuple[str, str] | None, once: bool
) -> AnytimeReport | PreferenceReport | None:
    """Return which of two arms the settled clicks prefer; None without clicks on two lists."""
    arms = require_named(fold.choices)
    sides = arms.shown if pair is None else tuple(pair)
    if len(sides) != 2:
        raise ParameterError(f"a preference is between two arms; name two of {', '.join(arms.shown)}.")
    left, right = map(arms.find, sides)
    if left == right:
        raise ParameterError(f"a preference is between two arms; got {sides[0]!r} twice.")
    clicks = [
        event
        for _, event in events
        if isinstance(event, Answered)
        and event.clicked is not None
        and event.ticket not in fold.left_out
        and {event.left, event.right} == {left, right}
    ]
    outcomes = [one.outcome if one.left == left else 1.0 - one.outcome for one in clicks]
    lists = [one.ticket.partition("-")[0] for one in clicks]
    users = [one.voter or one.ticket for one in clicks] if any(one.voter for one in clicks) else None
    return judge_preference(outcomes, lists, users, (sides[0], sides[1]), once)
