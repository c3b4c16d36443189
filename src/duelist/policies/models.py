"""Models that policies follow: linear models as plain arrays, and fitted models of other packages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.policies.plain import Plain, finite_numbers
from duelist.text import counted

KEPT = (  # the policies that a file can hold
    "tables of actions, and models of scikit-learn that are linear, decision trees, random forests, extra "
    "trees or gradient boosting"
)


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel:
    """Weighted sums of the columns of a context.

    The predictions for a context do not depend, to the last bit, on the other contexts of a batch.
    """

    weights: FloatArray  # one row per output
    offsets: FloatArray  # one per output

    def __post_init__(self) -> None:
        weights, offsets = finite_numbers("weights", self.weights, 2), finite_numbers("offsets", self.offsets)
        if not 0 < len(weights) == len(offsets):
            raise ParameterError(
                f"weights and offsets must have the same length, at least 1; got {len(weights)} and "
                f"{len(offsets)}."
            )
        vars(self).update(weights=weights, offsets=offsets)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(self.outputs, 'sum')} of {counted(self.d, 'column')})"

    @property
    def outputs(self) -> int:
        return len(self.weights)

    @property
    def d(self) -> int:
        return int(self.weights.shape[1])

    def values(self, contexts: FloatArray) -> FloatArray:
        values = np.empty((len(contexts), self.outputs))
        add_up(self.weights, self.offsets, np.ascontiguousarray(contexts, np.float64), values)
        return values

    def plain(self) -> Plain:
        return {"kind": "linear", "weights": self.weights, "offsets": self.offsets}

    @classmethod
    def from_plain(cls, content: dict[str, Any]) -> "LinearModel":
        return cls(content["weights"], content["offsets"])

    def lines(self, names: Sequence[str], columns: Sequence[str]) -> list[str]:
        lines = []
        for name, offset, weights in zip(names, self.offsets, self.weights, strict=True):
            terms = [f"{name} = {offset:.4g}"]
            for weight, column in zip(weights, columns, strict=True):
                if weight:
                    terms.append(f"{'-' if weight < 0 else '+'} {abs(weight):.4g} {column}")
            lines.append(" ".join(terms))
        return lines


@compiled
def add_up(weights: FloatArray, offsets: FloatArray, contexts: FloatArray, values: FloatArray) -> None:
    for row in range(len(contexts)):
        for output in range(len(weights)):
            total = 0.0
            for column in range(contexts.shape[1]):
                total += weights[output, column] * contexts[row, column]
            values[row, output] = total + offsets[output]


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Costs predicted by fitted regressors: one for all actions, or one per action."""

    models: Sequence[Any]
    outputs: int
    d: int

    @property
    def kind(self) -> str:
        return next(type(model).__name__ for model in self.models if not isinstance(model, bool))

    def values(self, contexts: FloatArray) -> FloatArray:
        columns = [np.asarray(model.predict(contexts), np.float64) for model in self.models]
        return columns[0].reshape(-1, self.outputs) if len(columns) == 1 else np.column_stack(columns)

    def plain(self) -> NoReturn:
        raise ParameterError(
            f"a fitted {self.kind} cannot be saved; files can hold {KEPT}. Use one of these in the oracle."
        )

    def lines(self, names: Sequence[str], columns: Sequence[str]) -> list[str]:
        return [f"predicted by {len(self.models)} fitted {self.kind}"]


@dataclass(frozen=True, eq=False)
class FittedPairs(FittedModel):
    """Winners of pairs predicted by fitted classifiers: 1 if the second wins; a bool decides a pair."""

    def values(self, contexts: FloatArray) -> FloatArray:
        """Return two numbers per pair: 0 and 1 if the second action wins, otherwise 1 and 0."""
        values = np.empty((len(contexts), self.outputs))
        for pair, model in enumerate(self.models):
            wins = model if isinstance(model, bool) else np.asarray(model.predict(contexts)) == 1
            values[:, 2 * pair + 1] = wins
        values[:, ::2] = 1.0 - values[:, 1::2]
        return values
