"""Tables 2 and 3 and Figure 3: linear rankers of documents, compared by NDCG@10, one plan after the other."""

from collections.abc import Iterable

import numpy as np

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, PieceResult, Scale, grid, settings
from duelist.learners import DuelingBanditGradientDescent
from duelist.problems import LinearRankerSpace
from duelist.ranking.linear import LinearRanker
from duelist.ranking.ranking_svm import fit_ranking_svm
from duelist.simulation import simulate
from duelist_reproductions.documents import EXPLOITATIONS, EXPLORATIONS, load_documents

MARKS = 100
"""How often a run is looked at, evenly; its average is over these looks."""
SETTINGS = settings(
    explorations=((1.0, 3.0), EXPLORATIONS),
    # the paper's first two times sqrt(46/367): theory's exploration grows with the root of the number of
    # features, of which MQ2008 has fewer
    shorter_explorations=((0.35,), (0.18, 0.28)),
    exploitations=((0.01, 0.05), EXPLOITATIONS),
    # compared before an update; Table 2 has the last
    queries=((1, 10), (1, 5, 10, 25, 50, 100)),
    # of each number of queries with its best steps, because chance moves the end of a run
    runs=(2, 4),
    horizon=(10**5, 10**7),
    made_up_horizon=(10**5, 10**6),
)
FEWER_QUERIES, FEWER_COMPARISONS = 10, 10**6
"""Of a second grid, on the real documents at full scale: time does not allow the paper's 10^7 comparisons."""


def horizon_of(results: ItemResults) -> int:
    """Return how many comparisons a run of the paper's tables has; made-up documents need fewer."""
    setting = SETTINGS[results.scale]
    return int(setting.horizon if results.real else setting.made_up_horizon)


def has_second_grid(results: ItemResults) -> bool:
    """Return whether the grid is played with fewer queries too."""
    return results.real and results.scale is Scale.PAPER


def first_runs(
    queries: Iterable[int], explorations: Iterable[float], exploitations: Iterable[float], horizon: int
) -> list[Piece]:
    """Return a first run for every combination of these."""
    over = {"queries": queries, "exploration": explorations, "exploitation": exploitations, "run": (0,)}
    return grid(play_run, {"horizon": (horizon,), **over}, cost=lambda one: one.horizon / 10**7)


def plan_grid(results: ItemResults) -> list[Piece]:
    """Return the paper's grid with shorter explorations, a second grid, and what runs are compared with."""
    setting = SETTINGS[results.scale]
    wider = setting.shorter_explorations + setting.explorations
    pieces = first_runs(setting.queries[-1:], wider, setting.exploitations, horizon_of(results))
    if has_second_grid(results):
        steps = (setting.explorations, setting.exploitations)
        pieces += first_runs([FEWER_QUERIES], *steps, FEWER_COMPARISONS)
    return [Piece("baselines", measure_baselines), *pieces]


def plan_fewer_queries(results: ItemResults) -> list[Piece]:
    """Return runs with fewer queries: the best exploitation with most, all smaller and the next larger.

    The paper says that the best steps are typically smaller with fewer queries, and not which they are.
    """
    setting = SETTINGS[results.scale]
    peak = best_run(results, setting.queries[-1]).setting
    tried = setting.exploitations[: setting.exploitations.index(peak["exploitation"]) + 2]
    return first_runs(setting.queries[:-1], [peak["exploration"]], tried, horizon_of(results))


def plan_more_runs(results: ItemResults) -> list[Piece]:
    """Return more runs with the best steps of each number of queries."""
    setting = SETTINGS[results.scale]
    best = [best_run(results, queries).setting for queries in setting.queries]
    names = ("horizon", "queries", "exploration", "exploitation")
    steps = [tuple(one[name] for name in names) for one in best]
    return grid(play_run, {names: steps, "run": range(1, setting.runs)}, cost=horizon_of(results) / 10**7)


def best_run(results: ItemResults, queries: int) -> PieceResult:
    """Return the first run with the best average, which chance moves less than the end of a run.

    The shorter explorations are an experiment apart, and are not chosen from.
    """
    longer = SETTINGS[results.scale].explorations
    played = results.where(queries=queries, run=0, horizon=horizon_of(results))
    tried = [one for one in played if one.setting["exploration"] in longer]
    return max(tried, key=lambda one: float(one["curve"].mean()))


def play_run(
    sources: Sources, *, queries: int, exploration: float, exploitation: float, horizon: int, run: int
) -> Arrays:
    """Play one run on the training queries, from equal weights for all features.

    Returned are mean NDCG@10 on the training queries at even distances, and at the end NDCG@10 on every query
    of each part.
    """
    documents = load_documents(sources)
    played = simulate(
        {"DBGD": DuelingBanditGradientDescent(exploration, exploitation, queries)},
        LinearRankerSpace(documents.training, scale=10.0, depth=10),
        horizon,
        runs=1,
        seed=run,
        checkpoints=np.linspace(0, horizon, MARKS + 1, dtype=int)[1:].tolist(),
        workers=1,
        progress=False,
    )["DBGD"]
    curve = {"rounds": played.checkpoints, "curve": 1.0 - played.gap_at[0]}
    return curve | documents.qualities(LinearRanker(played.best[0]))


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
