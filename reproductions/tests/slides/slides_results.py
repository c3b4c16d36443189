"""Queries and results for the tests of the slides' summary."""

from typing import Any

import numpy as np
from made import claims_with, holds

from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist_reproductions.slides import PAPER
from duelist_reproductions.slides.degraded import long_enough
from duelist_reproductions.slides.sweep import PAIRS

[ITEM] = PAPER.items
EXPECTED = PAPER.expected[ITEM.name]
EVERY = (2, len(PAIRS))
"""Months and pairs."""


def few_queries(queries: int = 40) -> RankingData:
    return long_enough(synthetic_ranking_data(queries=queries, documents=20, seed=2))


def made(**changed: Any) -> ItemResults:
    """Two months in which every pair shows the expected order, and blind clicks show nothing."""
    wins = np.array([30, 6_000]) * np.ones((*EVERY, 1), np.int64)
    losses = np.array([25, 5_000]) * np.ones((*EVERY, 1), np.int64)
    arrays = {
        "impressions": np.array([100, 20_000]),
        "wins": wins,
        "losses": losses,
        "quality": np.tile([0.5, 0.6, 0.4], (*EVERY, 1)),
        "without": np.zeros(EVERY, np.int64),
        "uneven": np.zeros(EVERY, np.int64),
        "decided": np.full(EVERY, 5_000.0),
        "truth": np.linspace(0.6, 0.4, 6),
    }
    blind = arrays | {"losses": wins, "decided": np.full(EVERY, np.nan)}
    exact = {"win": np.full(EVERY, 0.3), "loss": np.array([[0.25], [0.3]]) * np.ones(EVERY)}
    for name, value in changed.items():
        kind, _, rest = name.partition("_")
        {"blind": blind, "exact": exact}.get(kind, arrays)[rest or name] = value
    found = {
        "exact": PieceResult({}, exact),
        "clicks": PieceResult({"sighted": True}, arrays),
        "blind": PieceResult({"sighted": False}, blind),
    }
    return ItemResults(Scale.PAPER, real=False, found=found)


def verdicts(results: ItemResults) -> dict[str, bool | None]:
    return holds(PAPER, ITEM, results)


def failed(results: ItemResults) -> set[str]:
    return claims_with(verdicts(results), False)
