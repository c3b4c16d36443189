"""Queries as contexts, rankers as actions: the preferred list depends on the query."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import TIE, Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, require_generator, require_whole
from duelist.kernels.compile import compiled
from duelist.logs import DuelLog
from duelist.menus import Actions
from duelist.problems.action_duels import draw_pairs, require_choices
from duelist.problems.contests import Contest, meet_on
from duelist.problems.ranker_duel import RankerDuel
from duelist.ranking import RankingData
from duelist.text import counted


@compiled
def meet_on_queries(
    contest: Contest,
    queries: IntArray,
    left: IntArray,
    right: IntArray,
    outcomes: FloatArray,
    world_rng: Generator,
) -> None:
    """Write the outcomes of duels of rankers, one query per duel; a ranker ties with itself."""
    for duel in range(len(queries)):
        outcomes[duel] = TIE
        if left[duel] != right[duel]:
            outcomes[duel] = meet_on(contest, queries[duel], left[duel], right[duel], world_rng)


@dataclass(frozen=True, eq=False, repr=False)
class QueryContexts:
    """Rankers that meet on one query at a time, whose features are known in advance.

    Parameters
    ----------
    rankers : RankerDuel
        The queries, the rankers, and the simulated users.
    contexts : array of shape (queries, d), optional
        The features of each query; by default the mean and the standard deviation of its documents' features.
    columns : sequence of str, optional
        The names of a context's numbers.

    Raises
    ------
    ParameterError
        If `contexts` does not have a finite row for each query, or `columns` a name for each of its columns.

    Notes
    -----
    A duel identifies its query by the context alone. If several queries share a context, one of them is
    drawn.

    Examples
    --------
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, features=4, seed=1)
    >>> problem = QueryContexts(RankerDuel(data, rankers=range(3)))
    >>> problem
    QueryContexts(50 queries, 3 rankers, 8 context columns)
    >>> rng = np.random.default_rng(0)
    >>> menu = problem.menu(rng)
    >>> problem.play(Duel(0, 1, context=menu.context), rng)
    0.0
    >>> problem.log(1000, rng)
    DuelLog(1,000 duels, 3 actions, 8 context columns)
    """

    rankers: RankerDuel
    contexts: ArrayLike | None = None
    columns: Sequence[str] | None = None
    table: FloatArray = field(init=False)
    queries: dict[bytes, list[int]] = field(init=False)
    """The queries that have a context, by the bytes of the context."""

    def __post_init__(self) -> None:
        data = self.rankers.data
        given = summary_of(data) if self.contexts is None else self.contexts
        table = np.ascontiguousarray(given, np.float64) + 0.0  # turns -0.0 into 0.0
        if table.ndim != 2 or len(table) != len(data) or not np.isfinite(table).all():
            raise ParameterError(
                f"contexts must be a table of finite numbers with a row for each of "
                f"{counted(len(data), 'query')}; got shape {table.shape}."
            )
        names = self.columns
        if names is None and self.contexts is None:
            names = [f"{what} of {feature}" for what in ("mean", "deviation") for feature in range(data.d)]
        names = [f"x{column}" for column in range(table.shape[1])] if names is None else list(names)
        if len(names) != table.shape[1]:
            raise ParameterError(
                f"columns has {counted(len(names), 'name')}, but contexts has "
                f"{counted(table.shape[1], 'column')}; give one name per column."
            )
        queries: dict[bytes, list[int]] = {}
        for query, row in enumerate(table):
            queries.setdefault(row.tobytes(), []).append(query)
        vars(self).update(columns=tuple(names), table=table, queries=queries)

    def __repr__(self) -> str:
        queries, d = self.table.shape
        return (
            f"{type(self).__name__}({counted(queries, 'query')}, {counted(self.k, 'ranker')}, "
            f"{counted(d, 'context column')})"
        )

    @property
    def k(self) -> int:
        """The number of rankers."""
        return self.rankers.k

    @property
    def actions(self) -> tuple[str, ...]:
        """The rankers' names."""
        return self.rankers.labels

    def menu(self, rng: Generator | None = None, played: int = 0) -> Actions:
        """Return the rankers and the features of a random query.

        Parameters
        ----------
        rng : numpy.random.Generator
            Draws the query; required.
        played : int, default 0
            Ignored: queries are independent of the round.

        Returns
        -------
        Actions
            The number of rankers, and the context.

        Raises
        ------
        ParameterError
            If `rng` is missing or not a generator.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> data = synthetic_ranking_data(queries=50, features=4, seed=1)
        >>> QueryContexts(RankerDuel(data, rankers=range(3))).menu(np.random.default_rng(0)).context.shape
        (8,)
        """
        if rng is None:
            raise ParameterError("rng is missing; queries are drawn at random, so give menu a generator.")
        require_generator(rng)
        return Actions(self.k, self.table[rng.integers(len(self.table))])

    def play(self, duel: Duel, rng: Generator) -> float:
        """Interleave two rankers' lists for the query of the context, and return the outcome of the clicks.

        Parameters
        ----------
        duel : Duel
            Two rankers and a context from the menu.
        rng : numpy.random.Generator
            Draws the list and the clicks.

        Returns
        -------
        float
            1 if the left ranker wins, 0 if the right one does, 0.5 for a tie.

        Raises
        ------
        OutcomeError
            If a side is not a ranker, or the context is not that of a query.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = QueryContexts(RankerDuel(synthetic_ranking_data(queries=50, seed=1), rankers=range(3)))
        >>> rng = np.random.default_rng(0)
        >>> problem.play(Duel(1, 1, context=problem.menu(rng).context), rng)
        0.5
        """
        require_generator(rng)
        require_choices(duel, self.k, "a ranker")
        query = self._query(duel.context, rng)
        return float(self.meet([query], [int(duel.left)], [int(duel.right)], rng)[0])

    def meet(self, queries: ArrayLike, left: ArrayLike, right: ArrayLike, rng: Generator) -> FloatArray:
        """Return the outcomes of a batch of duels.

        Parameters
        ----------
        queries, left, right : array of int
            The query, the left ranker and the right ranker of each duel, by index.
        rng : numpy.random.Generator
            Draws the lists and the clicks.

        Returns
        -------
        array of float
            For each duel 1 if the left ranker wins, 0 if the right one does, 0.5 for a tie.

        Raises
        ------
        ParameterError
            If the arrays differ in length, or an index is out of range.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = QueryContexts(RankerDuel(synthetic_ranking_data(queries=50, seed=1), rankers=range(3)))
        >>> problem.meet([7, 7], [1, 2], [1, 2], np.random.default_rng(0))
        array([0.5, 0.5])
        """
        chosen, one, other = (np.ascontiguousarray(part, np.int64) for part in (queries, left, right))
        if not chosen.shape == one.shape == other.shape == (chosen.size,):
            raise ParameterError(
                f"queries, left and right must be rows of the same length; got {chosen.size}, {one.size} and "
                f"{other.size}."
            )
        parts = {"queries": (chosen, len(self.table)), "left": (one, self.k), "right": (other, self.k)}
        for name, (part, limit) in parts.items():
            if part.size and not 0 <= part.min() <= part.max() < limit:
                raise ParameterError(f"{name} must be indices from 0 to {limit - 1}; got {part}.")
        outcomes = np.empty(len(chosen))
        meet_on_queries(self.rankers.contest(), chosen, one, other, outcomes, rng)
        return outcomes

    def log(self, duels: int, rng: Generator, chances: ArrayLike | None = None) -> DuelLog:
        """Return a log of duels between random pairs on random queries, in which nothing is learned.

        Parameters
        ----------
        duels : int
            The number of duels.
        rng : numpy.random.Generator
            Draws queries, pairs, lists and clicks.
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
        >>> from duelist.ranking import synthetic_ranking_data
        >>> data = synthetic_ranking_data(queries=50, features=4, seed=1)
        >>> QueryContexts(RankerDuel(data, rankers=range(3))).log(10, np.random.default_rng(0))
        DuelLog(10 duels, 3 actions, 8 context columns)
        """
        require_whole("duels", duels, 1)
        require_generator(rng)
        queries = rng.integers(len(self.table), size=duels)
        left, right, propensities = draw_pairs(self.k, duels, rng, chances)
        outcomes = self.meet(queries, left, right, rng)
        return DuelLog(self.table[queries], left, right, outcomes, propensities, self.actions, self.columns)

    def _query(self, context: object, rng: Generator) -> int:
        try:
            row = np.ascontiguousarray(context, np.float64) + 0.0
        except (TypeError, ValueError) as error:
            raise OutcomeError(f"duel.context must be numbers, from the menu; got {context!r}.") from error
        queries = self.queries.get(row.tobytes())
        if queries is None:
            raise OutcomeError(f"duel.context must be a query's context, from the menu; got {context!r}.")
        return queries[int(rng.integers(len(queries)))] if len(queries) > 1 else queries[0]


def summary_of(data: RankingData) -> FloatArray:
    queries = (data.features[data.rows(query)].astype(np.float64) for query in range(len(data)))
    return np.array([np.concatenate([rows.mean(axis=0), rows.std(axis=0)]) for rows in queries])
