import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import preference_matrices
from refusals import refused

from duelist import metrics, winners
from duelist.duel import FloatArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.problems import cycle, worst_case

SHARE = st.floats(0.0, 1.0)


@given(SHARE, SHARE, SHARE)
def test_generalized_regret_lies_between_the_two_gaps(left: float, right: float, weight: float) -> None:
    value = metrics.generalized(left, right, weight)
    assert min(left, right) - 1e-12 <= value <= max(left, right) + 1e-12
    assert metrics.generalized(right, left, weight) == value


@given(SHARE, SHARE)
def test_strong_and_weak_are_special_cases(left: float, right: float) -> None:
    assert metrics.strong(left, right) == pytest.approx((left + right) / 2)
    assert metrics.weak(left, right) == metrics.generalized(left, right, 0.0) == min(left, right)


def test_a_weight_outside_its_range_is_refused() -> None:
    with refused(ParameterError, "weight", 1.5):
        metrics.generalized(0.1, 0.2, 1.5)


@given(preference_matrices())
@pytest.mark.parametrize("concept", ["borda", "copeland", "von_neumann"])
def test_gaps_are_zero_for_winners_and_never_negative(concept: str, matrix: FloatArray) -> None:
    sought = metrics.target(matrix, concept)
    assert (sought.gaps >= 0.0).all()
    assert sought.gaps[list(sought.winners)] == pytest.approx(0.0, abs=1e-9)


def test_condorcet_gaps_are_the_papers() -> None:
    sought = metrics.target(worst_case(4, 0.2).matrix)
    assert (sought.concept, sought.winners) == ("condorcet", (0,))
    assert sought.gaps == pytest.approx([0.0, 0.2, 0.2, 0.2])


def test_without_a_condorcet_winner_the_best_arm_in_hindsight_is_sought() -> None:
    sought = metrics.target(cycle(3).matrix)
    assert (sought.concept, sought.winners) == ("hindsight", ())
    assert sought.gaps == pytest.approx(cycle(3).matrix - 0.5)
    tied = metrics.target([[0.5, 0.5, 0.6], [0.5, 0.5, 0.7], [0.4, 0.3, 0.5]])
    assert (tied.concept, tied.winners) == ("hindsight", (0, 1))


def test_accuracy_is_not_defined_where_no_arm_is_right() -> None:
    assert np.isnan(metrics.accuracy(np.array([[0, 1], [2, 2]]), ())).tolist() == [True, True]


def test_copeland_gaps_count_lost_victories() -> None:
    assert metrics.target(worst_case(5).matrix, "copeland").gaps == pytest.approx(np.arange(5) / 4)


def test_copeland_gaps_are_zero_for_the_copeland_winners_with_ties_too() -> None:
    # arm 0 beats one arm and ties with two, arm 3 beats two and loses to one
    matrix = [[0.5, 0.5, 0.5, 0.9], [0.5, 0.5, 0.3, 0.3], [0.5, 0.7, 0.5, 0.4], [0.1, 0.7, 0.6, 0.5]]
    target = metrics.target(matrix, "copeland")
    assert target.winners == winners.copeland(matrix) == (0, 3)
    assert target.gaps == pytest.approx([0, 1.5 / 3, 0.5 / 3, 0])


def test_asking_for_a_winner_that_does_not_exist_is_refused() -> None:
    with refused(ParameterError, 'against="condorcet"', '"hindsight"', '"von_neumann"', '"copeland"'):
        metrics.target(cycle(3).matrix, "condorcet")
    with refused(UnknownNameError, "winner concept", "'copland'", "'copeland'"):
        metrics.target(cycle(3).matrix, "copland")


def test_accuracy_counts_any_of_several_winners() -> None:
    best = np.array([[0, 1], [2, 1], [0, 2], [1, 2]])
    assert metrics.accuracy(best, (1, 2)).tolist() == [0.5, 1.0]


def test_shares_sum_to_one() -> None:
    plays = np.array([[10, 30, 0], [5, 5, 30]])
    assert metrics.shares(plays).tolist() == [[0.25, 0.75, 0.0], [0.125, 0.125, 0.75]]
