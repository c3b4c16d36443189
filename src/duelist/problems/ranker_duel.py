"""Rankers as the arms of a problem: each duel is a query, an interleaved list, and clicks on it."""

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
    """Rankers whose lists are interleaved for simulated users, to find the preferred ranker.

    Parameters
    ----------
    data : RankingData
        The queries; each duel draws one of them.
    rankers : sequence
        The arms: each a feature's index, the weights of a linear ranker, or an object with `score(data)`.
    interleaving : TeamDraft, Balanced, Probabilistic or Optimized, default TeamDraft()
        How two lists are interleaved and clicks credited; methods without compiled kernels are slower.
    clicks : ClickModel, optional
        The simulated user; `clicks.perfect` by default.
    length : int, default 10
        The number of documents in a list.
    names : sequence of str, optional
        The rankers' names.
    seed : int, default 0
        The seed of the order of documents with equal scores.

    Raises
    ------
    ParameterError
        If there are fewer than two rankers, or a parameter does not fit the data.

    Notes
    -----
    A duel without clicks is a tie. `estimate` returns the matrix of all preferences instead, as in Zoghi et
    al. (2014, section 6), who used 4,000 comparisons per pair.

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
        rankers = list(self.rankers)
        if len(rankers) < 2:
            raise ParameterError(f"rankers must have at least 2 entries; got {len(rankers)}.")
        check_fields(self)
        if not isinstance(self.interleaving, Interleaving):
            raise ParameterError(
                f"interleaving must be a method for two rankings, such as TeamDraft(); got "
                f"{self.interleaving!r}."
            )
        self.interleaving.require_number(2)
        names = as_labels(names_of(rankers) if self.names is None else self.names)
        if len(names) != len(rankers):
            raise ParameterError(
                f"names has {counted(len(names), 'name')} for {counted(len(rankers), 'ranker')}; give one "
                "per ranker."
            )
        clicks = click_models.perfect(self.data.grades) if self.clicks is None else self.clicks
        user, orders = user_for(clicks, self.data.grades), orders_of(rankers, self.data, self.seed)
        largest = int(np.diff(self.data.offsets).max())
        vars(self).update(clicks=clicks, user=user, orders=orders, largest=largest)
        vars(self).update(rankers=tuple(rankers), names=names)

    def __repr__(self) -> str:
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
        """The mean NDCG of each ranker's lists, over the queries that have a relevant document.

        Raises ParameterError if there is no such query.
        """
        corpus = corpus_of(self.data, self.length)
        if not corpus.ideal.any():
            raise ParameterError(
                "data has no query with a relevant document, so all rankers score the same; give data with "
                "relevant documents."
            )
        return orders_quality(corpus, self.orders)

    @property
    def gaps(self) -> FloatArray:
        """The loss in NDCG of showing each ranker's lists instead of the best ranker's."""
        quality = self.quality
        return np.asarray(quality.max() - quality)

    def menu(self, rng: Generator | None = None) -> Arms:
        """Return the arms, which are the same in every round.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Ignored.

        Returns
        -------
        Arms
            The number of rankers.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> RankerDuel(synthetic_ranking_data(queries=50, seed=1), rankers=range(3)).menu()
        Arms(k=3)
        """
        return Arms(self.k)

    def play(self, duel: Duel, rng: Generator) -> float:
        """Interleave two rankers' lists for a random query, and return the outcome of the clicks.

        Parameters
        ----------
        duel : Duel
            Two rankers.
        rng : numpy.random.Generator
            Draws the query, the list and the clicks.

        Returns
        -------
        float
            1 if the left ranker wins, 0 if the right one does, 0.5 for a tie; a ranker ties with itself.

        Raises
        ------
        OutcomeError
            If a side is not a ranker.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankerDuel(synthetic_ranking_data(queries=50, seed=1), rankers=range(3))
        >>> problem.play(Duel(1, 1), np.random.default_rng(0))
        0.5
        """
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
        documents = np.array(shown.documents, np.int64)
        clicked = np.empty(len(documents), np.bool_)
        click_page(self.user, self.data.labels[rows][documents], len(documents), clicked, rng)
        return float(self.interleaving.outcome(shown, documents[clicked].tolist()))

    def estimate(
        self, comparisons: int = 4000, seed: int = 0, workers: int | None = None, progress: bool | None = None
    ) -> MatrixProblem:
        """Estimate all preferences from the same number of duels for every pair.

        Equal seeds give equal results for any number of workers.

        Parameters
        ----------
        comparisons : int, default 4000
            The number of duels per pair.
        seed : int, default 0
            The seed of all random streams.
        workers : int, optional
            The number of threads; by default one per core.
        progress : bool, optional
            Whether to show a progress bar; by default only if standard error is a terminal.

        Returns
        -------
        MatrixProblem
            The estimated preferences, with their counts.

        Raises
        ------
        ParameterError
            If a number is out of range.

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
        """Return the problem in the kernels' form.

        Returns
        -------
        Contest
            The problem, with its own page buffers.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankerDuel(synthetic_ranking_data(queries=50, seed=1), rankers=range(3))
        >>> len(problem.contest().orders)
        3
        """
        display = new_display(self.interleaving, self.user, self.length, self.largest)
        return Contest(self.orders, self.data.labels, self.data.offsets, display)
