"""Queries, their documents' features, and how relevant each document is; also synthetic ones."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import ArrayLike, NDArray

from duelist.duel import FeatureArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_generator, require_whole
from duelist.files import atomic_writer
from duelist.kernels.compile import compiled
from duelist.text import counted

BATCH_ROWS = 1000  # documents that are written at a time
RELEVANT_SHARE = 0.2  # the share of documents that are relevant
QUERY_SPREAD = 1.0  # the standard deviation of queries' mean relevance, in units of that of documents
FACTORS = 5


@dataclass(frozen=True, eq=False, repr=False, init=False)
class RankingData:
    """Documents, grouped by the query they were found for.

    Parameters
    ----------
    features : array of shape (documents, d)
        One row for each document; the documents of a query stand together.
    labels : array of shape (documents,)
        The grade of each document: 0 is not relevant.
    queries : sequence of str
        The queries' names, in the order of their documents.
    offsets : array of shape (queries + 1,)
        The documents of query q are the rows from `offsets[q]` up to `offsets[q + 1]`.

    Examples
    --------
    >>> data = RankingData([[0.1], [0.7], [0.3]], [0, 2, 1], ["svm", "bandit"], [0, 2, 3])
    >>> data, data.labels[data.rows(0)]
    (RankingData(2 queries, 3 documents, 1 feature, grades 0-2), array([0, 2]))
    """

    features: FeatureArray
    labels: IntArray
    queries: NDArray[np.str_]
    offsets: IntArray

    def __init__(
        self, features: ArrayLike, labels: ArrayLike, queries: ArrayLike, offsets: ArrayLike
    ) -> None:
        features = np.ascontiguousarray(features, np.float32)
        labels = np.ascontiguousarray(labels, np.int64)
        queries = np.asarray(queries, np.str_)
        offsets = np.ascontiguousarray(offsets, np.int64)
        if features.ndim != 2 or labels.shape != features.shape[:1]:
            shapes = f"{features.shape} and {labels.shape}"
            raise ParameterError(f"features must be a table with a row for every label; got shapes {shapes}.")
        if offsets.shape != (len(queries) + 1,) or offsets[0] != 0 or offsets[-1] != len(labels):
            expected = f"one number more than the {counted(len(queries), 'query')}, from 0 to {len(labels)}"
            raise ParameterError(f"offsets must be {expected}.")
        if not (np.diff(offsets) > 0).all():
            raise ParameterError("offsets must grow: every query needs at least one document.")
        if len(labels) == 0:
            raise ParameterError("there must be at least one query with one document; got none.")
        if labels.min() < 0:
            raise ParameterError(f"labels must not be negative; got {labels.min()}.")
        vars(self).update(features=features, labels=labels, queries=queries, offsets=offsets)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Describe the data in a line."""
        sizes = {"query": len(self), "document": len(self.labels), "feature": self.d}
        held = ", ".join(counted(size, one) for one, size in sizes.items())
        return f"{type(self).__name__}({held}, grades 0-{self.grades - 1})"

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.features.shape[1])

    @property
    def grades(self) -> int:
        """The number of grades, from 0 to the highest label."""
        return int(self.labels.max()) + 1

    def rows(self, query: int) -> slice:
        """Return the rows of a query's documents."""
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def subset(self, queries: Sequence[int] | NDArray[np.integer]) -> "RankingData":
        """Return some of the queries, given by their indices."""
        chosen = np.asarray(queries, np.int64)
        if not len(chosen) or chosen.min() < 0 or chosen.max() >= len(self):
            expected = f"at least one place from 0 to {len(self) - 1}"
            raise ParameterError(f"queries must be {expected}; got {chosen.tolist()}.")
        rows = np.concatenate([np.arange(self.offsets[q], self.offsets[q + 1]) for q in chosen])
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[chosen])])
        return RankingData(self.features[rows], self.labels[rows], self.queries[chosen], offsets)

    def with_relevant(self) -> "RankingData":
        """Return the queries that have a relevant document: for the others, all rankings are equally good."""
        return self.subset(np.flatnonzero(np.maximum.reduceat(self.labels, self.offsets[:-1]) > 0))

    def split(self, share: float, rng: Generator) -> tuple["RankingData", "RankingData"]:
        """Return a random share of the queries, and the others, both in their present order."""
        first = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < first < len(self):
            total = counted(len(self), "query")
            raise ParameterError(f"share must leave two parts of {total}; got {share!r}.")
        require_generator(rng)
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:first])), self.subset(np.sort(order[first:]))

    def normalised(self) -> "RankingData":
        """Return the data with each feature scaled to [0, 1] within its query, 0 where all are the same."""
        scaled = np.empty_like(self.features)
        normalise_queries(self.features, self.offsets, scaled)
        return RankingData(scaled, self.labels, self.queries, self.offsets)

    def to_svmlight(self, path: str | os.PathLike[str]) -> Path:
        """Write a file of SVMlight lines, which `load_ranking_data` reads back to the last bit."""
        names = self.queries.tolist()
        known: set[str] = set()
        for name in names:
            if name in known or "#" in name or name.split() != [name]:
                raise ParameterError(f"queries must have names without blanks and #, once; got {name!r}.")
            known.add(name)
        name_of = np.repeat(np.arange(len(names)), np.diff(self.offsets))
        with atomic_writer(path) as file:
            for start in range(0, len(self.labels), BATCH_ROWS):
                rows = slice(start, start + BATCH_ROWS)
                batch = self.features[rows]
                if not np.isfinite(batch).all():
                    raise ParameterError("features must be finite to be written; replace nan and inf first.")
                # the text of every value has the digits that single precision needs
                columns = (self.labels[rows].tolist(), name_of[rows].tolist(), batch.astype(np.str_).tolist())
                for label, query, values in zip(*columns, strict=True):
                    pairs = " ".join(f"{number}:{value}" for number, value in enumerate(values, 1))
                    file.write(f"{label} qid:{names[query]} {pairs}\n".encode())
        return Path(path)

    @staticmethod
    def join(parts: Iterable["RankingData"]) -> "RankingData":
        """Return the queries of all parts, even those of equal names; missing features are 0."""
        given = list(parts)
        if not given:
            raise ParameterError("parts must hold at least one RankingData; got none.")
        labels = np.concatenate([part.labels for part in given])
        queries = np.concatenate([part.queries for part in given])
        offsets = stack_offsets([part.offsets for part in given])
        return RankingData(stack_rows([part.features for part in given]), labels, queries, offsets)


@compiled
def normalise_queries(features: FeatureArray, offsets: IntArray, scaled: FeatureArray) -> None:
    """Write each feature scaled to [0, 1] within its query, as in LETOR; `scaled` may be `features`."""
    d = features.shape[1]
    lowest, highest = np.empty(d), np.empty(d)
    for query in range(len(offsets) - 1):
        lowest[:], highest[:] = np.inf, -np.inf
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(d):
                value = np.float64(features[row, j])
                lowest[j] = min(lowest[j], value)
                highest[j] = max(highest[j], value)
        for row in range(offsets[query], offsets[query + 1]):
            for j in range(d):
                spread = highest[j] - lowest[j]
                scaled[row, j] = (features[row, j] - lowest[j]) / spread if spread > 0.0 else 0.0


def stack_rows(blocks: list[FeatureArray]) -> FeatureArray:
    """Return the rows of all blocks, with 0 where a block has fewer columns; a single one is not copied."""
    if len(blocks) == 1:
        return blocks.pop()
    width = max(block.shape[1] for block in blocks)
    stacked = np.empty((sum(len(block) for block in blocks), width), np.float32)
    filled = len(stacked)
    # each block leaves the list as soon as it is copied, so that its memory can be used again
    while blocks:
        block = blocks.pop()
        rows = stacked[filled - len(block) : filled]
        rows[:, : block.shape[1]] = block
        rows[:, block.shape[1] :] = 0.0
        filled -= len(block)
    return stacked


def stack_offsets(parts: list[IntArray]) -> IntArray:
    """Return the offsets of queries when the documents of all parts are stacked."""
    sizes = np.concatenate([np.diff(offsets) for offsets in parts])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def synthetic_ranking_data(
    queries: int = 200, documents: int = 20, features: int = 46, grades: int = 3, seed: int = 0
) -> RankingData:
    """Return synthetic queries and documents, with features scaled per query, as in LETOR.

    About a fifth of the documents are relevant, few of them highly; many queries have none. Features are
    correlated with relevance and with each other; some are skewed and often 0, some only noise, and a few,
    which depend on the query alone, are 0 after scaling.

    Parameters
    ----------
    queries, features, grades, seed : int, default 200, 46, 3 and 0
        The number of queries, features and grades; equal seeds give equal data.
    documents : int, default 20
        The mean number of documents of a query, which has from half of it to one and a half.

    Examples
    --------
    >>> data = synthetic_ranking_data(queries=100)
    >>> data, len(data.with_relevant())
    (RankingData(100 queries, 2,021 documents, 46 features, grades 0-2), 67)
    """
    for name, value in (("queries", queries), ("documents", documents), ("features", features)):
        require_whole(name, value, 1)
    require_whole("grades", grades, 2)
    require_whole("seed", seed, 0)
    rng = default_rng(seed)
    sizes = rng.integers((documents + 1) // 2, documents + documents // 2 + 1, queries)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    query_of = np.repeat(np.arange(queries), sizes)
    worth = rng.standard_normal(len(query_of))
    served = worth + QUERY_SPREAD * rng.standard_normal(queries)[query_of]
    seen = _draw_features(worth, query_of, features, rng)
    # by how well documents serve their query, each grade rarer than the one below
    bars = np.quantile(served, 1.0 - RELEVANT_SHARE * 0.4 ** np.arange(grades - 1))
    names = np.arange(1, queries + 1).astype(np.str_)
    return RankingData(seen, np.searchsorted(bars, served), names, offsets).normalised()


def _draw_features(worth: FloatArray, query_of: IntArray, features: int, rng: Generator) -> FeatureArray:
    kinds = rng.choice(4, features, p=(0.5, 0.25, 0.15, 0.1))
    plain, skewed, noise, of_query = range(4)
    clearness = rng.uniform(0.1, 0.6, features) * ((kinds == plain) | (kinds == skewed))
    loadings = np.zeros((FACTORS, features))
    loadings[rng.integers(FACTORS, size=features), np.arange(features)] = rng.uniform(0.5, 1.5, features)
    own = rng.uniform(0.3, 1.0, features)
    factors = rng.standard_normal((len(worth), FACTORS))
    unexplained = own * rng.standard_normal((len(worth), features))
    seen: FloatArray = worth[:, None] * clearness + factors @ loadings + unexplained
    seen[:, kinds == skewed] = np.maximum(np.exp(seen[:, kinds == skewed]) - 1.0, 0.0)
    seen[:, kinds == noise] = rng.random((len(worth), int((kinds == noise).sum())))
    constant = rng.random((int(query_of[-1]) + 1, int((kinds == of_query).sum())))
    seen[:, kinds == of_query] = constant[query_of]
    return seen.astype(np.float32)
