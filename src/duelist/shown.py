"""The type of an interleaved list, which is used from its draft to the credit of the clicks on it."""

from typing import Any, NamedTuple


class Shown(NamedTuple):
    """An interleaved list, with everything needed to credit the clicks on it later.

    Parameters
    ----------
    documents : tuple
        The documents from the top of the list to its end.
    teams : tuple of int
        For each place, the number of the ranking that is credited with a click; -1 for no ranking.
    propensities : tuple of float
        For each place, the probability of its document given the list above it.
    rankings : tuple of tuples
        The rankings, without repeated documents.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.interleaving import TeamDraft
    >>> shown = TeamDraft().interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(3))
    >>> shown.documents, shown.teams, shown.propensities
    (('a', 'b', 'c', 'd'), (0, 1, 0, 1), (0.5, 1.0, 0.5, 1.0))
    """

    documents: tuple[Any, ...]
    teams: tuple[int, ...]
    propensities: tuple[float, ...]
    rankings: tuple[tuple[Any, ...], ...]

    def continues(self, other: "Shown") -> bool:
        """Return whether this list is equal to the other one, or extends it by more pages.

        Parameters
        ----------
        other : Shown
            Another list.

        Returns
        -------
        bool
            True if the other list is the beginning of this one.
        """
        return (
            self.rankings == other.rankings
            and self.documents[: len(other.documents)] == other.documents
            and self.teams[: len(other.teams)] == other.teams
        )

    def is_same_list(self, other: "Shown") -> bool:
        """Return whether one of the two lists is equal to the other or extends it by more pages.

        Parameters
        ----------
        other : Shown
            Another list.

        Returns
        -------
        bool
            True if one list is the beginning of the other.
        """
        return self.continues(other) or other.continues(self)
