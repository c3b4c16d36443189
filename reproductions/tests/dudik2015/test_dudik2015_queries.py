from typing import Any

import numpy as np
import pytest
from made import holds

from duelist.laboratory import ItemResults, PieceResult, Scale, Sources
from duelist_reproductions.documents import load_documents
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.queries import ITEM, show
from duelist_reproductions.dudik2015.queries_sweep import best_features, learn, problems, qualities

NOWHERE = Sources(None)


def verdict(**rates: float) -> bool | None:
    """Return the verdict on these rates of wins from 30,000 duels; `drawn` is that of rankers at random."""
    drawn = rates.pop("drawn", 0.42)
    found = {}
    for learner, rate in rates.items():
        arrays = {"rate": np.array([rate, 0.3]), "interval": np.array([0.01, 0.02])}
        arrays["drawn_rate"] = np.array([drawn, drawn])
        found[learner] = PieceResult({"user": "perfect", "learner": learner, "duels": 30_000}, arrays)
    return holds(PAPER, ITEM, ItemResults(Scale.PAPER, real=True, found=found))["training"]


def test_who_is_beaten_beyond_the_error_fails() -> None:
    # ten rankers and 30,000 duels tell margins up to 0.0577, rates up to 0.0289, and 0.01 is the interval
    assert verdict(SparringFPL=0.462, SparringPGD=0.5) is True
    assert verdict(SparringFPL=0.460, SparringPGD=0.5) is False
    assert verdict(SparringFPL=0.5, LogisticDuels=0.2) is True
    # what rankers drawn at random would do too
    assert verdict(SparringFPL=0.5, SparringPGD=0.4, drawn=0.47) is None


def test_the_rankers_are_the_best_features_of_the_training_queries() -> None:
    documents = load_documents(NOWHERE)
    training, test = problems(documents, "perfect")
    features = best_features(documents.training)
    assert (np.diff(qualities(documents.training, features).mean(axis=0)) <= 0.0).all()
    assert [int(one) for one in training.rankers.rankers] == features
    assert len(features) == training.k == 10
    assert training.table.mean(axis=0) == pytest.approx(np.zeros(21), abs=1e-9)
    assert test.table.shape == (len(documents.test), 21)


def test_a_piece_is_found_again_and_shown() -> None:
    setting: dict[str, Any] = {"user": "perfect", "learner": "SparringPGD", "duels": 2000, "calls": 10}
    setting["meetings"] = 20
    first, again = (learn(NOWHERE, **setting) for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    # what is learned does better than rankers drawn at random, on the queries it is learned from
    assert first["rate"][0] > first["drawn_rate"][0]
    results = ItemResults(Scale.QUICK, real=False, found={"one": PieceResult(setting, first)})
    (table,) = show(results, PAPER.expected["queries"])
    assert [len(row) for row in table.rows] == [len(table.headings)]
