from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    FINE,
    LADDER,
    PAPER,
    ROCK_PAPER_SCISSORS,
    preference_matrices,
    with_condorcet_winner,
)
from real_data import needs_data, real_matrix
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.preferences import beats
from duelist.winners import condorcet, copeland, von_neumann_support
from duelist.winners.top_cycle import top_cycle

MATRICES = st.one_of(preference_matrices(COARSE), preference_matrices(FINE))


def smallest_dominant_set(matrix: FloatArray) -> tuple[int, ...]:
    """By looking at all sets, the smaller first."""
    k = len(matrix)
    wins = beats(matrix)
    for size in range(1, k):
        for arms in combinations(range(k), size):
            if wins[np.ix_(arms, [arm for arm in range(k) if arm not in arms])].all():
                return arms
    return tuple(range(k))


@given(MATRICES)
def test_it_is_the_smallest_set_that_beats_all_others(matrix: FloatArray) -> None:
    assert top_cycle(matrix) == smallest_dominant_set(matrix)


@given(MATRICES)
def test_copeland_winners_and_von_neumann_winners_lie_in_it(matrix: FloatArray) -> None:
    arms = set(top_cycle(matrix))
    assert arms >= set(copeland(matrix))
    assert arms >= set(von_neumann_support(matrix))


@given(with_condorcet_winner())
def test_a_condorcet_winner_is_alone_in_it(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    assert top_cycle(matrix) == (winner,)


def test_examples() -> None:
    assert top_cycle(LADDER) == (0,)
    assert top_cycle(ROCK_PAPER_SCISSORS) == (0, 1, 2)
    assert top_cycle(PAPER) == (0, 1, 2, 3, 4)
    assert top_cycle([[0.5, 0.5], [0.5, 0.5]]) == (0, 1)
    assert top_cycle([[0.5, 0.5, 0.9], [0.5, 0.5, 0.8], [0.1, 0.2, 0.5]]) == (0, 1)


def test_a_tie_with_an_arm_outside_brings_it_in() -> None:
    cycle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    fourth = np.pad(cycle, (0, 1), constant_values=0.6)
    fourth[3] = 0.4
    fourth[3, 3] = 0.5
    assert top_cycle(fourth) == (0, 1, 2)
    fourth[0, 3] = fourth[3, 0] = 0.5
    assert top_cycle(fourth) == (0, 1, 2, 3)


def test_what_is_no_preference_matrix_is_refused() -> None:
    with refused(PreferenceError, "matrix", "(1, 2)"):
        top_cycle([[0.5, 0.5]])


@needs_data
@pytest.mark.parametrize(("name", "size"), [("mslr136", 1), ("mslr16_non_condorcet", None), ("np2004_64", 1)])
def test_real_rankers(name: str, size: int | None) -> None:
    matrix = real_matrix(name)
    arms = top_cycle(matrix)
    outside = [arm for arm in range(len(matrix)) if arm not in arms]
    assert beats(matrix)[np.ix_(arms, outside)].all()
    winner = condorcet(matrix)
    assert (len(arms) == 1) == (winner is not None) == (size == 1)
