"""Chances of a Condorcet winner, against looking at subsets."""

from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng

from duelist.laboratory import made_up_preferences
from duelist.preferences import beats
from duelist.winners import condorcet
from duelist_reproductions.subsets_with_winners import winner_chances


def test_winners_are_counted_as_by_looking_at_every_subset() -> None:
    preferences = made_up_preferences(7, seed=6, winner=False)
    preferences[2, 5] = preferences[5, 2] = 0.5
    chances = winner_chances(beats(preferences))
    assert chances[0] == 1.0
    for k in range(2, 8):
        blocks = [preferences[np.ix_(arms, arms)] for arms in combinations(range(7), k)]
        seen = np.mean([condorcet(block) is not None for block in blocks])
        assert chances[k - 1] == pytest.approx(seen)


def test_counting_agrees_with_sampling() -> None:
    preferences, samples, rng = made_up_preferences(64), 2_000, default_rng(0)
    chances = winner_chances(beats(preferences))
    for k in (4, 16, 40):
        drawn = [rng.permutation(64)[:k] for _ in range(samples)]
        share = np.mean([condorcet(preferences[np.ix_(arms, arms)]) is not None for arms in drawn])
        error = np.sqrt(chances[k - 1] * (1.0 - chances[k - 1]) / samples)
        assert abs(share - chances[k - 1]) < 4.0 * error
