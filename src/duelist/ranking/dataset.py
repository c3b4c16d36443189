"""Queries, their documents' features, and how relevant each document is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from duelist.errors import ParameterError
from duelist.types import FeatureArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Documents, grouped by the query they were found for.

    Parameters
    ----------
    features : array of shape (documents, d)
        One row a document; the documents of a query stand together.
    labels : array of shape (documents,)
        The grade of each document: 0 is not relevant.
    queries : sequence of str
        The queries' names, in the order of their documents.
    offsets : array of shape (queries + 1,)
        The documents of query q are the rows from `offsets[q]` up to `offsets[q + 1]`.

    Examples
    --------
    >>> data = RankingData([[0.1], [0.7], [0.3]], [0, 2, 1], ["svm", "bandit"], [0, 2, 3])
    >>> data
    RankingData(2 queries, 3 documents, 1 features, grades 0-2)
    >>> data.labels[data.rows(0)]
    array([0, 2])
    """

    features: FeatureArray
    labels: IntArray
    queries: NDArray[np.str_]
    offsets: IntArray

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        features = np.ascontiguousarray(self.features, np.float32)
        labels = np.ascontiguousarray(self.labels, np.int64)
        queries = np.asarray(self.queries, np.str_)
        offsets = np.ascontiguousarray(self.offsets, np.int64)
        if features.ndim != 2 or labels.shape != features.shape[:1]:
            raise ParameterError(
                f"features must be a table with a row for every label; got shapes {features.shape} and "
                f"{labels.shape}."
            )
        if offsets.shape != (len(queries) + 1,) or offsets[0] != 0 or offsets[-1] != len(labels):
            raise ParameterError(
                f"offsets must be one number more than the {len(queries)} queries, from 0 to {len(labels)}."
            )
        if not (np.diff(offsets) > 0).all():
            raise ParameterError("offsets must grow: every query needs at least one document.")
        if len(labels) and labels.min() < 0:
            raise ParameterError(f"labels must not be negative; got {labels.min()}.")
        for name, value in zip(
            ("features", "labels", "queries", "offsets"), (features, labels, queries, offsets), strict=True
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Describe the data in a line."""
        return (
            f"{type(self).__name__}({len(self)} queries, {len(self.labels)} documents, {self.d} features, "
            f"grades 0-{self.grades - 1})"
        )

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.features.shape[1])

    @property
    def grades(self) -> int:
        """The number of grades, from 0 to the highest label."""
        return int(self.labels.max()) + 1

    def rows(self, query: int) -> slice:
        """Return where the documents of a query stand."""
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def subset(self, queries: Sequence[int] | NDArray[np.integer]) -> "RankingData":
        """Return these queries alone, given by their places."""
        chosen = np.asarray(queries, np.int64)
        rows = np.concatenate([np.arange(self.offsets[q], self.offsets[q + 1]) for q in chosen])
        sizes = np.diff(self.offsets)[chosen]
        return RankingData(
            self.features[rows],
            self.labels[rows],
            self.queries[chosen],
            np.concatenate([[0], np.cumsum(sizes)]),
        )

    def with_relevant(self) -> "RankingData":
        """Return the queries that have a relevant document: of the others, all rankings are equally good."""
        highest = np.maximum.reduceat(self.labels, self.offsets[:-1])
        return self.subset(np.flatnonzero(highest > 0))
