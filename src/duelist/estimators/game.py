"""The compact game of a log: two policies meet on every logged duel (Dudik et al., COLT 2015).

An oracle, given what each action costs in each context, finds a policy of little total cost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol, runtime_checkable

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.logs import DuelLog
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import counted


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
        self.calls += 1
        return self.oracle.cheapest(contexts, costs)


@compiled
def charge(left: IntArray, right: IntArray, stakes: FloatArray, rivals: IntArray, costs: FloatArray) -> None:
    """Add what every action costs against these actions of a rival."""
    for i in range(len(stakes)):
        if rivals[i] == right[i]:
            costs[i, left[i]] -= stakes[i]
        if rivals[i] == left[i]:
            costs[i, right[i]] += stakes[i]


@compiled
def total(costs: FloatArray, actions: IntArray) -> float:
    paid = 0.0
    for i in range(len(actions)):
        paid += costs[i, actions[i]]
    return paid


@dataclass(frozen=True, eq=False, init=False, repr=False)
class CompactGame:
    """What policies gain against each other on a log of randomised duels, in time linear in its length.

    The estimate of the preferences in duel i has two entries: `stakes[i]` for left against right, and its
    negation for right against left. A policy is the vector of `1{policy(x_i) = a} / sqrt(m)` over all duels i
    and actions a, a mixture the same with chances instead. The game's matrix, with the estimates as blocks on
    its diagonal, is never made, and vectors are tables of a row for each duel, without the root of m.

    Attributes
    ----------
    stakes : array of shape (duels,)
        `r / (2 p)`, where r is 1 if left won and -1 if right won, and p is the pair's propensity; 0 for an
        action that met itself.

    Notes
    -----
    Deviation from the paper, whose estimate is `r / p` in one entry: the skew-symmetric one is unbiased too,
    where both orders of a pair have a positive propensity, with half of the variance. It makes the game
    symmetric, of value 0: a best response's gain is how far a mixture is from the log's von Neumann winner.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. "A more
    compact version of the problem".

    Examples
    --------
    >>> game = CompactGame(DuelLog([[0.0], [1.0]], [0, 1], [1, 2], [1.0, 0.0], [1 / 9, 1 / 9], actions=3))
    >>> game.stakes
    array([ 4.5, -4.5])
    >>> game.value(np.array([0, 1]), np.array([1, 1]))
    2.25
    """

    contexts: FloatArray
    left: IntArray
    right: IntArray
    stakes: FloatArray
    k: int

    def __init__(self, log: DuelLog) -> None:
        if len(log) == 0:
            raise ParameterError("log must have at least one duel; it has none.")
        stakes = np.where(log.left == log.right, 0.0, log.signs / (2.0 * log.propensities))
        vars(self).update(contexts=log.contexts, left=log.left, right=log.right, stakes=stakes, k=log.k)

    def __len__(self) -> int:
        return len(self.stakes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self), 'duel')}, {self.k} actions)"

    def blank(self) -> FloatArray:
        """Return a table of zeros, a row for each duel and a column for each action."""
        return np.zeros((len(self), self.k))

    def value(self, actions: IntArray, rivals: IntArray) -> float:
        """Return what a policy gains against another on the average, given what both do in every duel."""
        gains = (actions == self.left) & (rivals == self.right)
        losses = (actions == self.right) & (rivals == self.left)
        return float(self.stakes @ (gains.astype(np.float64) - losses)) / len(self)

    def charge(self, rivals: IntArray, costs: FloatArray) -> None:
        """Add to a table what every action costs, in every duel, against a policy that does `rivals`."""
        charge(self.left, self.right, self.stakes, rivals, costs)

    def costs(self, chances: FloatArray) -> FloatArray:
        """Return what every action costs, in every duel, against a mixture with these chances of actions."""
        costs, rows = self.blank(), np.arange(len(self))
        costs[rows, self.left] -= self.stakes * chances[rows, self.right]
        costs[rows, self.right] += self.stakes * chances[rows, self.left]
        return costs

    def ask(self, oracle: Oracle, costs: FloatArray) -> tuple[Policy, IntArray]:
        """Return the oracle's policy for a table of costs, and what it does in every duel."""
        policy = oracle.cheapest(self.contexts, costs)
        return policy, self.actions(policy)

    def actions(self, policy: Policy) -> IntArray:
        """Return the checked actions of a policy in every duel."""
        given: Any = policy.act(self.contexts)
        actions = np.ascontiguousarray(given, np.int64)
        if actions.shape != (len(self),) or actions.min() < 0 or actions.max() >= self.k:
            raise ParameterError(
                f"act must return an action from 0 to {self.k - 1} for each of "
                f"{counted(len(self), 'context')}; {type(policy).__name__} returned {given!r}."
            )
        return actions

    def gap(self, oracle: Oracle, chances: FloatArray, known: Iterable[Policy] = ()) -> float:
        """Return how much a best response gains, on the average, against a mixture: its error on the log.

        It is the oracle's or, should that miss it, one of the known policies; a gain is never negative.
        """
        costs = self.costs(chances)
        replies = (oracle.cheapest(self.contexts, costs), *known)
        return max(0.0, *(-total(costs, self.actions(reply)) / len(self) for reply in replies))

    def reach(self, oracle: Oracle, power: int) -> float:
        """Return the mean of `|stakes| ** power` over the duels in which a policy can be met, at most.

        A policy is met where it does what is left or right; which one most is a question to the oracle.
        """
        costs = self.blank()
        rows = np.arange(len(self))
        costs[rows, self.left] = costs[rows, self.right] = -(np.abs(self.stakes) ** power)
        _, actions = self.ask(oracle, costs)
        return -total(costs, actions) / len(self)


@dataclass(eq=False)
class SeenPolicies:
    """The policies an oracle has returned, in the order they were first seen; equal on the log is equal."""

    policies: list[Policy] = field(default_factory=list)
    places: dict[bytes, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.policies)

    def place(self, policy: Policy, actions: IntArray) -> int:
        """Return the number of a policy that does these actions on the log; a new one gets the next."""
        fingerprint = blake2b(actions.data, digest_size=32).digest()
        place = self.places.setdefault(fingerprint, len(self.policies))
        if place == len(self.policies):
            self.policies.append(policy)
        return place

    def mixture(self, weights: FloatArray, log: DuelLog, made: Mapping[str, Any]) -> PolicyMixture:
        """Return the mixture with these weights of the policies, without those that have none."""
        used = np.flatnonzero(weights > 0.0)
        chosen = [self.policies[place] for place in used]
        return PolicyMixture(chosen, weights[used] / weights[used].sum(), log.actions, log.columns, made)
