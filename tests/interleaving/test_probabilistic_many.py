from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from interleaving import slow
from interleaving.pages import (
    CARELESS,
    assert_drawn_as_often,
    credits_of,
    draw_lists,
    mean_advantages,
    propensities_of,
)

from duelist.interleaving import Probabilistic
from duelist.interleaving.page import NOBODY

RULES = Probabilistic().rules()

CASES = [
    ([[0, 1, 2], [2, 1, 0], [1, 0, 2]], 3),
    ([[0, 1, 2, 3], [3, 2, 1, 0]], 2),
    ([[0, 1, 2], [3, 4], [0, 3]], 3),
    ([[0, 1], [2], [1, 0]], 3),
    ([[0, 1, 2], []], 3),
    ([[1, 0]], 2),
]


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_lists_are_drawn_as_often_as_by_trying_everything(rankings: list[list[int]], length: int) -> None:
    lists = slow.probabilistic_lists(rankings, length)
    assert_drawn_as_often(draw_lists(RULES, rankings, length, 10_000, seed=1), lists)


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_propensities_multiply_to_the_chance_of_the_list(rankings: list[list[int]], length: int) -> None:
    chances: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for (documents, _), chance in slow.probabilistic_lists(rankings, length).items():
        chances[documents] += chance
    for (documents, _), propensities in propensities_of(RULES, rankings, length, 40, seed=2).items():
        assert np.prod(propensities) == pytest.approx(float(chances[documents]))


@pytest.mark.parametrize(("rankings", "length"), [case for case in CASES if len(case[0]) > 2])
def test_credit_is_the_expected_number_of_clicks_on_the_team_given_the_list(
    rankings: list[list[int]], length: int
) -> None:
    lists = slow.probabilistic_lists(rankings, length)
    for shown in list(lists)[::3]:
        likely = {teams: chance for (documents, teams), chance in lists.items() if documents == shown[0]}
        whole = sum(likely.values())
        posterior = {teams: float(chance / whole) for teams, chance in likely.items()}
        for places in product([False, True], repeat=len(shown[0])):
            clicked = np.flatnonzero(places).tolist()
            expected = np.zeros(len(rankings))
            for teams, chance in posterior.items():
                for place in clicked:
                    if teams[place] != NOBODY:
                        expected[teams[place]] += chance
            assert credits_of(RULES, rankings, shown, clicked) == pytest.approx(expected)


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_any_clicks_that_ignore_documents_credit_all_alike(rankings: list[list[int]], length: int) -> None:
    lists = slow.probabilistic_lists(rankings, length)
    for place in range(length):
        expected = sum(
            float(chance) * credits_of(RULES, rankings, shown, [place]) for shown, chance in lists.items()
        )
        assert np.ptp(expected) < 1e-12


def test_credits_by_hand() -> None:
    rankings = [[0, 1, 2], [2, 0, 1]]
    # at the top: 1 against 1/8, both over the same sum
    assert credits_of(RULES, rankings, ((0, 2, 1), (0, 1, 0)), [0]) == pytest.approx([8 / 9, 1 / 9])
    # then: 1/27 of 1/8 + 1/27, against 1 of 1 + 1/27
    one, other = (1 / 27) / (1 / 8 + 1 / 27), 1 / (1 + 1 / 27)
    assert credits_of(RULES, rankings, ((0, 2, 1), (0, 1, 0)), [1]) == pytest.approx(
        [one / (one + other), other / (one + other)]
    )
    # one document is left, which both name
    assert credits_of(RULES, rankings, ((0, 2, 1), (0, 1, 0)), [2]) == pytest.approx([0.5, 0.5])


def test_a_steep_tau_names_the_best_and_never_runs_out() -> None:
    rules = Probabilistic(tau=50.0).rules()
    rankings = [list(range(1_000)), list(range(1_000))]
    assert {documents for documents, _ in draw_lists(rules, rankings, 3, 20, seed=3)} == {(0, 1, 2)}
    ((documents, _),) = draw_lists(rules, rankings, 1_000, 1, seed=3)
    assert sorted(documents) == list(range(1_000))


def test_careless_people_favour_nobody() -> None:
    rng = np.random.default_rng(4)
    rankings = [rng.permutation(20)[:8].tolist() for _ in range(3)] + [list(range(5)), list(range(4, -1, -1))]
    means, errors = mean_advantages(RULES, rankings, 12, np.zeros(20), CARELESS, 200_000, seed=5)
    assert (np.abs(means) < 4 * errors).all()
