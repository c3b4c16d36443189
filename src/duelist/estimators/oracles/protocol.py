"""Oracles: given what each action costs in each context, they find a policy of little total cost."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from duelist.duel import FloatArray
from duelist.protocols import Policy


@runtime_checkable
class Oracle(Protocol):
    """What the learners of contextual duels need; bring your own with this one method."""

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return a policy that minimises the sum of `costs[i, policy(contexts[i])]`, as nearly as it can."""


@dataclass(eq=False)
class CountedOracle:
    """An oracle that counts how often it is asked.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.policies.finite import FinitePolicies
    >>> counted = CountedOracle(FinitePolicies([[0], [1]]).oracle())
    >>> counted.cheapest(np.array([[0.0]]), np.array([[1.0, 0.5]])).act(np.array([[0.0]]))
    array([1])
    >>> counted.calls
    1
    """

    oracle: Oracle
    calls: int = 0

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Ask the oracle, and count it."""
        self.calls += 1
        return self.oracle.cheapest(contexts, costs)
