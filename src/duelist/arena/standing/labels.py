"""Names as a page shows them: short, and harmless to the text around them."""

import unicodedata

LONGEST = 60
"""Characters of a name on a page."""
DIRECTIONS = dict.fromkeys(
    map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
"""Invisible characters that turn the direction of the text after them."""


def label(name: str, longest: int = LONGEST) -> str:
    """Return a name as far as there is room for it, without characters that turn the text around it.

    Examples
    --------
    >>> label("prompt-3"), label("a very long name", 10)
    ('prompt-3', 'a very lo…')
    """
    shown = name.translate(DIRECTIONS)
    return shown if len(shown) <= longest else f"{shown[: longest - 1].rstrip()}…"


def in_sentence(name: str) -> str:
    """Return a name as part of a sentence; one that is written from right to left keeps to itself."""
    shown = label(name)
    leftward = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in shown)
    return f"\u2068{shown}\u2069" if leftward else shown
