"""What learning to rank from simulated clicks found."""

from dataclasses import dataclass
from typing import ClassVar

from duelist.duel import FloatArray
from duelist.simulation.result import Results, Runs


@dataclass(frozen=True, eq=False, repr=False)
class RankingResult(Runs):
    """One learner's runs of impressions."""

    arrays: ClassVar[tuple[str, ...]] = (*Runs.arrays, "quality", "shown_quality", "weights")
    measures: ClassVar[tuple[str, ...]] = ("quality", "shown_quality")

    quality: FloatArray
    """The learned ranker's mean NDCG on the queries held out."""
    shown_quality: FloatArray
    """The mean NDCG of all lists shown so far: what learning cost the users."""
    weights: FloatArray
    """The learned ranker at the end of each run: a column per feature."""


@dataclass(frozen=True, eq=False, repr=False)
class RankingSimulationResult(Results[RankingResult]):
    """The results of several learners of rankings, by name.

    Examples
    --------
    >>> from duelist import PairwiseGradientRanker, train_online
    >>> from duelist.problems import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=20, features=5)
    >>> result = train_online(PairwiseGradientRanker(), data, clicks.perfect(grades=3), 100, runs=2)
    >>> result["PairwiseGradientRanker"].weights.shape
    (2, 5)
    """

    runs: ClassVar[type[Runs]] = RankingResult

    depth: int
    """Lists are judged by their first so many places."""
    held_out: bool
    """Whether quality was measured on queries that were not learned from."""
