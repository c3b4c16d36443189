"""The fold of a journal, kept up to date: before every use it applies what the journal has gained."""

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.random import Generator

from duelist.journal import Answered, ArmRetired, Journal, LearnerChanged, Recorded, Retracted, Skipped
from duelist.protocols import Learner
from duelist.study.choices import require_named
from duelist.study.fold import Fold
from duelist.study.folding import fold_events
from duelist.study.luck import Luck
from duelist.study.open_duels import OpenDuels
from duelist.study.snapshot import Snapshots


@contextmanager
def without_collections() -> Iterator[None]:
    """Keep the garbage collector from looking at a long history again and again while it is read."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class LiveFold:
    """What a study knows now. Whoever uses it holds its lock.

    Parameters
    ----------
    journal : Journal
        What is folded.
    learners : sequence of Learner
        Those that the journal may name although they are not in the registry.
    open_duels : OpenDuels
        Is told what is no longer open.
    worker : int
        Tells processes apart that ask at the same time.
    """

    def __init__(
        self, journal: Journal, learners: Sequence[Learner[Any]], open_duels: OpenDuels, worker: int
    ) -> None:
        self.lock = threading.RLock()
        self.journal, self._learners, self._open_duels = journal, learners, open_duels
        self._snapshots = Snapshots(journal)
        with without_collections():
            self.fold = self._snapshots.open(learners) or fold_events(journal.read(), learners)
        self._luck = Luck(self.fold.created.seed, worker)
        self._asks = 0
        self._broken = False
        self.current()
        self._snapshots.take(self.fold)

    def now(self) -> Fold:
        """Return the fold of all that the journal has by now, for one who does not hold the lock."""
        with self.lock:
            return self.current()

    def current(self) -> Fold:
        """Return the fold of all that the journal has by now."""
        events = self.journal.read(0 if self._broken else self.fold.seq)
        if events:
            # an error in the middle leaves a fold that must not be used
            self._broken, was_broken = True, self._broken
            if was_broken:
                self.fold = fold_events(events, self._learners)
            elif not self.fold.apply(events):
                self.fold = self._fold_again(events)
            self._broken = False
            self._asks = 0
            self._close(events)
            self._snapshots.take(self.fold)
        return self.fold

    def has_answer(self, ticket: str) -> bool:
        """Return whether a ticket was answered or skipped."""
        return bool(self.journal.read(keys=[ticket]))

    def luck(self, voter: str | None) -> Generator:
        """Return the luck of one more ask."""
        self._asks += 1
        return self._luck.at(self.fold.seq, self._asks, voter)

    def _fold_again(self, events: Sequence[Recorded]) -> Fold:
        """Return the fold of all events, from the last snapshot that still holds."""
        if any(isinstance(one.event, LearnerChanged) for one in events):
            self._snapshots.forget()
        retracted = [one.event.ticket for one in events if isinstance(one.event, Retracted)]
        answers = self.journal.read(keys=retracted) if retracted else []
        fold = self._snapshots.latest(self._learners, before=min((one.seq for one in answers), default=0))
        if fold is None:
            return fold_events(self.journal.read(), self._learners)
        later = self.journal.read(fold.seq)
        fold.left_out |= {one.event.ticket for one in later if isinstance(one.event, Retracted)}
        fold.follow(later)
        return fold_events(self.journal.read(), self._learners) if fold.stuck else fold

    def _close(self, events: Sequence[Recorded]) -> None:
        """Forget open duels that have been answered, or cannot be shown again."""
        self._open_duels.next_event()
        for _, event in events:
            if type(event) is Answered or type(event) is Skipped:
                self._open_duels.close(event.voter, event.ticket)
            elif type(event) is ArmRetired:
                self._open_duels.forget_arm(require_named(self.fold.choices).find(event.arm))
