"""What a page of the arena is about: a study, where its pages are, what its arms show, and its forecast."""

import asyncio
import os
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from math import isinf
from time import monotonic
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from duelist.defaults import DELTA
from duelist.errors import DuelistError, TicketError
from duelist.judging.material import Material, Output
from duelist.service.failures import Refused
from duelist.service.live import LiveStudy
from duelist.service.settings import MOST_JUDGED
from duelist.study import StudyState
from duelist.study.tickets import NONCE, KeyRing

STUDY = "arena"
"""The name of the one study of `duelist arena`."""
AGAIN = 1.05
"""A forecast is made again once there are this many times as many votes, and at least one more."""
PAUSE = 20.0
"""How many times as long as a forecast took nothing is forecast: votes are what the machine is for."""
NEW_ARM = "an arm has joined that the file did not have at the start; its owner must start the arena again."


class Arena(msgspec.Struct, frozen=True, kw_only=True):
    """What `duelist arena` serves.

    Parameters
    ----------
    material : Material
        What is compared.
    delta : float
        The share of arenas in which a verdict may be wrong.
    links : bool
        Whether links in outputs can be followed.
    """

    material: Material
    delta: float = DELTA
    links: bool = False


class Site(NamedTuple):
    """A study as pages show it."""

    live: LiveStudy
    name: str
    base: str
    """What the paths of its pages begin with."""
    material: Material | None
    delta: float
    links: bool

    @property
    def title(self) -> str:
        """What people call it."""
        return self.name if self.material is None else self.material.title

    @property
    def items(self) -> tuple[str, ...] | None:
        """What arms are compared on; None where they are shown alone."""
        return None if self.material is None else self.material.items or None

    def prompt(self, item: str | None) -> Output | None:
        """Return what stands above the two sides."""
        return None if self.material is None else self.material.prompts.get(item)

    def output(self, arm: str, item: str | None) -> Output:
        """Return what an arm shows: its output in the file, or what the study knows of it."""
        if self.material is not None:
            if arm not in self.material.arms:
                raise Refused(503, "ArmError", NEW_ARM)
            if item not in self.material.outputs:
                raise Refused(404, "ItemError", f"there is no item named {item!r}.")
            return self.material.outputs[item][self.material.arms.index(arm)]
        known = self.live.study.arm(arm)
        return Output(text=known.text if known.text is not None or known.image is not None else arm)

    def image(self, arm: str) -> str | None:
        """Return the image that a study has for an arm; what is elsewhere would tell which arm it is."""
        known = None if self.material is not None else self.live.study.arm(arm).image
        return known if known is not None and known.startswith("data:") else None


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


class MediaAddress(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a picture's or a sound's address says, sealed: it tells no voter which arm it is of."""

    arm: bytes  # of a fixed length
    item: str | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(MediaAddress).decode


def media_token(arm: int, item: str | None, keys: KeyRing) -> str:
    """Return the address of what an arm shows; it is another one each time, and as long for every arm.

    Examples
    --------
    >>> keys = KeyRing()
    >>> media_of(media_token(3, "kitchen", keys), keys)
    (3, 'kitchen')
    """
    content = _encode(MediaAddress(arm.to_bytes(8, "big"), item))
    return urlsafe_b64encode(keys.seal(content, os.urandom(NONCE))).decode().rstrip("=")


def media_of(token: str, keys: KeyRing) -> tuple[int, str | None]:
    """Return the arm and the item of an address, or refuse one that was not given out."""
    try:
        shown = _decode(keys.unseal(urlsafe_b64decode(token + "=" * (-len(token) % 4))))
    except (ValueError, TicketError, msgspec.MsgspecError) as error:
        raise Refused(404, "MediaError", "there is nothing here to show.") from error
    return int.from_bytes(shown.arm, "big"), shown.item


def decoded(image: str) -> tuple[str, bytes]:
    """Return the type and the content of an image that stands in its own address."""
    head, _, content = image.partition(",")
    return head.removeprefix("data:").partition(";")[0], b64decode(content)
