"""Contextual problems with finitely many contexts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, require_generator, require_whole
from duelist.logs import DuelLog
from duelist.menus import Actions
from duelist.preferences import as_labels, as_preferences, estimate
from duelist.problems.action_duels import as_distribution, as_matrices, draw_outcomes, draw_pairs, play_duel
from duelist.text import counted

COLUMN = "context"  # the log's column of context numbers


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FiniteContexts:
    """A finite set of contexts, each with its own preferences between the same actions.

    Parameters
    ----------
    preferences : array of shape (contexts, K, K)
        `preferences[c, a, b]` is the probability that action a beats action b in context c.
    chances : array of shape (contexts,), optional
        The probability of each context; uniform by default.
    order : sequence of int, optional
        A fixed sequence of contexts, repeated indefinitely, instead of `chances`: an adversary's choice, for
        example. The probability of a context is then its share of the sequence.
    actions : sequence of str, optional
        The actions' names; by default "0", "1" and so on.

    Raises
    ------
    PreferenceError
        If `preferences` is not a preference matrix for each context.
    ParameterError
        If `chances` and `order` are both given or invalid, or if the number of names is wrong.

    Examples
    --------
    >>> problem = FiniteContexts([[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]], chances=[0.75, 0.25])
    >>> problem
    FiniteContexts(2 contexts, 2 actions)
    >>> menu = problem.menu(np.random.default_rng(0))
    >>> menu.context, problem.preferences(menu.context)[0, 1].item()
    (array([0.]), 0.9)
    >>> problem.log(1000, np.random.default_rng(0))
    DuelLog(1,000 duels, 2 actions, 1 context column)

    The policy that picks the best action in each context, against one that always picks the first:

    >>> problem.policy_preferences([[0, 1], [0, 0]]).round(3)
    array([[0.5  , 0.575],
           [0.425, 0.5  ]])
    """

    matrices: FloatArray = field(repr=False)
    chances: FloatArray
    order: IntArray
    """The fixed sequence of contexts; empty if they are drawn at random."""
    actions: tuple[str, ...]

    in_kernels: ClassVar[tuple[str, ...]] = ("menu", "play", "preferences")

    def __init__(
        self,
        preferences: ArrayLike,
        chances: ArrayLike | None = None,
        order: ArrayLike | None = None,
        actions: Sequence[str] | None = None,
    ) -> None:
        matrices = as_matrices(preferences)
        many, k = matrices.shape[:2]
        if chances is not None and order is not None:
            raise ParameterError("chances and order cannot be combined; give only one of them.")
        sequence = as_order(order, many)
        if len(sequence):
            shares = np.bincount(sequence, minlength=many) / len(sequence)
        else:
            shares = as_distribution("chances", np.full(many, 1.0 / many) if chances is None else chances)
        names = as_labels(map(str, range(k)) if actions is None else actions)
        if len(shares) != many or len(names) != k:
            raise ParameterError(
                f"chances and actions must have {counted(many, 'chance')} and {counted(k, 'name')}; "
                f"got {counted(len(shares), 'chance')} and {counted(len(names), 'name')}."
            )
        for part in (matrices, shares, sequence):
            part.setflags(write=False)
        vars(self).update(matrices=matrices, chances=shares, order=sequence, actions=names)

    @classmethod
    def from_log(cls, log: DuelLog, prior: float = 0.0) -> Self:
        """Estimate each context's frequency and preferences from a log of duels.

        Contexts are whole numbers from 0, in the first column of the log. A pair that never met counts as
        a tie.

        Parameters
        ----------
        log : DuelLog
            The recorded duels.
        prior : float, default 0.0
            Pseudo-wins added to both sides of each pair; see `estimate`.

        Returns
        -------
        FiniteContexts
            The estimated problem, with the actions of the log.

        Raises
        ------
        ParameterError
            If the log is empty, or its first column has anything but whole numbers from 0.

        Examples
        --------
        >>> log = DuelLog([[0], [0], [0], [1]], [0, 1, 0, 0], [1, 0, 1, 1], [1, 0, 0, 0.5], [0.5] * 4, "ab")
        >>> FiniteContexts.from_log(log).matrices[:, 0, 1].round(3)
        array([0.667, 0.5  ])
        """
        if len(log) == 0 or log.d == 0:
            raise ParameterError(f"log must have duels and a context column; got {log}.")
        first = log.contexts[:, 0]
        numbers = first.astype(np.int64)
        if (numbers != first).any() or numbers.min() < 0:
            raise ParameterError(
                f"the contexts in column {log.columns[0]!r} must be whole numbers from 0; got {first.min()} "
                f"to {first.max()}. Number the contexts first."
            )
        wins = np.zeros((int(numbers.max()) + 1, log.k, log.k))
        np.add.at(wins, (numbers, log.left, log.right), log.outcomes)
        np.add.at(wins, (numbers, log.right, log.left), 1.0 - log.outcomes)
        matrices = [estimate(won, prior) for won in wins]
        return cls(matrices, np.bincount(numbers) / len(log), actions=log.actions)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(self.contexts, 'context')}, {self.k} actions)"

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def contexts(self) -> int:
        """The number of contexts."""
        return len(self.matrices)

    @property
    def cumulated(self) -> FloatArray:
        """The cumulative probabilities of the contexts."""
        sums = self.chances.cumsum()
        return np.asarray(sums / sums[-1])

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions and the context of the next round.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Draws the context; not needed if the problem has a fixed order.
        played : int, default 0
            The number of rounds played so far, which selects the context in a fixed order.

        Returns
        -------
        Actions
            The number of actions, and the context.

        Raises
        ------
        ParameterError
            If contexts are drawn at random and `rng` is missing.

        Examples
        --------
        >>> problem = FiniteContexts([[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]], order=[0, 1])
        >>> problem.menu(played=3).context
        array([1.])
        """
        if len(self.order):
            number = int(self.order[played % len(self.order)])
        elif rng is None:
            raise ParameterError("rng is missing; contexts are drawn at random, so give menu a generator.")
        else:
            require_generator(rng)
            number = int(np.searchsorted(self.cumulated, rng.random(), side="right"))
        return Actions(self.k, np.array([float(number)]))

    def play(self, duel: Duel, rng: Generator) -> float:
        """Draw the outcome of a duel in its context.

        Parameters
        ----------
        duel : Duel
            Two actions and a context.
        rng : numpy.random.Generator
            Draws the outcome.

        Returns
        -------
        float
            1 if the left action wins, 0 if the right one does; 0.5 if an action meets itself.

        Raises
        ------
        OutcomeError
            If a side is not an action, or the context is unknown.

        Examples
        --------
        >>> problem = FiniteContexts([[[0.5, 1.0], [0.0, 0.5]]])
        >>> problem.play(Duel(0, 1, context=[0]), np.random.default_rng(0))
        1.0
        """
        return play_duel(self.preferences(duel.context), duel, rng)

    def preferences(self, context: ArrayLike) -> FloatArray:
        """Return the preference matrix of a context.

        Parameters
        ----------
        context : array
            The context's number, in a row.

        Returns
        -------
        array of shape (K, K)
            The win probabilities of row against column.

        Raises
        ------
        OutcomeError
            If there is no such context.

        Examples
        --------
        >>> FiniteContexts([[[0.5, 0.9], [0.1, 0.5]]]).preferences([0])
        array([[0.5, 0.9],
               [0.1, 0.5]])
        """
        given = np.asarray(context if context is not None else [], np.float64).ravel()
        if len(given) == 0 or given[0] != np.floor(given[0]) or not 0 <= given[0] < self.contexts:
            raise OutcomeError(
                f"context must be a row with a whole number from 0 to {self.contexts - 1}; got {context!r}."
            )
        return np.asarray(self.matrices[int(given[0])])

    def log(self, duels: int, rng: Generator, chances: ArrayLike | None = None) -> DuelLog:
        """Return a log of duels between random pairs, in which nothing is learned.

        Parameters
        ----------
        duels : int
            The number of duels.
        rng : numpy.random.Generator
            Draws contexts, pairs and outcomes.
        chances : array of shape (K, K), optional
            `chances[a, b]` is the probability that a is on the left and b on the right; uniform by default.

        Returns
        -------
        DuelLog
            The duels, with the propensities of their pairs.

        Raises
        ------
        ParameterError
            If `duels` is not a positive whole number, or `chances` is not a distribution over pairs.

        Examples
        --------
        >>> FiniteContexts([[[0.5, 0.9], [0.1, 0.5]]]).log(10, np.random.default_rng(0))
        DuelLog(10 duels, 2 actions, 1 context column)
        """
        require_whole("duels", duels, 1)
        require_generator(rng)
        if len(self.order):
            numbers = np.resize(self.order, duels)
        else:
            numbers = np.searchsorted(self.cumulated, rng.random(duels), side="right")
        left, right, propensities = draw_pairs(self.k, duels, rng, chances)
        outcomes = draw_outcomes(left, right, self.matrices[numbers, left, right], rng)
        context = numbers[:, np.newaxis].astype(np.float64)
        return DuelLog(context, left, right, outcomes, propensities, self.actions, [COLUMN])

    def policy_preferences(self, actions: ArrayLike) -> FloatArray:
        """Return the preference matrix between policies: the probability that one's action beats another's.

        Parameters
        ----------
        actions : array of shape (policies, contexts)
            `actions[policy, context]` is the action that the policy chooses in the context.

        Returns
        -------
        array of shape (policies, policies)
            The win probabilities of row against column, over random contexts.

        Raises
        ------
        ParameterError
            If `actions` is not a table of at least two policies.

        Examples
        --------
        >>> problem = FiniteContexts([[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]])
        >>> problem.policy_preferences([[0, 1], [0, 0]])[0, 1].item()
        0.65
        """
        table = self.as_policies(actions)
        met = np.zeros((len(table), len(table)))
        for number in np.flatnonzero(self.chances):
            chosen = table[:, number]
            met += self.chances[number] * self.matrices[number][np.ix_(chosen, chosen)]
        np.fill_diagonal(met, 0.5)
        return as_preferences(np.clip(met, 0.0, 1.0))

    def as_policies(self, actions: ArrayLike) -> IntArray:
        """Validate a table of policies.

        Parameters
        ----------
        actions : array of shape (policies, contexts)
            The action of each policy in each context.

        Returns
        -------
        array of int
            The table.

        Raises
        ------
        ParameterError
            If there are fewer than two policies, a missing context, or an unknown action.

        Examples
        --------
        >>> FiniteContexts([[[0.5, 0.9], [0.1, 0.5]]]).as_policies([[0], [1]])
        array([[0],
               [1]])
        """
        table = np.ascontiguousarray(actions, np.int64)
        if table.ndim != 2 or table.shape[1] != self.contexts or len(table) < 2:
            raise ParameterError(
                f"actions must have at least 2 rows, one per policy, and {self.contexts} columns, one per "
                f"context; got shape {table.shape}."
            )
        if table.min() < 0 or table.max() >= self.k:
            raise ParameterError(
                f"actions must lie from 0 to {self.k - 1}; got {table.min()} to {table.max()}."
            )
        return table


def as_order(order: ArrayLike | None, many: int) -> IntArray:
    if order is None:
        return np.empty(0, np.int64)
    sequence = np.array(order, np.int64)
    if sequence.ndim != 1 or len(sequence) == 0 or sequence.min() < 0 or sequence.max() >= many:
        raise ParameterError(f"order must be a non-empty row of contexts, 0 to {many - 1}; got {order!r}.")
    return sequence
