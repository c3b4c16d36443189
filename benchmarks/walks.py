"""How far one has to walk through the package: files that an operation calls into, and how often they change.

Every call of a function of the package is noted, in all threads. A change of file is a call into another file
than the call before it. What is called for the first time only (imports, compiling, templates) is done once
before the walk that counts.
"""

import asyncio
import re
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import httpx

import duelist
from benchmarks.table import Table
from duelist import RUCB, Study, analyze, simulate
from duelist.arena.app import create_app
from duelist.arena.content.reading import read_material, write_example
from duelist.arena.running import open_study
from duelist.arena.site import Arena
from duelist.database import Database
from duelist.kernels.live import BACKGROUND
from duelist.problems import bradley_terry
from duelist.service.settings import Settings

ROOT = str(Path(duelist.__file__).parent)
HOME = "http://127.0.0.1:8322"
COLUMNS = ("what", "calls", "functions", "files", "at most", "changes of file", "at most ")
LIMITS = {"POST of a vote": (20, 50), "GET of the next duel": (25, 120)}
"""Files and changes of file that a walk may take."""


class Walk(NamedTuple):
    """What one operation called: the name of the function and its file, call by call."""

    calls: list[tuple[str, str]]

    @property
    def functions(self) -> int:
        return len(set(self.calls))

    @property
    def files(self) -> int:
        return len({file for _, file in self.calls})

    @property
    def changes(self) -> int:
        files = [file for _, file in self.calls]
        return sum(before != after for before, after in pairwise(files))


@contextmanager
def noted(calls: list[tuple[str, str]]) -> Iterator[None]:
    """Note the calls of all threads that start in the block, and of this one."""

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT):
            calls.append((code.co_qualname, code.co_filename))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def walk(work: Callable[[], object]) -> Walk:
    """Return the walk of an operation, which was done once before."""
    work()
    calls: list[tuple[str, str]] = []
    with noted(calls):
        work()
    return Walk(calls)


async def page_walks(folder: Path) -> dict[str, Walk]:
    """Return the walks of a vote on the arena's page, and of the page that shows the next duel."""
    file = write_example(folder / "example.csv")
    material = read_material(file)
    place = folder / "arena.db"
    with Database(place) as database:
        open_study(database, material)
    settings = Settings(database=str(place), is_open=True, logs=False, port=8322)
    app = create_app(settings, Arena(material=material))
    calls: list[tuple[str, str]] = []
    found: dict[str, Walk] = {}
    with noted(calls):
        async with app.router.lifespan_context(app):
            http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HOME)

            async def counted(request: Coroutine[Any, Any, httpx.Response]) -> tuple[httpx.Response, Walk]:
                await asyncio.sleep(0.2)  # what goes on in the background is over
                del calls[:]
                answer = await request
                return answer, Walk(list(calls))

            for number in range(4):  # the last is like all that follow
                if number == 2:
                    await asyncio.to_thread(BACKGROUND.finish)  # kernels, once compiled, are no functions
                page, found["GET of the next duel"] = await counted(http.get("/"))
                # the first ticket of the page: that of the undo form is the last vote's
                ticket = re.findall(r'name="ticket" value="([^"]*)"', page.text)[0]
                sent, found["POST of a vote"] = await counted(
                    http.post("/vote", data={"ticket": ticket, "outcome": "left"})
                )
                assert sent.status_code == 303, sent.text
    return found


def library_walks(folder: Path) -> Iterator[tuple[str, Walk]]:
    """Yield the walks of what is done from Python."""
    problem = bradley_terry([2.0, 1.0, 0.5])
    yield (
        "simulate(RUCB(), 10 rounds, 1 run)",
        walk(lambda: simulate(RUCB(), problem, horizon=10, runs=1, workers=1)),
    )
    votes = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 0.0), ("c", "b", 0.5)] * 50
    table = folder / "votes.csv"
    table.write_text("left,right,outcome\n" + "".join(f"{a},{b},{x}\n" for a, b, x in votes))
    yield "analyze of 200 votes", walk(lambda: analyze(table))
    study = Study(arms=["bm25", "dense"], journal=folder / "lists.db")
    yield "ask", walk(study.ask)
    asked = [study.ask() for _ in range(4)]
    rankings = {"bm25": ["a", "b"], "dense": ["c", "d"]}
    shown = [study.interleave(one, rankings) for one in asked[:2]]
    yield "interleave", walk(lambda: study.interleave(asked.pop(), rankings))
    yield "clicks", walk(lambda: study.clicks(shown.pop().ticket, ["a"], final=True))


def rows() -> Iterator[tuple[str, ...]]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for what, one in [*asyncio.run(page_walks(folder)).items(), *library_walks(folder)]:
            files, changes = (f"{limit}" for limit in LIMITS.get(what, ("", "")))
            yield (
                what,
                f"{len(one.calls)}",
                f"{one.functions}",
                f"{one.files}",
                files,
                f"{one.changes}",
                changes,
            )


def tables() -> Iterable[Table]:
    return [Table("Walks", COLUMNS, rows())]
