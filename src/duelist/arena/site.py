"""What a page of the arena is about: a study, where its pages are, and what its arms show."""

import os
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

import msgspec

from duelist.defaults import DELTA
from duelist.errors import TicketError
from duelist.judging.material import Material, Output
from duelist.service.failures import Refused
from duelist.service.live import LiveStudy
from duelist.study.tickets import NONCE, KeyRing

STUDY = "arena"
"""The name of the one study of `duelist arena`."""
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
        return None if self.material is None else self.material.prompt(item)

    def output(self, arm: str, item: str | None) -> Output:
        """Return what an arm shows: its output in the file, or what the study knows of it."""
        if self.material is not None:
            if arm not in self.material.arms:
                raise Refused(503, "ArmError", NEW_ARM)
            return self.material.output(arm, item)
        known = self.live.study.arm(arm)
        return Output(text=known.text if known.text is not None or known.image is not None else arm)

    def image(self, arm: str) -> str | None:
        """Return the image that a study has for an arm; what is elsewhere would tell which arm it is."""
        known = None if self.material is not None else self.live.study.arm(arm).image
        return known if known is not None and known.startswith("data:") else None


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
