"""Policies based on a model that predicts the costs of actions, or the winner of every pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, TypeAlias

import numpy as np

from duelist.constraints import Range, check_fields
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.policies.models import FittedModel, LinearModel
from duelist.policies.plain import Plain
from duelist.policies.trees import TreeModel

BLOCK = 1 << 14  # rows predicted at once
Model: TypeAlias = FittedModel | LinearModel | TreeModel  # predicts some numbers for every context


@dataclass(frozen=True, eq=False)
class CheapestPolicy:
    """Choose the action with the lowest predicted cost; ties go to the first action.

    Parameters
    ----------
    model : LinearModel, TreeModel or FittedModel
        Predicts one cost per action.

    Examples
    --------
    >>> policy = CheapestPolicy(LinearModel([[1.0], [0.0]], [0.0, 0.5]))
    >>> policy.act(np.array([[0.4], [0.5], [0.6]]))
    array([0, 0, 1])
    """

    model: Model

    def act(self, contexts: FloatArray) -> IntArray:
        """Return the action for each row of contexts.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.

        Returns
        -------
        array of int, shape (n,)
            The numbers of the actions.
        """
        actions = np.empty(len(contexts), np.int64)
        for start in range(0, len(contexts), BLOCK):
            rows = slice(start, start + BLOCK)
            actions[rows] = self.model.values(contexts[rows]).argmin(axis=1)
        return actions

    @property
    def needs(self) -> tuple[int, int]:
        return self.model.outputs, self.model.d

    def plain(self) -> Plain:
        return {"kind": "cheapest", "model": self.model.plain()}

    def lines(self, actions: Sequence[str], columns: Sequence[str]) -> list[str]:
        names = [f"cost of {action}" for action in actions]
        return ["lowest predicted cost:", *self.model.lines(names, columns)]


@dataclass(frozen=True, eq=False)
class VotingPolicy:
    """Choose the action that wins the most pairs; ties go to the first action.

    Parameters
    ----------
    model : LinearModel, TreeModel or FittedPairs
        Predicts two numbers for each pair (a, b) with a < b, in the order (0, 1), (0, 2), ...; action b wins
        if the second number is greater, otherwise action a wins.
    k : int
        The number of actions.

    Examples
    --------
    >>> policy = VotingPolicy(LinearModel([[0.0], [1.0]], [0.5, 0.0]), k=2)
    >>> policy.act(np.array([[0.4], [0.5], [0.6]]))
    array([0, 0, 1])
    """

    model: Model
    k: Annotated[int, Range(least=2)]

    def __post_init__(self) -> None:
        check_fields(self)
        if self.model.outputs != self.k * (self.k - 1):
            raise ParameterError(
                f"model must predict {self.k * (self.k - 1)} numbers, two for each pair of {self.k} actions; "
                f"got a model that predicts {self.model.outputs}."
            )

    def act(self, contexts: FloatArray) -> IntArray:
        """Return the action for each row of contexts.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.

        Returns
        -------
        array of int, shape (n,)
            The numbers of the actions.
        """
        actions = np.empty(len(contexts), np.int64)
        for start in range(0, len(contexts), BLOCK):
            rows = slice(start, start + BLOCK)
            count_votes(self.model.values(contexts[rows]), self.k, actions[rows])
        return actions

    @property
    def needs(self) -> tuple[int, int]:
        return self.k, self.model.d

    def plain(self) -> Plain:
        return {"kind": "voting", "k": self.k, "model": self.model.plain()}

    def lines(self, actions: Sequence[str], columns: Sequence[str]) -> list[str]:
        pairs = combinations(actions[: self.k], 2)
        names = [name for a, b in pairs for name in (f"{a} over {b}", f"{b} over {a}")]
        return ["most pairs won, where the greater number wins a pair:", *self.model.lines(names, columns)]


@compiled
def count_votes(values: FloatArray, k: int, chosen: IntArray) -> None:
    votes = np.empty(k, np.int64)
    for row in range(len(values)):
        votes[:] = 0
        column = 0
        for first in range(k):
            for second in range(first + 1, k):
                votes[second if values[row, column + 1] > values[row, column] else first] += 1
                column += 2
        chosen[row] = votes.argmax()
