"""What was learned of rankers and queries: the one claim that theory makes."""

from math import sqrt

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults, PieceResult
from duelist_reproductions.dudik2015.queries.sweep import RANKERS

TRAINING, TEST = 0, 1


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Judge whether learners that promise it are unbeaten by the best fixed ranker on the training queries.

    Only where the error is so small that rankers drawn at random would fail.
    """
    even = float(expected["claims"]["training"]["paper"])
    promising = [one for one in results.values() if one.setting["learner"] in expected["promising"]]
    telling = [one for one in promising if one["drawn_rate"][TRAINING] < promised(one, even)]
    worst = min(telling or promising, key=lambda one: float(one["rate"][TRAINING]) - promised(one, even))
    rate = float(worst["rate"][TRAINING])
    ours = (
        f"closest: {rate:.3f} by {worst.setting['learner']} with {worst.setting['user']} users, where "
        f"{promised(worst, even):.3f} is promised and rankers drawn at random have "
        f"{worst['drawn_rate'][TRAINING]:.3f}; {len(telling)} of {len(promising)} tell"
    )
    if not telling:
        return {"training": Finding(ours, None, "From so few duels, rankers drawn at random would do too.")}
    return {"training": Finding(ours, rate >= promised(worst, even))}


def promised(one: PieceResult, even: float) -> float:
    """Return the least rate: that of equals but for what the log does not tell and the spread of queries.

    A policy's margin over another is estimated from a log of m pairs drawn uniformly of K^2 with a standard
    error of up to K / sqrt(m), and a rate of wins is half a margin.
    """
    return even - RANKERS / sqrt(one.setting["duels"]) / 2.0 - float(one["interval"][TRAINING])
