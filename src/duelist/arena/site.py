"""The study that a page is about: the address of its pages, the content of its arms, and its forecast."""

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
"""Name of the single study of `duelist arena`."""
AGAIN = 1.05
"""A forecast is renewed once there are this many times as many votes, and at least one more."""
PAUSE = 20.0
"""The pause after a forecast, as a multiple of its duration: voters come first."""
NEW_ARM = "the study has an arm that was not in the file at startup; the owner must restart the arena."


class Arena(msgspec.Struct, frozen=True, kw_only=True):
    """The arena that `duelist arena` serves.

    Parameters
    ----------
    material : Material
        The outputs to compare.
    delta : float
        The share of arenas in which a verdict may be wrong.
    links : bool
        Whether links in outputs can be followed.
    """

    material: Material
    delta: float = DELTA
    links: bool = False


class Site(NamedTuple):
    """A study as its pages see it."""

    live: LiveStudy
    name: str
    base: str
    """Path prefix of its pages."""
    material: Material | None
    delta: float
    links: bool

    @property
    def title(self) -> str:
        return self.name if self.material is None else self.material.title

    @property
    def items(self) -> tuple[str, ...] | None:
        """The items that arms are compared on; None if there are none."""
        return None if self.material is None else self.material.items or None

    def prompt(self, item: str | None) -> Output | None:
        """Return the prompt above the two sides, if there is one."""
        return None if self.material is None else self.material.prompts.get(item)

    def output(self, arm: str, item: str | None) -> Output:
        """Return an arm's output in the file, or else the text that the study has for it."""
        if self.material is not None:
            if arm not in self.material.arms:
                raise Refused(503, "ArmError", NEW_ARM)
            if item not in self.material.outputs:
                raise Refused(404, "ItemError", f"no item named {item!r}; reload the voting page.")
            return self.material.outputs[item][self.material.arms.index(arm)]
        known = self.live.study.arm(arm)
        return Output(text=known.text if known.text is not None or known.image is not None else arm)

    def image(self, arm: str) -> str | None:
        """Return an arm's embedded image; a link to another site would reveal the arm."""
        known = None if self.material is not None else self.live.study.arm(arm).image
        return known if known is not None and known.startswith("data:") else None


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


class MediaAddress(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The sealed content of an image's or audio's address, which hides the arm from voters."""

    arm: bytes  # of a fixed length
    item: str | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(MediaAddress).decode


def media_token(arm: int, item: str | None, keys: KeyRing) -> str:
    """Return the address of an arm's media: different each time, and equally long for every arm.

    Examples
    --------
    >>> keys = KeyRing()
    >>> media_of(media_token(3, "kitchen", keys), keys)
    (3, 'kitchen')
    """
    content = _encode(MediaAddress(arm.to_bytes(8, "big"), item))
    return urlsafe_b64encode(keys.seal(content, os.urandom(NONCE))).decode().rstrip("=")


def media_of(token: str, keys: KeyRing) -> tuple[int, str | None]:
    """Return the arm and the item of an address. Raise Refused if it was not issued here."""
    try:
        address = _decode(keys.unseal(urlsafe_b64decode(token + "=" * (-len(token) % 4))))
    except (ValueError, TicketError, msgspec.MsgspecError) as error:
        raise Refused(404, "MediaError", "no media at this address; reload the voting page.") from error
    return int.from_bytes(address.arm, "big"), address.item


def decoded(image: str) -> tuple[str, bytes]:
    """Return the media type and content of a data: URL."""
    head, _, content = image.partition(",")
    return head.removeprefix("data:").partition(";")[0], b64decode(content)
