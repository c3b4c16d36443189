"""Tables 2 and 3 and Figure 3: linear rankers of documents, compared by NDCG@10."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, PieceResult, Scale
from duelist.learners import DuelingBanditGradientDescent
from duelist.problems import LinearRankerSpace
from duelist.ranking import RankingData
from duelist.ranking.linear import LinearRanker
from duelist.ranking.ranking_svm import fit_ranking_svm
from duelist.simulation import simulate
from duelist_reproductions.yue2009_dbgd.documents import load_documents

MARKS = 100
"""How often a run is looked at, evenly; its average is over these looks."""
BASELINES = "baselines"


@dataclass(frozen=True)
class WebSettings:
    """What is played of Tables 2 and 3 and Figure 3."""

    explorations: tuple[float, ...]
    shorter_explorations: tuple[float, ...]
    """The paper's first two times sqrt(46/367): theory's exploration grows with the root of the number of
    features, of which MQ2008 has fewer."""
    exploitations: tuple[float, ...]
    queries: tuple[int, ...]
    """Compared before an update; Table 2 has the last."""
    runs: int
    """Of each number of queries with its best steps, because chance moves the end of a run."""
    horizon: int
    made_up_horizon: int
    """For made-up documents: enough to see what is done."""


SETTINGS = {
    Scale.PAPER: WebSettings(
        explorations=(0.5, 0.8, 1.0, 3.0),
        shorter_explorations=(0.18, 0.28),
        exploitations=(0.001, 0.005, 0.01, 0.05, 0.1),
        queries=(1, 5, 10, 25, 50, 100),
        runs=4,
        horizon=10**7,
        made_up_horizon=10**6,
    ),
    Scale.QUICK: WebSettings(
        explorations=(1.0, 3.0),
        shorter_explorations=(0.35,),
        exploitations=(0.01, 0.05),
        queries=(1, 10),
        runs=2,
        horizon=10**5,
        made_up_horizon=10**5,
    ),
}


class Learned(NamedTuple):
    """Mean NDCG@10 on the training queries at some rounds of a run, and the weights at its end."""

    rounds: IntArray
    curve: FloatArray
    weights: FloatArray


def learn(
    training: RankingData, *, queries: int, exploration: float, exploitation: float, horizon: int, run: int
) -> Learned:
    """Play one run on these queries, from equal weights for all features."""
    played = simulate(
        {"DBGD": DuelingBanditGradientDescent(exploration, exploitation, queries)},
        LinearRankerSpace(training, scale=10.0, depth=10),
        horizon,
        runs=1,
        seed=run,
        checkpoints=np.linspace(0, horizon, MARKS + 1, dtype=int)[1:].tolist(),
        workers=1,
        progress=False,
    )["DBGD"]
    return Learned(played.checkpoints, 1.0 - played.gap_at[0], played.best[0])


def play_run(
    sources: Sources, *, queries: int, exploration: float, exploitation: float, horizon: int, run: int
) -> Arrays:
    """Play one run on the training queries.

    Returned are mean NDCG@10 on the training queries at even distances, and at the end NDCG@10 on every query
    of each part.
    """
    documents = load_documents(sources)
    learned = learn(
        documents.training,
        queries=queries,
        exploration=exploration,
        exploitation=exploitation,
        horizon=horizon,
        run=run,
    )
    curve = {"rounds": learned.rounds, "curve": learned.curve}
    return curve | documents.qualities(LinearRanker(learned.weights))


def measure_baselines(sources: Sources) -> Arrays:
    """Return NDCG@10 on every query of each part, of the ranking SVM and of the start of all runs."""
    documents = load_documents(sources)
    svm = fit_ranking_svm(documents.training, validation=documents.validation)
    start = LinearRanker(np.ones(documents.training.d))
    return {
        f"{name} {part}": values
        for name, ranker in (("svm", svm), ("start", start))
        for part, values in documents.qualities(ranker).items()
    }


def horizon_of(results: ItemResults) -> int:
    """Return how many comparisons a run of the paper's tables has."""
    settings = SETTINGS[results.scale]
    return settings.horizon if results.real else settings.made_up_horizon


def grid(
    queries: Iterable[int], explorations: Iterable[float], exploitations: Iterable[float], horizon: int
) -> list[Piece]:
    """Return a first run for every combination of these."""
    steps = [(exploration, exploitation) for exploration in explorations for exploitation in exploitations]
    return [
        piece_of(queries=number, exploration=longer, exploitation=shorter, horizon=horizon, run=0)
        for number in queries
        for longer, shorter in steps
    ]


def piece_of(*, queries: int, exploration: float, exploitation: float, horizon: int, run: int) -> Piece:
    """Return one run as a piece of work."""
    name = f"queries={queries}-exploration={exploration:g}-exploitation={exploitation:g}-run={run}"
    setting = {
        "queries": queries,
        "exploration": exploration,
        "exploitation": exploitation,
        "horizon": horizon,
        "run": run,
    }
    return Piece(name, play_run, setting)


def best_run(results: ItemResults, queries: int) -> PieceResult:
    """Return the first run with the best average, which chance moves less than the end of a run.

    The shorter explorations are an experiment apart, and are not chosen from.
    """
    longer = SETTINGS[results.scale].explorations
    played = results.where(queries=queries, run=0, horizon=horizon_of(results))
    tried = [one for one in played if one.setting["exploration"] in longer]
    return max(tried, key=lambda one: float(one["curve"].mean()))
