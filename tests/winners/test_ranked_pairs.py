from collections.abc import Iterable
from importlib import import_module
from itertools import chain, groupby, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    FINE,
    ROCK_PAPER_SCISSORS,
    SCHULZE,
    TENNESSEE,
    completed,
    elected,
    preference_matrices,
    relabelled,
    with_condorcet_winner,
)

from duelist.assumptions import total_order
from duelist.duel import FloatArray
from duelist.winners import ranked_pairs, ranked_pairs_order, top_cycle

MATRICES = st.one_of(preference_matrices(COARSE, most=4), preference_matrices(FINE, most=4))
Pairs = Iterable[tuple[int, int]]


def defeats(matrix: FloatArray) -> list[list[tuple[int, int]]]:
    """Who beats whom, the largest margin first, and those with equal margins together."""
    arms = range(len(matrix))
    margins = (matrix - matrix.T).round(9)
    pairs = sorted(((i, j) for i in arms for j in arms if margins[i, j] > 0), key=lambda pair: -margins[pair])
    return [list(group) for _, group in groupby(pairs, key=lambda pair: float(margins[pair]))]


def locked_in(pairs: Pairs) -> set[tuple[int, int]]:
    """The defeats that stand if they are considered in this order."""
    locked: set[tuple[int, int]] = set()
    for better, worse in pairs:
        reached, new = {worse}, {worse}
        while new:
            new = {j for i, j in locked if i in new} - reached
            reached |= new
        if better not in reached:
            locked.add((better, worse))
    return locked


def winners_of_all_orders(matrix: FloatArray) -> set[int]:
    orders = product(*(permutations(group) for group in defeats(matrix)))
    arms = set(range(len(matrix)))
    return set(chain(*(arms - {loser for _, loser in locked_in(chain(*order))} for order in orders)))


def with_margins(k: int, margins: Iterable[float], rng: np.random.Generator) -> FloatArray:
    """A matrix with these margins, each way round as it happens."""
    shuffled = rng.permutation(np.array(list(margins)))
    upper = np.full((k, k), 0.5)
    upper[np.triu_indices(k, 1)] += shuffled * rng.choice([-0.5, 0.5], len(shuffled))
    return completed(upper)


def test_the_capital_of_tennessee() -> None:
    assert ranked_pairs(elected(TENNESSEE)) == (1,)
    assert ranked_pairs_order(elected(TENNESSEE)) == (1, 2, 3, 0)


def test_where_it_differs_from_schulze() -> None:
    # in the order of margins BD, ED, AD, CB, DC, EB, AC, BA, CE, EA: those of DC, BA and EA fall
    assert ranked_pairs(elected(SCHULZE)) == (0,)
    assert ranked_pairs_order(elected(SCHULZE)) == (0, 2, 4, 1, 3)


def test_all_arms_of_an_even_cycle_win() -> None:
    assert ranked_pairs(ROCK_PAPER_SCISSORS) == (0, 1, 2)
    assert ranked_pairs_order(ROCK_PAPER_SCISSORS) == (1, 0, 2)  # 0 over 2 and 1 over 0 come before 2 over 1


def test_arms_that_all_tie_all_win() -> None:
    assert ranked_pairs(np.full((3, 3), 0.5)) == ranked_pairs_order(np.full((3, 3), 0.5)) == (0, 1, 2)


@given(MATRICES)
def test_winners_are_those_of_all_orders_of_equal_margins(matrix: FloatArray) -> None:
    assert set(ranked_pairs(matrix)) == winners_of_all_orders(matrix)


def test_winners_are_those_of_all_orders_of_equal_margins_in_longer_cycles() -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(60):
        matrix = with_margins(5, [0.9, 0.9, 0.7, 0.7, 0.7, 0.5, 0.5, 0.5, 0.3, 0.1], rng)
        found.append(winners_of_all_orders(matrix))
        assert set(ranked_pairs(matrix)) == found[-1]
    assert {len(arms) for arms in found} == {1, 2, 4}


def test_without_equal_margins_the_order_is_that_of_the_defeats_that_stand() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        matrix = with_margins(6, np.linspace(0.1, 0.9, 15), rng)
        beaten = [0] * 6
        for better, _ in closure(locked_in(chain(*defeats(matrix)))):
            beaten[better] += 1
        order = ranked_pairs_order(matrix)
        assert [beaten[arm] for arm in order] == [5, 4, 3, 2, 1, 0]
        assert ranked_pairs(matrix) == order[:1]


def closure(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Who is above whom, also by others between them."""
    longer = pairs | {(i, k) for i, j in pairs for other, k in pairs if j == other}
    return pairs if longer == pairs else closure(longer)


def test_a_search_that_takes_too_long_returns_all_that_could_win(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    matrices = [with_margins(5, [0.7] * 5 + [0.5] * 5, rng) for _ in range(100)]
    exact = [set(ranked_pairs(matrix)) for matrix in matrices]
    monkeypatch.setattr(import_module("duelist.winners.defeats"), "MOST_STEPS", -1_000)
    larger = 0
    for matrix, winners in zip(matrices, exact, strict=True):
        possible = ranked_pairs(matrix)
        assert winners <= set(possible) <= set(top_cycle(matrix))
        assert ranked_pairs_order(matrix)[0] in possible
        larger += len(possible) > len(winners)
    assert 0 < larger < 100


def test_many_arms_of_equal_margins_are_searched_in_time() -> None:
    rng = np.random.default_rng(3)
    matrix = with_margins(40, [0.5] * 780, rng)
    assert ranked_pairs(matrix) == top_cycle(matrix)
    levels = with_margins(40, rng.choice([0.2, 0.4, 0.6], 780), rng)
    order = [int(arm) for arm in rng.permutation(40)]
    again = ranked_pairs(relabelled(levels, order))
    assert {order[arm] for arm in again} == set(ranked_pairs(levels)) <= set(top_cycle(levels))


@given(with_condorcet_winner())
def test_a_condorcet_winner_is_the_only_winner(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    assert ranked_pairs(matrix) == (winner,) == ranked_pairs_order(matrix)[:1]


@given(preference_matrices(), st.randoms(use_true_random=False))
def test_relabelling_arms_relabels_the_winners(matrix: FloatArray, random: Random) -> None:
    order = random.sample(range(len(matrix)), len(matrix))
    assert {order[arm] for arm in ranked_pairs(relabelled(matrix, order))} == set(ranked_pairs(matrix))


@given(preference_matrices())
def test_winners_lie_in_the_top_cycle_and_one_leads_the_order(matrix: FloatArray) -> None:
    order = ranked_pairs_order(matrix)
    assert set(ranked_pairs(matrix)) <= set(top_cycle(matrix))
    assert sorted(order) == list(range(len(matrix)))
    assert order[0] in ranked_pairs(matrix)


@given(preference_matrices(FINE))
def test_arms_that_stand_in_a_line_are_ranked_so(matrix: FloatArray) -> None:
    line = total_order(matrix)
    assert line is None or ranked_pairs_order(matrix) == tuple(line)
