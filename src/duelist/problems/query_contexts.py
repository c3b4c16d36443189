"""Queries as contexts and rankers as actions: which ranker's list is preferred depends on the query."""

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
    """Write the outcomes of duels of rankers, each on a query of its own; a ranker ties with itself."""
    for duel in range(len(queries)):
        outcomes[duel] = TIE
        if left[duel] != right[duel]:
            outcomes[duel] = meet_on(contest, queries[duel], left[duel], right[duel], world_rng)


@dataclass(frozen=True, eq=False, repr=False)
class QueryContexts:
    """Rankers that meet on one query at a time, whose features are known before.

    Parameters
    ----------
    rankers : RankerDuel
        The queries, the rankers, and how their lists are interleaved and clicked on.
    contexts : array of shape (queries, d), optional
        What is known of each query; by default the mean and the deviation of its documents' features.
    columns : sequence of str, optional
        What the numbers of a context are called.

    Notes
    -----
    A duel names its query by the context alone. Of several queries with the same context, one is drawn.

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
    places: dict[bytes, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        """Write down what is known of every query, and which queries a context may mean."""
        data = self.rankers.data
        given = summary_of(data) if self.contexts is None else self.contexts
        table = np.ascontiguousarray(given, np.float64) + 0.0  # so that -0.0 is 0.0
        if table.ndim != 2 or len(table) != len(data) or not np.isfinite(table).all():
            raise ParameterError(
                f"contexts must be finite, a row for each of {counted(len(data), 'query')}; got shape "
                f"{table.shape}."
            )
        names = self.columns
        if names is None and self.contexts is None:
            names = [f"{what} of {feature}" for what in ("mean", "deviation") for feature in range(data.d)]
        names = [f"x{column}" for column in range(table.shape[1])] if names is None else list(names)
        if len(names) != table.shape[1]:
            raise ParameterError(
                f"columns has {counted(len(names), 'name')} for {counted(table.shape[1], 'column')} of "
                "contexts."
            )
        places: dict[bytes, list[int]] = {}
        for query, row in enumerate(table):
            places.setdefault(row.tobytes(), []).append(query)
        vars(self).update(columns=tuple(names), table=table, places=places)

    def __repr__(self) -> str:
        """Describe the problem in a line."""
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
        """Return the rankers, and a query that is drawn; rounds played before do not matter."""
        if rng is None:
            raise ParameterError("queries are drawn at random, so menu needs a generator, rng.")
        require_generator(rng)
        return Actions(self.k, self.table[rng.integers(len(self.table))])

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return what the clicks on a fresh page for the query say: 1 left wins, 0 right wins, 0.5 a tie."""
        require_generator(rng)
        require_choices(duel, self.k, "a ranker")
        query = self._query(duel.context, rng)
        return float(self.meet([query], [int(duel.left)], [int(duel.right)], rng)[0])

    def meet(self, queries: ArrayLike, left: ArrayLike, right: ArrayLike, rng: Generator) -> FloatArray:
        """Return the outcomes of many duels at once: on which queries, between which rankers, by number."""
        chosen, one, other = (np.ascontiguousarray(part, np.int64) for part in (queries, left, right))
        if not chosen.shape == one.shape == other.shape == (chosen.size,):
            raise ParameterError(
                f"queries, left and right must be as many; got {chosen.size}, {one.size} and {other.size}."
            )
        parts = {"queries": (chosen, len(self.table)), "left": (one, self.k), "right": (other, self.k)}
        for name, (part, limit) in parts.items():
            if part.size and not 0 <= part.min() <= part.max() < limit:
                raise ParameterError(f"{name} must be numbers from 0 to {limit - 1}; got {part}.")
        outcomes = np.empty(len(chosen))
        meet_on_queries(self.rankers.contest(), chosen, one, other, outcomes, rng)
        return outcomes

    def log(self, duels: int, rng: Generator, chances: ArrayLike | None = None) -> DuelLog:
        """Return a log of duels, on queries drawn at random; see `FiniteContexts.log`."""
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
            raise OutcomeError(f"duel.context must be that of a query; got {context!r}.") from error
        queries = self.places.get(row.tobytes())
        if queries is None:
            raise OutcomeError(f"duel.context must be that of a query, as in the menu; got {context!r}.")
        return queries[int(rng.integers(len(queries)))] if len(queries) > 1 else queries[0]


def summary_of(data: RankingData) -> FloatArray:
    """Return the mean and the standard deviation of the features of each query's documents."""
    queries = (data.features[data.rows(query)].astype(np.float64) for query in range(len(data)))
    return np.array([np.concatenate([rows.mean(axis=0), rows.std(axis=0)]) for rows in queries])
