"""Batching: a thread commits or fetches for many requests at once, while the next batch gathers.

Cancelling a request does not undo it: its events are already queued, and are committed with the batch.
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
        self._committer, self._threads, self._metrics = committer, threads, metrics
        self._waiting = 0
        self._done: deque[asyncio.Future[None]] = deque()
        self._task: asyncio.Task[None] | None = None
        self.is_failing = False
        """Whether the last write to the database failed."""
        committer.observe = self._observe

    def _observe(self, requests: Sequence[Request], seconds: float) -> None:
        self.is_failing = any(isinstance(one.error, StorageError) for one in requests)
        self._metrics.committed([one.event for request in requests for one in request.recorded], seconds)

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
