"""Forecasts of how many more votes a study needs, simulated in the background."""

import asyncio
from contextlib import suppress
from math import isinf
from time import monotonic
from typing import NamedTuple
from weakref import WeakKeyDictionary

from duelist.arena.site import Site
from duelist.errors import DuelistError
from duelist.service.live import LiveStudy
from duelist.service.settings import MOST_JUDGED
from duelist.study import StudyState

AGAIN = 1.05
"""A forecast is renewed once there are this many times as many votes, and at least one more."""
PAUSE = 20.0
"""The pause after a forecast, as a multiple of its duration: voters come first."""


class Forecast(NamedTuple):
    """The range of votes still needed, as of a number of answers on these arms."""

    answers: int
    arms: tuple[str, ...]
    low: float
    high: float


class Forecasts:
    """The latest forecast of every study. Callers never wait for a new one."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[LiveStudy, Forecast] = WeakKeyDictionary()
        self._tasks: dict[LiveStudy, asyncio.Task[None]] = {}
        self._not_before = 0.0

    async def of(self, site: Site, state: StudyState) -> tuple[float, float] | None:
        """Return the approximate range of votes still needed: (0, 0) after a verdict, None if unknown.

        Votes since the forecast are subtracted; an expired forecast returns None.
        """
        live = site.live
        answers, arms = state.answers, state.shown
        known = self._known.get(live)
        if known is not None and (known.arms != arms or answers < known.answers):
            known = None
        is_old = known is None or answers >= max(known.answers + 1, AGAIN * known.answers)
        is_time = not self._tasks and monotonic() >= self._not_before
        if is_old and is_time and answers > 0 and state.k <= MOST_JUDGED:
            self._tasks[live] = asyncio.create_task(self._play(site, answers, arms))
        if known is None or isinf(known.low):
            return None
        if known.high == 0.0:
            # later votes may have undone the verdict
            verdict = await live.at_once(live.study.verdict, site.delta)
            return None if verdict.finding == "undecided" else (0.0, 0.0)
        since = answers - known.answers
        return None if since >= known.high else (max(known.low - since, 1.0), known.high - since)

    async def _play(self, site: Site, answers: int, arms: tuple[str, ...]) -> None:
        started = monotonic()
        try:
            with suppress(DuelistError):
                low, high = await site.live.work(site.live.study.votes_left, site.delta)
                self._known[site.live] = Forecast(answers, arms, low, high)
        finally:
            self._not_before = monotonic() + PAUSE * (monotonic() - started)
            del self._tasks[site.live]

    async def stop(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
