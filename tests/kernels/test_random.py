"""Random numbers in kernels: tables read in any order, and trials until the first success."""

from math import inf

import numpy as np
import pytest
from numpy.random import default_rng
from reference_learners.double_thompson import table
from scipy import stats

from duelist.kernels.live import interpreted_kernels
from duelist.kernels.random import draw_key, failures, number_at


def test_a_table_is_the_same_compiled_interpreted_and_by_arrays() -> None:
    rng = default_rng(0)
    for key in [0, 1, 2**53 - 1, *(draw_key(rng) for _ in range(20))]:
        compiled = [number_at(key, place) for place in range(49)]
        with interpreted_kernels():
            assert compiled == [number_at(key, place) for place in range(49)]
        assert compiled == table(key, 7).ravel().tolist()


def test_the_numbers_of_a_table_are_uniform_and_do_not_depend_on_each_other() -> None:
    rng = default_rng(1)
    numbers = np.array([table(draw_key(rng), 5).ravel() for _ in range(4000)])
    successive = np.array([table(key, 5).ravel() for key in range(4000)])
    for drawn in (numbers, successive):
        assert min(stats.kstest(column, "uniform").pvalue for column in drawn.T) > 1e-3
        related = np.corrcoef(np.hstack([drawn[1:], drawn[:-1]]).T) - np.eye(50)
        # none of 1,225 correlations exceeds 4.5 standard deviations
        assert np.abs(related).max() < 4.5 / np.sqrt(4000)


def test_a_long_table_is_uniform() -> None:
    numbers = table(12345, 700).ravel()
    cells = np.bincount((20 * numbers[1::2]).astype(np.int64) * 20 + (20 * numbers[::2]).astype(np.int64))
    assert len(cells) == 400
    assert stats.chisquare(cells).pvalue > 1e-3


@pytest.mark.parametrize("chance", [0.9, 0.3, 0.01])
def test_failures_before_a_success_are_geometric(chance: float) -> None:
    rng = default_rng(2)
    drawn = np.array([failures(chance, rng) for _ in range(4000)])
    edges = np.unique(stats.geom(chance, loc=-1).ppf(np.linspace(0, 1, 11)[1:-1]))
    counts = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    shares = np.diff(stats.geom(chance, loc=-1).cdf(edges), prepend=0.0)
    assert stats.chisquare(counts, 4000 * np.append(shares, 1 - shares.sum())).pvalue > 1e-3


def test_what_is_certain_never_fails_and_what_cannot_be_always_does() -> None:
    rng = default_rng(3)
    before = rng.bit_generator.state
    assert failures(1.0, rng) == 0.0
    assert failures(0.0, rng) == inf
    assert rng.bit_generator.state == before
    assert failures(1e-300, rng) > 1e290
