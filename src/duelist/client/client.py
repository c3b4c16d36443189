"""Clients of a service, blocking and asynchronous; their studies have the methods of `Study`."""

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
from duelist.journal.protocol import require_study_name
from duelist.protocols import Learner
from duelist.study import Arm, Parameter
from duelist.study.choices import NamedArms, as_choices, plain
from duelist.study.drafting import method_named
from duelist.study.parameters import Parameters
from duelist.wire import ArmSent, ParameterSent, Readiness, StudiesAnswer, StudyAnswer, StudySent

S = TypeVar("S")


class Service(Generic[S]):
    """Operations of a service apart from its studies, for the blocking and the asynchronous client.

    `open` makes the object for a study from its name.
    """

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
        """Create a study and return it; return the existing one if its settings are the same.

        Idempotent: a retry returns the study that the first attempt created.

        Parameters
        ----------
        name : str
            Letters, digits, `_`, `.` and `-`.
        arms : sequence of str or Arm, optional
            At least two, with distinct names; an `Arm` may carry a text, a link or an image to show.
        parameters : mapping, optional
            Instead of arms: the parameters to optimize, by name, each a `Parameter` with its range.
        learner : Learner, str or mapping, optional
            A learner of the package such as `RUCB()`, its name, or its name and hyperparameters, such as
            `{"name": "RUCB", "alpha": 0.51}`. The default for arms is `Auto()`; parameters require a learner.
        seed, answer_timeout, interleaving, context, features
            As for `Study`.

        Returns
        -------
        RemoteStudy or AsyncStudy
            The study, as `Client.study` or `AsyncClient.study` returns it.

        Raises
        ------
        ConflictError
            A study with this name exists and has other settings.
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
        """Return the names of all studies.

        Returns
        -------
        list of str
            The names, in alphabetical order.
        """
        return (await self._connection.get("/api/studies", StudiesAnswer)).studies

    async def remove(self, name: str) -> None:
        """Remove a study and all its votes permanently.

        Not idempotent: a retry after a lost answer raises `UnknownNameError`, because the study is gone.

        Parameters
        ----------
        name : str
            The study's name.

        Raises
        ------
        UnknownNameError
            There is no study with this name.
        """
        path = f"/api/studies/{require_study_name(name)}"
        await self._connection.send("DELETE", path, bytes, accepted=(204,))

    async def ready(self) -> bool:
        """Return whether the service runs at full speed: studies open, learners compiled.

        Returns
        -------
        bool
            False while the service is starting or its database cannot be reached.
        """
        return (await self._connection.get("/readyz", Readiness, (200, 503))).ready


class AsyncClient(Service[AsyncStudy]):
    """Asynchronous client of a service, with the methods of `Client`; await all of them except `study`.

    Parameters
    ----------
    url, key, timeout, retries, jitter
        As for `Client`.
    sleep : callable, default asyncio.sleep
        Coroutine function that waits for a number of seconds.

    Raises
    ------
    StorageError, ServiceError
        As for `Client`.
    ParameterError
        An argument is invalid.
    MissingExtraError
        The package httpx is not installed.

    Examples
    --------
    >>> AsyncClient("http://127.0.0.1:8321").study("home")
    <study 'home' of http://127.0.0.1:8321>

    Against a service started by `duelist serve --open`::

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
        """Return a study by its name, without contacting the service.

        Whether the study exists is checked by its first call.

        Parameters
        ----------
        name : str
            The study's name.

        Returns
        -------
        AsyncStudy
            The study.

        Raises
        ------
        ParameterError
            The name cannot be that of a study.
        """
        return AsyncStudy(require_study_name(name), self._connection)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Client(Waiting[Service[RemoteStudy]]):
    """Client of a service (`duelist serve`): its studies have the methods of `Study`.

    Failed calls (no connection, time-out, status 429 or 503) are retried after 0.2, 0.4, 0.8 seconds and so
    on, or later if the service asks for it. Every call is safe to retry; the docstrings of some methods say
    how a retry may answer differently. Threads may share a client and its connections.

    Parameters
    ----------
    url : str
        Address of the service, such as http://127.0.0.1:8321.
    key : str, optional
        Key made by `duelist keys create`; the default is the environment variable DUELIST_KEY. A service
        started with --open needs no key.
    timeout : float, default 10.0
        Time-out of each attempt, in seconds.
    retries : int, default 5
        Maximum number of retries of a call.
    sleep : callable, default time.sleep
        Function that waits for a number of seconds.
    jitter : callable, default random.random
        Source of random numbers in [0, 1] for the retry jitter.

    Raises
    ------
    StorageError
        Any method: the service cannot be reached, or its database cannot be read or written.
    ServiceError
        Any method: the service rejects the key, its role, the request rate or the size of the body.
    ParameterError
        An argument is invalid.
    MissingExtraError
        The package httpx is not installed.

    Examples
    --------
    >>> with Client("http://127.0.0.1:8321") as client:
    ...     client.study("home")
    <study 'home' of http://127.0.0.1:8321>

    Against a service started by `duelist serve --open`::

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
        """Return a study by its name, without contacting the service.

        Whether the study exists is checked by its first call.

        Parameters
        ----------
        name : str
            The study's name.

        Returns
        -------
        RemoteStudy
            The study.

        Raises
        ------
        ParameterError
            The name cannot be that of a study.
        """
        return RemoteStudy(AsyncStudy(require_study_name(name), self._connection))

    create = waited(Service[RemoteStudy].create)
    studies = waited(Service[RemoteStudy].studies)
    remove = waited(Service[RemoteStudy].remove)
    ready = waited(Service[RemoteStudy].ready)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def as_named(learner: Learner[Any] | str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a learner as the service expects it, from a learner, a name, or a name with hyperparameters."""
    if isinstance(learner, str):
        return {"name": learner}
    return dict(learner) if isinstance(learner, Mapping) else as_sent(learner)
