"""Queries with their documents' features and relevance labels; also synthetic ones."""

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

BATCH_ROWS = 1000  # documents per write
RELEVANT_SHARE = 0.2  # the share of relevant documents
QUERY_SPREAD = 1.0  # the standard deviation of queries' mean relevance, relative to that of documents
FACTORS = 5


@dataclass(frozen=True, eq=False, repr=False, init=False)
class RankingData:
    """Documents, grouped by query.

    Parameters
    ----------
    features : array of shape (documents, d)
        One row per document; the documents of a query are contiguous.
    labels : array of shape (documents,)
        The relevance grade of each document; 0 is not relevant.
    queries : sequence of str
        The queries' names, in the order of their documents.
    offsets : array of shape (queries + 1,)
        The documents of query q are the rows from `offsets[q]` to `offsets[q + 1] - 1`.

    Raises
    ------
    ParameterError
        If the shapes do not fit, a query has no documents, or a label is negative.

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
            raise ParameterError(f"features must be a table with one row per label; got shapes {shapes}.")
        if offsets.shape != (len(queries) + 1,) or offsets[0] != 0 or offsets[-1] != len(labels):
            queries_given = counted(len(queries), "query")
            raise ParameterError(
                f"offsets must run from 0 to {len(labels)} and have one more number than the {queries_given}."
            )
        if not (np.diff(offsets) > 0).all():
            raise ParameterError("offsets must increase: every query needs at least one document.")
        if len(labels) == 0:
            raise ParameterError("labels is empty; give at least one query with one document.")
        if labels.min() < 0:
            raise ParameterError(f"labels must not be negative; got {labels.min()}.")
        vars(self).update(features=features, labels=labels, queries=queries, offsets=offsets)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
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
        """Return the rows of a query's documents.

        Parameters
        ----------
        query : int
            The index of the query.

        Returns
        -------
        slice
            The rows.

        Examples
        --------
        >>> RankingData([[0.1], [0.7], [0.3]], [0, 2, 1], ["svm", "bandit"], [0, 2, 3]).rows(1)
        slice(2, 3, None)
        """
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def subset(self, queries: Sequence[int] | NDArray[np.integer]) -> "RankingData":
        """Return some of the queries.

        Parameters
        ----------
        queries : sequence of int
            The indices of the queries, in their new order.

        Returns
        -------
        RankingData
            The smaller data.

        Raises
        ------
        ParameterError
            If an index is out of range, or there are none.

        Examples
        --------
        >>> RankingData([[0.1], [0.7], [0.3]], [0, 2, 1], ["svm", "bandit"], [0, 2, 3]).subset([1])
        RankingData(1 query, 1 document, 1 feature, grades 0-1)
        """
        chosen = np.asarray(queries, np.int64)
        if not len(chosen) or chosen.min() < 0 or chosen.max() >= len(self):
            expected = f"indices from 0 to {len(self) - 1}, at least one"
            raise ParameterError(f"queries must be {expected}; got {chosen.tolist()}.")
        rows = np.concatenate([np.arange(self.offsets[q], self.offsets[q + 1]) for q in chosen])
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[chosen])])
        return RankingData(self.features[rows], self.labels[rows], self.queries[chosen], offsets)

    def with_relevant(self) -> "RankingData":
        """Return the queries that have a relevant document; for others, all rankings are equally good.

        Returns
        -------
        RankingData
            The smaller data.

        Raises
        ------
        ParameterError
            If there is no such query.

        Examples
        --------
        >>> RankingData([[0.1], [0.7], [0.3]], [0, 2, 0], ["svm", "bandit"], [0, 2, 3]).with_relevant()
        RankingData(1 query, 2 documents, 1 feature, grades 0-2)
        """
        return self.subset(np.flatnonzero(np.maximum.reduceat(self.labels, self.offsets[:-1]) > 0))

    def split(self, share: float, rng: Generator) -> tuple["RankingData", "RankingData"]:
        """Split the queries at random; both parts keep the order.

        Parameters
        ----------
        share : float
            The share of queries in the first part, between 0 and 1.
        rng : numpy.random.Generator
            Draws the split.

        Returns
        -------
        tuple of RankingData
            The two parts.

        Raises
        ------
        ParameterError
            If a part would be empty.

        Examples
        --------
        >>> train, test = synthetic_ranking_data(queries=100).split(0.7, default_rng(0))
        >>> len(train), len(test)
        (70, 30)
        """
        first = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < first < len(self):
            total = counted(len(self), "query")
            raise ParameterError(
                f"share must split {total} into two non-empty parts; got {share!r}. Add queries, or try 0.5."
            )
        require_generator(rng)
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:first])), self.subset(np.sort(order[first:]))

    def normalised(self) -> "RankingData":
        """Scale each feature to [0, 1] within its query; constant features become 0.

        Returns
        -------
        RankingData
            The scaled data.

        Examples
        --------
        >>> RankingData([[3.0], [5.0], [4.0]], [0, 2, 1], ["svm"], [0, 3]).normalised().features.ravel()
        array([0. , 1. , 0.5], dtype=float32)
        """
        scaled = np.empty_like(self.features)
        normalise_queries(self.features, self.offsets, scaled)
        return RankingData(scaled, self.labels, self.queries, self.offsets)

    def to_svmlight(self, path: str | os.PathLike[str]) -> Path:
        r"""Write an SVMlight file that `load_ranking_data` reads back exactly.

        Parameters
        ----------
        path : path
            The file to write.

        Returns
        -------
        pathlib.Path
            The path of the file.

        Raises
        ------
        ParameterError
            If a query's name is repeated or cannot be written, or a feature is not finite.

        Examples
        --------
        >>> import tempfile
        >>> data = RankingData([[0.5], [0.25]], [0, 1], ["svm"], [0, 2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     data.to_svmlight(Path(folder) / "data.txt").read_text()
        '0 qid:svm 1:0.5\n1 qid:svm 1:0.25\n'
        """
        names = self.queries.tolist()
        known: set[str] = set()
        for name in names:
            if name in known or "#" in name or name.split() != [name]:
                raise ParameterError(f"queries must be distinct names without blanks or #; got {name!r}.")
            known.add(name)
        name_of = np.repeat(np.arange(len(names)), np.diff(self.offsets))
        with atomic_writer(path) as file:
            for start in range(0, len(self.labels), BATCH_ROWS):
                rows = slice(start, start + BATCH_ROWS)
                batch = self.features[rows]
                if not np.isfinite(batch).all():
                    raise ParameterError(
                        "features has nan or inf, which cannot be written; replace them first."
                    )
                # the text has as many digits as single precision needs
                columns = (self.labels[rows].tolist(), name_of[rows].tolist(), batch.astype(np.str_).tolist())
                for label, query, values in zip(*columns, strict=True):
                    pairs = " ".join(f"{number}:{value}" for number, value in enumerate(values, 1))
                    file.write(f"{label} qid:{names[query]} {pairs}\n".encode())
        return Path(path)

    @staticmethod
    def join(parts: Iterable["RankingData"]) -> "RankingData":
        """Concatenate the queries of all parts, even if names repeat; missing features become 0.

        Parameters
        ----------
        parts : iterable of RankingData
            The parts.

        Returns
        -------
        RankingData
            All queries.

        Raises
        ------
        ParameterError
            If there are no parts.

        Examples
        --------
        >>> data = RankingData([[0.5], [0.25]], [0, 1], ["svm"], [0, 2])
        >>> RankingData.join([data, data])
        RankingData(2 queries, 4 documents, 1 feature, grades 0-1)
        """
        given = list(parts)
        if not given:
            raise ParameterError("parts is empty; give at least one RankingData.")
        labels = np.concatenate([part.labels for part in given])
        queries = np.concatenate([part.queries for part in given])
        offsets = stack_offsets([part.offsets for part in given])
        return RankingData(stack_rows([part.features for part in given]), labels, queries, offsets)


@compiled
def normalise_queries(features: FeatureArray, offsets: IntArray, scaled: FeatureArray) -> None:
    """Scale each feature to [0, 1] within its query, as in LETOR; `scaled` may be `features`."""
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
    """Stack the rows of all blocks, padding narrower blocks with 0; a single block is not copied."""
    if len(blocks) == 1:
        return blocks.pop()
    width = max(block.shape[1] for block in blocks)
    stacked = np.empty((sum(len(block) for block in blocks), width), np.float32)
    filled = len(stacked)
    # drop each block once it is copied, to free its memory
    while blocks:
        block = blocks.pop()
        rows = stacked[filled - len(block) : filled]
        rows[:, : block.shape[1]] = block
        rows[:, block.shape[1] :] = 0.0
        filled -= len(block)
    return stacked


def stack_offsets(parts: list[IntArray]) -> IntArray:
    """Return the offsets of the queries of all parts, stacked."""
    sizes = np.concatenate([np.diff(offsets) for offsets in parts])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def synthetic_ranking_data(
    queries: int = 200, documents: int = 20, features: int = 46, grades: int = 3, seed: int = 0
) -> RankingData:
    """Generate synthetic queries and documents, with features scaled per query, as in LETOR.

    About a fifth of the documents are relevant, few of them highly; many queries have none. Features are
    correlated with relevance and with each other. Some are skewed and often 0, some are only noise, and a few
    depend on the query alone and are 0 after scaling.

    Parameters
    ----------
    queries : int, default 200
        The number of queries.
    documents : int, default 20
        The mean number of documents per query; queries have between half and one and a half times as many.
    features : int, default 46
        The number of features.
    grades : int, default 3
        The number of grades.
    seed : int, default 0
        The seed; equal seeds give equal data.

    Returns
    -------
    RankingData
        The data.

    Raises
    ------
    ParameterError
        If a number is out of range.

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
    quality = rng.standard_normal(len(query_of))
    relevance = quality + QUERY_SPREAD * rng.standard_normal(queries)[query_of]
    table = _draw_features(quality, query_of, features, rng)
    # each grade is rarer than the one below
    thresholds = np.quantile(relevance, 1.0 - RELEVANT_SHARE * 0.4 ** np.arange(grades - 1))
    names = np.arange(1, queries + 1).astype(np.str_)
    return RankingData(table, np.searchsorted(thresholds, relevance), names, offsets).normalised()


def _draw_features(quality: FloatArray, query_of: IntArray, features: int, rng: Generator) -> FeatureArray:
    kinds = rng.choice(4, features, p=(0.5, 0.25, 0.15, 0.1))
    plain, skewed, noise, of_query = range(4)
    signal = rng.uniform(0.1, 0.6, features) * ((kinds == plain) | (kinds == skewed))
    loadings = np.zeros((FACTORS, features))
    loadings[rng.integers(FACTORS, size=features), np.arange(features)] = rng.uniform(0.5, 1.5, features)
    deviations = rng.uniform(0.3, 1.0, features)
    factors = rng.standard_normal((len(quality), FACTORS))
    unexplained = deviations * rng.standard_normal((len(quality), features))
    table: FloatArray = quality[:, None] * signal + factors @ loadings + unexplained
    table[:, kinds == skewed] = np.maximum(np.exp(table[:, kinds == skewed]) - 1.0, 0.0)
    table[:, kinds == noise] = rng.random((len(quality), int((kinds == noise).sum())))
    constant = rng.random((int(query_of[-1]) + 1, int((kinds == of_query).sum())))
    table[:, kinds == of_query] = constant[query_of]
    return table.astype(np.float32)
