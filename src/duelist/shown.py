"""The one form of an interleaved list, from drawing it to crediting the clicks on it."""

from typing import Any, NamedTuple


class Shown(NamedTuple):
    """An interleaved list, with everything needed to credit the clicks on it later.

    Parameters
    ----------
    documents : tuple
        The documents, from the top of the list to its end.
    teams : tuple of int
        For each place, the index of the ranking that it is credited to; -1 for none.
    propensities : tuple of float
        For each place, the probability of showing its document, given the list above it.
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
        """Return whether this is the other list, or a continuation of it.

        Parameters
        ----------
        other : Shown
            The other list.

        Returns
        -------
        bool
            Whether it is.

        Examples
        --------
        >>> first = Shown(("a",), (0,), (1.0,), (("a", "b"), ("a",)))
        >>> Shown(("a", "b"), (0, -1), (1.0, 1.0), (("a", "b"), ("a",))).continues(first)
        True
        """
        return (
            self.rankings == other.rankings
            and self.documents[: len(other.documents)] == other.documents
            and self.teams[: len(other.teams)] == other.teams
        )

    def is_same_list(self, other: "Shown") -> bool:
        """Return whether one of two lists is the other, or a continuation of it.

        Parameters
        ----------
        other : Shown
            The other list.

        Returns
        -------
        bool
            Whether it is.

        Examples
        --------
        >>> first = Shown(("a",), (0,), (1.0,), (("a", "b"), ("a",)))
        >>> first.is_same_list(Shown(("a", "b"), (0, -1), (1.0, 1.0), (("a", "b"), ("a",))))
        True
        """
        return self.continues(other) or other.continues(self)
