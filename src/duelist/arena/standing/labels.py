"""Names as a page shows them: short, distinct, and harmless to the text around them."""

import unicodedata
from collections.abc import Sequence

from duelist.text import short_labels

LONGEST = 60
"""Letters of a name on a page."""


class Labels:
    """Shortens names that are shown together; distinct names stay distinct.

    Examples
    --------
    >>> label = Labels(["Write a poem about rain", "Write a poem about snow"])
    >>> label("Write a poem about rain", 12), label("Write a poem about snow", 12), label("An admin", 12)
    ('Write … rain', 'Write … snow', 'An admin')
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = names
        self._known: dict[int, dict[str, str]] = {}

    def __call__(self, name: str, longest: int = LONGEST) -> str:
        """Return the label of a name; one that is not among the names is shortened by itself."""
        if longest not in self._known:
            self._known[longest] = dict(zip(self.names, short_labels(self.names, longest), strict=True))
        known = self._known[longest].get(name)
        return short_labels([name], longest)[0] if known is None else known

    def in_sentence(self, name: str) -> str:
        """Return a label as part of a sentence; one that is written from right to left keeps to itself."""
        shown = self(name)
        leftward = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in shown)
        return f"\u2068{shown}\u2069" if leftward else shown
