"""Fitted models that are not plain arrays: they predict by themselves and cannot be saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError

KEPT = (
    "tables of actions, and models of scikit-learn that are linear, decision trees, random forests, extra "
    "trees or gradient boosting"
)
"""What a file can keep."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Costs that fitted regressors predict: one of them for all actions, or one for each.

    Examples
    --------
    >>> class Flat:
    ...     def predict(self, contexts):
    ...         return np.full(len(contexts), 2.0)
    >>> FittedModel([Flat(), Flat()], outputs=2, d=1).values(np.array([[0.0]]))
    array([[2., 2.]])
    """

    models: Sequence[Any]
    outputs: int
    d: int

    @property
    def kind(self) -> str:
        """What was fitted."""
        return next(type(model).__name__ for model in self.models if not isinstance(model, bool))

    def values(self, contexts: FloatArray) -> FloatArray:
        """Return its predictions, a row for each row of contexts."""
        columns = [np.asarray(model.predict(contexts), np.float64) for model in self.models]
        return columns[0].reshape(-1, self.outputs) if len(columns) == 1 else np.column_stack(columns)

    def plain(self) -> NoReturn:
        """Refuse: only the model itself knows how it predicts."""
        raise ParameterError(
            f"a fitted {self.kind} cannot be saved; a file keeps {KEPT}. Use one of these in the oracle."
        )

    def lines(self, names: Sequence[str], columns: Sequence[str]) -> list[str]:
        """Return what models there are."""
        return [f"predicted by {len(self.models)} fitted {self.kind}"]


@dataclass(frozen=True, eq=False)
class FittedPairs(FittedModel):
    """Winners of pairs that fitted classifiers predict: 1 where the second wins; a bool decides a pair.

    Examples
    --------
    >>> FittedPairs([True], outputs=2, d=1).values(np.array([[0.0]]))
    array([[0., 1.]])
    """

    def values(self, contexts: FloatArray) -> FloatArray:
        """Return 0 and 1 for each pair that the second wins, 1 and 0 otherwise."""
        values = np.empty((len(contexts), self.outputs))
        for pair, model in enumerate(self.models):
            wins = model if isinstance(model, bool) else np.asarray(model.predict(contexts)) == 1
            values[:, 2 * pair + 1] = wins
            values[:, 2 * pair] = 1.0 - values[:, 2 * pair + 1]
        return values
