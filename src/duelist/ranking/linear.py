"""Linear rankers: documents are ordered by a weighted sum of their features."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import FileError, ParameterError
from duelist.files import read_json, write_whole
from duelist.ranking.corpus import rank_top, score_documents
from duelist.ranking.dataset import RankingData
from duelist.text import counted

FORMAT, VERSION = "duelist linear ranker", 1


@dataclass(frozen=True, eq=False)
class LinearRanker:
    """A ranker that orders documents by a weighted sum of their features.

    Parameters
    ----------
    weights : array of shape (d,)
        A finite number for each feature.
    made : mapping, optional
        How it was made: JSON-compatible metadata that is stored in its file.

    Raises
    ------
    ParameterError
        If the weights are not a non-empty row of finite numbers.

    Examples
    --------
    >>> ranker = LinearRanker([1.0, -2.0], {"by": "hand"})
    >>> ranker.score([[0.5, 0.5], [0.1, 0.0]])
    array([-0.5,  0.1])
    >>> ranker.rank([[0.5, 0.5], [0.1, 0.0]])
    array([1, 0])
    """

    weights: FloatArray
    made: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            weights = np.array(self.weights, np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"weights must be numbers, one per feature: {error}.") from error
        if weights.ndim != 1 or len(weights) == 0:
            raise ParameterError(
                f"weights must be a row of numbers, one per feature; got shape {weights.shape}."
            )
        for feature in np.flatnonzero(~np.isfinite(weights))[:1]:
            raise ParameterError(f"weights[{feature}] is {weights[feature]}; give finite numbers.")
        weights.setflags(write=False)
        vars(self).update(weights=weights, made=dict(self.made))

    @property
    def d(self) -> int:
        """The number of features."""
        return len(self.weights)

    def score(self, documents: RankingData | ArrayLike) -> FloatArray:
        """Return the scores of documents; features are read in single precision.

        Parameters
        ----------
        documents : RankingData or array of shape (documents, d)
            The documents.

        Returns
        -------
        array of float
            A score for each document.

        Raises
        ------
        ParameterError
            If the number of features differs.

        Examples
        --------
        >>> LinearRanker([1.0, -2.0]).score([[0.5, 0.5]])
        array([-0.5])
        """
        given = documents.features if isinstance(documents, RankingData) else documents
        features = np.ascontiguousarray(given, np.float32)
        if features.ndim != 2 or features.shape[1] != self.d:
            found = features.shape[1] if features.ndim == 2 else f"shape {features.shape}"
            fault = f"the ranker has weights for {counted(self.d, 'feature')}, but documents has {found}"
            raise ParameterError(f"{fault}; give a table with one row per document and the same features.")
        scores = np.empty(len(features))
        score_documents(features, 0, self.weights, scores)
        return scores

    def rank(self, features: ArrayLike) -> IntArray:
        """Return one query's documents, best first; if scores are equal, the earlier document comes first.

        Parameters
        ----------
        features : array of shape (documents, d)
            The documents of the query.

        Returns
        -------
        array of int
            The rows of the documents.

        Raises
        ------
        ParameterError
            If the number of features differs.

        Examples
        --------
        >>> LinearRanker([1.0]).rank([[0.1], [0.3], [0.2]])
        array([1, 2, 0])
        """
        scores = self.score(features)
        ranking = np.empty(len(scores), np.int64)
        rank_top(scores, ranking)
        return ranking

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the ranker to a JSON file that `load` reads back exactly.

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
            If `made` is not JSON-compatible.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearRanker.load(LinearRanker([1.0, -2.0]).save(Path(folder) / "ranker.json")).weights
        array([ 1., -2.])
        """
        content = {"format": FORMAT, "version": VERSION, "d": self.d, "made": self.made}
        content["weights"] = self.weights.tolist()
        try:
            text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"made must be JSON-compatible, with finite numbers: {error}.") from error
        return write_whole(path, f"{text}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "LinearRanker":
        """Read a ranker from a file by `save`.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        LinearRanker
            The ranker.

        Raises
        ------
        FileError
            If the file cannot be read, has another format or version, or is damaged.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LinearRanker.load(LinearRanker([1.0], {"by": "hand"}).save(Path(folder) / "ranker.json")).made
        {'by': 'hand'}
        """
        content = read_json(path, "linear ranker", FORMAT, VERSION)
        weights, made = content.get("weights"), content.get("made")
        if not isinstance(weights, list) or not all(
            type(weight) in (int, float) and abs(weight) <= float_info.max for weight in weights
        ):
            raise FileError(f'{path} is damaged: its "weights" are not a list of finite numbers.')
        if content.get("d") != len(weights) or not weights:
            found = counted(len(weights), "weight")
            raise FileError(f'{path} is damaged: its "d" is {content.get("d")!r}, but it has {found}.')
        if not isinstance(made, dict):
            raise FileError(f'{path} is damaged: its "made" is {made!r:.80}, not an object.')
        return cls(np.array(weights, np.float64), made)
