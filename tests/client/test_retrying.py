"""Retries over a network that loses answers: every effect happens once."""

import asyncio
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from operator import methodcaller
from typing import Any

import httpx
import pytest
from client.proxy import Fate, Proxy
from refusals import refused
from sockets import Served

from duelist import RUCB, Duel
from duelist.client import AsyncClient, Client, RemoteStudy
from duelist.client.connection import ACCEPTED, LONGEST_WAIT, Retrying, Tries, wait_asked
from duelist.errors import ParameterError, StorageError, UnknownNameError

WAITS = [0.2, 0.4, 0.8, 1.6, 3.2]
"""Between six attempts, with the least jitter."""
VOTE = {"left": "a", "right": "b", "outcome": "left", "time": 1.0}


class Through:
    """A client whose connections have fates, and which notes its waits instead of waiting."""

    def __init__(self, service: Served, *fates: Fate, timeout: float = 60.0) -> None:
        self.proxy = Proxy(service.port, *fates)
        self.waits: list[float] = []
        self.client = Client(self.proxy.url, timeout=timeout, sleep=self.waits.append, jitter=lambda: 1.0)

    def __enter__(self) -> "Through":
        self.proxy.__enter__()
        return self

    def __exit__(self, *given: Any) -> None:
        self.client.close()
        self.proxy.__exit__(*given)


@pytest.fixture
def study(client: Client, name: str) -> RemoteStudy:
    return client.create(name, ["a", "b", "c"])


@pytest.mark.parametrize("fate", ["lose", "stall"])
def test_an_answer_that_was_recorded_and_lost_counts_once(
    fate: Fate, service: Served, study: RemoteStudy, name: str
) -> None:
    duel = study.ask()
    # the answer that never comes runs into the time-out; on a busy machine more may
    with Through(service, fate, timeout=0.5 if fate == "stall" else 60.0) as through:
        through.client.study(name).tell(duel, "left")
        sent = through.proxy.requests
        assert through.waits == WAITS[: len(sent) - 1]
        assert len(sent) > 1
        assert {*sent} == {sent[0]}
        assert str(duel.ticket).encode() in sent[0]
    assert study.answers == 1


def test_connections_that_are_refused(service: Served, study: RemoteStudy, name: str) -> None:
    with Through(service, "refuse", "refuse", "lose", "refuse", "refuse") as through:
        through.client.study(name).tell(study.ask(), "right")
        assert through.waits == WAITS
    assert study.answers == 1


def test_a_service_that_cannot_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    waits: list[float] = []
    with (
        Client(url, sleep=waits.append, jitter=lambda: 0.0) as client,
        refused(StorageError, url, "6 attempts"),
    ):
        client.studies()
    assert waits == [wait / 2 for wait in WAITS]
    with (
        Client(url, retries=0, sleep=waits.append) as client,
        refused(StorageError, url, "1 attempts"),
    ):
        client.study("home").ask()
    assert len(waits) == 5


def lost(service: Served, name: str, use: Callable[[RemoteStudy], Any]) -> Any:
    """Return the result of a call whose first answer was lost."""
    with Through(service, "lose") as through:
        answer = use(through.client.study(name))
        assert through.waits == WAITS[:1]
        return answer


def test_what_is_answered_the_same_when_it_is_sent_again(
    service: Served, study: RemoteStudy, name: str
) -> None:
    duel = lost(service, name, lambda there: there.ask(voter="v"))
    assert duel == study.ask(voter="v")
    rankings = {duel.left: ["x", "y"], duel.right: ["y", "z"]}
    shown = lost(service, name, lambda there: there.interleave(duel, rankings))
    assert shown.documents == study.interleave(duel, rankings).documents
    lost(service, name, lambda there: there.clicks(shown.ticket, shown.documents, final=True))
    lost(service, name, lambda there: there.retract(duel))
    lost(service, name, lambda there: there.skip(study.ask()))
    lost(service, name, lambda there: there.tell(Duel("a", "b"), "left", voter="elsewhere"))
    assert [row.status for row in study.votes(all=True)] == ["retracted", "skipped", "counted"]
    lost(service, name, lambda there: there.retire_arm("c"))
    lost(service, name, lambda there: there.change_learner(RUCB()))
    assert (study.arms, study.learner, study.answers) == (("a", "b"), RUCB(), 1)
    for read in ("best", "verdict", "done", "confidence", "votes"):
        assert lost(service, name, methodcaller(read)) == methodcaller(read)(study)
    lost(service, name, lambda there: there.close())


def test_what_is_answered_otherwise_when_it_is_sent_again(
    service: Served, client: Client, study: RemoteStudy, name: str
) -> None:
    assert lost(service, name, lambda there: there.import_votes([VOTE])) == 0
    assert study.answers == 1
    with refused(ParameterError, "'d'"):
        lost(service, name, lambda there: there.add_arm("d"))
    assert study.arms == ("a", "b", "c", "d")
    with Through(service, "lose") as through:
        again = through.client.create(f"{name}-again", ["a", "b"])
        assert again.arms == ("a", "b")
    with Through(service, "lose") as through, refused(UnknownNameError, f"'{name}-again'"):
        through.client.remove(f"{name}-again")
    assert name in client.studies()
    assert f"{name}-again" not in client.studies()


def test_tasks_send_again_too(service: Served, study: RemoteStudy, name: str) -> None:
    duel, waits = study.ask(), []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def tell(url: str) -> None:
        async with AsyncClient(url, timeout=60.0, sleep=sleep, jitter=lambda: 1.0) as client:
            await client.study(name).tell(duel, "tie")

    with Proxy(service.port, "refuse", "lose") as proxy:
        asyncio.run(tell(proxy.url))
    assert waits == WAITS[:2]
    assert study.answers == 1


def test_which_answers_are_waited_for() -> None:
    retrying = Retrying("http://127.0.0.1:8321", 2, lambda: 1.0)

    def wait(status: int, header: str | None = None, accepted: tuple[int, ...] = ACCEPTED) -> float | None:
        headers = {} if header is None else {"retry-after": header}
        return Tries(retrying).after_answer(httpx.Response(status, headers=headers), accepted)

    assert [wait(status) for status in (200, 404, 409, 422, 500, 429, 503)] == [None] * 5 + [0.2, 0.2]
    assert [wait(503, header) for header in ("7", "0", "soon", "", "-3")] == [7.0, 0.2, 0.2, 0.2, 0.2]
    assert wait(503, str(int(LONGEST_WAIT))) == LONGEST_WAIT
    assert wait(429, str(int(LONGEST_WAIT) + 1)) is None
    assert wait(503, accepted=(200, 503)) is None
    tries = Tries(retrying)
    busy = httpx.Response(429)
    assert [tries.after_answer(busy) for _ in range(4)] == [0.2, 0.4, None, None]


def test_a_date_to_come_back_at() -> None:
    now = datetime(2026, 11, 16, 10, 0, 0, tzinfo=UTC)
    assert wait_asked("Mon, 16 Nov 2026 10:01:30 GMT", now) == 90.0
    assert wait_asked("Mon, 16 Nov 2026 09:59:00 GMT", now) == -60.0
