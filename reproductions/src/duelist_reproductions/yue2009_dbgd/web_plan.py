"""What is played for Tables 2 and 3 and Figure 3, one stage after the other."""

from duelist.laboratory.work import ItemResults, Piece
from duelist_reproductions.yue2009_dbgd.web_experiments import plan_experiments
from duelist_reproductions.yue2009_dbgd.web_search import (
    BASELINES,
    SETTINGS,
    best_run,
    grid,
    horizon_of,
    measure_baselines,
    piece_of,
)


def plan_web_search(results: ItemResults) -> list[Piece]:
    """Return the paper's grid, shorter explorations, and experiments."""
    settings, horizon = SETTINGS[results.scale], horizon_of(results)
    most = settings.queries[-1]
    pieces = [Piece(BASELINES, measure_baselines)]
    pieces += grid([most], settings.explorations, settings.exploitations, horizon)
    pieces += grid([most], settings.shorter_explorations, settings.exploitations, horizon)
    return pieces + plan_experiments(results)


def plan_fewer_queries(results: ItemResults) -> list[Piece]:
    """Return runs with fewer queries an update, by the best cell of the grid."""
    settings = SETTINGS[results.scale]
    peak = best_run(results, settings.queries[-1]).setting
    tried = tried_with_fewer(results, peak["exploitation"])
    return grid(settings.queries[:-1], [peak["exploration"]], tried, horizon_of(results))


def plan_more_runs(results: ItemResults) -> list[Piece]:
    """Return more runs with the best steps of each number of queries."""
    settings = SETTINGS[results.scale]
    best = [best_run(results, queries).setting for queries in settings.queries]
    return [piece_of(**{**one, "run": run}) for run in range(1, settings.runs) for one in best]


def tried_with_fewer(results: ItemResults, best: float) -> tuple[float, ...]:
    """Return the exploitations tried with fewer queries: up to the best with most, and the next larger.

    The paper says that the best steps are typically smaller with fewer queries, and not which they are.
    """
    exploitations = SETTINGS[results.scale].exploitations
    return exploitations[: exploitations.index(best) + 2]
