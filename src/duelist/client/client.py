"""The client: studies of a service, with the methods of `Study`."""

import random
import time
from collections.abc import Callable
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
from duelist.protocols import Learner
from duelist.study.asking import AskOptions

C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")


class Connection:
    """Sends calls to a service, from any number of threads."""

    def __init__(self, http: httpx.Client, retrying: Retrying, sleep: Callable[[float], None]) -> None:
        self.http, self.retrying, self._sleep = http, retrying, sleep

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""
        tries = self.retrying.begin(self.http)
        while True:
            try:
                answer = self.http.request(call.method, call.path, content=call.body, params=call.query)
            except httpx.RequestError as error:
                wait: float | None = tries.after_failure(error)
            else:
                wait = tries.after_answer(call, answer)
            if wait is None:
                return call.answer(answer.status_code, answer.content)
            self._sleep(wait)


def sent(make: Callable[Concatenate[C, P], Call[T]]) -> Callable[Concatenate[Sending[C, Connection], P], T]:
    """Return the method that sends a call."""

    @described_by(make)
    def method(self: Sending[C, Connection], /, *given: P.args, **named: P.kwargs) -> T:
        return self._connection.send(make(self._calls, *given, **named))

    return method


class RemoteStudy(Sending[StudyCalls, Connection]):
    """A study of a service, with the methods, results and errors of `Study`; `Client.study` returns it.

    It holds nothing but its name: two of them are the same study, in any thread or process.
    """

    def __repr__(self) -> str:
        """Return the study's name and where it is."""
        return f"<study {self._calls.name!r} of {self._connection.retrying.url}>"

    @overload
    def ask(self, **given: Unpack[AskOptions]) -> Duel: ...
    @overload
    def ask(self, *, n: int, **given: Unpack[AskOptions]) -> list[Duel]: ...
    @described_by(StudyCalls.ask)
    def ask(self, **given: Any) -> Duel | list[Duel]:
        """Return the duel to show next, or n of them."""
        return self._connection.send(self._calls.ask(**given))

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
    arm = sent(StudyCalls.arm)
    votes = sent(StudyCalls.votes)
    best = sent(StudyCalls.best)
    exploit = sent(StudyCalls.exploit)
    exhausted = sent(StudyCalls.exhausted)
    verdict = sent(StudyCalls.verdict)
    done = sent(StudyCalls.done)
    confidence = sent(StudyCalls.confidence)
    votes_left = sent(StudyCalls.votes_left)

    @property
    def learner(self) -> Learner[Any]:
        """The learner at work."""
        return self._connection.send(self._calls.learner())

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms that may be shown; none for a study of knobs."""
        return self._connection.send(self._calls.arms())

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return self._connection.send(self._calls.answers())


class Client(Sending[ServiceCalls[RemoteStudy], Connection]):
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
    luck : callable, default random.random
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
        luck: Callable[[], float] = random.random,
    ) -> None:
        options, retrying = as_options(url, key, timeout), Retrying(url, retries, luck)
        super().__init__(ServiceCalls(self.study), Connection(httpx.Client(**options), retrying, sleep))

    def study(self, name: str) -> RemoteStudy:
        """Return a study by its name; whether there is one shows when it is first used."""
        return RemoteStudy(StudyCalls(require_study_name(name)), self._connection)

    create = sent(ServiceCalls[RemoteStudy].create)
    studies = sent(ServiceCalls[RemoteStudy].studies)
    remove = sent(ServiceCalls[RemoteStudy].remove)
    ready = sent(ServiceCalls[RemoteStudy].ready)

    def close(self) -> None:
        """Close all connections."""
        self._connection.http.close()

    def __enter__(self) -> "Client":
        """Return the client, to be closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self.close()
