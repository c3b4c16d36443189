"""One list made of two rankings, as it is shown; how rankings and clicks of any documents are read."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from duelist.errors import OutcomeError


class Shown(NamedTuple):
    """What a person is shown, with all that is needed to read the clicks on it later.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.interleaving import TeamDraft
    >>> shown = TeamDraft().interleave(["a", "b", "c"], ["b", "d"], np.random.default_rng(3))
    >>> shown.documents, shown.teams, shown.propensities
    (('a', 'b', 'c', 'd'), (0, 1, 0, 1), (0.5, 1.0, 0.5, 1.0))
    """

    documents: tuple[Hashable, ...]
    """From the top of the list to its end."""
    teams: tuple[int, ...]
    """Of each place, whose it is: 0 the left ranking's, 1 the right one's, -1 nobody's."""
    propensities: tuple[float, ...]
    """Of each place, the chance that it shows its document, given the documents above it: their product is
    the chance of the whole list."""
    left: tuple[Hashable, ...]
    """The left ranking; of a document that was in it more than once, the first place only."""
    right: tuple[Hashable, ...]
    """The right ranking, likewise."""


def places_clicked(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> list[bool]:
    """Return of each place whether its document was clicked, however often."""
    places = dict(zip(documents, range(len(documents)), strict=True))
    flags = [False] * len(places)
    for document in clicked:
        try:
            flags[places[document]] = True
        except KeyError:
            raise OutcomeError(
                f"{document!r} was clicked but not shown; clicked must be documents of the list."
            ) from None
        except TypeError as error:
            raise OutcomeError(f"{document!r} was clicked but not shown: {error}.") from error
    return flags
