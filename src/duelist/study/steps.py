"""What a study does, in steps: with a commit between them, which its caller makes or awaits."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from time import time
from typing import Any

from numpy.typing import ArrayLike

from duelist.duel import Duel
from duelist.interleaving.files import read_impressions, read_listings
from duelist.journal import Answered, Closed, Journal, Retracted, Skipped
from duelist.protocols import Learner
from duelist.study.asking import Asker
from duelist.study.choices import Arm, Items
from duelist.study.clicking import Collector, clicked_votes
from duelist.study.drafting import Document, Interleaver, ShownList
from duelist.study.live_fold import LiveFold
from duelist.study.open_duels import open_duels_of
from duelist.study.recording import Recorder, Steps, added, changed, retired, skipped
from duelist.study.storage import require_study
from duelist.study.tickets import KeyRing


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
        open_duels = open_duels_of(journal, require_study(journal).patience)
        self.live = live = LiveFold(journal, learners, open_duels, worker)
        """What the study knows, and the lock that whoever uses it holds."""
        self._asker = Asker(live, open_duels, keys)
        self._recorder = Recorder(live, keys)
        self._interleaver = Interleaver(live, keys)
        self._collector = Collector(live, keys, self._interleaver.method)
        self.asks_elsewhere = open_duels.waits
        """Whether `ask` waits for a database, which knows what other workers have asked."""

    def voter_of(self, ticket: str) -> str | None:
        """Return whose duel a sealed ticket is for."""
        return self._recorder.ticket(ticket).voter

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
        yield from self.settle(time(), voter)
        return self._asker.ask(voter, n, context, features, items, repeat)

    def tell(self, duel: Duel | str, outcome: float, voter: str | None = None) -> Steps[Answered]:
        """Record an answer, from 0 (right) to 1 (left wins); return its event."""
        event = self._recorder.answered(duel, outcome, voter)
        yield from self._recorder.record(event)
        return event

    def skip(self, duel: Duel | str) -> Steps[Skipped]:
        """Record that a duel was seen and not answered; return the event."""
        event = skipped(self._recorder.ticket(duel))
        yield from self._recorder.record(event)
        return event

    def retract(self, duel: Duel | str, again: bool = False) -> Steps[Retracted]:
        """Take back an answer, by its duel, its ticket or the ticket's id; return the event.

        With `again`, the duel is shown to its voter next; it must be given by itself or by its ticket.
        """
        event = self._recorder.retracted(duel)
        yield from self._recorder.record(event)
        if again:
            self._asker.ask_again(self._recorder.ticket(duel))
        return event

    def import_votes(self, votes: Iterable[Any]) -> Steps[int]:
        """Record votes that were recorded elsewhere, all or none; return how many were new."""
        return self._recorder.record_votes(votes)

    def import_clicks(self, shown: Path, clicks: Path, sides: tuple[str, str] | None = None) -> Steps[int]:
        """Record clicks on lists that were drawn elsewhere, all or none; return how many answers were new."""
        impressions = read_impressions(clicks, read_listings(shown))
        return self._recorder.record_new(clicked_votes(impressions, self.live.now().choices, sides))

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
            yield from self._recorder.record(event)
            self._collector.confirm(event)

    def settle(self, now: float, voter: str | None = None, besides: str | None = None) -> Steps[None]:
        """Record the answers of clicks that are due; those that another process recorded are there."""
        if self.live.now().pending:
            for event in self._collector.due(now, voter, besides):
                yield from self._recorder.record(event)

    def add_arm(self, arm: str | Arm) -> Steps[None]:
        """Add an arm, or bring a retired one back."""
        yield from self._recorder.record(added(self.live.now(), arm))

    def retire_arm(self, name: str) -> Steps[None]:
        """Show an arm no more."""
        event = retired(self.live.now(), name)
        if event is not None:
            yield from self._recorder.record(event)

    def change_learner(
        self, learner: Learner[Any], context: ArrayLike | None = None, features: ArrayLike | None = None
    ) -> Steps[None]:
        """Let another learner go on."""
        event = changed(self.live.now(), learner, context, features)
        self.live.learners.append(learner)
        yield from self._recorder.record(event)

    def close(self) -> Steps[None]:
        """End the study, after clicks were settled."""
        yield from self.settle(inf)
        yield from self._recorder.record(Closed(time=round(time(), 3)))
