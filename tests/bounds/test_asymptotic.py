from itertools import product
from math import inf, log
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import ANY, LADDER, ROCK_PAPER_SCISSORS, relabelled, with_condorcet_winner
from real_data import needs_data, real_matrix
from refusals import refused
from scipy.special import rel_entr

from duelist.bounds import asymptotic_lower_bound, bernoulli_divergence
from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError


def divergence_from_half(p: float) -> float:
    return log(2.0) + sum(x * log(x) for x in (p, 1.0 - p) if x > 0.0)


def test_two_arms() -> None:
    assert asymptotic_lower_bound([[0.5, 0.9], [0.1, 0.5]]) == pytest.approx(
        0.4 / (2 * divergence_from_half(0.1))
    )


def test_a_sure_winner_costs_its_gap_over_twice_log_two() -> None:
    assert asymptotic_lower_bound([[0.5, 1.0], [0.0, 0.5]]) == pytest.approx(0.5 / (2.0 * log(2.0)))


@given(st.tuples(*[st.integers(51, 100)] * 2, st.integers(0, 100)))
def test_three_arms_by_trying_all_opponents(percent: tuple[int, int, int]) -> None:
    first, second, middle = (n / 100.0 for n in percent)
    matrix = np.array([[0.5, first, second], [1 - first, 0.5, middle], [1 - second, 1 - middle, 0.5]])
    regrets = matrix[0] - 0.5
    totals = [
        sum((regrets[i] + regrets[j]) / (2.0 * divergence_from_half(matrix[i, j])) for i, j in opponents)
        for opponents in (((1, j), (2, k)) for j, k in product([0, 2], [0, 1]))
        if all(matrix[i, j] < 0.5 for i, j in opponents)
    ]
    assert asymptotic_lower_bound(matrix) == pytest.approx(min(totals))


@given(with_condorcet_winner(), st.randoms(use_true_random=False))
def test_relabelling_arms_changes_nothing(case: tuple[FloatArray, int], random: Random) -> None:
    matrix, _ = case
    order = random.sample(range(len(matrix)), len(matrix))
    expected = pytest.approx(asymptotic_lower_bound(matrix))
    assert asymptotic_lower_bound(relabelled(matrix, order)) == expected


@given(with_condorcet_winner())
def test_it_is_positive_and_at_most_the_cost_of_meeting_only_the_winner(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    rivals = np.delete(matrix[:, winner], winner)
    direct = sum((0.5 - p) / (2.0 * float(bernoulli_divergence(p, 0.5))) for p in rivals)
    assert 0.0 < asymptotic_lower_bound(matrix) <= direct * (1.0 + 1e-9)


def test_the_smaller_the_gap_the_larger_the_bound() -> None:
    bounds = [asymptotic_lower_bound([[0.5, 0.5 + gap], [0.5 - gap, 0.5]]) for gap in (1e-3, 1e-6, 1e-9)]
    assert bounds == pytest.approx([0.25e3, 0.25e6, 0.25e9], rel=1e-5)


@pytest.mark.parametrize("matrix", [ROCK_PAPER_SCISSORS, np.full((3, 3), 0.5)])
def test_without_a_condorcet_winner_it_is_refused(matrix: FloatArray) -> None:
    with refused(PreferenceError, "matrix", "duelist.winners.condorcet"):
        asymptotic_lower_bound(matrix)


@given(ANY, ANY)
def test_divergence_is_the_relative_entropy(p: float, q: float) -> None:
    expected = rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q)
    assert float(bernoulli_divergence(p, q)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_divergence_at_the_borders() -> None:
    p, q = (
        np.array([0.0, 0.0, 0.0, 0.3, 0.3, 1.0, 1.0, 1.0]),
        np.array([0.0, 0.5, 1.0, 0.0, 1.0, 0.0, 0.5, 1.0]),
    )
    expected = [0.0, log(2.0), inf, inf, inf, inf, log(2.0), 0.0]
    assert bernoulli_divergence(p, q) == pytest.approx(expected)


@pytest.mark.parametrize("gap", [1e-4, 1e-6, 1e-8, 1e-12, 1e-15])
def test_divergence_near_one_half_keeps_its_digits(gap: float) -> None:
    exact = (0.5 + gap) - 0.5
    assert float(bernoulli_divergence(0.5 + gap, 0.5)) == pytest.approx(2.0 * exact**2, rel=1e-7)


def test_divergence_broadcasts() -> None:
    assert bernoulli_divergence(LADDER, 0.5).shape == (3, 3)
    assert bernoulli_divergence(LADDER[0], LADDER).shape == (3, 3)


@pytest.mark.parametrize(("p", "q", "name"), [(1.2, 0.5, "p"), (0.5, -0.1, "q"), ([0.5, np.nan], 0.5, "p")])
def test_what_is_no_probability_is_refused(p: float, q: float, name: str) -> None:
    wrong = np.asarray(p if name == "p" else q)
    with refused(ParameterError, name, "[0, 1]", f"{wrong}"):
        bernoulli_divergence(p, q)


@needs_data
@pytest.mark.parametrize("name", ["arxiv6", "np2004_64", "mslr136", "bvsc20"])
def test_real_matrices_by_plain_loops(name: str) -> None:
    matrix = real_matrix(name)
    arms = range(len(matrix))
    winner = max(arms, key=lambda i: np.count_nonzero(matrix[i] > 0.5))
    regrets = matrix[winner] - 0.5
    cheapest = [
        min(
            (regrets[i] + regrets[j]) / (2.0 * divergence_from_half(matrix[i, j]))
            for j in arms
            if matrix[i, j] < 0.5
        )
        for i in arms
        if i != winner
    ]
    assert asymptotic_lower_bound(matrix) == pytest.approx(sum(cheapest), rel=1e-6)
