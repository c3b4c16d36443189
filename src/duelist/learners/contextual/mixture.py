"""A distribution over policies: what contextual learners return, a von Neumann winner at best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.errors import ParameterError
from duelist.learners.contextual.policies import Policy
from duelist.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PolicyMixture:
    """Policies and how often each is followed: a policy is drawn anew for every context.

    Parameters
    ----------
    policies : sequence of Policy
        Those that are followed at all.
    weights : array
        The chance of each; they add up to 1.
    actions : sequence of str
        The actions' names.
    columns : sequence of str
        What the numbers of a context are called.
    made : mapping, optional
        How it was made, in words and numbers that JSON knows; kept in its file.

    Examples
    --------
    >>> from duelist.learners.contextual.policies import TablePolicy
    >>> mixture = PolicyMixture([TablePolicy([0, 1]), TablePolicy([2, 1])], [0.25, 0.75], "abc", ["place"])
    >>> mixture.chances([[0.0], [1.0]])
    array([[0.25, 0.  , 0.75],
           [0.  , 1.  , 0.  ]])
    >>> mixture.sample([1.0], np.random.default_rng(0))
    'b'
    """

    policies: Sequence[Policy]
    weights: FloatArray
    actions: Sequence[str]
    columns: Sequence[str]
    made: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no distribution."""
        weights = np.array(self.weights, np.float64)
        if weights.shape != (len(self.policies),) or len(weights) == 0:
            raise ParameterError(
                f"weights must be a number for each of {len(self.policies)} policies; got {weights}."
            )
        if not np.isfinite(weights).all() or weights.min() < 0.0 or abs(weights.sum() - 1.0) > 1e-6:
            raise ParameterError(f"weights must not be negative and add up to 1; got {weights}.")
        weights /= weights.sum()
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "policies", tuple(self.policies))
        object.__setattr__(self, "actions", tuple(self.actions))
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "made", dict(self.made))

    def __repr__(self) -> str:
        """Describe the mixture in a line."""
        return f"{type(self).__name__}({len(self.policies)} policies over {len(self.actions)} actions)"

    def chances(self, contexts: ArrayLike) -> FloatArray:
        """Return the chance of every action, a row for each row of contexts."""
        table = self._contexts(contexts)
        chances = np.zeros((len(table), len(self.actions)))
        rows = np.arange(len(table))
        for policy, weight in zip(self.policies, self.weights, strict=True):
            chances[rows, policy.act(table)] += weight
        return chances

    def draw(self, contexts: ArrayLike, rng: Generator) -> IntArray:
        """Return an action, by number, for each row of contexts."""
        table = self._contexts(contexts)
        chosen = rng.choice(len(self.policies), size=len(table), p=self.weights)
        actions = np.empty(len(table), np.int64)
        for policy in np.unique(chosen):
            rows = chosen == policy
            actions[rows] = self.policies[policy].act(table[rows])
        return actions

    def sample(self, context: ArrayLike, rng: Generator) -> str:
        """Return an action, by name, in one context."""
        return self.actions[int(self.draw(np.atleast_2d(np.asarray(context, np.float64)), rng)[0])]

    def _contexts(self, contexts: ArrayLike) -> FloatArray:
        table = np.ascontiguousarray(contexts, np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.columns):
            raise ParameterError(
                f"contexts must have the {len(self.columns)} columns {', '.join(self.columns)}; got shape "
                f"{table.shape}."
            )
        return table
