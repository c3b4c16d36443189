"""Concatenation of data."""

from pathlib import Path

import numpy as np

from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.corpus import corpus_of
from duelist.ranking.dataset import stack_offsets, stack_rows
from duelist.ranking.metrics import mean_quality


def test_rows_and_offsets_are_stacked() -> None:
    blocks = [np.ones((1, 2), np.float32), np.ones((1, 1), np.float32)]
    assert stack_rows(blocks).tolist() == [[1.0, 1.0], [1.0, 0.0]]
    assert stack_offsets([np.array([0, 2, 3]), np.array([0, 4])]).tolist() == [0, 2, 3, 7]


def test_a_best_ranking_gains_one() -> None:
    assert corpus_of(RankingData([[0.1], [0.7]], [0, 1], ["svm"], [0, 2])).ideal.tolist() == [1.0]
    data = synthetic_ranking_data(queries=20, features=3)
    assert round(mean_quality(data.labels.astype(float), data)["NDCG@10"], 6) == 1.0


def test_parts_are_joined_with_columns_of_zero() -> None:
    one = RankingData([[0.5], [0.75]], [0, 2], ["svm"], [0, 2])
    joined = RankingData.join([one, RankingData([[0.25, 1.0]], [1], ["bandit"], [0, 1])])
    assert joined.features.tolist() == [[0.5, 0.0], [0.75, 0.0], [0.25, 1.0]]


def test_a_document_is_a_line(tmp_path: Path) -> None:
    data = RankingData([[0.1, 2.0], [0.0, 1e-6]], [0, 2], ["svm"], [0, 2])
    lines = data.to_svmlight(tmp_path / "data.txt").read_text()
    assert lines == "0 qid:svm 1:0.1 2:2.0\n2 qid:svm 1:0.0 2:1e-06\n"
