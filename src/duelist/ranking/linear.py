"""A ranker that orders documents by a weighted sum of their features, and its file."""

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
        How it was made, as values that JSON knows; kept in its file.

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
        """Check the weights."""
        try:
            weights = np.array(self.weights, np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"weights must be numbers, one for each feature: {error}.") from error
        if weights.ndim != 1 or len(weights) == 0:
            raise ParameterError(f"weights must be a list, one number a feature; got shape {weights.shape}.")
        for feature in np.flatnonzero(~np.isfinite(weights))[:1]:
            found = f"{weights[feature]} for feature {feature}, counted from 0"
            raise ParameterError(f"weights must be finite; got {found}.")
        weights.setflags(write=False)
        vars(self).update(weights=weights, made=dict(self.made))

    @property
    def d(self) -> int:
        """The number of features."""
        return len(self.weights)

    def score(self, documents: RankingData | ArrayLike) -> FloatArray:
        """Return a score for every document, from its features in single precision."""
        given = documents.features if isinstance(documents, RankingData) else documents
        features = np.ascontiguousarray(given, np.float32)
        if features.ndim != 2 or features.shape[1] != self.d:
            found = features.shape[1] if features.ndim == 2 else f"the shape {features.shape}"
            fault = f"the ranker has weights for {counted(self.d, 'feature')}, but the documents have {found}"
            raise ParameterError(f"{fault}; give a table of documents with the same features.")
        scores = np.empty(len(features))
        score_documents(features, 0, self.weights, scores)
        return scores

    def rank(self, features: ArrayLike) -> IntArray:
        """Return the rows of one query's documents, best first; of equal scores the earlier comes first."""
        scores = self.score(features)
        ranking = np.empty(len(scores), np.int64)
        rank_top(scores, ranking)
        return ranking

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the ranker as JSON, which reads back to the last bit."""
        content = {"format": FORMAT, "version": VERSION, "d": self.d, "made": self.made}
        content["weights"] = self.weights.tolist()
        try:
            text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"made must hold words and finite numbers for JSON: {error}.") from error
        return write_whole(path, f"{text}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "LinearRanker":
        """Return the ranker of a file."""
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
            raise FileError(f'{path} is damaged: its "made" does not say how the ranker was made.')
        return cls(np.array(weights, np.float64), made)
