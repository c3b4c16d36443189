"""Rankers as the arms of a problem: every duel is a query, an interleaved list, and clicks on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from duelist import clicks as click_models
from duelist.clicks.user import click_page, user_for
from duelist.constraints import Count, check_fields
from duelist.duel import TIE, Duel, FloatArray, IntArray
from duelist.errors import ParameterError, require_generator, require_whole
from duelist.interleaving import Interleaving, TeamDraft
from duelist.interleaving.page import is_compiled
from duelist.menus import Arms
from duelist.parallel import progress_bar, repeat
from duelist.preferences import as_labels, estimate
from duelist.problems.action_duels import require_choices
from duelist.problems.contests import Contest, meet, meet_often, names_of, new_display, orders_of
from duelist.problems.matrix import MatrixProblem
from duelist.protocols import ClickModel
from duelist.ranking import RankingData
from duelist.ranking.corpus import corpus_of, orders_quality
from duelist.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class RankerDuel:
    """Rankers whose lists are interleaved for simulated people, to find out which is preferred.

    Parameters
    ----------
    data : RankingData
        The queries; each duel is about one, drawn at random.
    rankers : sequence
        The arms: each a feature's number, the weights of a linear ranker, or anything with `score(data)`.
    interleaving : TeamDraft, Balanced, Probabilistic or Optimized, default TeamDraft()
        How two lists become one, and clicks a preference; slower where a method has no compiled kernels.
    clicks : ClickModel, optional
        Who clicks; by default a perfect user.
    length : int, default 10
        Documents in a list.
    names : sequence of str, optional
        What to call the rankers.
    seed : int, default 0
        For the order of documents to which a ranker gives equal scores.

    Notes
    -----
    A duel without clicks is a tie. `estimate` gives the matrix of all preferences instead, as Zoghi et al.
    (2014, section 6) did with 4,000 comparisons a pair.

    Examples
    --------
    >>> from duelist import RUCB, simulate
    >>> from duelist import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> problem = RankerDuel(data, rankers=range(4), clicks=clicks.informational(grades=3))
    >>> problem
    RankerDuel(4 rankers, 50 queries, TeamDraft(counting='all'), informational)
    >>> simulate(RUCB(), problem, horizon=200, runs=1)["RUCB"].best.shape
    (1,)
    """

    data: RankingData
    rankers: Sequence[Any]
    interleaving: Interleaving = field(default_factory=TeamDraft)
    clicks: ClickModel | None = None
    length: Count = 10
    names: Sequence[str] | None = None
    seed: int = 0
    orders: IntArray = field(init=False)
    user: Any = field(init=False)
    largest: int = field(init=False)

    def __post_init__(self) -> None:
        """Rank every query's documents by every ranker."""
        rankers = list(self.rankers)
        if len(rankers) < 2:
            raise ParameterError(f"rankers must be at least 2, because a duel needs two; got {len(rankers)}.")
        check_fields(self)
        if not isinstance(self.interleaving, Interleaving):
            raise ParameterError(
                f"interleaving must be a method for two rankings, as TeamDraft(); got {self.interleaving!r}."
            )
        self.interleaving.require_number(2)
        names = as_labels(names_of(rankers) if self.names is None else self.names)
        if len(names) != len(rankers):
            raise ParameterError(
                f"names has {counted(len(names), 'name')} for {counted(len(rankers), 'ranker')}; name "
                "every one."
            )
        clicks = click_models.perfect(self.data.grades) if self.clicks is None else self.clicks
        user, orders = user_for(clicks, self.data.grades), orders_of(rankers, self.data, self.seed)
        largest = int(np.diff(self.data.offsets).max())
        vars(self).update(clicks=clicks, user=user, orders=orders, largest=largest)
        vars(self).update(rankers=tuple(rankers), names=names)

    def __repr__(self) -> str:
        """Describe the problem in a line."""
        user = getattr(self.clicks, "name", self.clicks)
        return (
            f"RankerDuel({counted(self.k, 'ranker')}, {counted(len(self.data), 'query')}, "
            f"{self.interleaving}, {user})"
        )

    @property
    def k(self) -> int:
        """The number of rankers."""
        return len(self.rankers)

    @property
    def labels(self) -> tuple[str, ...]:
        """The rankers' names."""
        return tuple(self.names or ())

    @property
    def quality(self) -> FloatArray:
        """The mean NDCG of each ranker's lists, over the queries that have a relevant document."""
        corpus = corpus_of(self.data, self.length)
        if not corpus.ideal.any():
            raise ParameterError("data has no query with a relevant document, so no ranker is better.")
        return orders_quality(corpus, self.orders)

    @property
    def gaps(self) -> FloatArray:
        """What showing each ranker costs in NDCG, nothing for the best."""
        quality = self.quality
        return np.asarray(quality.max() - quality)

    def menu(self, rng: Generator | None = None) -> Arms:
        """Return the arms, which are always the same."""
        return Arms(self.k)

    def play(self, duel: Duel, rng: Generator) -> float:
        """Return what the clicks on a fresh page say; a ranker ties with itself, for certain."""
        require_generator(rng)
        require_choices(duel, self.k, "a ranker")
        if duel.left == duel.right:
            return TIE
        if is_compiled(self.interleaving):
            return float(meet(self.contest(), duel.left, duel.right, rng))
        return self._meet(duel.left, duel.right, rng)

    def _meet(self, left: int, right: int, rng: Generator) -> float:
        rows = self.data.rows(int(rng.random() * len(self.data)))
        lists = self.orders[[left, right], rows][:, : self.length].tolist()
        shown = self.interleaving.interleave(lists, rng, self.length)
        places = np.array(shown.documents, np.int64)
        clicked = np.empty(len(places), np.bool_)
        click_page(self.user, self.data.labels[rows][places], len(places), clicked, rng)
        return float(self.interleaving.outcome(shown, places[clicked].tolist()))

    def estimate(
        self, comparisons: int = 4000, seed: int = 0, workers: int | None = None, progress: bool | None = None
    ) -> MatrixProblem:
        """Let every pair meet `comparisons` times, and return the estimated preferences with their counts.

        Equal seeds give equal results for any number of worker threads, by default one for each core. By
        default a progress bar is shown when standard error is a terminal.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankerDuel(synthetic_ranking_data(queries=50, seed=1), rankers=range(3))
        >>> problem.estimate(comparisons=100).counts[0]
        array([  0., 100., 100.])
        """
        require_whole("comparisons", comparisons, 1)
        require_whole("seed", seed, 0)
        require_whole("workers", 1 if workers is None else workers, 1)
        pairs = list(combinations(range(self.k), 2))
        wins = np.zeros((self.k, self.k))
        halt = np.zeros(1, np.bool_)

        def run(index: int) -> None:
            rng = default_rng(SeedSequence(seed, spawn_key=pairs[index]))
            if is_compiled(self.interleaving):
                meet_often(self.contest(), *pairs[index], comparisons, wins, rng, halt)
                return
            left, right = pairs[index]
            for _ in range(comparisons):
                if halt[0]:
                    return
                outcome = self._meet(left, right, rng)
                wins[left, right] += outcome
                wins[right, left] += 1.0 - outcome

        with progress_bar(progress) as show:

            def look() -> None:
                show(f"{len(pairs)} pairs of rankers", float(wins.sum()) / (len(pairs) * comparisons))

            repeat(run, len(pairs), workers, halt, look)
        return MatrixProblem(estimate(wins), self.labels, counts=wins + wins.T)

    def contest(self) -> Contest:
        """Return the problem as kernels see it, with a page of its own."""
        display = new_display(self.interleaving, self.user, self.length, self.largest)
        return Contest(self.orders, self.data.labels, self.data.offsets, display)
