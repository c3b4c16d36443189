"""Work for many requests at once: a thread commits or fetches while the next ones gather.

A request that is cancelled takes nothing back: its events were handed over, and are committed like others.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress

from duelist.database.commits import Committer, Request
from duelist.errors import StorageError
from duelist.service.metrics import Metrics


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
        self._committer, self._threads, self._metrics = committer, threads, metrics
        self._waiting = 0
        self._done: deque[asyncio.Future[None]] = deque()
        self._task: asyncio.Task[None] | None = None
        self.is_failing = False
        """Whether the database could not write when it was last asked to."""
        committer.observe = self._observe

    def _observe(self, requests: Sequence[Request], seconds: float) -> None:
        self.is_failing = any(isinstance(one.error, StorageError) for one in requests)
        self._metrics.committed([one.event for request in requests for one in request.recorded], seconds)

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
