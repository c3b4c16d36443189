import numpy as np
import pytest
from real_data import needs_data, real_matrix

from duelist.laboratory import Sources, made_up_preferences
from duelist.winners import condorcet
from duelist_reproductions.zoghi2014.rankers import (
    RANKERS,
    all_preferences,
    draw_rankers,
    gamma_of_table,
    subset_preferences,
)


def test_every_subset_has_a_winner() -> None:
    preferences = made_up_preferences(RANKERS)
    subsets = {k: draw_rankers(preferences, k) for k in range(2, 32)}
    assert all(len(np.unique(subset)) == k for k, subset in subsets.items())
    assert all(condorcet(preferences[np.ix_(subset, subset)]) is not None for subset in subsets.values())
    # winners are not always the best of all, or else subsets would not be random
    best = condorcet(preferences)
    assert 0 < sum(best in subset for subset in subsets.values()) < len(subsets)


def test_all_rankers_are_played_in_their_order() -> None:
    sources = Sources(None)
    assert np.array_equal(subset_preferences(sources, RANKERS), all_preferences(sources))


def test_gamma_is_what_every_pair_in_the_tables_order_needs() -> None:
    preferences = made_up_preferences(12)
    winner = condorcet(preferences)
    assert winner is not None
    others = [arm for arm in range(12) if arm != winner]
    needed = [
        max(preferences[winner, j] - 0.5, preferences[j, k] - 0.5) / (preferences[winner, k] - 0.5)
        for place, j in enumerate(others)
        for k in others[place + 1 :]
    ]
    assert gamma_of_table(preferences) == pytest.approx(max(needed))


@needs_data
def test_the_64_rankers_have_the_papers_gamma() -> None:
    assert gamma_of_table(real_matrix("np2004_64")) == pytest.approx(47.3, abs=0.05)
