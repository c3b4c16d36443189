"""The open studies of a service: each opened once, asked without waiting, and written in batches.

A thread commits or fetches for many requests at once, while the next batch gathers. Cancelling a request does
not undo it: its events are already queued, and are committed with the batch.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from time import monotonic, time
from typing import Any, ParamSpec, TypeVar

from starlette.requests import Request as HttpRequest

from duelist.database import Database
from duelist.database.commits import Committer, Request
from duelist.database.journal import FollowedJournal
from duelist.duel import Duel
from duelist.errors import DuelistError, ParameterError, RemovedError, UnknownNameError
from duelist.journal import Event, RepeatedEventError
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
        if n * (self.steps.live.fold.k or QUICK) >= QUICK:
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
            if study.state().features is not None:
                raise ParameterError(
                    f"the study {name!r} ranks documents, and a service supports only studies of duels; "
                    "open it "
                    "in Python: Study.open(journal)."
                )
            self._studies[name] = LiveStudy(study, journal, self)
            return self._studies[name]
        finally:
            del self._opening[name]


def live_studies(request: HttpRequest) -> LiveStudies:
    live: LiveStudies = request.app.state.live
    return live


class Commits:
    """Group commit for an event loop: events that arrive during a commit are committed together next.

    Parameters
    ----------
    committer : Committer
        Queue of commits, shared with callers that are threads.
    threads : Executor
        Runs the commits.
    metrics : Metrics
        Counts every commit and every answer, whoever made it.
    """

    def __init__(self, committer: Committer, threads: Executor, metrics: Metrics) -> None:
        self._committer, self._threads = committer, threads
        self._waiting = 0
        self._done: deque[asyncio.Future[None]] = deque()
        self._task: asyncio.Task[None] | None = None
        committer.observe = metrics.committed

    async def commit(self, request: Request) -> None:
        """Wait until a request has been committed or rejected; the result is stored in the request."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def then(_: Request) -> None:
            self._done.append(done)
            if len(self._done) == 1:  # otherwise the callback is already scheduled
                loop.call_soon_threadsafe(self._tell)

        self._committer.enqueue(request, then)
        self._waiting += 1
        if self._task is None:
            # a separate task: cancelling a caller must not cancel the commit
            self._task = asyncio.create_task(self._run())
        await done

    def _tell(self) -> None:
        while self._done:
            done = self._done.popleft()
            self._waiting -= 1
            if not done.done():  # cancelled callers are already done
                done.set_result(None)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(0)  # let requests of the same loop iteration join
            await loop.run_in_executor(self._threads, self._drain)
        self._task = None

    def _drain(self) -> None:
        with suppress(Exception):  # the error is stored in each request
            self._committer.drain()

    async def finish(self) -> None:
        """Wait until everything queued is committed."""
        while self._task is not None:
            await asyncio.wait([self._task])


class Fetch:
    """Shared work: calls that arrive before it starts share one run; later ones share the next.

    Parameters
    ----------
    work : callable
        The work, done in a thread.
    threads : Executor
        Runs the work.
    """

    def __init__(self, work: Callable[[], None], threads: Executor) -> None:
        self._work, self._threads = work, threads
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Wait for a run of the work that starts after this call."""
        if self._next is None:
            self._next = asyncio.create_task(self._run(self._running))
        await asyncio.shield(self._next)

    async def _run(self, before: "asyncio.Task[None] | None") -> None:
        if before is not None:
            await asyncio.wait([before])
        self._running, self._next = self._next, None
        await asyncio.get_running_loop().run_in_executor(self._threads, self._work)
