"""What was learned of rankers and queries: the one claim that theory makes, and a table."""

from math import sqrt

from duelist.laboratory import Expected, Finding, Item, ItemResults, PieceResult, ResultTable
from duelist_reproductions.documents import FILES
from duelist_reproductions.dudik2015.queries_sweep import RANKERS, plan

TRAINING = 0
COLUMNS = {
    "users": "{user}",
    "learner": "{learner}",
    "wins, training queries": "{rate[0]:.3f} ± {interval[0]:.3f}",
    "wins, test queries": "{rate[1]:.3f} ± {interval[1]:.3f}",
    "a random ranker's, training": "{drawn_rate[0]:.3f}",
    "a random ranker's, test": "{drawn_rate[1]:.3f}",
    "NDCG@10, training (the fixed ranker's)": "{quality[0]:.3f} ({fixed_quality[0]:.3f})",
    "NDCG@10, test (the fixed ranker's)": "{quality[1]:.3f} ({fixed_quality[1]:.3f})",
}


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Find out whether learners that promise it are unbeaten by the best fixed ranker on training queries.

    Only where the error is so small that rankers drawn at random would fail.
    """
    even = float(expected["claims"]["training"]["paper"])
    promising = [one for one in results.values() if one.setting["learner"] in expected["promising"]]
    telling = [one for one in promising if one["drawn_rate"][TRAINING] < promised(one, even)]
    worst = min(telling or promising, key=lambda one: float(one["rate"][TRAINING]) - promised(one, even))
    rate, least = float(worst["rate"][TRAINING]), promised(worst, even)
    ours = (
        f"closest: {rate:.3f} by {worst.setting['learner']} with {worst.setting['user']} users, where "
        f"{least:.3f} is promised and rankers drawn at random have "
        f"{worst['drawn_rate'][TRAINING]:.3f}; {len(telling)} of {len(promising)} tell"
    )
    note = "" if telling else "From so few duels, rankers drawn at random would do too."
    return {"training": Finding(ours, rate if telling else None, note, limit=least)}


def promised(one: PieceResult, even: float) -> float:
    """Return the least rate: that of equals but for what the log does not tell and the spread of queries.

    A policy's margin over another is estimated from a log of m pairs drawn uniformly of K^2 with a standard
    error of up to K / sqrt(m), and a rate of wins is half a margin.
    """
    return even - RANKERS / sqrt(one.setting["duels"]) / 2.0 - float(one["interval"][TRAINING])


def show(results: ItemResults, expected: Expected) -> list[ResultTable]:
    """Return how often every learner beats the best fixed ranker, and the NDCG@10 of both."""
    title = "Rate of wins over the best fixed ranker, with a 95% interval over queries"
    return [ResultTable.of(title, COLUMNS, [{**one.setting, **one} for one in results.values()])]


ITEM = Item(
    name="queries",
    title="Not in the paper: which ranker for which query of MQ2008",
    minutes=3.0,
    plan=plan,
    findings=findings,
    show=show,
    learners=("LogisticDuels", "SparringFPL", "SparringPGD"),
    data=FILES,
)
