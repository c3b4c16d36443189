"""The open studies of a service: each opened once, asked without waiting, and written in batches."""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic, time
from typing import Any, ParamSpec, TypeVar

from duelist.database import Database
from duelist.duel import Duel
from duelist.errors import DuelistError, RemovedError, UnknownNameError
from duelist.journal import Event, RepeatedEventError
from duelist.service.batches import Commits, Fetch
from duelist.service.followed import FollowedJournal
from duelist.service.metrics import Metrics, write_line
from duelist.study import Study
from duelist.study.choices import Items
from duelist.study.recording import Steps, onwards
from duelist.study.state import StudyState
from duelist.study.storage import created_in

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 8
LOOK_EVERY = 0.005  # seconds between checks of a file for events of other processes
# arms times duels above which an ask runs in a thread, as asks about parameters always do
QUICK = 10_000


class LiveStudy:
    """A study of the service.

    Work of microseconds runs in the event loop. Work that may take longer runs in a thread: commits, fetches
    from another machine, replays after a retraction, forecasts.
    """

    def __init__(self, study: Study, journal: FollowedJournal, live: "LiveStudies") -> None:
        self.study, self.steps, self._journal, self._live = study, study.steps, journal, live
        self._fetch = Fetch(self._catch_up, live.threads)
        self._looked = 0.0

    @property
    def state(self) -> StudyState:
        """The latest state; while a thread changes it, the state before the change."""
        return self.steps.live.known()

    async def ask(
        self,
        voter: str | None,
        n: int = 1,
        context: Any = None,
        features: Any = None,
        items: Items | None = None,
        repeat: bool = True,
    ) -> list[Duel]:
        """Return n duels to show next; with `repeat=False`, none if the voter has seen every pair."""
        await self.refresh()
        call: Any = self._live.in_thread if self.steps.asks_elsewhere else self.at_once
        if n * (self.state.k or QUICK) >= QUICK:
            call = self._live.slowly
        return await self._go(self.steps.ask(voter, n, context, features, items, repeat), call)

    async def do(self, steps: Steps[T]) -> T:
        """Run quick steps in the event loop, and commit their events with those of other requests."""
        return await self._go(steps, self.at_once)

    async def do_slowly(self, steps: Steps[T]) -> T:
        """Run steps that may take long in a thread, on the latest state."""
        await self.refresh()
        return await self._go(steps, self._live.slowly)

    async def _go(self, steps: Steps[T], call: Any) -> T:
        events, found = await call(onwards, steps)
        while events:
            events, found = await call(onwards, steps, await self._commit(events))
        result: T = found
        return result

    async def _commit(self, events: Sequence[Event]) -> DuelistError | None:
        """Write events durably; return the error if that fails."""
        request = self._journal.request(events)
        await self._live.commits.commit(request)
        try:
            self._journal.note(request)
        except DuelistError as error:
            if isinstance(error, RepeatedEventError):
                await self.refresh()
            if isinstance(error, RemovedError):
                self._live.forget(self._journal.name)
            return error
        return None

    async def work(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a method of the study that may take long in a thread, on the latest state."""
        await self.refresh()
        return await self._live.slowly(function, *given, **named)

    async def refresh(self) -> None:
        """Fetch what others have written; a local file is checked without a thread."""
        try:
            if self._journal.database.is_shared:
                await self._fetch()
            elif monotonic() - self._looked > LOOK_EVERY:
                self._journal.fetch()
                await self.at_once(self.steps.live.current)
                self._looked = monotonic()
        except RemovedError:
            self._live.forget(self._journal.name)
            raise

    def _catch_up(self) -> None:
        self._journal.fetch()
        self.study.state()

    async def at_once(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a quick method; in a thread if another one holds the study's lock, possibly for long."""
        lock = self.steps.live.lock
        if lock.acquire(blocking=False):
            try:
                return function(*given, **named)
            finally:
                lock.release()
        return await self._live.in_thread(function, *given, **named)


class LiveStudies:
    """All studies of a service, opened on first use.

    Parameters
    ----------
    database : Database
        The database with the studies.
    metrics : Metrics
        Counts every answer and every commit.
    """

    def __init__(self, database: Database, metrics: Metrics) -> None:
        self.database = database
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="duelist")
        # a separate pool: many forecasts of large studies must not delay the commit of votes
        self._slow = ThreadPoolExecutor(THREADS, thread_name_prefix="duelist-slow")
        self.commits = Commits(database.committer, self.threads, metrics)
        self.worker = int.from_bytes(os.urandom(4))
        """Distinguishes the random streams of workers."""
        self._studies: dict[str, LiveStudy] = {}
        self._opening: dict[str, asyncio.Task[LiveStudy]] = {}

    def __len__(self) -> int:
        return len(self._studies)

    def __contains__(self, name: object) -> bool:
        return name in self._studies

    async def settle(self) -> None:
        """Credit the clicks that are due in all studies."""
        for name, live in list(self._studies.items()):
            try:
                await live.do_slowly(live.steps.settle(time()))
            except DuelistError as error:
                # the other studies continue; this one is retried next time
                write_line(level="error", study=name, error=type(error).__name__, detail=str(error))

    async def find(self, name: str) -> LiveStudy:
        found = self._studies.get(name)
        if found is not None:
            return found
        if name not in self._opening:
            self._opening[name] = asyncio.create_task(self._open(name))
        return await asyncio.shield(self._opening[name])

    async def create(self, name: str, make: Callable[[FollowedJournal], Study]) -> tuple[LiveStudy, bool]:
        """Return the study that `make` creates with a journal, and whether it is new."""
        journal = FollowedJournal(self.database, name, self.threads)
        is_new = await self.in_thread(created_in, journal) is None
        study = await self.in_thread(make, journal)
        return self._studies.setdefault(name, LiveStudy(study, journal, self)), is_new

    async def remove(self, name: str) -> None:
        await self.in_thread(self.database.remove, name)
        self.forget(name)

    def forget(self, name: str) -> None:
        """Drop an open study: the next request opens it again."""
        self._studies.pop(name, None)

    async def in_thread(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        work = partial(function, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)

    async def slowly(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a function that may take long, in a thread of the pool for slow work."""
        work = partial(function, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._slow, work)

    async def close(self) -> None:
        """Finish what was accepted, and close the database."""
        await asyncio.to_thread(self._slow.shutdown)
        await self.commits.finish()
        await asyncio.to_thread(self.threads.shutdown)
        self.database.close()

    async def _open(self, name: str) -> LiveStudy:
        try:
            journal = FollowedJournal(self.database, name, self.threads)
            if await self.in_thread(created_in, journal) is None:
                raise UnknownNameError("study", name, await self.in_thread(self.database.names))
            study = await self.in_thread(Study.open, journal, worker=self.worker)
            self._studies[name] = LiveStudy(study, journal, self)
            return self._studies[name]
        finally:
            del self._opening[name]
