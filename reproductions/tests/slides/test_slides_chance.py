"""Effects of chance on counts, compared with SciPy's tests and plain sums."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest

from duelist.interleaving.analysis.intervals import sign_test
from duelist_reproductions.slides.readings import range_by_chance, sign_test_power, surprise, surprise_of_sum


def test_counts_are_as_surprising_as_the_exact_tests_say() -> None:
    found = surprise(np.array([3, 12, 40]), 60, np.array([0.2, 0.2, 0.5]))
    for p_value, count, chance in zip(found, (3, 12, 40), (0.2, 0.2, 0.5), strict=True):
        tails = [binomtest(count, 60, chance, alternative=side).pvalue for side in ("less", "greater")]
        assert p_value == pytest.approx(min(1.0, 2.0 * min(tails)))


def test_sums_of_events_by_all_their_cases() -> None:
    chances = np.array([0.1, 0.5, 0.7, 0.95])
    cases = {case: np.prod(np.where(case, chances, 1.0 - chances)) for case in product((0, 1), repeat=4)}
    for counted in range(5):
        low = sum(chance for case, chance in cases.items() if sum(case) <= counted)
        high = sum(chance for case, chance in cases.items() if sum(case) >= counted)
        assert surprise_of_sum(counted, chances) == pytest.approx(min(1.0, 2.0 * min(low, high)))


def test_few_and_many_errors_are_both_unlikely() -> None:
    least, most = range_by_chance(300, 0.05, 0.999)
    assert binomtest(most, 300, 0.05, alternative="greater").pvalue > 0.001
    assert binomtest(most + 2, 300, 0.05, alternative="greater").pvalue < 0.001
    assert binomtest(least - 1, 300, 0.05, alternative="less").pvalue < 0.001
    assert range_by_chance(20, 0.05, 0.99) == (0, 4)


@pytest.mark.parametrize("duels", [5, 40, 41, 200])
def test_the_chance_to_tell_is_that_of_all_splits_the_sign_test_takes(duels: int) -> None:
    level, wrong = 0.05 / 15, 0.3
    splits = [losses for losses in range(duels // 2 + 1) if sign_test(duels - losses, losses) < level]
    slow = sum(comb(duels, lost) * wrong**lost * (1.0 - wrong) ** (duels - lost) for lost in splits)
    assert sign_test_power(np.array([duels]), np.array([wrong]), level)[0] == pytest.approx(slow)
