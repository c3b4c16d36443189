"""Menus of documents: what a learner of rankings makes a list of, and the list."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FeatureArray
from duelist.errors import ParameterError, require_whole
from duelist.text import counted


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Documents:
    """The documents of one query, from which a learner of rankings makes a list.

    Parameters
    ----------
    features : array of shape (documents, d)
        What is known of each document, a row each.
    query : int, default 0
        The number of the query, by which a problem knows how relevant its documents are.

    Examples
    --------
    >>> menu = Documents([[0.5, 1.0], [0.0, 2.0], [1.0, 0.0]])
    >>> menu, menu.d, len(menu)
    (Documents(3 documents, 2 features), 2, 3)
    """

    features: FeatureArray
    query: int

    def __init__(self, features: ArrayLike, query: int = 0) -> None:
        try:
            given = np.asarray(features)
            if given.dtype.kind == "c":
                raise TypeError(f"got {given.dtype}")
            with np.errstate(over="ignore"):  # what single precision cannot hold is not finite
                table = np.ascontiguousarray(given, np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"features must be numbers, a row for each document: {error}.") from error
        if table.ndim != 2 or 0 in table.shape:
            raise ParameterError(
                f"features must be a table with a row for each document, a column for each feature and at "
                f"least one of both; got {table.shape}."
            )
        if not np.isfinite(table).all():
            raise ParameterError("features must be finite numbers.")
        require_whole("query", query, 0)
        vars(self).update(features=table, query=int(query))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.features)

    def __repr__(self) -> str:
        """Describe the menu in a line."""
        return f"Documents({counted(len(self), 'document')}, {counted(self.d, 'feature')})"

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.features.shape[1])


class Impression(NamedTuple):
    """A list to show for a query; carries all that `tell` needs besides the clicks."""

    documents: tuple[int, ...]
    """Rows of the menu's features, best first."""
    menu: Documents
    page: Any = None
    """The list as kernels see it."""
    note: Any = None
    """What the learner wants to be reminded of when it is told the clicks."""
