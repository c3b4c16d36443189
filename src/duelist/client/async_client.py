"""The client for asyncio: studies of a service, with the methods of `Study`, awaited."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack, overload

import httpx

from duelist.client.call import Call
from duelist.client.methods import Sending, described_by
from duelist.client.options import as_options
from duelist.client.retrying import Retrying
from duelist.client.service_calls import ServiceCalls
from duelist.client.study_calls import StudyCalls
from duelist.duel import Duel
from duelist.journal.fields import require_study_name
from duelist.study.asking import AskOptions

C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")


Answer = Coroutine[Any, Any, T]


class AsyncConnection:
    """Sends calls to a service, from any number of tasks."""

    def __init__(
        self, http: httpx.AsyncClient, retrying: Retrying, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self.http, self.retrying, self._sleep = http, retrying, sleep

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""
        tries = self.retrying.begin(self.http)
        while True:
            try:
                answer = await self.http.request(call.method, call.path, content=call.body, params=call.query)
            except httpx.RequestError as error:
                wait: float | None = tries.after_failure(error)
            else:
                wait = tries.after_answer(call, answer)
            if wait is None:
                return call.answer(answer.status_code, answer.content)
            await self._sleep(wait)


def sent(
    make: Callable[Concatenate[C, P], Call[T]],
) -> Callable[Concatenate[Sending[C, AsyncConnection], P], Answer[T]]:
    """Return the method that sends a call."""

    @described_by(make)
    async def method(self: Sending[C, AsyncConnection], /, *given: P.args, **named: P.kwargs) -> T:
        return await self._connection.send(make(self._calls, *given, **named))

    return method


class AsyncStudy(Sending[StudyCalls, AsyncConnection]):
    """A study of a service, with the methods of `Study`, awaited; `AsyncClient.study` returns it.

    What is a property there is a method here: `await study.answers()`.
    """

    def __repr__(self) -> str:
        """Return the study's name and where it is."""
        return f"<study {self._calls.name!r} of {self._connection.retrying.url}>"

    @overload
    async def ask(self, **given: Unpack[AskOptions]) -> Duel: ...
    @overload
    async def ask(self, *, n: int, **given: Unpack[AskOptions]) -> list[Duel]: ...
    @described_by(StudyCalls.ask)
    async def ask(self, **given: Any) -> Duel | list[Duel]:
        """Return the duel to show next, or n of them."""
        return await self._connection.send(self._calls.ask(**given))

    tell = sent(StudyCalls.tell)
    skip = sent(StudyCalls.skip)
    retract = sent(StudyCalls.retract)
    interleave = sent(StudyCalls.interleave)
    clicks = sent(StudyCalls.clicks)
    import_votes = sent(StudyCalls.import_votes)
    add_arm = sent(StudyCalls.add_arm)
    retire_arm = sent(StudyCalls.retire_arm)
    change_learner = sent(StudyCalls.change_learner)
    close = sent(StudyCalls.close)
    learner = sent(StudyCalls.learner)
    arms = sent(StudyCalls.arms)
    arm = sent(StudyCalls.arm)
    answers = sent(StudyCalls.answers)
    votes = sent(StudyCalls.votes)
    best = sent(StudyCalls.best)
    exploit = sent(StudyCalls.exploit)
    exhausted = sent(StudyCalls.exhausted)
    verdict = sent(StudyCalls.verdict)
    done = sent(StudyCalls.done)
    confidence = sent(StudyCalls.confidence)
    votes_left = sent(StudyCalls.votes_left)


class AsyncClient(Sending[ServiceCalls[AsyncStudy], AsyncConnection]):
    """Speaks to a service as `Client` does, in tasks of asyncio: everything but `study` is awaited.

    Parameters
    ----------
    url, key, timeout, retries, luck
        As for `Client`.
    sleep : callable, default asyncio.sleep
        Waits for a number of seconds, and is awaited.

    Examples
    --------
    With a service that `duelist serve --open` started::

        import asyncio

        from duelist.client import AsyncClient


        async def vote() -> str:
            async with AsyncClient("http://127.0.0.1:8321") as client:
                home = await client.create("home", arms=["red", "green", "blue"])
                duel = await home.ask(voter="visitor-17")
                await home.tell(duel, "left")
                return await home.best()


        asyncio.run(vote())
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 10.0,
        retries: int = 5,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        luck: Callable[[], float] = random.random,
    ) -> None:
        options, retrying = as_options(url, key, timeout), Retrying(url, retries, luck)
        connection = AsyncConnection(httpx.AsyncClient(**options), retrying, sleep)
        super().__init__(ServiceCalls(self.study), connection)

    def study(self, name: str) -> AsyncStudy:
        """Return a study by its name; whether there is one shows when it is first used."""
        return AsyncStudy(StudyCalls(require_study_name(name)), self._connection)

    create = sent(ServiceCalls[AsyncStudy].create)
    studies = sent(ServiceCalls[AsyncStudy].studies)
    remove = sent(ServiceCalls[AsyncStudy].remove)
    ready = sent(ServiceCalls[AsyncStudy].ready)

    async def close(self) -> None:
        """Close all connections."""
        await self._connection.http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        """Return the client, to be closed at the end of the block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        await self.close()
