from collections import Counter
from typing import Any

import numpy as np
import pytest

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, Scale
from duelist.ranking.ranking_svm import fit_ranking_svm
from duelist_reproductions.yue2009_dbgd.documents import load_documents
from duelist_reproductions.yue2009_dbgd.web_experiments import (
    EXPERIMENTS,
    fit_svms,
    plan_experiments,
    play_copied,
)
from duelist_reproductions.yue2009_dbgd.web_search import play_run

NOTHING = Sources(None)


def test_experiments_are_for_the_real_documents_at_full_scale() -> None:
    pieces = plan_experiments(ItemResults(Scale.PAPER, real=True))
    assert Counter(piece.work.__name__ for piece in pieces) == {
        "play_run": 2 * 20,
        "play_copied": 3,
        "fit_svms": 1,
    }
    assert {piece.setting["queries"] for piece in pieces if piece.work is play_run} == {10, 100}
    assert {piece.setting["horizon"] for piece in pieces if "horizon" in piece.setting} == {10**6}
    assert plan_experiments(ItemResults(Scale.QUICK, real=True)) == []
    assert plan_experiments(ItemResults(Scale.PAPER, real=False)) == []


def test_one_copy_of_every_feature_is_the_run_itself() -> None:
    setting: dict[str, Any] = {"queries": 2, "exploration": 1.0, "exploitation": 0.05, "horizon": 200}
    once, twice = (play_copied(NOTHING, copies=copies, **setting)["curve"] for copies in (1, 2))
    np.testing.assert_array_equal(once, play_run(NOTHING, run=0, **setting)["curve"])
    assert (once != twice).any()


def test_a_ranking_svm_for_every_cost() -> None:
    pytest.importorskip("sklearn")
    found = fit_svms(NOTHING, costs=[0.1, 10.0])
    documents = load_documents(NOTHING)
    for row, cost in enumerate((0.1, 10.0)):
        right = documents.qualities(fit_ranking_svm(documents.training, c=cost))
        for part, values in right.items():
            np.testing.assert_array_equal(found[part][row], values)
    # wider than what `fit_ranking_svm` chooses from by itself
    assert max(EXPERIMENTS.costs) == 1000.0
