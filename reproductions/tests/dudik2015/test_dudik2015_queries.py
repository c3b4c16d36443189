import json
from typing import Any

import numpy as np
import pytest

from duelist.laboratory.items import Finding
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist_reproductions.documents import load_documents
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.queries.figures import show
from duelist_reproductions.dudik2015.queries.sweep import best_features, learn, plan, problems, qualities
from duelist_reproductions.dudik2015.queries.verdicts import judge

EXPECTED = PAPER.expected["queries"]
NOWHERE = Sources(None)


def result(learner: str, rate: float, drawn: float = 0.42, duels: int = 30_000) -> PieceResult:
    arrays = {
        "rate": np.array([rate, 0.3]),
        "interval": np.array([0.01, 0.02]),
        "quality": np.array([0.6, 0.5]),
        "fixed_quality": np.array([0.6, 0.6]),
        "drawn_rate": np.array([drawn, drawn]),
    }
    return PieceResult({"user": "perfect", "learner": learner, "duels": duels}, arrays)


def judged(*results: PieceResult) -> Finding:
    found = {str(place): one for place, one in enumerate(results)}
    return judge(ItemResults(Scale.PAPER, real=True, found=found), EXPECTED)["training"]


def test_pieces_have_names_of_their_own_and_plain_settings() -> None:
    for scale in Scale:
        pieces = plan(ItemResults(scale, real=True))
        assert len({piece.name for piece in pieces}) == len(pieces)
        assert all(json.loads(json.dumps(piece.setting)) == piece.setting for piece in pieces)


def test_who_is_beaten_beyond_the_error_fails() -> None:
    # ten rankers and 30,000 duels tell margins up to 0.0577, rates up to 0.0289, and 0.01 is the interval
    assert judged(result("SparringFPL", 0.462), result("SparringPGD", 0.5)).value is True
    assert judged(result("SparringFPL", 0.460), result("SparringPGD", 0.5)).value is False
    assert judged(result("SparringFPL", 0.5), result("LogisticDuels", 0.2)).value is True


def test_what_rankers_drawn_at_random_would_do_too_is_not_judged() -> None:
    finding = judged(result("SparringFPL", 0.5, drawn=0.47), result("SparringPGD", 0.4, duels=1000))
    assert finding.value is None
    assert finding.note


def test_the_rankers_are_the_best_features_of_the_training_queries() -> None:
    documents = load_documents(NOWHERE)
    training, test = problems(documents, "perfect")
    mean = qualities(training).mean(axis=0)
    assert (np.diff(mean) <= 0.0).all()
    assert len(best_features(documents.training)) == training.k == 10
    assert training.table.mean(axis=0) == pytest.approx(np.zeros(21), abs=1e-9)
    assert test.table.shape == (len(documents.test), 21)


def test_a_piece_is_judged_and_shown() -> None:
    setting: dict[str, Any] = {"user": "perfect", "learner": "SparringPGD", "duels": 2000, "calls": 10}
    setting["meetings"] = 20
    first, again = (learn(NOWHERE, **setting) for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert first["rate"].shape == (2,)
    # what is learned does better than rankers drawn at random, on the queries it is learned from
    assert first["rate"][0] > first["drawn_rate"][0]
    results = ItemResults(Scale.QUICK, real=False, found={"one": PieceResult(setting, first)})
    assert judge(results, EXPECTED).keys() == EXPECTED["claims"].keys()
    (table,) = show(results, EXPECTED)
    assert all(len(row) == len(table.headings) for row in table.rows)
