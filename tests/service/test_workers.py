"""Several workers on PostgreSQL act as one service: one record, one duel per voter, equal states."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple

import numpy as np
from postgresql import Server
from service.hammering import Voters
from service.test_crash import begin, check, go_on, wait_for

from benchmarks.processes import TIMEOUT, Service
from duelist import Study
from duelist.database import Database

WORKERS = 2
RESTARTS = 5 if os.environ.get("DUELIST_LONG") else 1


class Reply(NamedTuple):
    status: int
    worker: str
    body: Any


def call(service: Service, method: str, path: str, **body: Any) -> Reply:
    """Send a request on a new connection, which any worker may accept."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=TIMEOUT)
    try:
        kind = {"Content-Type": "application/json", "Connection": "close"}
        connection.request(method, f"/api/studies/home{path}", json.dumps(body) if body else None, kind)
        answer = connection.getresponse()
        return Reply(answer.status, answer.headers["x-worker"], json.loads(answer.read()))
    finally:
        connection.close()


def from_every_worker(service: Service, method: str, path: str, **body: Any) -> list[Reply]:
    """Return a reply of each worker."""
    replies: dict[str, Reply] = {}
    for attempt in range(4_000):
        reply = call(service, method, path, **body)
        replies[reply.worker] = reply
        if len(replies) == WORKERS:
            return list(replies.values())
        if attempt >= 400:
            sleep(0.02)  # a worker may still be starting on a busy machine
    raise AssertionError(f"only {len(replies)} of {WORKERS} workers answered")


def test_workers_are_one_service(postgresql: str, started: Callable[..., Service]) -> None:
    begin(postgresql)
    service = started(postgresql, "--open", "--quiet", "--workers", str(WORKERS))
    workers = {int(reply.worker) for reply in from_every_worker(service, "GET", "")}
    vote_on(service)
    reports = [reply.body for reply in from_every_worker(service, "GET", "/report")]
    assert [report["answers"] for report in reports] == [109] * WORKERS
    assert all(report["arms"] == ["a", "b", "c", "d", "e"] for report in reports)
    for report in reports[1:]:
        assert report["wins"] == reports[0]["wins"]
    with Database(postgresql) as database:
        study = Study.open(database.journal("home"))
        assert study.answers == 109
        np.testing.assert_allclose(study._live.fold.tally.scores, reports[0]["wins"], rtol=0, atol=1e-9)
    # they end with the process that started them
    service.kill()
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def vote_on(service: Service) -> None:
    """Let one voter, and then many, use all workers."""
    # one voter meets all workers and gets one duel, until any of them is told
    duels = from_every_worker(service, "POST", "/ask", voter="Ann")
    assert len({duel.body["ticket"] for duel in duels}) == 1
    ticket = duels[0].body["ticket"]
    told = from_every_worker(service, "POST", "/tell", ticket=ticket, outcome="left")
    assert {reply.status for reply in told} == {200}
    contrary = from_every_worker(service, "POST", "/tell", ticket=ticket, outcome="right")
    assert {reply.status for reply in contrary} == {409}
    others = from_every_worker(service, "POST", "/ask", voter="Ann")
    assert len({duel.body["ticket"] for duel in others}) == 1
    assert {others[0].body["left"], others[0].body["right"]} != {
        duels[0].body["left"],
        duels[0].body["right"],
    }

    # many people vote at once, some retract their votes, arms come and go
    def vote(number: int) -> None:
        duel = call(service, "POST", "/ask", voter=f"v{number}").body
        outcome = ("left", "right", "tie")[number % 3]
        assert call(service, "POST", "/tell", ticket=duel["ticket"], outcome=outcome).status == 200
        if number % 10 == 0:
            assert call(service, "POST", "/retract", ticket=duel["ticket"]).status == 200

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(vote, range(60)))
        assert call(service, "POST", "/arms", name="e").status == 200
        assert call(service, "POST", "/arms/retire", name="b").status == 200
        list(threads.map(vote, range(60, 120)))


def test_the_database_restarts_under_the_service(
    postgresql_server: Server, postgresql: str, started: Callable[..., Service]
) -> None:
    begin(postgresql)
    service = started(postgresql)
    with Voters(service.port) as voters:
        for _ in range(RESTARTS):
            go_on(voters)
            postgresql_server.stop()
            be_refused(voters)
            postgresql_server.start()
        go_on(voters)
    assert service.stop() == 0
    check(postgresql, voters)


def be_refused(voters: Voters) -> None:
    """Wait until the service has said that it cannot write."""
    before = voters.unavailable
    wait_for(lambda: voters.unavailable > before + 5)
