from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    FINE,
    ROCK_PAPER_SCISSORS,
    TENNESSEE,
    bradley_terry_matrices,
    completed,
    elected,
    preference_matrices,
    relabelled,
    with_condorcet_winner,
)
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.winners import kemeny, kemeny_order, top_cycle

MATRICES = st.one_of(preference_matrices(COARSE, most=5), preference_matrices(FINE, most=5))


def agreement(matrix: FloatArray, order: tuple[int, ...]) -> float:
    return float(sum(matrix[pair] for pair in combinations(order, 2)))


def optimal_rankings(matrix: FloatArray) -> list[tuple[int, ...]]:
    """By looking at all of them, in lexicographic order."""
    orders = list(permutations(range(len(matrix))))
    scores = np.array([agreement(matrix, order) for order in orders])
    return [orders[index] for index in np.flatnonzero(scores >= scores.max() - 1e-11)]


@given(MATRICES)
def test_rankings_agree_with_all_permutations(matrix: FloatArray) -> None:
    optimal = optimal_rankings(matrix)
    assert kemeny_order(matrix) == optimal[0]
    assert kemeny(matrix) == tuple(sorted({order[0] for order in optimal}))


def test_six_arms_agree_with_all_permutations() -> None:
    rng = np.random.default_rng(0)
    for entries in (rng.random((5, 6, 6)), rng.integers(0, 4, (5, 6, 6)) / 4.0):
        for upper in entries:
            matrix = completed(upper)
            optimal = optimal_rankings(matrix)
            assert kemeny_order(matrix) == optimal[0]
            assert kemeny(matrix) == tuple(sorted({order[0] for order in optimal}))


def test_the_capital_of_tennessee() -> None:
    matrix = elected(TENNESSEE)
    assert kemeny(matrix) == (1,)
    assert kemeny_order(matrix) == (1, 2, 3, 0)
    assert agreement(matrix, kemeny_order(matrix)) == pytest.approx(3.93)


def test_all_arms_of_an_even_cycle_win_and_the_smallest_ranking_is_named() -> None:
    assert kemeny(ROCK_PAPER_SCISSORS) == (0, 1, 2)
    assert kemeny_order(ROCK_PAPER_SCISSORS) == (0, 2, 1)
    assert kemeny_order(np.full((4, 4), 0.5)) == kemeny(np.full((4, 4), 0.5)) == (0, 1, 2, 3)


@given(bradley_terry_matrices())
def test_arms_of_different_strengths_are_ranked_by_them(matrix: FloatArray) -> None:
    order = np.argsort(-matrix.sum(axis=1)).tolist()
    assert kemeny_order(matrix) == tuple(order)


def test_no_swap_of_two_arms_improves_a_ranking_of_twelve() -> None:
    matrix = completed(np.random.default_rng(1).random((12, 12)))
    order = kemeny_order(matrix)
    best = agreement(matrix, order)
    for i, j in combinations(range(12), 2):
        swapped = list(order)
        swapped[i], swapped[j] = order[j], order[i]
        moved = [*order[:i], *order[i + 1 : j + 1], order[i], *order[j + 1 :]]
        assert best >= agreement(matrix, tuple(swapped))
        assert best >= agreement(matrix, tuple(moved))


@given(with_condorcet_winner())
def test_a_condorcet_winner_is_the_only_winner(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    assert kemeny(matrix) == (winner,) == kemeny_order(matrix)[:1]


@given(MATRICES, st.randoms(use_true_random=False))
def test_relabelling_arms_relabels_the_winners(matrix: FloatArray, random: Random) -> None:
    order = random.sample(range(len(matrix)), len(matrix))
    assert {order[arm] for arm in kemeny(relabelled(matrix, order))} == set(kemeny(matrix))


@given(preference_matrices(COARSE))
def test_winners_are_those_of_the_top_cycle_alone(matrix: FloatArray) -> None:
    top = top_cycle(matrix)
    if len(top) > 1:
        assert kemeny(matrix) == tuple(top[index] for index in kemeny(relabelled(matrix, top)))
    else:
        assert kemeny(matrix) == top


def test_more_than_twelve_arms_are_refused_with_a_way_out() -> None:
    with refused(ParameterError, "matrix", "13 arms", "12", "winners.top_cycle"):
        kemeny(np.full((13, 13), 0.5))
