"""Rankers as arms: scores, the order of ties, and names."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.problems.contests import names_of, orders_of, scores_of
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.linear import LinearRanker

DATA = synthetic_ranking_data(queries=20, documents=8, features=4, seed=3)


@dataclass
class Model:
    feature: int
    name: str = ""
    scale: float = 1.0

    def score(self, data: RankingData) -> FloatArray:
        return np.asarray(self.scale * data.features[:, self.feature], np.float64)


def test_features_weights_and_models_score_alike() -> None:
    weights = np.array([0.0, 0.0, 1.0, 0.0])
    for ranker in (2, np.int32(2), weights, weights.tolist(), LinearRanker(weights), Model(2)):
        np.testing.assert_array_equal(scores_of(ranker, DATA), DATA.features[:, 2].astype(np.float64))


def test_a_query_is_ordered_by_score_and_numbered_from_0() -> None:
    data = RankingData(
        DATA.features + np.arange(len(DATA.labels))[:, None] * 1e-4, DATA.labels, DATA.queries, DATA.offsets
    )
    orders = orders_of(range(4), data, seed=0)
    for query in range(len(data)):
        for feature in range(4):
            scores = data.features[data.rows(query), feature]
            assert orders[feature, data.rows(query)].tolist() == np.argsort(-scores, kind="stable").tolist()


def test_ties_are_drawn_once_for_all_rankers_and_fairly() -> None:
    data = RankingData(np.zeros((3, 2)), [0, 1, 2], ["q"], [0, 3])
    first = [tuple(orders_of([0, 1], data, seed)[0].tolist()) for seed in range(300)]
    for seed in range(300):
        both = orders_of([0, 1], data, seed)
        assert both[0].tolist() == both[1].tolist() == list(first[seed])
    counts = [first.count(order) for order in sorted(set(first))]
    assert len(counts) == 6
    assert min(counts) > 25


def test_names_of_rankers() -> None:
    assert names_of([4, [0.1], Model(0, "bm25"), Model(0)]) == ("feature 4", "ranker 1", "bm25", "ranker 3")


@pytest.mark.parametrize(
    ("ranker", "facts"),
    [
        (4, ("ranker 4", 0, 3)),
        (-1, ("ranker -1", 0, 3)),
        ([1.0, 2.0], ("4 weights", [1.0, 2.0])),
        (Model(0, scale=np.nan), ("ranker", repr(Model(0, scale=np.nan)))),
    ],
)
def test_what_cannot_rank_is_refused(ranker: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        scores_of(ranker, DATA)
