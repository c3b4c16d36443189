"""Learning to rank from files: the data, the held-out part and the learned ranker."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.clicks import CLICK_MODELS
from duelist.errors import ParameterError, require_whole
from duelist.problems import RankingProblem
from duelist.ranking import LinearRanker, RankingData, load_ranking_data, synthetic_ranking_data
from duelist.simulation import Result, simulate
from duelist.simulation.arguments import require_sizes
from duelist.text import counted

DEPTH, HELD_OUT = 10, 0.2
FEWEST = 3  # queries, so that at least one is held out


@dataclass(frozen=True)
class RankingRequest:
    """The data, the click model and the size of an experiment."""

    files: tuple[Path, ...] = ()  # documents to learn from; synthetic data unless given
    held_out: tuple[Path, ...] = ()
    """Documents to measure on; a fifth of the queries to learn from unless given."""
    groups: tuple[Path, ...] = ()  # for files without query ids, the numbers of documents of their queries
    normalise: bool = False
    clicks: str = "perfect"  # one of `clicks.CLICK_MODELS`
    impressions: int = 100_000
    runs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise ParameterError for a seed that is not a whole number: the data may be split by it."""
        require_whole("seed", self.seed, 0)

    @property
    def source(self) -> str:
        """The name of the data."""
        return ", ".join(map(str, self.files)) or "synthetic data"

    def load(self) -> RankingData:
        """Return the documents of the files, or synthetic data."""
        if self.files:
            return load_ranking_data(self.files, groups=self.groups or None, normalise=self.normalise)
        if self.groups:
            raise ParameterError("--groups needs a FILE of documents: name the FILE, or leave --groups out.")
        return synthetic_ranking_data(queries=500)

    def split(self) -> tuple[RankingData, RankingData]:
        """Return the queries to learn from and the queries to measure on."""
        data = self.load()
        if self.held_out:
            return data, load_ranking_data(self.held_out, normalise=self.normalise)
        if len(data) < FEWEST:
            raise ParameterError(
                f"{self.source} has {counted(len(data), 'query')}, too few to hold some out; add queries, or "
                "name a file with --held-out FILE."
            )
        measured, learned = data.split(HELD_OUT, default_rng(self.seed))
        return learned, measured


@dataclass(frozen=True)
class RankingExperiment:
    """A request, the size of its data, and the results of all learners."""

    request: RankingRequest
    queries: int
    features: int
    held_out_queries: int
    result: Result

    @property
    def rows(self) -> dict[str, list[float]]:
        """By learner, the mean quality at the start, after a tenth and at the end, and of all lists shown."""
        found = {}
        for name, one in self.result.items():
            tenth = int(np.searchsorted(one.checkpoints, one.checkpoints[-1] / 10))
            quality = one.quality.mean(axis=0)
            found[name] = [*map(float, quality[[0, tenth, -1]]), float(one.shown_quality[:, -1].mean())]
        return found

    def best_ranker(self) -> LinearRanker:
        """Return the ranker of the first run of the learner with the best quality."""
        one = max(self.result.values(), key=lambda runs: float(runs.quality[:, -1].mean()))
        made = {
            "clicks": self.request.clicks,
            "data": self.request.source,
            "learner": one.description,
            "impressions": int(one.checkpoints[-1]),
            "seed": self.result.seed,
            f"held-out NDCG@{self.result.depth}": round(float(one.quality[0, -1]), 6),
        }
        return LinearRanker(one.weights[0], made)


def learn_to_rank(
    request: RankingRequest, learners: Any, workers: int | None = None, keep: Path | None = None
) -> RankingExperiment:
    """Learn from simulated clicks, and measure the rankers by NDCG@10 on held-out queries."""
    data, measured = request.split()
    require_sizes("impressions", request.impressions, request.runs, request.seed, workers)
    problem = RankingProblem(data, CLICK_MODELS[request.clicks](data.grades), measured, DEPTH)
    result = simulate(
        learners, problem, request.impressions, request.runs, request.seed, workers=workers, keep=keep
    )
    return RankingExperiment(request, len(data), data.d, len(measured), result)
