"""Rankers for queries: the only claim that theory makes, and a table."""

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
    """Check that learners with a guarantee are not beaten by the best fixed ranker on training queries.

    Judged only if the error is so small that random rankers would fail.
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
    note = "" if telling else "With so few duels, random rankers would pass too."
    return {"training": Finding(ours, rate if telling else None, note, limit=least)}


def promised(one: PieceResult, even: float) -> float:
    """Return the lowest rate of wins: 1/2 minus the error of the log and the interval over queries.

    A policy's margin over another is estimated from a log of m pairs drawn uniformly of K^2 with a standard
    error of up to K / sqrt(m), and a rate of wins is half a margin.
    """
    return even - RANKERS / sqrt(one.setting["duels"]) / 2.0 - float(one["interval"][TRAINING])


def show(results: ItemResults, expected: Expected) -> list[ResultTable]:
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
