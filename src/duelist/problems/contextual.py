"""Contextual problems: which action is preferred depends on a context, one of a finite set."""

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

COLUMN = "context"  # what the number of a context is called in a log


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FiniteContexts:
    """A finite set of contexts, each with its own preferences between the same actions.

    Parameters
    ----------
    preferences : array of shape (contexts, K, K)
        `preferences[c, a, b]` is the probability that action a beats action b in context c.
    chances : array of shape (contexts,), optional
        How likely each context is; by default all alike.
    order : sequence of int, optional
        The contexts in the order they come, again and again, as an adversary may have fixed it, instead of
        chances. A context's chance is then its share of the order.
    actions : sequence of str, optional
        The actions' names; by default "0", "1" and so on.

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

    The policy that does what each context wants, against one that always does the first:

    >>> problem.policy_preferences([[0, 1], [0, 0]]).round(3)
    array([[0.5  , 0.575],
           [0.425, 0.5  ]])
    """

    matrices: FloatArray = field(repr=False)
    chances: FloatArray
    order: IntArray
    """The contexts as they come; empty where they are drawn by their chances."""
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
            raise ParameterError("give chances or an order of the contexts, not both.")
        sequence = as_order(order, many)
        if len(sequence):
            shares = np.bincount(sequence, minlength=many) / len(sequence)
        else:
            shares = as_distribution("chances", np.full(many, 1.0 / many) if chances is None else chances)
        names = as_labels(map(str, range(k)) if actions is None else actions)
        if len(shares) != many or len(names) != k:
            raise ParameterError(
                f"{counted(many, 'context')} and {k} actions cannot have {counted(len(shares), 'chance')} "
                f"and {counted(len(names), 'name')}."
            )
        for part in (matrices, shares, sequence):
            part.setflags(write=False)
        vars(self).update(matrices=matrices, chances=shares, order=sequence, actions=names)

    @classmethod
    def from_log(cls, log: DuelLog, prior: float = 0.0) -> Self:
        """Estimate every context's preferences, and how often it comes, from duels that were written down.

        Contexts are numbers from 0, in the first column of the log. A pair that never met is taken for a tie;
        for the prior, see `estimate`.

        Examples
        --------
        >>> log = DuelLog([[0], [0], [0], [1]], [0, 1, 0, 0], [1, 0, 1, 1], [1, 0, 0, 0.5], [0.5] * 4, "ab")
        >>> FiniteContexts.from_log(log).matrices[:, 0, 1].round(3)
        array([0.667, 0.5  ])
        """
        if len(log) == 0 or log.d == 0:
            raise ParameterError(f"log must hold duels in contexts; got {log}.")
        first = log.contexts[:, 0]
        numbers = first.astype(np.int64)
        if (numbers != first).any() or numbers.min() < 0:
            raise ParameterError(
                f"contexts must be whole numbers from 0 in the column {log.columns[0]!r}; got {first.min()} "
                f"to {first.max()}. Number them first."
            )
        wins = np.zeros((int(numbers.max()) + 1, log.k, log.k))
        np.add.at(wins, (numbers, log.left, log.right), log.outcomes)
        np.add.at(wins, (numbers, log.right, log.left), 1.0 - log.outcomes)
        matrices = [estimate(won, prior) for won in wins]
        return cls(matrices, np.bincount(numbers) / len(log), actions=log.actions)

    def __repr__(self) -> str:
        """Describe the problem in a line."""
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
        """The sums of the contexts' probabilities, up to each of them."""
        sums = self.chances.cumsum()
        return np.asarray(sums / sums[-1])

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions in a context: drawn by `rng`, or that of a fixed order after `played` rounds."""
        if len(self.order):
            number = int(self.order[played % len(self.order)])
        elif rng is None:
            raise ParameterError("contexts are drawn at random, so menu needs a generator, rng.")
        else:
            require_generator(rng)
            number = int(np.searchsorted(self.cumulated, rng.random(), side="right"))
        return Actions(self.k, np.array([float(number)]))

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return 1 if the left action wins, else 0; an action ties with itself, for certain."""
        return play_duel(self.preferences(duel.context), duel, rng)

    def preferences(self, context: ArrayLike) -> FloatArray:
        """Return the preference matrix of a context."""
        given = np.asarray(context if context is not None else [], np.float64).ravel()
        if len(given) == 0 or given[0] != np.floor(given[0]) or not 0 <= given[0] < self.contexts:
            raise OutcomeError(
                f"context must be a number from 0 to {self.contexts - 1} in a row; got {context!r}."
            )
        return np.asarray(self.matrices[int(given[0])])

    def log(self, duels: int, rng: Generator, chances: ArrayLike | None = None) -> DuelLog:
        """Return a log of duels between pairs drawn without learning.

        `chances[a, b]` is how likely a is shown on the left and b on the right; by default all K^2 are alike.
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
        """Return a preference matrix over policies: how likely one's action beats another's.

        `actions[policy, context]` is what a policy does in a context, by number.
        """
        table = self.as_policies(actions)
        met = np.zeros((len(table), len(table)))
        for number in np.flatnonzero(self.chances):
            chosen = table[:, number]
            met += self.chances[number] * self.matrices[number][np.ix_(chosen, chosen)]
        np.fill_diagonal(met, 0.5)
        return as_preferences(np.clip(met, 0.0, 1.0))

    def as_policies(self, actions: ArrayLike) -> IntArray:
        """Return policies as a checked table: an action of this problem for each policy and context."""
        table = np.ascontiguousarray(actions, np.int64)
        if table.ndim != 2 or table.shape[1] != self.contexts or len(table) < 2:
            raise ParameterError(
                f"policies must be at least two, a row each, with a column for each of the {self.contexts} "
                f"contexts; got shape {table.shape}."
            )
        if table.min() < 0 or table.max() >= self.k:
            raise ParameterError(
                f"policies must choose actions from 0 to {self.k - 1}; got {table.min()} to {table.max()}."
            )
        return table


def as_order(order: ArrayLike | None, many: int) -> IntArray:
    """Return a sequence of contexts; an empty one if none is given."""
    if order is None:
        return np.empty(0, np.int64)
    sequence = np.array(order, np.int64)
    if sequence.ndim != 1 or len(sequence) == 0 or sequence.min() < 0 or sequence.max() >= many:
        raise ParameterError(f"order must be contexts from 0 to {many - 1}, at least one; got {order!r}.")
    return sequence
