"""A search page with many concurrent visitors finds the same ranker over HTTP as the library."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from sockets import serving_studies

from duelist import RankerDuel, Study
from duelist.clicks import perfect
from duelist.clicks.user import click_page
from duelist.client import AsyncClient
from duelist.kernels.live import interpreted_kernels
from duelist.ranking import synthetic_ranking_data

VISITORS, VISITS = 32, 5
DATA = synthetic_ranking_data(queries=60, seed=4)
# one of them wins seven of ten duels with each other, so that any order of visits finds it
WORLD = RankerDuel(DATA, rankers=(2, 3, 6), clicks=perfect(grades=DATA.grades))
NAMES = list(WORLD.labels)


def rankings_of(duel: Any, query: int) -> dict[str, list[str]]:
    """Return what the two rankers of a duel find for a query."""
    start, end = DATA.offsets[query], DATA.offsets[query + 1]
    return {
        name: [f"d{number}" for number in WORLD.orders[NAMES.index(name), start:end].tolist()]
        for name in (duel.left, duel.right)
    }


def clicks_on(documents: Any, query: int, rng: Generator) -> list[str]:
    """Return what somebody clicks who looks at a list."""
    numbers = [int(document[1:]) for document in documents]
    grades = DATA.labels[DATA.offsets[query] + np.array(numbers, np.int64)].astype(np.int64)
    clicked = np.zeros(len(grades), np.bool_)
    with interpreted_kernels():
        click_page(WORLD.user, grades, len(grades), clicked, rng)
    return [document for document, hit in zip(documents, clicked.tolist(), strict=True) if hit]


def test_visitors_over_http_find_the_ranker_that_the_library_finds(tmp_path: Path) -> None:
    best = NAMES[int(np.argmax(WORLD.quality))]
    study = Study(arms=NAMES)
    rng = default_rng(1)
    for visit in range(VISITORS * VISITS):
        duel = study.ask(voter=f"visitor-{visit % VISITORS}")
        query = int(rng.integers(len(DATA)))
        shown = study.interleave(duel, rankings_of(duel, query))
        study.clicks(shown.ticket, clicks_on(shown.documents, query, rng), final=True)
    assert study.best() == best

    async def visit_often(page: Any, number: int) -> None:
        rng = default_rng((2, number))
        for _ in range(VISITS):
            duel = await page.ask(voter=f"visitor-{number}")
            query = int(rng.integers(len(DATA)))
            shown = await page.interleave(duel, rankings_of(duel, query))
            await page.clicks(shown.ticket, clicks_on(shown.documents, query, rng), final=True)

    async def run(url: str) -> tuple[str, int]:
        async with AsyncClient(url, timeout=60.0) as client:
            page = await client.create("search", arms=NAMES)
            await asyncio.gather(*(visit_often(page, number) for number in range(VISITORS)))
            return await page.best(), len(await page.votes(all=True))

    with serving_studies(tmp_path / "studies.db") as served:
        found, visits = asyncio.run(run(served.url))
    assert visits == VISITORS * VISITS
    assert found == best
