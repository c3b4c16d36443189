"""What is played for Tables 2 and 3 and Figure 3, one stage after the other."""

from duelist.laboratory.work import Piece, Results
from duelist.reproductions.yue2009_dbgd.web_experiments import plan_experiments
from duelist.reproductions.yue2009_dbgd.web_search import (
    BASELINES,
    SETTINGS,
    best_run,
    grid,
    horizon_of,
    measure_baselines,
    piece_of,
)


def plan_web_search(results: Results) -> list[Piece]:
    """Return the paper's grid; once it is played, what depends on its best cell; then more of the best."""
    settings, horizon = SETTINGS[results.scale], horizon_of(results)
    most = settings.queries[-1]
    pieces = [Piece(BASELINES, measure_baselines)]
    pieces += grid([most], settings.explorations, settings.exploitations, horizon)
    pieces += grid([most], settings.shorter_explorations, settings.exploitations, horizon)
    pieces += plan_experiments(results)
    if not all(piece.name in results for piece in pieces):
        return pieces
    peak = best_run(results, most).setting
    pieces += grid(
        settings.queries[:-1], [peak["exploration"]], tried_with_fewer(results, peak["exploitation"]), horizon
    )
    if not all(piece.name in results for piece in pieces):
        return pieces
    best = [best_run(results, queries).setting for queries in settings.queries]
    return pieces + [piece_of(**{**one, "run": run}) for run in range(1, settings.runs) for one in best]


def tried_with_fewer(results: Results, best: float) -> tuple[float, ...]:
    """Return the exploitations tried with fewer queries: up to the best with most, and the next larger.

    The paper says that the best steps are typically smaller with fewer queries, and not which they are.
    """
    exploitations = SETTINGS[results.scale].exploitations
    return exploitations[: exploitations.index(best) + 2]
