"""Studies at work in a service: each opened once, asked without waiting, told in batches.

A thread commits or fetches for many requests at once while the next ones gather. A request that is cancelled
takes nothing back: its events were handed over, and are committed like others.
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
from duelist.errors import DuelistError, RemovedError, UnknownNameError
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
LOOK_EVERY = 0.005  # seconds after which a file is looked at again for what other processes wrote
# arms times duels of an ask from which on it may take longer than others should wait; parameters always may
QUICK = 10_000


class LiveStudy:
    """A study of the service.

    What takes microseconds is done at once, in the event loop. What may take longer is done in a thread: to
    commit, to fetch from another machine, to fold again what a retraction changed, to forecast.
    """

    def __init__(self, study: Study, journal: FollowedJournal, live: "LiveStudies") -> None:
        self.study, self.steps, self._journal, self._live = study, study.steps, journal, live
        self._fetch = Fetch(self._catch_up, live.threads)
        self._looked = 0.0

    @property
    def state(self) -> StudyState:
        """What is known of the study; while a thread changes it, what was known before."""
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
        """Return n duels to show next, or none without `repeat` where the voter has seen every pair."""
        await self.refresh()
        call: Any = self._live.in_thread if self.steps.asks_elsewhere else self.at_once
        if n * (self.steps.live.fold.k or QUICK) >= QUICK:
            call = self._live.slowly
        return await self._go(self.steps.ask(voter, n, context, features, items, repeat), call)

    async def do(self, steps: Steps[T]) -> T:
        """Do what takes microseconds besides its commits, and have those made with other requests' events."""
        return await self._go(steps, self.at_once)

    async def do_slowly(self, steps: Steps[T]) -> T:
        """Do what may take long, with all that is known by now."""
        await self.refresh()
        return await self._go(steps, self._live.slowly)

    async def _go(self, steps: Steps[T], call: Any) -> T:
        events, found = await call(onwards, steps)
        while events:
            events, found = await call(onwards, steps, await self._commit(events))
        result: T = found
        return result

    async def _commit(self, events: Sequence[Event]) -> DuelistError | None:
        """Write events durably; return why that was not possible."""
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
        """Call a method of the study that may take long, in a thread, with all that is known by now."""
        await self.refresh()
        return await self._live.slowly(function, *given, **named)

    async def refresh(self) -> None:
        """Learn what others have written; a file of this machine is looked at without a thread."""
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
        """Call a quick method; in a thread if another one holds the study, which may take long."""
        lock = self.steps.live.lock
        if lock.acquire(blocking=False):
            try:
                return function(*given, **named)
            finally:
                lock.release()
        return await self._live.in_thread(function, *given, **named)


class LiveStudies:
    """All studies of a service, opened when they are first asked for.

    Parameters
    ----------
    database : Database
        Where they are.
    metrics : Metrics
        Count every answer and every commit.
    """

    def __init__(self, database: Database, metrics: Metrics) -> None:
        self.database = database
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="duelist")
        # apart, so that many who want a forecast of large studies do not keep votes from being committed
        self._slow = ThreadPoolExecutor(THREADS, thread_name_prefix="duelist-slow")
        self.commits = Commits(database.committer, self.threads, metrics)
        self.worker = int.from_bytes(os.urandom(4))
        """Tells the luck of workers apart."""
        self._studies: dict[str, LiveStudy] = {}
        self._opening: dict[str, asyncio.Task[LiveStudy]] = {}

    def __len__(self) -> int:
        """Return how many studies are open here."""
        return len(self._studies)

    def __contains__(self, name: object) -> bool:
        """Return whether a study of this name is open here."""
        return name in self._studies

    async def settle(self) -> None:
        """Settle the clicks that are due in all studies."""
        for name, live in list(self._studies.items()):
            try:
                await live.do_slowly(live.steps.settle(time()))
            except DuelistError as error:
                # the others go on; this one is tried again next time
                write_line(level="error", study=name, error=type(error).__name__, detail=str(error))

    async def find(self, name: str) -> LiveStudy:
        """Return a study by its name."""
        found = self._studies.get(name)
        if found is not None:
            return found
        if name not in self._opening:
            self._opening[name] = asyncio.create_task(self._open(name))
        return await asyncio.shield(self._opening[name])

    async def create(self, name: str, make: Callable[[FollowedJournal], Study]) -> tuple[LiveStudy, bool]:
        """Return the study that `make` makes with a journal, and whether it was not there before."""
        journal = FollowedJournal(self.database, name, self.threads)
        is_new = await self.in_thread(created_in, journal) is None
        study = await self.in_thread(make, journal)
        return self._studies.setdefault(name, LiveStudy(study, journal, self)), is_new

    async def remove(self, name: str) -> None:
        """Remove a study with all its events."""
        await self.in_thread(self.database.remove, name)
        self.forget(name)

    def forget(self, name: str) -> None:
        """Open a study anew when it is next asked for."""
        self._studies.pop(name, None)

    async def in_thread(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a function in a thread."""
        work = partial(function, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)

    async def slowly(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a function that may take long, in one of the threads that are kept for such."""
        work = partial(function, *given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._slow, work)

    async def close(self) -> None:
        """Finish what was accepted, and let go of the database."""
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


def live_studies(request: HttpRequest) -> LiveStudies:
    """Return all studies of the service."""
    live: LiveStudies = request.app.state.live
    return live


class Commits:
    """Awaits commits: all events that came while the last were committed are committed together.

    Parameters
    ----------
    committer : Committer
        Commits them, and those of threads.
    threads : Executor
        Where that is done.
    metrics : Metrics
        Count every commit and every answer, by whomever.
    """

    def __init__(self, committer: Committer, threads: Executor, metrics: Metrics) -> None:
        self._committer, self._threads = committer, threads
        self._waiting = 0
        self._done: deque[asyncio.Future[None]] = deque()
        self._task: asyncio.Task[None] | None = None
        committer.observe = metrics.committed

    async def commit(self, request: Request) -> None:
        """Return when a request has been committed or refused, which it then knows."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def then(_: Request) -> None:
            self._done.append(done)
            if len(self._done) == 1:  # else the loop is on its way
                loop.call_soon_threadsafe(self._tell)

        self._committer.enqueue(request, then)
        self._waiting += 1
        if self._task is None:
            # a task of its own, so that nobody who leaves can end it
            self._task = asyncio.create_task(self._run())
        await done

    def _tell(self) -> None:
        while self._done:
            done = self._done.popleft()
            self._waiting -= 1
            if not done.done():  # who was cancelled does not wait any more
                done.set_result(None)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(0)  # for those who came at the same moment
            await loop.run_in_executor(self._threads, self._drain)
        self._task = None

    def _drain(self) -> None:
        with suppress(Exception):  # every request knows what came of it
            self._committer.drain()

    async def finish(self) -> None:
        """Wait until all that was handed over is committed."""
        while self._task is not None:
            await asyncio.wait([self._task])


class Fetch:
    """Work that all who ask for it before it starts share; those who come while it runs share the next.

    Parameters
    ----------
    work : callable
        What is done, in a thread.
    threads : Executor
        Where that is done.
    """

    def __init__(self, work: Callable[[], None], threads: Executor) -> None:
        self._work, self._threads = work, threads
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Return when the work has been done once more, from a moment after this call."""
        if self._next is None:
            self._next = asyncio.create_task(self._run(self._running))
        await asyncio.shield(self._next)

    async def _run(self, before: "asyncio.Task[None] | None") -> None:
        if before is not None:
            await asyncio.wait([before])
        self._running, self._next = self._next, None
        await asyncio.get_running_loop().run_in_executor(self._threads, self._work)
