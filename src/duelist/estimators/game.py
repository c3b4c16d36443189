"""The compact game of a log: two policies play each other on every logged duel (Dudik et al., COLT 2015).

An oracle finds a policy with a low total cost, given the cost of each action in each context.
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
    """The protocol of cost-sensitive classifiers that contextual estimators use: a single method.

    `RegressionOracle`, `AllPairsOracle` and `FinitePolicies.oracle()` implement it.

    Examples
    --------
    >>> from duelist.policies.finite import FinitePolicies
    >>> isinstance(FinitePolicies([[0], [1]]).oracle(), Oracle)
    True
    """

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return a policy that approximately minimises the sum of `costs[i, policy(contexts[i])]`.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.
        costs : array of shape (n, k)
            The cost of each action in each context.

        Returns
        -------
        Policy
            A policy with a low total cost.
        """


@dataclass(eq=False)
class CountedOracle:
    """An oracle that counts its calls.

    Parameters
    ----------
    oracle : Oracle
        The oracle to call.
    calls : int, default 0
        The number of calls so far.

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
    """Add the cost of every action against these actions of a rival."""
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
    """The gains of policies against each other, estimated from a log of randomised duels in linear time.

    The estimate of the preferences in duel i has two entries: `stakes[i]` for left against right, and its
    negative for right against left. A policy is represented by the vector of `1{policy(x_i) = a} / sqrt(m)`
    over all duels i and actions a; a mixture has probabilities instead. The matrix of the game, whose
    diagonal blocks are the estimates, is never computed. Vectors are stored as tables with one row per duel,
    without the factor `1 / sqrt(m)`.

    Parameters
    ----------
    log : DuelLog
        Randomised duels with their propensities; at least one.

    Attributes
    ----------
    stakes : array of shape (duels,)
        `r / (2 p)`, where r is 1 if left won and -1 if right won, and p is the pair's propensity; 0 if an
        action met itself.

    Notes
    -----
    Deviation from the paper, whose estimate is `r / p` in a single entry: the skew-symmetric estimate is also
    unbiased, provided that both orders of a pair have positive propensities, and has half the variance. It
    makes the game symmetric, with value 0, so the gain of a best response is the distance of a mixture from
    the log's von Neumann winner.

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
            raise ParameterError("log must have at least one duel; got 0 duels.")
        stakes = np.where(log.left == log.right, 0.0, log.signs / (2.0 * log.propensities))
        vars(self).update(contexts=log.contexts, left=log.left, right=log.right, stakes=stakes, k=log.k)

    def __len__(self) -> int:
        return len(self.stakes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self), 'duel')}, {self.k} actions)"

    def blank(self) -> FloatArray:
        """Return a table of zeros.

        Returns
        -------
        array of shape (duels, k)
            One row per duel, one column per action.
        """
        return np.zeros((len(self), self.k))

    def value(self, actions: IntArray, rivals: IntArray) -> float:
        """Return the mean gain of one policy against another.

        Parameters
        ----------
        actions, rivals : arrays of int, shape (duels,)
            The actions of the two policies in every duel.

        Returns
        -------
        float
            The estimate of P(actions, rivals), from -1 to 1 in expectation.
        """
        gains = (actions == self.left) & (rivals == self.right)
        losses = (actions == self.right) & (rivals == self.left)
        return float(self.stakes @ (gains.astype(np.float64) - losses)) / len(self)

    def charge(self, rivals: IntArray, costs: FloatArray) -> None:
        """Add the costs of all actions against a policy to a table.

        Parameters
        ----------
        rivals : array of int, shape (duels,)
            The actions of the policy in every duel.
        costs : array of shape (duels, k)
            The table to change.
        """
        charge(self.left, self.right, self.stakes, rivals, costs)

    def costs(self, chances: FloatArray) -> FloatArray:
        """Return the costs of all actions against a mixture of policies.

        Parameters
        ----------
        chances : array of shape (duels, k)
            The probability with which the mixture chooses each action in every duel.

        Returns
        -------
        array of shape (duels, k)
            The costs.
        """
        costs, rows = self.blank(), np.arange(len(self))
        costs[rows, self.left] -= self.stakes * chances[rows, self.right]
        costs[rows, self.right] += self.stakes * chances[rows, self.left]
        return costs

    def ask(self, oracle: Oracle, costs: FloatArray) -> tuple[Policy, IntArray]:
        """Ask an oracle for the cheapest policy.

        Parameters
        ----------
        oracle : Oracle
            The oracle.
        costs : array of shape (duels, k)
            The costs of all actions in every duel.

        Returns
        -------
        policy : Policy
            The oracle's policy.
        actions : array of int, shape (duels,)
            Its actions in every duel.
        """
        policy = oracle.cheapest(self.contexts, costs)
        return policy, self.actions(policy)

    def actions(self, policy: Policy) -> IntArray:
        """Return the actions of a policy in every duel.

        Parameters
        ----------
        policy : Policy
            The policy.

        Returns
        -------
        array of int, shape (duels,)
            The actions.

        Raises
        ------
        ParameterError
            If the policy returns anything but one action per context.
        """
        given: Any = policy.act(self.contexts)
        actions = np.ascontiguousarray(given, np.int64)
        if actions.shape != (len(self),) or actions.min() < 0 or actions.max() >= self.k:
            raise ParameterError(
                f"act must return an action from 0 to {self.k - 1} for each of "
                f"{counted(len(self), 'context')}; {type(policy).__name__} returned {given!r}."
            )
        return actions

    def gap(self, oracle: Oracle, chances: FloatArray, known: Iterable[Policy] = ()) -> float:
        """Return the mean gain of the best response to a mixture, which is the mixture's error on the log.

        The best response is the oracle's policy or, if that is better, one of the known policies.

        Parameters
        ----------
        oracle : Oracle
            The oracle.
        chances : array of shape (duels, k)
            The probability with which the mixture chooses each action in every duel.
        known : iterable of Policy, optional
            Other candidates for the best response.

        Returns
        -------
        float
            The gain, which is never negative.
        """
        costs = self.costs(chances)
        replies = (oracle.cheapest(self.contexts, costs), *known)
        return max(0.0, *(-total(costs, self.actions(reply)) / len(self) for reply in replies))

    def reach(self, oracle: Oracle, power: int) -> float:
        """Return the largest mean of `|stakes| ** power` over the duels that match a policy.

        A duel matches a policy that chooses its left or its right action. The oracle finds the policy with
        the largest mean.

        Parameters
        ----------
        oracle : Oracle
            The oracle.
        power : int
            The exponent.

        Returns
        -------
        float
            The mean over all duels, where duels that do not match count as 0.
        """
        costs = self.blank()
        rows = np.arange(len(self))
        costs[rows, self.left] = costs[rows, self.right] = -(np.abs(self.stakes) ** power)
        _, actions = self.ask(oracle, costs)
        return -total(costs, actions) / len(self)


@dataclass(eq=False)
class SeenPolicies:
    """The distinct policies that an oracle has returned; policies that act alike on the log are equal."""

    policies: list[Policy] = field(default_factory=list)
    numbers: dict[bytes, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.policies)

    def number_of(self, policy: Policy, actions: IntArray) -> int:
        """Return the number of the policy with these actions on the log; a new one gets the next number."""
        fingerprint = blake2b(actions.data, digest_size=32).digest()
        number = self.numbers.setdefault(fingerprint, len(self.policies))
        if number == len(self.policies):
            self.policies.append(policy)
        return number

    def mixture(self, weights: FloatArray, log: DuelLog, made: Mapping[str, Any]) -> PolicyMixture:
        """Return the mixture of these policies with positive weights."""
        used = np.flatnonzero(weights > 0.0)
        chosen = [self.policies[number] for number in used]
        return PolicyMixture(chosen, weights[used] / weights[used].sum(), log.actions, log.columns, made)
