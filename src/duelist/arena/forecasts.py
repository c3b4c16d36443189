"""About how many more votes it will take: played on in the background, and shown as soon as it is known."""

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
"""A forecast is made again once there are this many times as many votes, and at least one more."""
PAUSE = 20.0
"""How many times as long as a forecast took nothing is forecast: votes are what the machine is for."""


class Forecast(NamedTuple):
    """A range of votes, as it was when there were so many answers about these arms."""

    answers: int
    arms: tuple[str, ...]
    low: float
    high: float


class Forecasts:
    """The last forecast of every study; who asks never waits for a new one."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[LiveStudy, Forecast] = WeakKeyDictionary()
        self._tasks: dict[LiveStudy, asyncio.Task[None]] = {}
        self._not_before = 0.0

    async def of(self, place: Site, state: StudyState) -> tuple[float, float] | None:
        """Return about how many more votes it will take, as far as it is known: 0 where there is a verdict.

        What was voted since the forecast is taken off; one that did not come true is not known any more.
        """
        live = place.live
        answers, arms = state.answers, state.shown
        known = self._known.get(live)
        if known is not None and (known.arms != arms or answers < known.answers):
            known = None
        is_old = known is None or answers >= max(known.answers + 1, AGAIN * known.answers)
        is_time = not self._tasks and monotonic() >= self._not_before
        if is_old and is_time and answers > 0 and state.k <= MOST_JUDGED:
            self._tasks[live] = asyncio.create_task(self._play(place, answers, arms))
        if known is None or isinf(known.low):
            return None
        if known.high == 0.0:
            # votes may take back what they had proven
            verdict = await live.at_once(live.study.verdict, place.delta)
            return None if verdict.finding == "undecided" else (0.0, 0.0)
        since = answers - known.answers
        return None if since >= known.high else (max(known.low - since, 1.0), known.high - since)

    async def _play(self, place: Site, answers: int, arms: tuple[str, ...]) -> None:
        started = monotonic()
        try:
            with suppress(DuelistError):
                low, high = await place.live.work(place.live.study.votes_left, place.delta)
                self._known[place.live] = Forecast(answers, arms, low, high)
        finally:
            self._not_before = monotonic() + PAUSE * (monotonic() - started)
            del self._tasks[place.live]

    async def stop(self) -> None:
        """End what is being played."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
