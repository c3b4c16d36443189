"""The study that a page is about, the address of its pages, and the content of its arms."""

import os
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

import msgspec
from starlette.requests import Request

from duelist.defaults import DELTA
from duelist.errors import DuelistError, TicketError
from duelist.judging.material import Material, Output
from duelist.service.failures import Refused
from duelist.service.live import LiveStudy
from duelist.service.operations import live_studies, no_study
from duelist.study.tickets import NONCE, KeyRing

STUDY = "arena"
"""Name of the single study of `duelist arena`."""
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
        return None if self.material is None else self.material.prompt(item)

    def output(self, arm: str, item: str | None) -> Output:
        """Return an arm's output in the file, or else the text that the study has for it."""
        if self.material is not None:
            if arm not in self.material.arms:
                raise Refused(503, "ArmError", NEW_ARM)
            return self.material.output(arm, item)
        known = self.live.study.arm(arm)
        return Output(text=known.text if known.text is not None or known.image is not None else arm)

    def image(self, arm: str) -> str | None:
        """Return an arm's embedded image; a link to another site would reveal the arm."""
        known = None if self.material is not None else self.live.study.arm(arm).image
        return known if known is not None and known.startswith("data:") else None


async def site_of(request: Request) -> Site:
    arena: Arena | None = request.app.state.arena
    name = STUDY if arena is not None else request.path_params["name"]
    try:
        live = await live_studies(request).find(name)
    except DuelistError as error:
        raise no_study(name) from error
    if arena is not None:
        return Site(live, name, "", arena.material, arena.delta, arena.links)
    return Site(live, name, f"/studies/{name}", None, DELTA, False)


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
