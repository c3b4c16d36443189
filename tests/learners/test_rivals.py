"""The leader's rival when no other duel can be asked: the arm least proven to lose, counting open duels."""

import numpy as np
import pytest
from numpy.random import default_rng

from duelist import Arms
from duelist.learners.armed.base import leader_and_rival

WINS = np.array([[0, 8, 8, 9], [2, 0, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0]])
"""The leader 0 beat 1 and 2 equally often, and 3 once more."""


def rivals_of(menu: Arms) -> set[int]:
    """Return all arms that the leader may meet."""
    duels = [leader_and_rival(menu, 0, default_rng(seed)) for seed in range(30)]
    assert {duel.left for duel in duels} == {0}
    return {int(duel.right) for duel in duels}


@pytest.mark.parametrize(
    ("open_duels", "expected"),
    [
        ({}, {1, 2}),
        ({(0, 1): 1}, {2}),
        ({(0, 2): 1}, {1}),
        ({(0, 1): 3, (0, 2): 2}, {2}),
        ({(0, 1): 3, (0, 2): 3}, {1, 2}),
        # twenty duels times 0.3 squared are more than ten times 0.4 squared
        ({(0, 1): 10, (0, 2): 10}, {3}),
        ({(1, 2): 9}, {1, 2}),
    ],
)
def test_open_duels_count_as_if_they_were_won_by_the_same_share(
    open_duels: dict[tuple[int, int], int], expected: set[int]
) -> None:
    assert rivals_of(Arms(4, open=open_duels, wins=WINS)) == expected


def test_an_arm_that_was_never_met_comes_first_and_of_several_the_one_with_fewest_open_duels() -> None:
    wins = WINS.copy()
    wins[0, 1] = wins[0, 2] = wins[1, 0] = wins[2, 0] = 0
    assert rivals_of(Arms(4, wins=wins)) == {1, 2}
    assert rivals_of(Arms(4, open={(0, 1): 1}, wins=wins)) == {2}


def test_without_votes_open_duels_alone_decide_and_only_active_arms_are_met() -> None:
    assert rivals_of(Arms(4)) == {1, 2, 3}
    assert rivals_of(Arms(4, open={(0, 1): 1, (0, 3): 2})) == {2}
    assert rivals_of(Arms(4, active=(0, 1, 3), open={(0, 1): 2, (0, 3): 1})) == {3}
