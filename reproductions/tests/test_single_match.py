"""The exact length of a match, against matches tossed duel by duel."""

import numpy as np
import pytest

from duelist.duel import IntArray
from duelist_reproductions.single_match import allowed, farthest, match_chances, mean_length


def tossed(spread: float, win: float, matches: int) -> IntArray:
    """Return how many duels matches last, all of which are tossed side by side."""
    rng, wins, lengths = np.random.default_rng(3), np.zeros(matches), list[int]()
    for duels in range(1, 1_000):
        wins += rng.random(len(wins)) < win
        decided = np.abs(wins / duels - 0.5) >= np.sqrt(spread / duels)
        lengths += [duels] * int(decided.sum())
        wins = wins[~decided]
    assert len(lengths) == matches
    return np.array(lengths)


def test_chances_of_lengths_as_tossed() -> None:
    chances = match_chances(11.5, 0.9)
    assert chances.sum() == pytest.approx(1.0, abs=1e-8)
    lengths = tossed(11.5, 0.9, 4_000)
    assert farthest(lengths, chances) < allowed(4_000, 0.001)
    assert lengths.mean() == pytest.approx(mean_length(chances), rel=0.02)
    # with all duels won, t / 2 >= sqrt(spread t) from t = 4 spread on
    assert chances[:46] == pytest.approx(0.0)
    assert chances[46] == pytest.approx(0.9**46 + 0.1**46)


@pytest.mark.parametrize("factor", [0.96, 1.04])
def test_another_radius_is_found_out(factor: float) -> None:
    lengths = tossed(11.5 * factor, 0.9, 4_000)
    assert farthest(lengths, match_chances(11.5, 0.9)) > allowed(4_000, 0.001)


def test_lengths_beyond_all_chances_count() -> None:
    assert farthest(np.array([9, 9]), np.array([0.0, 1.0])) == 1.0
