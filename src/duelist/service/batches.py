"""Work for many requests at once: a thread commits or fetches while the next ones gather.

A request that is cancelled takes nothing back: its events were handed over, and are committed like others.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from time import perf_counter

from duelist.database import Database
from duelist.database.commits import Request
from duelist.errors import StorageError

Observer = Callable[[int, float], None]


class Commits:
    """Commits requests in a thread, all together that came while the last were committed.

    Parameters
    ----------
    database : Database
        Where they are committed.
    threads : Executor
        Where that is done.
    observe : callable
        Is told how many events were committed together, and in how many seconds.
    afterwards : callable
        Is called in the thread with what was committed, before anybody is told.
    """

    def __init__(
        self,
        database: Database,
        threads: Executor,
        observe: Observer,
        afterwards: Callable[[Sequence[Request]], None],
    ) -> None:
        self._database, self._threads, self._observe = database, threads, observe
        self._afterwards = afterwards
        self._waiting: list[tuple[Request, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None
        self.is_failing = False
        """Whether the database could not write when it was last asked to."""

    async def commit(self, request: Request) -> None:
        """Return when a request has been committed or refused, which it then knows."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((request, done))
        if self._task is None:
            # a task of its own, so that nobody who leaves can end it
            self._task = asyncio.create_task(self._run())
        await done

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(0)  # for those who came at the same moment
            batch, self._waiting = self._waiting, []
            requests = [request for request, _ in batch]
            started = perf_counter()
            fault: BaseException | None = None
            try:
                await loop.run_in_executor(self._threads, self._commit, requests)
            except Exception as error:
                fault = error  # nobody may wait for ever, whatever went wrong
            failed = [one for one in requests if isinstance(one.error, StorageError)]
            self.is_failing = fault is not None or bool(failed)
            self._observe(sum(len(one.recorded) for one in requests), perf_counter() - started)
            for _, done in batch:
                if done.done():
                    continue  # who was cancelled does not wait any more
                if fault is None:
                    done.set_result(None)
                else:
                    done.set_exception(fault)
        self._task = None

    def _commit(self, requests: Sequence[Request]) -> None:
        for request in requests:
            self._database.committer.enqueue(request, lambda _: None)
        self._database.committer.drain()
        self._afterwards(requests)

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
