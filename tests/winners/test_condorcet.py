import pytest
from hypothesis import given
from matrices import (
    LADDER,
    PAPER,
    ROCK_PAPER_SCISSORS,
    preference_matrices,
    relabelled,
    with_condorcet_winner,
)
from real_data import needs_data, real_matrix
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.winners import condorcet, copeland


def test_the_arm_that_beats_all_others_wins() -> None:
    assert condorcet(LADDER) == 0
    assert condorcet(relabelled(LADDER, [2, 1, 0])) == 2


def test_a_cycle_has_no_winner() -> None:
    assert condorcet(ROCK_PAPER_SCISSORS) is None
    assert condorcet(PAPER) is None


def test_a_tie_at_the_top_leaves_no_winner() -> None:
    assert condorcet([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]]) is None


@given(preference_matrices())
def test_it_agrees_with_the_definition(matrix: FloatArray) -> None:
    arms = range(len(matrix))
    unbeaten = [i for i in arms if all(matrix[i, j] > matrix[j, i] for j in arms if j != i)]
    assert condorcet(matrix) == (unbeaten[0] if unbeaten else None)


@given(with_condorcet_winner())
def test_the_winner_is_found_and_is_the_only_copeland_winner(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    assert condorcet(matrix) == winner
    assert copeland(matrix) == (winner,)


def test_a_matrix_that_is_none_is_refused() -> None:
    with refused(PreferenceError, "matrix[0, 1]", "1.2"):
        condorcet([[0.5, 0.6], [0.6, 0.5]])


@needs_data
@pytest.mark.parametrize(
    ("name", "winner"),
    [
        ("arithmetic8", 0),
        ("arxiv6", 0),
        ("bvsc20", 0),
        ("cyclic4", 0),
        ("mslr136", 12),
        ("mslr16_non_condorcet", None),
        ("mslr_informational5_condorcet", 0),
        ("mslr_informational5_non_condorcet", None),
        ("np2004_31", 12),
        ("np2004_64", 13),
        ("swirl20_0.2", 0),
        ("swirl20_0.4", 0),
        ("swirl20_0.6", 0),
        ("swirl20_1", 0),
    ],
)
def test_real_matrices_have_the_known_winner(name: str, winner: int | None) -> None:
    assert condorcet(real_matrix(name)) == winner
