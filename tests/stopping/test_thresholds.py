"""Thresholds: the chances of all events by which a verdict can be wrong add up to at most delta."""

import numpy as np
import pytest

from duelist.duel import FloatArray
from duelist.stopping.thresholds import INITIAL_SHARE, log_thresholds


def chances(thresholds: FloatArray) -> FloatArray:
    """Return by Ville's inequality, for every ordered pair, the chance that it deceives."""
    table: FloatArray = np.exp(-thresholds)
    np.fill_diagonal(table, 0.0)
    return table


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_arms_that_stay_need_one_rival_each(k: int) -> None:
    one_rival_each = chances(log_thresholds(k, 0.05))[:, 0].max() * k
    assert one_rival_each == pytest.approx(INITIAL_SHARE * 0.05)


@pytest.mark.parametrize(("initial_arms", "added"), [(2, 0), (5, 0), (3, 1), (3, 40), (10, 500)])
def test_when_arms_change_all_pairs_that_ever_were_hold_at_once(initial_arms: int, added: int) -> None:
    before = INITIAL_SHARE * 0.05
    after = chances(log_thresholds(initial_arms + added, 0.05, initial_arms=initial_arms, changed=True)).sum()
    assert before + after <= 0.05 * (1.0 + 1e-12)
    assert after >= (1.0 - INITIAL_SHARE) * 0.05 / 2.0 * (1.0 - 1e-12)


def test_what_an_arm_needs_does_not_depend_on_arms_that_come_later() -> None:
    few, many = (log_thresholds(k, 0.05, initial_arms=3, changed=True) for k in (5, 9))
    assert np.array_equal(few, many[:5, :5])


def test_a_smaller_delta_needs_more_and_a_margin_shares_it() -> None:
    usual = log_thresholds(4, 0.05)[0, 1]
    assert log_thresholds(4, 0.005)[0, 1] == pytest.approx(usual + np.log(10.0))
    assert log_thresholds(4, 0.05, within=0.02)[0, 1] == pytest.approx(usual + np.log(2.0))
    assert (log_thresholds(4, 0.05).diagonal() == 0.0).all()
