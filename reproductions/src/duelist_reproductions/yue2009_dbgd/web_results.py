"""What came out of the runs on documents, as the paper's tables have it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.work import ItemResults, PieceResult
from duelist_reproductions.yue2009_dbgd.web_search import SETTINGS, best_run, horizon_of

MEASURES = ("average", "final")
"""Of NDCG@10 on the training queries: over the whole run, and at its end."""


@dataclass(frozen=True)
class Contest:
    """On how many queries one ranker has the better list, as good a list, the worse list."""

    wins: int
    ties: int
    losses: int


def measure(run: PieceResult, name: str) -> float:
    """Return one of the measures of a run."""
    return float(run["curve"].mean() if name == "average" else run["curve"][-1])


def table_two(results: ItemResults, name: str, explorations: Sequence[float]) -> FloatArray:
    """Return a measure of the runs with most queries an update, a row for every exploration."""
    return table_of(results, name, explorations, SETTINGS[results.scale].queries[-1], horizon_of(results))


def table_of(
    results: ItemResults, name: str, explorations: Sequence[float], queries: int, horizon: int
) -> FloatArray:
    """Return a measure of first runs: a row for every exploration, a column for every exploitation."""
    found = {
        (one.setting["exploration"], one.setting["exploitation"]): measure(one, name)
        for one in results.where(queries=queries, run=0, horizon=horizon)
    }
    columns = SETTINGS[results.scale].exploitations
    return np.array([[found[row, column] for column in columns] for row in explorations])


def wider_explorations(results: ItemResults) -> tuple[float, ...]:
    """Return the paper's explorations, and shorter ones before them."""
    settings = SETTINGS[results.scale]
    return settings.shorter_explorations + settings.explorations


def best_runs(results: ItemResults) -> dict[int, list[PieceResult]]:
    """Return all runs with the best steps of each number of queries an update."""
    found = {}
    for queries in SETTINGS[results.scale].queries:
        best = best_run(results, queries).setting
        steps = {name: best[name] for name in ("queries", "exploration", "exploitation", "horizon")}
        found[queries] = results.where(**steps)
    return found


def run_deviation(results: ItemResults, name: str) -> float:
    """Return the standard deviation that chance gives a measure of a run, from runs with equal settings."""
    runs = best_runs(results).values()
    return float(np.sqrt(np.mean([np.var([measure(run, name) for run in one], ddof=1) for one in runs])))


def mean_final(runs: Sequence[PieceResult], part: str) -> float:
    """Return NDCG@10 at the end on the queries of a part, the mean of some runs."""
    return float(np.mean([run[part].mean() for run in runs]))


def contest(one: FloatArray, other: FloatArray) -> Contest:
    """Count the queries on which one ranker's NDCG@10 is higher than, equal to and lower than another's."""
    return Contest(int((one > other).sum()), int((one == other).sum()), int((one < other).sum()))


def mean_contest(one: FloatArray, runs: Sequence[PieceResult]) -> tuple[float, float]:
    """Return on how many training queries a ranker wins and loses against the ends of runs, on average."""
    contests = [contest(one, run["training"]) for run in runs]
    return (
        float(np.mean([each.wins for each in contests])),
        float(np.mean([each.losses for each in contests])),
    )
