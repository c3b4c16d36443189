import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist import simulate
from duelist.cli.specs import read_learners
from duelist.problems import worst_case
from duelist.registry import learners_for
from duelist.simulation import log_spaced

DRAWN_IN_STRETCHES = ("CondorcetSavage", "DoubleThompsonSampling", "InterleavedFilter1", "InterleavedFilter2")
"""As the docstring of `simulate` says."""


@given(st.integers(1, 10**12), st.integers(1, 30))
def test_rounds_rise_from_one_to_the_horizon(horizon: int, per_decade: int) -> None:
    rounds = log_spaced(horizon, per_decade).tolist()
    assert rounds[0] == 1
    assert rounds[-1] == horizon
    assert rounds == sorted(set(rounds))
    assert len(rounds) <= 12 * per_decade + 2


@pytest.mark.parametrize("name", learners_for("arms"))
def test_other_checkpoints_change_only_runs_that_are_drawn_in_stretches(name: str) -> None:
    learner = read_learners([name], 4_000)[0]
    for stepwise in (True, False):
        sparse, dense = (
            simulate(
                {"one": learner}, worst_case(5, 0.2), 4_000, runs=2, checkpoints=marks, stepwise=stepwise
            )
            for marks in ([4_000], range(50, 4_000, 50))
        )
        same = np.array_equal(sparse["one"].plays, dense["one"].plays)
        assert same == (stepwise or name not in DRAWN_IN_STRETCHES)
