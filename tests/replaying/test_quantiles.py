from math import inf

import numpy as np
import pytest
from refusals import refused
from scipy.stats import binom

from duelist.errors import ParameterError
from duelist.replaying.result import interval_of, votes_until


def test_as_many_votes_as_the_slowest_of_that_share_of_runs_needs() -> None:
    needed = np.array([40.0, 10.0, inf, 30.0, 20.0])
    assert [votes_until(needed, share) for share in (0.1, 0.2, 0.21, 0.6, 0.8)] == [10, 10, 20, 30, 40]
    assert votes_until(needed, 0.81) is None
    assert votes_until(needed, 1.0) is None
    assert votes_until(needed[:2], 1) == 40


@pytest.mark.parametrize("runs", [3, 10, 100, 199])
def test_shares_of_runs_are_not_rounded_up(runs: int) -> None:
    needed = np.arange(1.0, runs + 1.0)
    for place in range(1, runs + 1):
        assert votes_until(needed, place / runs) == place


@pytest.mark.parametrize("share", [0.0, -0.1, 1.1, float("nan"), "most", None])
def test_what_is_no_share_is_refused(share: float) -> None:
    with refused(ParameterError, "share", 0, 1, share):
        votes_until(np.ones(3), share)


@pytest.mark.parametrize("runs", [1, 5, 20, 200])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_an_interval_is_the_shortest_that_misses_in_five_per_cent_at_most(runs: int, share: float) -> None:
    low, high = interval_of(np.arange(1.0, runs + 1.0), share)
    # the run at a place needs more than the true quantile if fewer runs than that need at most as much
    assert low is not None
    above = binom.cdf(low - 1, runs, share) if low > 1 else 0.0
    assert above <= 0.025 < binom.cdf(low, runs, share)
    if high is None:
        assert binom.sf(runs - 1, runs, share) > 0.025
    else:
        assert binom.sf(high - 1, runs, share) <= 0.025 < binom.sf(high - 2, runs, share)


def test_runs_that_never_get_there_have_no_interval() -> None:
    assert interval_of(np.full(200, inf), 0.5) == (None, None)
    assert interval_of(np.r_[np.arange(100.0), np.full(100, inf)], 0.5)[1] is None
