"""Contextual problems defined by two functions: one draws a context, one returns its preferences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, FloatArray
from duelist.errors import ParameterError, PreferenceError, require_generator, require_whole
from duelist.logs import DuelLog
from duelist.menus import Actions
from duelist.preferences import as_labels, as_preferences
from duelist.problems.action_duels import draw_outcomes, draw_pairs, play_duel
from duelist.text import counted


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FunctionContexts:
    """Contexts drawn by one function, with preferences returned by another.

    Parameters
    ----------
    draw : callable
        Takes a generator and returns a context, a row of numbers.
    prefer : callable
        Takes a context and returns its preference matrix, K rows of K.
    actions : int or sequence of str
        The number of actions, or their names.
    columns : sequence of str, optional
        The names of a context's numbers.

    Raises
    ------
    ParameterError
        If `draw` or `prefer` is not callable, or `actions` is a number below 2.

    Examples
    --------
    Which of two actions is preferred depends on the side of the middle that a number lies on.

    >>> def prefer(context):
    ...     chance = 0.8 if context[0] < 0.5 else 0.3
    ...     return [[0.5, chance], [1 - chance, 0.5]]
    >>> problem = FunctionContexts(lambda rng: rng.random(1), prefer, actions=["old", "new"], columns=["age"])
    >>> problem.preferences([0.9])[0, 1].item()
    0.3
    >>> problem.log(100, np.random.default_rng(0))
    DuelLog(100 duels, 2 actions, 1 context column)
    """

    draw: Callable[[Generator], ArrayLike]
    prefer: Callable[[FloatArray], ArrayLike]
    actions: tuple[str, ...]
    columns: tuple[str, ...] | None

    def __init__(
        self,
        draw: Callable[[Generator], ArrayLike],
        prefer: Callable[[FloatArray], ArrayLike],
        actions: int | Sequence[str],
        columns: Sequence[str] | None = None,
    ) -> None:
        for name, function in (("draw", draw), ("prefer", prefer)):
            if not callable(function):
                raise ParameterError(f"{name} must be a function; got {function!r}.")
        if isinstance(actions, int):
            require_whole("actions", actions, 2)
        names = as_labels(map(str, range(actions)) if isinstance(actions, int) else actions)
        heads = None if columns is None else tuple(columns)
        vars(self).update(draw=draw, prefer=prefer, actions=names, columns=heads)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.k} actions)"

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions and a random context.

        Parameters
        ----------
        rng : numpy.random.Generator
            Draws the context; required.
        played : int, default 0
            Ignored: contexts are independent of the round.

        Returns
        -------
        Actions
            The number of actions, and the context.

        Raises
        ------
        ParameterError
            If `rng` is missing or not a generator.

        Examples
        --------
        >>> problem = FunctionContexts(lambda rng: rng.random(1), lambda context: [[0.5, 0.9], [0.1, 0.5]], 2)
        >>> problem.menu(np.random.default_rng(0)).context.round(3)
        array([0.637])
        """
        if rng is None:
            raise ParameterError("rng is missing; contexts are drawn at random, so give menu a generator.")
        require_generator(rng)
        return Actions(self.k, np.ravel(np.asarray(self.draw(rng), np.float64)))

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
            If a side is not an action.
        PreferenceError
            If `prefer` does not return a preference matrix of all actions.

        Examples
        --------
        >>> problem = FunctionContexts(lambda rng: rng.random(1), lambda context: [[0.5, 1.0], [0.0, 0.5]], 2)
        >>> problem.play(Duel(0, 1, context=[0.2]), np.random.default_rng(0))
        1.0
        """
        return play_duel(self.preferences(duel.context), duel, rng)

    def preferences(self, context: ArrayLike) -> FloatArray:
        """Return the preference matrix of a context.

        Parameters
        ----------
        context : array
            A row of numbers.

        Returns
        -------
        array of shape (K, K)
            The win probabilities of row against column.

        Raises
        ------
        PreferenceError
            If `prefer` does not return a preference matrix of all actions.

        Examples
        --------
        >>> problem = FunctionContexts(lambda rng: rng.random(1), lambda context: [[0.5, 0.9], [0.1, 0.5]], 2)
        >>> problem.preferences([0.2])[0, 1].item()
        0.9
        """
        row = np.ravel(np.asarray(context, np.float64))
        try:
            matrix = as_preferences(self.prefer(row))
        except PreferenceError as error:
            raise PreferenceError(f"context {row}: {error}") from error
        if len(matrix) != self.k:
            raise PreferenceError(
                f"context {row}: prefer returned {counted(len(matrix), 'action')}; expected {self.k}."
            )
        return matrix

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
        >>> problem = FunctionContexts(lambda rng: rng.random(1), lambda context: [[0.5, 0.9], [0.1, 0.5]], 2)
        >>> problem.log(10, np.random.default_rng(0))
        DuelLog(10 duels, 2 actions, 1 context column)
        """
        require_whole("duels", duels, 1)
        require_generator(rng)
        contexts = np.stack([self.menu(rng).context for _ in range(duels)])
        left, right, propensities = draw_pairs(self.k, duels, rng, chances)
        duels_in_context = zip(contexts, left, right, strict=True)
        wins = np.array([self.preferences(row)[a, b] for row, a, b in duels_in_context])
        outcomes = draw_outcomes(left, right, wins, rng)
        return DuelLog(contexts, left, right, outcomes, propensities, self.actions, self.columns)
