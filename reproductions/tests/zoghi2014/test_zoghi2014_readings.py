import numpy as np
import pytest

from duelist.duel import FloatArray
from duelist_reproductions.zoghi2014.figure4.readings import (
    LEVELS,
    Played,
    median_known,
    ratio_of_times,
    reached,
    share_of_time,
    time_ratios,
    time_shares,
    times,
)

LOOKS = np.array([1_000 * 2**i for i in range(13)])


def accuracy_of(found: float) -> FloatArray:
    """Return a share of right runs that is one half at a round."""
    return 1.0 / (1.0 + (found / LOOKS) ** 1.5)


def runs_of(found: float, seed: int, runs: int = 100) -> Played:
    right = np.random.default_rng(seed).random((runs, len(LOOKS))) < accuracy_of(found)
    return Played(LOOKS, np.zeros(right.shape), right, np.zeros(right.shape, np.int64))


def followed(found: float, seed: int, runs: int = 100) -> Played:
    """Return runs that are right from some round on."""
    right = np.random.default_rng(seed).random((runs, 1)) < accuracy_of(found)
    return Played(LOOKS, np.zeros(right.shape), right, np.zeros(right.shape, np.int64))


def test_a_level_counts_once_it_is_kept() -> None:
    rounds = np.array([1, 10, 100, 1_000])
    accuracy = np.array([[0.9, 0.2, 0.6, 1.0], [0.9, 0.9, 0.9, 0.9], [0.9, 0.9, 0.9, 0.3]])
    assert reached(rounds, accuracy, 0.4) == pytest.approx([10.0**1.5, 0.0, np.inf])
    assert times(rounds, accuracy).shape == (3, len(LEVELS))


def test_levels_that_are_not_seen_do_not_count_in_a_share() -> None:
    rounds = np.array([1, 10, 100, 1_000])
    early, late = np.array([0.55, 0.65, 1.0, 1.0]), np.array([0.0, 0.0, 0.55, 0.85])
    shares = time_shares(rounds, early, late)
    # the first was seen by one at once, the last two never by the other
    assert np.isfinite(shares).tolist() == [False, True, True, True, False, False]
    assert shares[1] == pytest.approx(reached(rounds, early, 0.6) / reached(rounds, late, 0.6))
    # in a ratio they count as the first and the last look
    ratios = time_ratios(rounds, late, early)
    assert ratios[0] == pytest.approx(reached(rounds, late, 0.5) / 1.0)
    assert ratios[-1] == pytest.approx(1_000.0 / reached(rounds, early, 0.95))


def test_medians_as_numpy_has_them() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((50, 6))
    values[rng.random((50, 6)) < 0.3] = np.nan
    assert median_known(values) == pytest.approx(np.nanmedian(values, axis=1))


def test_a_known_share_is_inside_the_interval_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(40):
        share = share_of_time(followed(4_000, seed), runs_of(16_000, seed + 1_000)).median
        assert share.low <= share.value <= share.high
        covered += share.low <= 0.25 <= share.high
    assert covered >= 35


def test_the_interval_narrows_with_runs_and_is_the_same_again() -> None:
    few, many, again = (
        share_of_time(followed(4_000, 1, runs), runs_of(16_000, 2, runs)).median for runs in (50, 800, 800)
    )
    assert many == again
    assert many.high - many.low < 0.5 * (few.high - few.low)


def test_a_ratio_of_times_tells_who_is_sooner() -> None:
    slower = ratio_of_times(runs_of(64_000, 0), runs_of(16_000, 1)).median
    assert slower.low > 1.0
    assert slower.value == pytest.approx(4.0, rel=0.3)
    same = ratio_of_times(runs_of(16_000, 0), runs_of(16_000, 1)).median
    assert same.low < 1.0 < same.high
