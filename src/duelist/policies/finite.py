"""Policies over finitely many contexts, and finite classes of them, as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError

MOST_ACTIONS = 100_000  # the largest number of actions that a learner supports


@dataclass(frozen=True, eq=False)
class TablePolicy:
    """A policy over a finite set of contexts, whose numbers are in the first column of contexts.

    Parameters
    ----------
    actions : array of int
        The number of the action in each context.

    Examples
    --------
    >>> TablePolicy([2, 0]).act(np.array([[1.0], [0.0], [1.0]]))
    array([0, 2, 0])
    """

    actions: IntArray

    def __post_init__(self) -> None:
        actions = np.ascontiguousarray(self.actions, np.int64)
        if actions.ndim != 1 or len(actions) == 0 or actions.min() < 0:
            raise ParameterError(
                f"actions must be a list of whole numbers, 0 or more, one per context; got {self.actions!r}."
            )
        object.__setattr__(self, "actions", actions)

    def act(self, contexts: FloatArray) -> IntArray:
        """Return the action for each row of contexts.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row; the first column is its number.

        Returns
        -------
        array of int, shape (n,)
            The numbers of the actions.
        """
        return np.asarray(self.actions[context_numbers(contexts, len(self.actions))])

    @property
    def needs(self) -> tuple[int, int]:
        """The smallest numbers of actions and of context columns with which the policy works."""
        return int(self.actions.max()) + 1, 1

    def plain(self) -> dict[str, Any]:
        """Return the table in a form for files."""
        return {"kind": "table", "actions": self.actions}

    def lines(self, actions: Sequence[str], columns: Sequence[str]) -> list[str]:
        """Describe the policy: the contexts in which each action is chosen."""
        return [
            f"{actions[action]} where {columns[0]} is "
            f"{', '.join(map(str, np.flatnonzero(self.actions == action)))}"
            for action in np.unique(self.actions)
        ]


@dataclass(frozen=True, eq=False, init=False)
class FinitePolicies:
    """A finite class of policies over a finite set of contexts.

    Parameters
    ----------
    actions : array of shape (policies, contexts)
        `actions[policy, context]` is the number of an action.

    Examples
    --------
    >>> policies = FinitePolicies([[0, 0], [1, 1], [0, 1]])
    >>> len(policies), policies[2].act(np.array([[1.0]]))
    (3, array([1]))
    """

    actions: IntArray

    def __init__(self, actions: ArrayLike) -> None:
        try:
            table = np.ascontiguousarray(actions, np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"actions must be a table of whole numbers: {error}.") from error
        if table.ndim != 2 or table.size == 0 or table.min() < 0:
            raise ParameterError(
                "actions must be a table of whole numbers, 0 or more, with one row per policy and one column "
                f"per context; got shape {table.shape}."
            )
        object.__setattr__(self, "actions", table)

    def __len__(self) -> int:
        return len(self.actions)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> IntArray:
        """Return the table as an array."""
        return np.array(self.actions, dtype, copy=copy)

    def __getitem__(self, policy: int) -> TablePolicy:
        return TablePolicy(self.actions[policy])

    def __iter__(self) -> Iterator[TablePolicy]:
        return (self[policy] for policy in range(len(self)))

    @property
    def contexts(self) -> int:
        """The number of contexts."""
        return int(self.actions.shape[1])

    def advice(self, context: FloatArray) -> IntArray:
        """Return every policy's action in one context.

        Parameters
        ----------
        context : array of shape (1,)
            The number of the context.

        Returns
        -------
        array of int, shape (policies,)
            The numbers of the actions.
        """
        [number] = context_numbers(np.atleast_2d(context), self.contexts)
        return np.ascontiguousarray(self.actions[:, number])

    def action_names(self, actions: int | Sequence[str] | None) -> tuple[str, ...]:
        """Return the names of the actions.

        Parameters
        ----------
        actions : int, sequence of str or None
            The number of actions, or their names; None for the number that the policies need, at least 2.

        Returns
        -------
        tuple of str
            The names, which are the numbers 0, 1, ... unless names are given.

        Raises
        ------
        ParameterError
            If there are fewer names than actions, or two names are equal.
        """
        least = max(int(self.actions.max()) + 1, 2)
        given = least if actions is None else actions
        many = max(least, given) if isinstance(given, int) else least
        if many > MOST_ACTIONS:
            raise ParameterError(f"actions must be at most {MOST_ACTIONS:,}; got {many:,}.")
        try:
            names = tuple(map(str, range(given) if isinstance(given, int) else given))
        except TypeError as error:
            raise ParameterError(f"actions must be a number or a list of names; got {actions!r}.") from error
        if len(names) < least or len(set(names)) < len(names):
            raise ParameterError(
                f"actions must be at least {least}, as many as the policies choose, with distinct names; got "
                f"{actions!r}."
            )
        return names

    def oracle(self) -> "ExactOracle":
        """Return the exact oracle of this class of policies.

        Returns
        -------
        ExactOracle
            An oracle that compares all policies.
        """
        return ExactOracle(self)


@dataclass(frozen=True, eq=False)
class ExactOracle:
    """Find the cheapest policy of a finite class by comparing all of them.

    Parameters
    ----------
    policies : FinitePolicies
        The class of policies.

    Examples
    --------
    >>> policies = FinitePolicies([[0, 0], [1, 1], [0, 1]])
    >>> contexts, costs = np.array([[0.0], [1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> policies.oracle().cheapest(contexts, costs).actions
    array([0, 1])
    """

    policies: FinitePolicies

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> TablePolicy:
        """Return the policy with the lowest total cost; ties go to the first.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row; the first column is its number.
        costs : array of shape (n, k)
            The cost of each action in each context.

        Returns
        -------
        TablePolicy
            The cheapest policy.
        """
        many = self.policies.contexts
        numbers = context_numbers(contexts, many)
        totals = np.stack([np.bincount(numbers, column, many) for column in costs.T], axis=1)
        every = np.arange(many)
        return self.policies[int(totals[every, self.policies.actions].sum(axis=1).argmin())]


def context_numbers(contexts: FloatArray, many: int) -> IntArray:
    """Return the checked numbers of contexts, which are in their first column."""
    column = np.asarray(contexts)[:, 0]
    wrong = ~((column >= 0) & (column < many) & (column == np.floor(column)))
    if wrong.any():
        raise ParameterError(
            f"contexts must have whole numbers from 0 to {many - 1} in their first column; got "
            f"{column[wrong][0]}."
        )
    return column.astype(np.int64)
