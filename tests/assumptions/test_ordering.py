from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import LADDER, ROCK_PAPER_SCISSORS, bradley_terry_matrices, preference_matrices, relabelled
from real_data import needs_data, real_matrix

from duelist.assumptions import total_order
from duelist.duel import FloatArray


def test_the_arms_come_best_first() -> None:
    assert total_order(LADDER) == (0, 1, 2)
    assert total_order(relabelled(LADDER, [1, 2, 0])) == (2, 0, 1)


def test_a_cycle_has_no_order() -> None:
    assert total_order(ROCK_PAPER_SCISSORS) is None


def test_a_tie_has_no_order() -> None:
    assert total_order([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]]) is None


@given(preference_matrices())
def test_it_agrees_with_the_definition(matrix: FloatArray) -> None:
    arms = range(len(matrix))
    order = sorted(arms, key=lambda i: -sum(matrix[i, j] > matrix[j, i] for j in arms))
    in_line = all(matrix[i, j] > matrix[j, i] for index, i in enumerate(order) for j in order[index + 1 :])
    assert total_order(matrix) == (tuple(order) if in_line else None)


@given(bradley_terry_matrices(), st.randoms(use_true_random=False))
def test_bradley_terry_orders_arms_by_strength(matrix: FloatArray, random: Random) -> None:
    labels = random.sample(range(len(matrix)), len(matrix))
    shuffled = relabelled(matrix, labels)
    assert total_order(shuffled) == tuple(np.argsort(-shuffled[:, 0]))


@needs_data
@pytest.mark.parametrize(
    ("name", "ordered"),
    [("arithmetic8", True), ("bvsc20", True), ("arxiv6", False), ("cyclic4", False), ("np2004_64", False)],
)
def test_real_matrices(name: str, ordered: bool) -> None:
    assert (total_order(real_matrix(name)) is not None) == ordered
