"""What an arm may show besides its name: a text, a link and an image, each safe to be put on a page."""

import re
from base64 import b64decode
from typing import Any
from urllib.parse import urlsplit

from duelist.errors import ParameterError
from duelist.journal.fields import shortened

LONGEST_TEXT = 100_000
LONGEST_LINK = 2_000
LONGEST_IMAGE = 1_000_000
UNFIT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters but newline and tab, and halves of surrogate pairs."""
LINK = re.compile(r"https?://[^\s\\\x00-\x1f\x7f-\x9f\ud800-\udfff]+", re.IGNORECASE)
DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,")


def require_content(text: Any, link: Any, image: Any) -> None:
    """Refuse what an arm cannot show; None is nothing to show."""
    if text is not None:
        require_text(text)
    if link is not None:
        require_link("link", link)
    if image is not None:
        require_image(image)


def require_text(text: Any) -> None:
    """Refuse what is not a text of readable size and characters."""
    if type(text) is not str or not text:
        raise ParameterError(
            f"text must be a text that is not empty; got {shortened(text)}. Or leave it out."
        )
    require_short("text", text, LONGEST_TEXT)
    unfit = UNFIT.search(text)
    if unfit is not None:
        raise ParameterError(
            f"text holds the control character {unfit[0]!r} at {unfit.start()}; of these only newlines and "
            "tabs can be shown. Remove it."
        )


def require_link(field: str, link: Any) -> None:
    """Refuse what is not the address of a page: others could run programs when they are clicked."""
    if type(link) is str:
        require_short(field, link, LONGEST_LINK)
    if type(link) is not str or LINK.fullmatch(link) is None or not has_host(link):
        raise ParameterError(
            f"{field} must be a whole URL without spaces that begins with https:// or http://; got "
            f"{shortened(link)}."
        )


def require_image(image: Any) -> None:
    """Refuse what is neither the address of an image nor an image itself."""
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
        raise ParameterError(f"image is not base64 after its comma ({error}); encode it again.") from error
    if not content:
        raise ParameterError("image is empty after its comma; encode the content of a file.")


def require_short(field: str, value: str, longest: int) -> None:
    """Refuse what is too long."""
    if len(value) > longest:
        raise ParameterError(f"{field} has {len(value):,} characters; at most {longest:,} are possible.")


def has_host(link: str) -> bool:
    """Return whether a URL says which machine it is on."""
    try:
        return bool(urlsplit(link).hostname)
    except ValueError:
        return False
