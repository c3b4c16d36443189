"""The probability that a posterior sample of a pair exceeds 1/2, and sampling given that it does."""

from fractions import Fraction
from math import comb

import pytest
from numpy.random import default_rng
from scipy import stats
from scipy.special import betainc

from duelist.learners.armed.proofs import chance_of_upset, divergence_from_half, sample_lead


def test_the_chance_is_a_sum_of_binomials_after_whole_wins() -> None:
    for losses in range(1, 80, 3):
        for wins in range(losses + 1):
            n = wins + losses + 1
            exact = Fraction(sum(comb(n, i) for i in range(wins + 1)), 2**n)
            assert chance_of_upset(wins, losses) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("n", [1.0, 7.5, 100.0, 1001.5, 1e5, 3e6])
@pytest.mark.parametrize("deviations", [0.0, 0.3, 1.0, 3.0, 6.0])
def test_the_chance_is_the_incomplete_beta_function_in_general(n: float, deviations: float) -> None:
    wins = max((n - deviations * n**0.5) / 2, 0.0)
    exact = betainc(n - wins + 1, wins + 1, 0.5)
    assert chance_of_upset(wins, n - wins) == pytest.approx(exact, rel=1e-8)


def test_what_can_hardly_be_has_a_chance_of_nothing() -> None:
    assert chance_of_upset(0.0, 5000.0) == 0.0


@pytest.mark.parametrize(
    ("wins", "losses"), [(3, 5), (0, 2), (40, 60), (10, 4), (0, 3), (0.5, 6.5), (40, 70), (300, 400), (0, 60)]
)
def test_samples_above_half_have_the_rest_of_the_distribution(wins: float, losses: float) -> None:
    law, rng = stats.beta(wins + 1, losses + 1), default_rng(4)
    chance = float(law.sf(0.5))
    samples = [sample_lead(wins, losses, chance, rng) for _ in range(3000)]
    assert min(samples) > 0.5
    assert stats.kstest(samples, lambda x: 1 - law.sf(x) / chance).pvalue > 1e-3


def test_divergence_from_half() -> None:
    for p in (0.5, 0.500001, 0.6, 0.99, 1 - 1e-15):
        exact = float(stats.entropy([p, 1 - p], [0.5, 0.5]))
        assert divergence_from_half(p) == pytest.approx(exact, rel=1e-4, abs=1e-15)
