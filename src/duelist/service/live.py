"""Studies at work in a service: each opened once, asked without waiting, told in batches."""

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from time import monotonic, time
from typing import Any, ParamSpec, TypeVar

from duelist.database import Database
from duelist.database.commits import Request
from duelist.database.open_duels import SharedOpenDuels
from duelist.duel import Duel
from duelist.errors import DuelistError, RemovedError, StorageError, UnknownNameError
from duelist.journal import Answered, Event, RepeatedEventError, Skipped
from duelist.service.batches import Commits, Fetch
from duelist.service.followed import FollowedJournal
from duelist.service.logs import write_line
from duelist.service.metrics import Metrics
from duelist.study import Study
from duelist.study.items import Items
from duelist.study.storage import created_in
from duelist.study.ticket import Ticket

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 8
LOOK_EVERY = 0.005  # seconds after which a file is looked at again for what other processes wrote
# arms times duels of an ask from which on it may take longer than others should wait; knobs always may
QUICK = 10_000


def same(event: Event) -> Event:
    """Return an event that is made already."""
    return event


class LiveStudy:
    """A study of the service.

    What takes microseconds is done at once, in the event loop. What may take longer is done in a thread: to
    commit, to fetch from another machine, to fold again what a retraction changed, to forecast.
    """

    def __init__(self, study: Study, journal: FollowedJournal, live: "LiveStudies") -> None:
        self.study, self.journal, self._live = study, journal, live
        self._fetch = Fetch(self._catch_up, live.threads)
        self._looked = 0.0
        database = journal.database
        self._shared = SharedOpenDuels(database, journal.name) if database.is_shared else None

    async def ask(
        self, voter: str | None, n: int, context: Any = None, features: Any = None, items: Items | None = None
    ) -> list[Duel]:
        """Return n duels to show next; clicks that are due are settled before."""
        await self.refresh()
        if self.study.live.fold.pending:
            for event in self.study.collector.due(time(), voter):
                await self.record(partial(same, event))
        if voter is not None and n == 1 and context is None and self._shared is not None:
            return [await self._ask_once(voter, items, self._shared)]
        if n * (self.study.live.fold.k or QUICK) >= QUICK:
            return await self._live.slowly(self.study.asker.ask, voter, n, context, features, items)
        return await self.at_once(self.study.asker.ask, voter, n, context, features, items)

    async def _ask_once(self, voter: str, items: Items | None, shared: SharedOpenDuels) -> Duel:
        """Return the one duel that is open for a voter, whichever worker asked it."""
        asker, patience = self.study.asker, self.study.live.fold.created.patience
        known = await self._live.in_thread(shared.of, voter, time(), patience)
        duel = None if known is None else await self._live.in_thread(asker.adopt, voter, known, items)
        while duel is None:
            [asked] = await self.at_once(asker.ask, voter, 1, None, None, items)
            offered = await self._live.in_thread(shared.offer, voter, str(asked.ticket), time(), patience)
            if offered == asked.ticket:
                return asked
            await self.at_once(asker.withdraw, voter, items)
            duel = await self._live.in_thread(asker.adopt, voter, offered, items)
            if duel is None:
                # it was answered, and the worker that knew of it is gone
                await self._live.in_thread(shared.close, [voter])
        return duel

    async def ask_again(self, taken_back: Ticket) -> None:
        """Show the voter of an answer that was taken back its duel next, whichever worker they meet."""
        duel = await self.at_once(self.study.asker.ask_again, taken_back)
        if duel is not None and self._shared is not None and taken_back.voter is not None:
            patience = self.study.live.fold.created.patience
            await self._live.in_thread(self._shared.close, [taken_back.voter])
            await self._live.in_thread(
                self._shared.offer, taken_back.voter, str(duel.ticket), time(), patience
            )

    async def record(self, make: Callable[[], Event]) -> Event:
        """Write the event that `make` makes, durably, and learn from it; return it."""
        teller = self.study.teller
        event = await self.at_once(make)
        stored = await self.at_once(teller.admit, event)
        if stored is None:
            request = self.journal.request([event])
            await self._live.commits.commit(request)
            try:
                self.journal.note(request)
            except RepeatedEventError as error:
                stored = error.stored
                await self.refresh()
            except RemovedError:
                self._live.forget(self.journal.name)
                raise
        await self.at_once(teller.accept, event, stored)
        return event

    async def work(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a method of the study that may take long, in a thread, with all that is known by now."""
        await self.refresh()
        return await self._live.slowly(function, *given, **named)

    async def refresh(self) -> None:
        """Learn what others have written; a file of this machine is looked at without a thread."""
        try:
            if self.journal.database.is_shared:
                await self._fetch()
            elif monotonic() - self._looked > LOOK_EVERY:
                self.journal.fetch()
                self._looked = monotonic()
        except RemovedError:
            self._live.forget(self.journal.name)
            raise

    def _catch_up(self) -> None:
        self.journal.fetch()
        with self.study.live.lock:
            self.study.live.current()

    async def at_once(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Call a quick method; in a thread if another one holds the study, which may take long."""
        lock = self.study.live.lock
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
        # pages, API, clicks and imports write in different ways, but all of them commit here
        database.committer.observe = lambda requests, _: metrics.recorded(
            event for request in requests for _, event in request.recorded
        )
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="duelist")
        # apart, so that many who want a forecast of large studies do not keep votes from being committed
        self._slow = ThreadPoolExecutor(THREADS, thread_name_prefix="duelist-slow")
        self.commits = Commits(database, self.threads, metrics.committed, self._close_duels)
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

    def _close_duels(self, requests: Sequence[Request]) -> None:
        """Let voters go on who have answered; where that fails, their duels expire."""
        if not self.database.is_shared:
            return
        voters: defaultdict[str, set[str]] = defaultdict(set)
        for request in requests:
            for _, event in request.recorded:
                if isinstance(event, Answered | Skipped) and event.voter is not None:
                    voters[request.name].add(event.voter)
        for name, gone in voters.items():
            with suppress(StorageError):
                SharedOpenDuels(self.database, name).close(gone)

    async def settle(self) -> None:
        """Settle the clicks that are due in all studies."""
        for name, live in list(self._studies.items()):
            try:
                for event in live.study.collector.due(time()):
                    await live.record(partial(same, event))
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
