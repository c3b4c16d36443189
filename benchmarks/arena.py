"""The arena: how soon it is there, how quickly a vote shows the next duel, and fifty people at once."""

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.request import urlopen

import httpx
import numpy as np
from playwright.sync_api import sync_playwright

from benchmarks.processes import Service, start_arena
from benchmarks.table import Figure
from duelist.arena.content.reading import write_example
from duelist.duel import FloatArray

PEOPLE = 50
VOTES = 15
"""Of each of them."""
SEEN = 40
"""Votes in a browser."""
NEXT = """
async (key) => {
  const ticket = () => document.querySelector(".duel input[name=ticket]").value;
  const before = ticket(), start = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  while (ticket() === before) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}
"""


def figure(what: str, value: str, asked: str) -> Figure:
    return Figure(what, value, asked, "target, at most", None)


def first_duel(file: Path) -> float:
    """Return the seconds from the command to the first duel."""
    start = perf_counter()
    service = start_arena(file)
    with urlopen(service.url) as answer:
        assert b'name="ticket"' in answer.read()
    elapsed = perf_counter() - start
    service.stop()
    return elapsed


def in_a_browser(service: Service) -> float:
    """Return the median milliseconds from a key to the next duel on the screen."""
    place = shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(service.url)
        found = [float(page.evaluate(NEXT, "ArrowLeft")) for _ in range(SEEN)]
        browser.close()
    return median(found)


async def person(url: str, seconds: list[float], pause: float) -> None:
    rng = np.random.default_rng()
    async with httpx.AsyncClient(base_url=url, follow_redirects=True, timeout=30.0) as http:
        page = (await http.get("/")).text
        for _ in range(VOTES):
            fields = dict(re.findall(r'name="(ticket)" value="([^"]*)"', page.split("</form>")[0]))
            await asyncio.sleep(2.0 * pause * rng.random())
            start = perf_counter()
            answer = await http.post("/vote", data={**fields, "outcome": "left"})
            seconds.append(perf_counter() - start)
            assert answer.status_code == 200, answer.text
            page = answer.text


async def crowd(url: str, pause: float) -> FloatArray:
    """Return the milliseconds from each vote to the next duel, of people who think for some seconds."""
    seconds: list[float] = []
    await asyncio.gather(*(person(url, seconds, pause) for _ in range(PEOPLE)))
    return 1e3 * np.array(seconds)


def figures() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        file = write_example(Path(folder) / "example.jsonl")
        first_duel(file)  # compiles what is not compiled yet
        yield figure("from the command to the first duel, warm: s", f"{first_duel(file):.1f}", "3")
        service = start_arena(file)
        service.wait_until_ready()
        yield figure(
            "a key to the next duel on the screen, median: ms", f"{in_a_browser(service):.0f}", "100"
        )
        for pause in (1.0, 0.0):
            waited = asyncio.run(crowd(service.url, pause))
            found = f"{np.quantile(waited, 0.99):.0f} ({np.median(waited):.0f})"
            who = f"{PEOPLE} people who think for {pause:g} s: 99 of 100 votes within ms (median)"
            yield figure(who, found, "300")
        service.stop()
