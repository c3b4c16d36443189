"""The one form of an interleaved list, from its draft to the clicks on it and their credit."""

from typing import Any, NamedTuple


class Shown(NamedTuple):
    """An interleaved list, with everything needed to credit the clicks on it later.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.interleaving import TeamDraft
    >>> shown = TeamDraft().interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(3))
    >>> shown.documents, shown.teams, shown.propensities
    (('a', 'b', 'c', 'd'), (0, 1, 0, 1), (0.5, 1.0, 0.5, 1.0))
    """

    documents: tuple[Any, ...]
    """From the top of the list to its end."""
    teams: tuple[int, ...]
    """The number of the ranking that each place is credited to, -1 for nobody."""
    propensities: tuple[float, ...]
    """The chance of each place to show its document, given the list above it."""
    rankings: tuple[tuple[Any, ...], ...]
    """Without repeated documents."""

    def continues(self, other: "Shown") -> bool:
        """Return whether this is the other list, or more pages of it."""
        return (
            self.rankings == other.rankings
            and self.documents[: len(other.documents)] == other.documents
            and self.teams[: len(other.teams)] == other.teams
        )

    def is_same_list(self, other: "Shown") -> bool:
        """Return whether another list is this one, or fewer or more pages of it."""
        return self.continues(other) or other.continues(self)
