"""The client: studies of a service, with the methods of `Study`; for asyncio, and for threads."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple
from types import TracebackType
from typing import Any, Generic, TypeVar

from numpy.typing import ArrayLike

from duelist.client.connection import Retrying, ServiceConnection, Waiting, as_options, in_place, waited
from duelist.client.study import AsyncStudy, RemoteStudy, as_sent
from duelist.defaults import ANSWER_TIMEOUT, INTERLEAVING
from duelist.errors import require_positive, require_whole
from duelist.journal.fields import require_study_name
from duelist.protocols import Learner
from duelist.study import Arm, Parameter
from duelist.study.choices import NamedArms, as_choices, plain
from duelist.study.drafting import method_named
from duelist.study.parameters import Parameters
from duelist.wire import ArmSent, ParameterSent, Readiness, StudiesAnswer, StudyAnswer, StudySent

S = TypeVar("S")


class Service(Generic[S]):
    """What a service does besides its studies, which `open` returns by their names."""

    def __init__(self, connection: ServiceConnection, open: Callable[[str], S]) -> None:
        self._connection, self._open = connection, open

    async def create(
        self,
        name: str,
        arms: Sequence[str | Arm] | None = None,
        *,
        parameters: Parameters | Mapping[str, Parameter] | None = None,
        learner: Learner[Any] | str | Mapping[str, Any] | None = None,
        seed: int = 0,
        answer_timeout: float = ANSWER_TIMEOUT,
        interleaving: str = INTERLEAVING,
        context: ArrayLike | None = None,
        features: ArrayLike | None = None,
    ) -> S:
        """Begin a study and return it; one that is there and began alike is returned as it is.

        Sent again, it returns the study that the first call began.

        Parameters
        ----------
        name : str
            Letters, digits, `_`, `.` and `-`.
        arms : sequence of str or Arm, optional
            At least two, with names that all differ; an `Arm` has a text, a link or an image to show.
        parameters : mapping, optional
            Instead of arms: numbers to be set, by name, each a `Parameter` with its range.
        learner : Learner, str or mapping, optional
            A learner of the package such as `RUCB()`, its name, or its name and hyperparameters, such as
            `{"name": "RUCB", "alpha": 0.51}`. By default `Auto()` for arms. Parameters need one.
        seed, answer_timeout, interleaving, context, features
            As for `Study`.

        Raises
        ------
        ConflictError
            There is a study of this name that began otherwise.
        """
        require_whole("seed", seed, 0)
        require_positive("answer_timeout", answer_timeout)
        method_named(interleaving)
        known: Any = interleaving
        choices = as_choices(arms, parameters)
        body = StudySent(
            name=require_study_name(name),
            learner=None if learner is None else as_named(learner),
            seed=seed,
            answer_timeout=answer_timeout,
            interleaving=known,
            context=plain(context),
            features=plain(features),
        )
        if isinstance(choices, NamedArms):
            body.arms = [ArmSent(*choices.about(one)) for one in choices.names]
        else:
            body.parameters = {
                one: ParameterSent(*astuple(parameter)) for one, parameter in choices.named.items()
            }
        await self._connection.post("/api/studies", body, StudyAnswer)
        return self._open(name)

    async def studies(self) -> list[str]:
        """Return the names of all studies."""
        return (await self._connection.get("/api/studies", StudiesAnswer)).studies

    async def remove(self, name: str) -> None:
        """Remove a study with all its votes, for ever.

        Sent again, it is refused by an `UnknownNameError`, because the study is gone.
        """
        path = f"/api/studies/{require_study_name(name)}"
        await self._connection.send("DELETE", path, bytes, accepted=(204,))

    async def ready(self) -> bool:
        """Return whether the service answers at full speed: its studies are open, its learners compiled."""
        return (await self._connection.get("/readyz", Readiness, (200, 503))).ready


class AsyncClient(Service[AsyncStudy]):
    """Speaks to a service as `Client` does, in tasks of asyncio: everything but `study` is awaited.

    Parameters
    ----------
    url, key, timeout, retries, jitter
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
        jitter: Callable[[], float] = random.random,
    ) -> None:
        options, retrying = as_options(url, key, timeout), Retrying(url, retries, jitter)
        from httpx import AsyncClient as HttpClient

        self._http = HttpClient(**options)
        super().__init__(ServiceConnection(self._http, self._http.request, sleep, retrying), self.study)

    def study(self, name: str) -> AsyncStudy:
        """Return a study by its name; whether there is one shows when it is first used."""
        return AsyncStudy(require_study_name(name), self._connection)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        """Return the client, to be closed at the end of the block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        await self.close()


class Client(Waiting[Service[RemoteStudy]]):
    """Speaks to a service (`duelist serve`): its studies are used as if they were here.

    Calls that are not answered (no connection, no answer in time, statuses 429 and 503) are sent again after
    0.2 seconds, 0.4, 0.8 and so on, or later if the service says so. All are safe to send again; docstrings
    say which may then answer otherwise. Threads may share a client, and its connections.

    Parameters
    ----------
    url : str
        Where the service is, such as http://127.0.0.1:8321.
    key : str, optional
        A key that `duelist keys create` made; by default the environment variable DUELIST_KEY. A service that
        is open to its machine needs none.
    timeout : float, default 10.0
        Seconds to wait for each attempt.
    retries : int, default 5
        How often a call is sent again.
    sleep : callable, default time.sleep
        Waits for a number of seconds.
    jitter : callable, default random.random
        Returns random numbers from 0 to 1, by which clients that failed together do not come back together.

    Raises
    ------
    StorageError
        By any method: the service cannot be reached, or cannot read or write now.
    ServiceError
        By any method: the service refuses the key, its role, the rate or the size of what is sent.

    Examples
    --------
    With a service that `duelist serve --open` started::

        from duelist.client import Client

        with Client("http://127.0.0.1:8321") as client:
            home = client.create("home", arms=["red", "green", "blue"])
            duel = home.ask(voter="visitor-17")
            home.tell(duel, "left")
            home.best()
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 10.0,
        retries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        options, retrying = as_options(url, key, timeout), Retrying(url, retries, jitter)
        from httpx import Client as HttpClient

        self._http = HttpClient(**options)
        self._connection = ServiceConnection(
            self._http, in_place(self._http.request), in_place(sleep), retrying
        )
        super().__init__(Service(self._connection, self.study))

    def study(self, name: str) -> RemoteStudy:
        """Return a study by its name; whether there is one shows when it is first used."""
        return RemoteStudy(AsyncStudy(require_study_name(name), self._connection))

    create = waited(Service[RemoteStudy].create)
    studies = waited(Service[RemoteStudy].studies)
    remove = waited(Service[RemoteStudy].remove)
    ready = waited(Service[RemoteStudy].ready)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> "Client":
        """Return the client, to be closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self.close()


def as_named(learner: Learner[Any] | str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a learner as a service takes it, of itself, of its name, or of name and hyperparameters."""
    if isinstance(learner, str):
        return {"name": learner}
    return dict(learner) if isinstance(learner, Mapping) else as_sent(learner)
