"""Tables 2 and 3 and Figure 3: the runs, in consecutive plans, on linear rankers compared by NDCG@10."""

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
"""Number of evenly spaced checkpoints of a run; its average is over these."""
SETTINGS = settings(
    explorations=((1.0, 3.0), EXPLORATIONS),
    # the paper's first two times sqrt(46/367): theoretical exploration grows with the square root of the
    # number of features, and MQ2008 has fewer
    shorter_explorations=((0.35,), (0.18, 0.28)),
    exploitations=((0.01, 0.05), EXPLOITATIONS),
    # queries per update; Table 2 has the last
    queries=((1, 10), (1, 5, 10, 25, 50, 100)),
    # runs per number of queries with its best steps, because chance affects final values
    runs=(2, 4),
    horizon=(10**5, 10**7),
    made_up_horizon=(10**5, 10**6),
)
FEWER_QUERIES, FEWER_COMPARISONS = 10, 10**6
"""Comparisons of a second grid, on real documents at full scale: the paper's 10^7 would take too long."""


def horizon_of(results: ItemResults) -> int:
    """Return the number of comparisons of a run; made-up documents need fewer."""
    setting = SETTINGS[results.scale]
    return int(setting.horizon if results.real else setting.made_up_horizon)


def has_second_grid(results: ItemResults) -> bool:
    """Return whether the grid also runs with fewer queries."""
    return results.real and results.scale is Scale.PAPER


def first_runs(
    queries: Iterable[int], explorations: Iterable[float], exploitations: Iterable[float], horizon: int
) -> list[Piece]:
    """Return first runs for all combinations."""
    over = {"queries": queries, "exploration": explorations, "exploitation": exploitations, "run": (0,)}
    return grid(play_run, {"horizon": (horizon,), **over}, cost=lambda one: one.horizon / 10**7)


def plan_grid(results: ItemResults) -> list[Piece]:
    """Return the paper's grid with smaller explorations, a second grid, and the baselines."""
    setting = SETTINGS[results.scale]
    wider = setting.shorter_explorations + setting.explorations
    pieces = first_runs(setting.queries[-1:], wider, setting.exploitations, horizon_of(results))
    if has_second_grid(results):
        steps = (setting.explorations, setting.exploitations)
        pieces += first_runs([FEWER_QUERIES], *steps, FEWER_COMPARISONS)
    return [Piece("baselines", measure_baselines), *pieces]


def plan_fewer_queries(results: ItemResults) -> list[Piece]:
    """Return runs with fewer queries: the best exploitation for 100 queries, all smaller and the next larger.

    The paper says only that the best steps are typically smaller with fewer queries.
    """
    setting = SETTINGS[results.scale]
    peak = best_run(results, setting.queries[-1]).setting
    tried = setting.exploitations[: setting.exploitations.index(peak["exploitation"]) + 2]
    return first_runs(setting.queries[:-1], [peak["exploration"]], tried, horizon_of(results))


def plan_more_runs(results: ItemResults) -> list[Piece]:
    """Return more runs with the best steps for each number of queries."""
    setting = SETTINGS[results.scale]
    best = [best_run(results, queries).setting for queries in setting.queries]
    names = ("horizon", "queries", "exploration", "exploitation")
    steps = [tuple(one[name] for name in names) for one in best]
    return grid(play_run, {names: steps, "run": range(1, setting.runs)}, cost=horizon_of(results) / 10**7)


def best_run(results: ItemResults, queries: int) -> PieceResult:
    """Return the first run with the best average, which chance affects less than a final value.

    The smaller explorations are a separate experiment and are excluded.
    """
    longer = SETTINGS[results.scale].explorations
    played = results.where(queries=queries, run=0, horizon=horizon_of(results))
    tried = [one for one in played if one.setting["exploration"] in longer]
    return max(tried, key=lambda one: float(one["curve"].mean()))


def play_run(
    sources: Sources, *, queries: int, exploration: float, exploitation: float, horizon: int, run: int
) -> Arrays:
    """Play one run on the training queries, from equal weights for all features.

    Return mean NDCG@10 on the training queries at evenly spaced checkpoints, and final NDCG@10 on every query
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
    """Return NDCG@10 on every query, by part, of the ranking SVM and of the starting point."""
    documents = load_documents(sources)
    svm = fit_ranking_svm(documents.training, validation=documents.validation)
    start = LinearRanker(np.ones(documents.training.d))
    return {
        f"{name} {part}": values
        for name, ranker in (("svm", svm), ("start", start))
        for part, values in documents.qualities(ranker).items()
    }
