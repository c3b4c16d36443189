"""About how many more votes it will take: played on in the background, and shown as soon as it is known."""

import asyncio
from contextlib import suppress
from math import isinf
from typing import NamedTuple

from duelist.arena.venue import Venue
from duelist.errors import DuelistError
from duelist.service.limits import MOST_JUDGED

AGAIN = 1.05
"""A forecast is made again once there are this many times as many votes, and at least one more."""


class Forecast(NamedTuple):
    """A range of votes, as it was when there were so many answers."""

    answers: int
    low: float
    high: float


class Forecasts:
    """The last forecast of every study; who asks never waits for a new one."""

    def __init__(self) -> None:
        self._known: dict[str, Forecast] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def of(self, place: Venue) -> tuple[float, float] | None:
        """Return about how many more votes it will take, as far as it is known.

        What was voted since the forecast is taken off.
        """
        fold = place.live.study.live.fold
        answers = fold.tally.answers
        known = self._known.get(place.name)
        is_old = known is None or not known.answers <= answers < max(known.answers + 1, AGAIN * known.answers)
        if is_old and answers > 0 and fold.k <= MOST_JUDGED and place.name not in self._tasks:
            self._tasks[place.name] = asyncio.create_task(self._play(place, answers))
        if known is None or answers < known.answers or isinf(known.low):
            return None
        since = answers - known.answers
        return max(known.low - since, 0.0), max(known.high - since, 0.0)

    async def _play(self, place: Venue, answers: int) -> None:
        try:
            with suppress(DuelistError):
                low, high = await place.live.work(place.live.study.votes_left, place.delta)
                self._known[place.name] = Forecast(answers, low, high)
        finally:
            del self._tasks[place.name]

    async def stop(self) -> None:
        """End what is being played."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
