import numpy as np

from duelist import metrics


def test_accuracy_counts_any_of_several_winners() -> None:
    best = np.array([[0, 1], [2, 1], [0, 2], [1, 2]])
    assert metrics.accuracy(best, (1, 2)).tolist() == [0.5, 1.0]


def test_shares_sum_to_one() -> None:
    plays = np.array([[10, 30, 0], [5, 5, 30]])
    assert metrics.shares(plays).tolist() == [[0.25, 0.75, 0.0], [0.125, 0.125, 0.75]]
