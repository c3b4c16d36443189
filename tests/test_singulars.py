"""What there is one of is told in the singular: in descriptions, and in what errors say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from duelist.clicks import ClickLog, cascade, perfect
from duelist.errors import DuelistError
from duelist.learners.ranking import PairwiseGradientRanker
from duelist.menus import Ball, Documents, require_inside
from duelist.policies.finite import TablePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.policies.models import LinearModel
from duelist.problems import LinearRankerSpace, QueryContexts, RankerDuel
from duelist.ranking import LinearRanker, RankingData, ndcg

ONE = RankingData(np.ones((1, 1)), [1], ["svm"], [0, 1])
LOG = ClickLog.from_records([("svm", ["a"], [1])])
RANKER = PairwiseGradientRanker()
RANKER_STATE = RANKER.init(Documents([[1.0]]), np.random.default_rng(0))
MIXTURE: dict[str, Any] = {"weights": np.ones(1), "columns": ["context"]}


@pytest.mark.parametrize(
    ("described", "words"),
    [
        (ONE, "RankingData(1 query, 1 document, 1 feature, grades 0-1)"),
        (LOG, "ClickLog(1 impression of 1 query, 1 document, 1 place, 1 click)"),
        (RankerDuel(ONE, [0, 0], names="ab"), "RankerDuel(2 rankers, 1 query, "),
        (
            QueryContexts(RankerDuel(ONE, [0, 0], names="ab"), [[1.0]]),
            "(1 query, 2 rankers, 1 context column)",
        ),
        (LinearRankerSpace(ONE), "LinearRankerSpace(1 feature, 1 query, by "),
        (PolicyMixture([TablePolicy(np.array([0]))], actions="ab", **MIXTURE), "(1 policy over 2 actions)"),
        (LinearModel(np.ones((1, 1)), np.ones(1)), "LinearModel(1 sum of 1 column)"),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, str) else "",
)
def test_descriptions(described: object, words: str) -> None:
    assert words in repr(described)


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (lambda: ONE.split(0.5, np.random.default_rng(0)), "split 1 query into"),
        (lambda: LOG.split(0.5, np.random.default_rng(0)), "split 1 impression into"),
        (lambda: ndcg([1.0, 2.0], ONE), "each of 1 document; got shape (2,)"),
        (lambda: ndcg([np.nan], ONE), "nan for 1 of 1 document."),
        (lambda: LinearRanker(np.ones(1)).score(np.ones((1, 2))), "weights for 1 feature, but"),
        (
            lambda: RANKER.ask(RANKER_STATE, Documents([[1.0, 2.0]]), np.random.default_rng(0)),
            "must have 1 feature, as",
        ),
        (lambda: RankerDuel(ONE, [0, 0], names=["a"]), "names has 1 name for 2 rankers"),
        (
            lambda: PolicyMixture([TablePolicy(np.array([0]))], np.full(2, 0.5), "ab", ["x"]),
            "each of 1 policy; got",
        ),
        (
            lambda: PolicyMixture([TablePolicy(np.array([2]))], np.ones(1), "ab", ["x"]),
            "needs 3 actions and 1 column;",
        ),
        (lambda: require_inside(Ball(1), "x"), "must be 1 number; got"),
        (lambda: cascade([0.1, 0.9], [0.5]), "stop has 1 number; give one for each of 2 grades"),
        (lambda: perfect(2).log_chance([1], [True, False]), "each of 1 grade"),
    ],
)
def test_errors(misuse: Callable[[], object], words: str) -> None:
    with pytest.raises(DuelistError) as raised:
        misuse()
    assert words in str(raised.value)
