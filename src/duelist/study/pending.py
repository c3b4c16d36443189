"""Clicks that were collected and are not settled yet."""

from collections.abc import Iterator
from heapq import heappop, heappush

from msgspec.structs import replace

from duelist.journal import Clicked


class PendingClicks:
    """Pending clicks by ticket: of each list the first event, with the places of all and the longest list.

    A ticket is for one list. Clicks on another one, which two processes may have written at the same moment,
    are passed over.

    Examples
    --------
    >>> from duelist.journal import NumberedList
    >>> shown = NumberedList((0, 1), (1, 0), documents=(1, 0), teams=(1, 0), propensities=(0.5, 1.0))
    >>> pending = PendingClicks()
    >>> for place in (1, 0):
    ...     pending.add(Clicked(ticket="t", left=0, right=3, shown=shown, places=(place,), time=5.0 - place))
    >>> [(one.places, one.time) for one in pending]
    [((0, 1), 4.0)]
    """

    def __init__(self) -> None:
        self._lists: dict[str, Clicked] = {}
        self._of_voter: dict[str, list[str]] = {}
        self._times: list[tuple[float, str]] = []  # a heap, in which what is settled stays until it is met

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self._lists)

    def __iter__(self) -> Iterator[Clicked]:
        """Iterate over the lists, in the order of their first clicks."""
        return iter(self._lists.values())

    def get(self, ticket: str) -> Clicked | None:
        """Return the clicks of a ticket; None if none are pending."""
        return self._lists.get(ticket)

    def add(self, event: Clicked) -> None:
        """Collect clicks."""
        known = self._lists.get(event.ticket)
        if known is not None:
            self._lists[event.ticket] = united(known, event)
            return
        self._lists[event.ticket] = event
        heappush(self._times, (event.time, event.ticket))
        if event.voter is not None:
            self._of_voter.setdefault(event.voter, []).append(event.ticket)

    def close(self, ticket: str) -> None:
        """Forget a ticket that was answered or skipped."""
        known = self._lists.pop(ticket, None)
        if known is not None and known.voter is not None:
            tickets = self._of_voter[known.voter]
            tickets.remove(ticket)
            if not tickets:
                del self._of_voter[known.voter]

    def of(self, voter: str) -> list[Clicked]:
        """Return the clicks of a voter."""
        return [self._lists[ticket] for ticket in self._of_voter.get(voter, ())]

    def until(self, moment: float) -> list[Clicked]:
        """Return the lists whose first click was at a moment or before it."""
        while self._times and self._times[0][1] not in self._lists:
            heappop(self._times)
        if not self._times or self._times[0][0] > moment:
            return []
        return [one for one in self if one.time <= moment]


def united(first: Clicked, later: Clicked) -> Clicked:
    """Return clicks on one list together; those on another list are left out."""
    if not later.shown.list.is_same_list(first.shown.list):
        return first
    longest = max(first.shown, later.shown, key=lambda shown: len(shown.documents))
    return replace(first, shown=longest, places=tuple(sorted({*first.places, *later.places})))
