"""The fold of a journal, kept up to date: before every use it applies the journal's new events.

Snapshots save folding old events again; they are a cache, and the journal is the truth.
"""

import secrets
import threading
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from math import inf
from typing import Any

import msgspec
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from duelist.errors import DuelistError, StorageError
from duelist.journal import (
    Answered,
    ArmRetired,
    Clicked,
    Created,
    DocumentsClicked,
    Journal,
    LearnerChanged,
    Recorded,
    Retracted,
    Skipped,
)
from duelist.journal.codec import encode
from duelist.kernels.cache import fingerprint_of, foreign_fingerprints, package_of
from duelist.protocols import AnyLearner
from duelist.study.choices import Arm, NamedArms, require_named
from duelist.study.fold import Fold, fold_events, without_collections
from duelist.study.open_duels import OpenDuels
from duelist.study.player import RandomStreams, read_learner, write_learner
from duelist.study.state import StudyState, state_of
from duelist.study.votes import VoteLog

EVERY = 5_000
"""The number of events after which a new snapshot is taken."""
KEPT = 2
TABLES = 3
"""The number of arrays of the tally."""
DIGEST = 16

Packed = tuple[str, list[int], bytes]
"""An array as its type, shape and bytes."""


class LiveFold:
    """The current state of a study. Hold its lock while you use it.

    Parameters
    ----------
    journal : Journal
        The journal to fold.
    learners : list of Learner
        Learners outside the registry that the journal may name; more may be added.
    open_duels : OpenDuels
        The open duels, which are closed when they are answered.
    worker : int
        Distinguishes processes that ask at the same time.
    """

    def __init__(
        self, journal: Journal, learners: list[AnyLearner], open_duels: OpenDuels, worker: int
    ) -> None:
        self.lock = threading.RLock()
        self.journal, self.learners, self._open_duels = journal, learners, open_duels
        self._snapshots = Snapshots(journal)
        with without_collections():
            self.fold = self._snapshots.open(learners) or fold_events(journal.read(), learners)
        self._streams = RandomStreams(self.fold.created.seed, worker)
        self._seq, self._asks = self.fold.last.seq, 0
        self._broken = False
        self.current()
        self._votes = VoteLog(journal)
        self._state = state_of(self.fold, self.lock, self._votes)
        self._snapshots.take(self.fold)

    def now(self) -> Fold:
        """Return the up-to-date fold, for a caller that does not hold the lock."""
        with self.lock:
            return self.current()

    def current(self) -> Fold:
        """Return the up-to-date fold, for a caller that holds the lock."""
        events = self.journal.read(0 if self._broken else self._seq)
        if events:
            # an error in the middle leaves a fold that must not be used
            self._broken, was_broken = True, self._broken
            if was_broken:
                self.fold = fold_events(events, self.learners)
            elif not self.fold.apply(events):
                self.fold = self._fold_again(events)
            self._broken = False
            self._seq, self._asks = self.fold.last.seq, 0
            self._snapshots.take(self.fold)
            self._close(events)
        return self.fold

    def state(self) -> StudyState:
        with self.lock:
            self.current()
            return self.known()

    def known(self) -> StudyState:
        """Return the state of the last fold, without reading the journal or waiting for the lock."""
        if self._state.seq != self._seq and self.lock.acquire(blocking=False):
            try:
                self._state = state_of(self.fold, self.lock, self._votes)
            finally:
                self.lock.release()
        return self._state

    def has_answer(self, ticket: str) -> bool:
        return bool(self.journal.read(keys=[ticket]))

    def rng(self, voter: str | None) -> Generator:
        """Return the random stream of the next ask."""
        self._asks += 1
        return self._streams.at(self._seq, self._asks, voter)

    def _fold_again(self, events: Sequence[Recorded]) -> Fold:
        """Return a fold of all events, from the latest snapshot that is still valid."""
        if any(isinstance(one.event, LearnerChanged) for one in events):
            self._snapshots.forget()
        retracted = [one.event.ticket for one in events if isinstance(one.event, Retracted)]
        answers = self.journal.read(keys=retracted) if retracted else []
        fold = self._snapshots.latest(self.learners, before=min((one.seq for one in answers), default=0))
        if fold is None:
            return fold_events(self.journal.read(), self.learners)
        later = self.journal.read(fold.last.seq)
        fold.left_out |= {one.event.ticket for one in later if isinstance(one.event, Retracted)}
        fold.follow(later)
        return fold_events(self.journal.read(), self.learners) if fold.stuck else fold

    def _close(self, events: Sequence[Recorded]) -> None:
        """Close open duels that were answered or that can no longer be shown."""
        self._open_duels.close_anonymous()
        for _, event in events:
            if type(event) is Answered or type(event) is Skipped:
                self._open_duels.close(event.voter, event.ticket)
            elif type(event) is ArmRetired:
                self._open_duels.forget_arm(require_named(self.fold.choices).find(event.arm))


class Snapshot(msgspec.Struct, array_like=True):
    """The content of a fold, with a fingerprint of the code that made it."""

    code: str
    seq: int
    last: bytes  # a digest of the last event
    learner: dict[str, Any]
    example: dict[str, Any]
    learner_number: int
    left_out: list[str]
    closed: bool
    arms: list[Arm]
    retired: list[int]
    arms_changed: bool
    answers: int
    repeats: int
    voters: dict[str, list[tuple[int, int, str | None, int]]]
    pending: list[Clicked | DocumentsClicked]
    arrays: list[Packed]  # the tally's, then the learner's state


class Snapshots:
    """The latest snapshots of a study, in memory, and the last one in the journal if it stores one."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.snapshot_store
        self._kept: list[Snapshot] = []

    def open(self, learners: Sequence[AnyLearner]) -> Fold | None:
        """Return the fold of the stored snapshot; None if there is none that fits."""
        snapshot = self._read()
        if snapshot is None:
            return None
        try:
            learner = read_learner(snapshot.learner, learners)
        except DuelistError:
            return None  # it may have been changed since
        if snapshot.code != code_of(learner):
            return None
        found = self._journal.read(since=snapshot.seq - 1)
        if not found or digest(found[0]) != snapshot.last:
            return None
        self._kept = [snapshot]
        return self.latest(learners)

    def latest(self, learners: Sequence[AnyLearner], before: float = inf) -> Fold | None:
        """Return the fold of the last snapshot before an event, or None; later snapshots are dropped."""
        self._kept = [snapshot for snapshot in self._kept if snapshot.seq < before]
        if not self._kept:
            return None
        snapshot = self._kept[-1]
        [created] = self._journal.read(keys=["created"])
        assert isinstance(created.event, Created)
        found = self._journal.read(since=snapshot.seq - 1)[0]
        return restored(snapshot, created.event, found, learners)

    def forget(self) -> None:
        """Drop all snapshots: they belong to another learner."""
        self._kept = []

    def take(self, fold: Fold) -> None:
        """Take a snapshot if the last one is old; if it cannot be stored, memory is enough."""
        if fold.last.seq - (self._kept[-1].seq if self._kept else 0) < EVERY:
            return
        self._kept = [*self._kept, taken(fold, code_of(fold.learner))][-KEPT:]
        if self._store is not None:
            body = msgspec.msgpack.encode(self._kept[-1])
            with suppress(StorageError):
                self._store.write(fold.last.seq, blake2b(body, digest_size=DIGEST).digest() + body)

    def _read(self) -> Snapshot | None:
        try:
            content = b"" if self._store is None else self._store.read()
            if blake2b(content[DIGEST:], digest_size=DIGEST).digest() != content[:DIGEST]:
                return None
            return msgspec.msgpack.decode(content[DIGEST:], type=Snapshot)
        except msgspec.MsgspecError:
            return None


def code_of(learner: AnyLearner) -> str:
    """Return fingerprints of all code that made a learner's state; without sources, a new one each time."""
    package = package_of(type(learner).__module__)
    own = fingerprint_of(package) or secrets.token_hex()
    return repr((fingerprint_of("duelist"), own, foreign_fingerprints()))


def digest(recorded: Recorded) -> bytes:
    return blake2b(b"%d " % recorded.seq + encode(recorded.event), digest_size=DIGEST).digest()


def taken(fold: Fold, code: str) -> Snapshot:
    """Return a snapshot of a fold."""
    arms = fold.choices if isinstance(fold.choices, NamedArms) else None
    return Snapshot(
        code=code,
        seq=fold.last.seq,
        last=digest(fold.last),
        learner=write_learner(fold.learner),
        example=dict(fold.example),
        learner_number=fold.learner_number,
        left_out=sorted(fold.left_out),
        closed=fold.closed,
        arms=[] if arms is None else [arms.about(name) for name in arms.names],
        retired=sorted(fold.choices.retired),
        arms_changed=fold.arms_changed,
        answers=fold.tally.answers,
        repeats=fold.tally.repeats,
        voters={
            voter: [(*comparison, times) for comparison, times in seen.items()]
            for voter, seen in fold.seen.by_voter.items()
        },
        pending=list(fold.pending),
        arrays=[
            packed(array)
            for array in (fold.tally.wins, fold.tally.ties, fold.tally.scores, *fold.player.state)
        ],
    )


def restored(snapshot: Snapshot, created: Created, last: Recorded, learners: Sequence[AnyLearner]) -> Fold:
    """Return the fold of a snapshot."""
    learner = read_learner(snapshot.learner, learners)
    fold = Fold(created, learner, snapshot.example, snapshot.learner_number, set(snapshot.left_out))
    if isinstance(fold.choices, NamedArms):
        for arm in snapshot.arms:
            fold.choices.add(arm)
        fold.choices.retired = frozenset(snapshot.retired)
        fold.k = len(snapshot.arms)
    fold.begin()
    fold.last, fold.closed = last, snapshot.closed
    fold.arms_changed = snapshot.arms_changed
    tables, state = snapshot.arrays[:TABLES], snapshot.arrays[TABLES:]
    fold.tally.wins, fold.tally.ties, fold.tally.scores = map(unpacked, tables)
    fold.tally.answers, fold.tally.repeats = snapshot.answers, snapshot.repeats
    for voter, seen in snapshot.voters.items():
        fold.seen.by_voter[voter] = {(lower, upper, item): times for lower, upper, item, times in seen}
    for clicks in snapshot.pending:
        fold.pending.add(clicks)
    fold.player.state = type(fold.player.state)(*map(unpacked, state))
    return fold


def packed(array: NDArray[Any]) -> Packed:
    return array.dtype.str, list(array.shape), array.tobytes()


def unpacked(content: Packed) -> NDArray[Any]:
    kind, shape, values = content
    return np.frombuffer(values, kind).reshape(shape).copy()
