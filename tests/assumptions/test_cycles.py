from itertools import permutations

import numpy as np
from hypothesis import given
from matrices import COARSE, PAPER, preference_matrices
from refusals import names

from duelist.assumptions import cycles, describe
from duelist.duel import FloatArray
from duelist.preferences import beats
from duelist.problems import MatrixProblem
from duelist.winners import condorcet, top_cycle


def test_arms_that_stand_in_a_line_have_no_cycle() -> None:
    assert cycles([[0.5, 0.9, 0.5], [0.1, 0.5, 0.6], [0.5, 0.4, 0.5]]) == ()


def test_the_cycle_of_the_paper() -> None:
    (cycle,) = cycles(PAPER)
    assert cycle.arms == (0, 1, 2, 3, 4)
    assert len(cycle.shortest) == 3


def test_a_cycle_of_four_without_a_cyclic_triple_is_named() -> None:
    four = np.full((4, 4), 0.5)
    for arm in range(4):
        four[arm, (arm + 1) % 4], four[(arm + 1) % 4, arm] = 0.6, 0.4
    assert [cycle.shortest for cycle in cycles(four)] == [(0, 1, 2, 3)]
    assert names(str(describe(four, "abcd")), "a beats b beats c beats d beats a")


def test_the_strongest_cycle_comes_first() -> None:
    wins = np.zeros((6, 6))
    wins[3:, :3] = 2
    for low in (0, 3):
        for arm in range(3):
            wins[low + arm, low + (arm + 1) % 3] = 2
    found = cycles(MatrixProblem.from_wins(wins).matrix)
    assert [cycle.arms for cycle in found] == [(3, 4, 5), (0, 1, 2)]


@given(preference_matrices(COARSE))
def test_each_beats_the_next_and_no_way_round_is_shorter(matrix: FloatArray) -> None:
    wins = beats(matrix)
    for arms, shortest in cycles(matrix):
        assert set(shortest) <= set(arms)
        assert all(wins[one, other] for one, other in zip(shortest, shortest[1:] + shortest[:1], strict=True))
        for length in range(3, len(shortest)):
            for way in permutations(arms, length):
                assert not all(wins[one, other] for one, other in zip(way, way[1:] + way[:1], strict=True))


@given(preference_matrices())
def test_without_ties_the_top_cycle_is_the_first_of_all(matrix: FloatArray) -> None:
    tied = (~(beats(matrix) | beats(matrix).T)).sum() > len(matrix)
    if not tied and condorcet(matrix) is None:
        assert cycles(matrix)[0].arms == top_cycle(matrix)
