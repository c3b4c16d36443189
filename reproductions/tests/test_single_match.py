"""The exact length of a match, against matches tossed duel by duel."""

import numpy as np
import pytest

from duelist_reproductions.single_match import allowed, farthest, match_chances, mean_length


def tossed(spread: float, win: float, matches: int) -> list[int]:
    rng, lengths = np.random.default_rng(3), []
    for _ in range(matches):
        wins = duels = 0
        while not duels or abs(wins / duels - 0.5) < np.sqrt(spread / duels):
            wins += rng.random() < win
            duels += 1
        lengths.append(duels)
    return lengths


def test_chances_of_lengths_as_tossed() -> None:
    chances = match_chances(11.5, 0.9)
    assert chances.sum() == pytest.approx(1.0, abs=1e-8)
    lengths = np.array(tossed(11.5, 0.9, 4_000))
    assert farthest(lengths, chances) < allowed(4_000, 0.001)
    assert lengths.mean() == pytest.approx(mean_length(chances), rel=0.02)
    # with all duels won, t / 2 >= sqrt(spread t) from t = 4 spread on
    assert chances[:46] == pytest.approx(0.0)
    assert chances[46] == pytest.approx(0.9**46 + 0.1**46)


@pytest.mark.parametrize("factor", [0.96, 1.04])
def test_another_radius_is_found_out(factor: float) -> None:
    lengths = np.array(tossed(11.5 * factor, 0.9, 4_000))
    assert farthest(lengths, match_chances(11.5, 0.9)) > allowed(4_000, 0.001)


def test_lengths_beyond_all_chances_count() -> None:
    assert farthest(np.array([9, 9]), np.array([0.0, 1.0])) == 1.0
