from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import LADDER, preference_matrices
from numpy.testing import assert_array_equal
from numpy.typing import ArrayLike
from refusals import refused

from duelist import RUCB, metrics, problems, simulate, winners
from duelist.assumptions import describe
from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.preferences import Preferences, as_preferences, beats, gaps, leaders, normalized


@given(preference_matrices())
def test_a_preference_matrix_passes_with_its_values_unchanged(matrix: FloatArray) -> None:
    checked = as_preferences(matrix.tolist())
    assert_array_equal(checked, matrix)
    assert checked.dtype == np.float64


def test_the_copy_is_contiguous_read_only_and_its_own() -> None:
    given_matrix = np.asfortranarray(LADDER)
    checked = as_preferences(given_matrix)
    assert checked.flags.c_contiguous
    with refused(ValueError, "read-only"):
        checked[0, 1] = 0.0
    given_matrix[0, 1] = 0.0
    assert checked[0, 1] == 0.6


def test_rounded_tables_pass_and_keep_their_values() -> None:
    assert as_preferences([[0.5, 0.333333], [0.666666, 0.5]])[0, 1] == 0.333333
    assert as_preferences([[0.5000004, 1], [0, 0.5]])[0, 0] == 0.5000004


@pytest.mark.parametrize(
    ("matrix", "facts"),
    [
        ([["a", "b"], ["c", "d"]], ("matrix", "K rows")),
        ([[0.5, 0.6], [0.4]], ("matrix", "K rows")),
        ([0.5, 0.5], ("matrix", (2,))),
        ([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6]], ("matrix", (2, 3))),
        ([[[0.5]]], ("matrix", (1, 1, 1))),
        ([[0.5]], ("matrix", "1 arm", 2)),
        (np.empty((0, 0)), ("matrix", "0 arms", 2)),
        ([[0.5, nan], [nan, 0.5]], ("matrix[0, 1] = nan", "arm 0", "arm 1")),
        ([[0.5, 0.4], [inf, 0.5]], ("matrix[1, 0] = inf", "arm 1", "arm 0")),
        ([[0.5, 1.3], [-0.3, 0.5]], ("matrix[0, 1] = 1.3", [0, 1], "arm 0", "arm 1")),
        (
            [[0.0, 0.5], [-0.5, 0.0]],
            ("matrix[1, 0] = -0.5", [0, 1], "(1 + m) / 2", "MatrixProblem.from_wins"),
        ),
        ([[0.5, 0.6], [0.6, 0.5]], ("matrix[0, 1] = 0.6", "matrix[1, 0] = 0.6", 1.2, "--normalize")),
        ([[0.5, 0.6], [0.400002, 0.5]], ("matrix[0, 1] = 0.6", "matrix[1, 0] = 0.400002", 1.000002)),
        ([[0.5, 0.6], [0.4, 0.0]], ("matrix[1, 1] = 0.0", 0.5, "MatrixProblem.from_wins")),
    ],
)
def test_anything_else_is_refused_with_the_place_the_value_and_the_remedy(
    matrix: ArrayLike, facts: tuple[object, ...]
) -> None:
    with refused(PreferenceError, *facts):
        as_preferences(matrix)


@pytest.mark.parametrize(
    ("matrix", "facts"),
    [
        ([[0.5, 2.0, 0.9], [0.4, 0.5, nan], [0.1, 0.5, 0.5]], ("matrix[1, 2] = nan",)),
        ([[0.5, 0.9, 0.6], [0.4, 0.5, 0.5], [0.4, -1.0, 0.5]], ("matrix[2, 1] = -1.0",)),
        (
            [[0.5, 0.6, 0.9], [0.4, 0.1, 0.6], [0.9, 0.4, 0.5]],
            ("matrix[0, 2] = 0.9", "matrix[2, 0] = 0.9"),
        ),
    ],
)
def test_the_gravest_fault_is_named_first_and_then_the_first_in_reading_order(
    matrix: ArrayLike, facts: tuple[str, ...]
) -> None:
    with refused(PreferenceError, *facts):
        as_preferences(matrix)


@given(preference_matrices(), st.data())
def test_a_single_wrong_entry_is_found_anywhere(matrix: FloatArray, data: st.DataObject) -> None:
    i, j = (data.draw(st.integers(0, len(matrix) - 1)) for _ in range(2))
    matrix[i, j] = nan
    with refused(PreferenceError, f"matrix[{i}, {j}] = nan"):
        as_preferences(matrix)


@given(preference_matrices())
def test_gaps_are_skew_symmetric_and_the_distance_from_one_half(matrix: FloatArray) -> None:
    edges = gaps(matrix)
    assert_array_equal(edges, -edges.T)
    assert edges == pytest.approx(matrix - 0.5, abs=1e-15)


@given(preference_matrices())
def test_an_arm_beats_another_if_its_probability_exceeds_one_half(matrix: FloatArray) -> None:
    clear = np.abs(matrix - 0.5) > 1e-15
    assert_array_equal(beats(matrix)[clear], matrix[clear] > 0.5)


@given(preference_matrices())
def test_of_two_arms_at_most_one_beats_the_other(matrix: FloatArray) -> None:
    wins = beats(matrix)
    assert not np.any(wins & wins.T)


def test_two_entries_rounded_up_to_above_one_half_are_a_tie() -> None:
    assert not beats([[0.5, 0.5000004], [0.5000004, 0.5]]).any()


def test_leaders_tie_up_to_rounding() -> None:
    assert leaders(np.array([0.1 + 0.2, 0.3, 0.3 - 1e-11])) == (0, 1)


def test_a_gap_of_rounding_is_a_tie_everywhere() -> None:
    nearly = [[0.5, 0.5 + 5.6e-17, 0.5 + 3e-13], [0.5 - 1.2e-16, 0.5, 0.5], [0.5 - 3e-13, 0.5, 0.5]]
    assert not gaps(nearly).any()
    assert winners.condorcet(nearly) is None
    assert winners.copeland(nearly) == winners.top_cycle(nearly) == (0, 1, 2)
    assert describe(nearly).tied_pairs == 3
    assert describe(nearly).condorcet_winner is None
    assert metrics.target(nearly).concept == "hindsight"
    assert not metrics.target(nearly, "borda").gaps.any()


def test_pairs_that_were_rounded_are_divided_by_their_sum() -> None:
    assert normalized([[0.5, 0.501], [0.5, 0.5]])[0, 1] == 0.501 / 1.001
    with refused(PreferenceError, 1.2, "normalize=True", "--normalize"):
        normalized([[0.5, 0.7], [0.5, 0.5]])


@given(preference_matrices())
def test_checked_preferences_say_what_their_matrix_says(matrix: FloatArray) -> None:
    checked = Preferences(matrix)
    assert checked.matrix.tobytes() == as_preferences(matrix).tobytes() == np.asarray(checked).tobytes()
    assert checked.gaps.tobytes() == gaps(matrix).tobytes()
    assert checked.beats.tobytes() == beats(matrix).tobytes()
    assert winners.von_neumann(checked).tobytes() == winners.von_neumann(matrix).tobytes()
    assert str(describe(checked)) == str(describe(matrix))


def test_what_was_checked_is_not_checked_or_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = Preferences(LADDER)
    monkeypatch.setattr("duelist.preferences.COMPLEMENT_TOLERANCE", -1.0)  # what would be checked is refused
    assert gaps(checked) is gaps(checked)
    assert Preferences.of(checked) is checked
    assert as_preferences(checked) is checked.matrix
    assert winners.condorcet(checked) == 0
    with pytest.raises(PreferenceError):
        gaps(checked.matrix)


def test_preferences_among_some_arms_are_those_of_the_smaller_matrix() -> None:
    checked = Preferences(LADDER)
    assert checked.among(range(len(LADDER))) is checked
    assert_array_equal(checked.among([2, 0]).matrix, np.asarray(LADDER)[np.ix_([2, 0], [2, 0])])


def test_gaps_are_shared_and_so_read_only() -> None:
    with refused(ValueError, "read-only"):
        Preferences(LADDER).gaps[0, 1] = 0.0


def test_a_simulation_checks_nothing_that_its_problem_has_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problems.MatrixProblem(LADDER)
    monkeypatch.setattr("duelist.preferences.COMPLEMENT_TOLERANCE", -1.0)
    assert simulate(RUCB(), problem, 10, runs=1).concept == "condorcet"
