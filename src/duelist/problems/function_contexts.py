"""Contextual problems whose contexts are drawn, and whose preferences are given, by functions."""

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
    """Contexts that a function draws, with preferences that another function gives.

    Parameters
    ----------
    draw : callable
        From a generator to a context, a row of numbers.
    prefer : callable
        From a context to its preferences: the probabilities that one action beats another, K rows of K.
    actions : int or sequence of str
        How many actions there are, or their names.
    columns : sequence of str, optional
        What the numbers of a context are called.

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
        """Describe the problem in a line."""
        return f"{type(self).__name__}({self.k} actions)"

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the actions in a context that is drawn; rounds played before do not matter."""
        if rng is None:
            raise ParameterError("contexts are drawn at random, so menu needs a generator, rng.")
        require_generator(rng)
        return Actions(self.k, np.ravel(np.asarray(self.draw(rng), np.float64)))

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return 1 if the left action wins, else 0; an action ties with itself, for certain."""
        return play_duel(self.preferences(duel.context), duel, rng)

    def preferences(self, context: ArrayLike) -> FloatArray:
        """Return the preference matrix of a context."""
        row = np.ravel(np.asarray(context, np.float64))
        try:
            matrix = as_preferences(self.prefer(row))
        except PreferenceError as error:
            raise PreferenceError(f"context {row}: {error}") from error
        if len(matrix) != self.k:
            raise PreferenceError(
                f"context {row}: prefer gave {counted(len(matrix), 'action')}; there are {self.k}."
            )
        return matrix

    def log(self, duels: int, rng: Generator, chances: ArrayLike | None = None) -> DuelLog:
        """Return a log of duels between pairs drawn without learning; see `FiniteContexts.log`."""
        require_whole("duels", duels, 1)
        require_generator(rng)
        contexts = np.stack([self.menu(rng).context for _ in range(duels)])
        left, right, propensities = draw_pairs(self.k, duels, rng, chances)
        duels_in_context = zip(contexts, left, right, strict=True)
        wins = np.array([self.preferences(row)[a, b] for row, a, b in duels_in_context])
        outcomes = draw_outcomes(left, right, wins, rng)
        return DuelLog(contexts, left, right, outcomes, propensities, self.actions, self.columns)
