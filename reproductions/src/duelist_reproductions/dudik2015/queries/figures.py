"""A table of what was learned of rankers and queries."""

from duelist.laboratory.items import Expected, Table
from duelist.laboratory.work import ItemResults
from duelist_reproductions.dudik2015.queries.verdicts import TEST, TRAINING


def show(results: ItemResults, expected: Expected) -> list[Table]:
    """Return how often every learner beats the best fixed ranker, and the NDCG@10 of both."""
    rows = [
        [
            one.setting["user"],
            one.setting["learner"],
            *(f"{one['rate'][part]:.3f} ± {one['interval'][part]:.3f}" for part in (TRAINING, TEST)),
            *(f"{one['drawn_rate'][part]:.3f}" for part in (TRAINING, TEST)),
            *(f"{one['quality'][part]:.3f} ({one['fixed_quality'][part]:.3f})" for part in (TRAINING, TEST)),
        ]
        for one in results.values()
    ]
    headings = (
        "users",
        "learner",
        "wins, training queries",
        "wins, test queries",
        "a random ranker's, training",
        "a random ranker's, test",
        "NDCG@10, training (the fixed ranker's)",
        "NDCG@10, test (the fixed ranker's)",
    )
    return [
        Table("Rate of wins over the best fixed ranker, with a 95% interval over queries", headings, rows)
    ]
