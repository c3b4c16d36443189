"""What an arm can show besides its name: a text, a link and an image, all safe to put on a page."""

import re
from base64 import b64decode
from typing import Any
from urllib.parse import urlsplit

from duelist.errors import ParameterError
from duelist.text import shortened

LONGEST_TEXT = 100_000
LONGEST_LINK = 2_000
LONGEST_IMAGE = 1_000_000
UNFIT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters except newline and tab, and lone surrogates."""
LINK = re.compile(r"https?://[^\s\\\x00-\x1f\x7f-\x9f\ud800-\udfff]+", re.IGNORECASE)
DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,")


def require_content(text: Any, link: Any, image: Any) -> None:
    """Raise ParameterError unless an arm can show a text, link and image; None shows nothing."""
    if text is not None:
        require_text(text)
    if link is not None:
        require_link("link", link)
    if image is not None:
        require_image(image)


def require_text(text: Any) -> None:
    if type(text) is not str or not text:
        raise ParameterError(
            f"text must be a non-empty string; got {shortened(text)}. To have none, omit it."
        )
    require_short("text", text, LONGEST_TEXT)
    unfit = UNFIT.search(text)
    if unfit is not None:
        raise ParameterError(
            f"text contains the control character {unfit[0]!r} at index {unfit.start()}; only newlines and "
            "tabs are allowed. Remove it."
        )


def require_link(field: str, link: Any) -> None:
    """Raise ParameterError unless a link is a web address: other schemes could run programs when clicked."""
    if type(link) is str:
        require_short(field, link, LONGEST_LINK)
    if type(link) is not str or LINK.fullmatch(link) is None or not has_host(link):
        raise ParameterError(
            f"{field} must be a complete URL without spaces that begins with https:// or http://; got "
            f"{shortened(link)}."
        )


def require_image(image: Any) -> None:
    """Raise ParameterError unless an image is a web address or a data URL with an image."""
    head = DATA.match(image) if type(image) is str else None
    if head is None:
        if type(image) is str and image.startswith("data:"):
            raise ParameterError(
                f"image must be of type png, jpeg, gif or webp, as data:image/png;base64,…; got "
                f"{shortened(image)}."
            )
        require_link("image", image)
        return
    require_short("image", image, LONGEST_IMAGE)
    try:
        content = b64decode(image[head.end() :], validate=True)
    except ValueError as error:
        raise ParameterError(
            f"image has invalid base64 after the comma ({error}); encode it again."
        ) from error
    if not content:
        raise ParameterError("image has no data after the comma; encode the content of a file as base64.")


def require_short(field: str, value: str, longest: int) -> None:
    if len(value) > longest:
        raise ParameterError(f"{field} may have at most {longest:,} characters; got {len(value):,}.")


def has_host(link: str) -> bool:
    try:
        return bool(urlsplit(link).hostname)
    except ValueError:
        return False
