"""The service over HTTP on this machine, beside a route that does nothing; and journals in databases."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from benchmarks.load import hammer, post
from benchmarks.processes import Service, start_service
from benchmarks.table import Figure, seconds
from duelist import Study
from duelist.database import Database
from duelist.kernels.live import BACKGROUND

K = 16
ARMS = [f"arm-{number}" for number in range(K)]
ASKS = 8_000
TELLS = 10_000
BARE = """
import sys, uvicorn
from fastapi import FastAPI
from duelist.service.answers import DuelAnswer, DuelsAnswer
from duelist.service.models import Asked

app = FastAPI(docs_url=None, redoc_url=None)

@app.post("/api/studies/{name}/ask")
async def ask(name: str, asked: Asked) -> DuelAnswer | DuelsAnswer:
    return DuelAnswer(left="arm-0", right="arm-1", ticket="x" * 220, propensity=None)

uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_level="warning", server_header=False)
"""


@contextmanager
def running(database: str | Path, *options: str) -> Iterator[Service]:
    service = start_service(database, "--open", "--quiet", *options)
    try:
        service.wait_until_ready()
        yield service
    finally:
        service.stop()


@contextmanager
def bare_route() -> Iterator[int]:
    port = 18_322
    process = subprocess.Popen([sys.executable, "-c", BARE, str(port)])
    try:
        while True:
            try:
                urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=1.0).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        process.kill()
        process.wait()


def alone(what: str, value: str) -> Figure:
    """Return a figure without a baseline."""
    return Figure(what, value, "", "", None)


def begin(database: str | Path, name: str = "home") -> None:
    with Database(database) as opened:
        Study(arms=ARMS, journal=opened.journal(name))


def asks(folder: Path) -> Figure:
    database = folder / "asks.db"
    begin(database)
    request = [post("/api/studies/home/ask")]
    with running(database) as service, bare_route() as port:
        ours, bare = [], []
        for _ in range(4):
            bare.append(hammer(port, request, times=ASKS // 4).rate)
            ours.append(hammer(service.port, request, times=ASKS // 4).rate)
    best, baseline = max(ours), max(bare)
    return Figure(
        "ask over HTTP, one worker, 16 connections: a second",
        f"{best:,.0f}",
        f"{baseline:,.0f}",
        "a route of FastAPI that returns a constant",
        best / baseline,
    )


def tickets(port: int, count: int) -> list[bytes]:
    """Return requests to tell the answers of as many duels."""
    body = json.dumps({"n": 100}).encode()
    asked = hammer(port, [post("/api/studies/home/ask", body)], times=count // 100).bodies
    duels = [duel for answer in asked for duel in json.loads(answer)["duels"]]
    return [
        post("/api/studies/home/tell", json.dumps({"ticket": duel["ticket"], "outcome": "left"}).encode())
        for duel in duels
    ]


def tells(folder: Path) -> list[Figure]:
    database = folder / "tells.db"
    begin(database)
    with running(database) as service:
        told = hammer(service.port, tickets(service.port, TELLS))
        again = hammer(service.port, [post("/api/studies/home/ask")], times=2_000)
    with Database(database) as opened:
        kept = Study.open(opened.journal("home")).answers
    assert (told.refused, kept) == (0, TELLS)
    return [
        Figure(
            "durable tell over HTTP (SQLite, full sync), 16 connections: a second",
            f"{told.rate:,.0f}",
            "",
            "",
            None,
        ),
        alone(
            "its median and slowest hundredth: ms",
            f"{1e3 * told.median:.1f}, {1e3 * told.slowest:.1f}",
            "",
            "",
            None,
        ),
        alone("ask after that: median ms", f"{1e3 * again.median:.2f}"),
    ]


def library(folder: Path) -> Figure:
    with Database(folder / "library.db") as database:
        study = Study(arms=ARMS, journal=database.journal("home"))
        study.tell(study.ask(), "left")
        BACKGROUND.finish()

        def turn(turns: int = 2_000) -> None:
            for _ in range(turns):
                study.tell(study.ask(), "left")

        turn(100)
        took = seconds(turn)
    return Figure("Study on SQLite, one thread: durable ask and tell a second", f"{2_000 / took:,.0f}")


def figures() -> list[Figure]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        return [asks(folder), *tells(folder), library(folder)]
