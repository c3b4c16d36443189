"""Menus of documents, from which a learner of rankings makes a list, and the list itself."""

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
        The features of each document, one row each.
    query : int, default 0
        The number of the query, by which a problem looks up the relevance of its documents.

    Raises
    ------
    ParameterError
        If `features` is not a nonempty table of finite numbers, or `query` is negative.

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
            with np.errstate(over="ignore"):  # too large for single precision becomes infinite
                table = np.ascontiguousarray(given, np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"features must be numbers, one row per document: {error}.") from error
        if table.ndim != 2 or 0 in table.shape:
            raise ParameterError(
                f"features must be a table with one row per document and one column per feature, at least "
                f"one of each; got shape {table.shape}."
            )
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise ParameterError(f"features must be finite; row {row} is {table[row]}.")
        require_whole("query", query, 0)
        vars(self).update(features=table, query=int(query))

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return f"Documents({counted(len(self), 'document')}, {counted(self.d, 'feature')})"

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.features.shape[1])


class Impression(NamedTuple):
    """A list to show for a query; holds everything that `tell` needs besides the clicks.

    Parameters
    ----------
    documents : tuple of int
        Row numbers of the menu's features, best first.
    menu : Documents
        The documents of the query.
    page : optional
        The list in the form that kernels use.
    note : optional
        Data that the learner needs when it is told the clicks.

    Examples
    --------
    >>> Impression((2, 0), Documents([[0.5], [0.1], [0.9]])).documents
    (2, 0)
    """

    documents: tuple[int, ...]
    menu: Documents
    page: Any = None
    note: Any = None
