from itertools import permutations

import numpy as np
import pytest
from interleaving.pages import CARELESS, credits_of, draw_lists, mean_advantages

from duelist.clicks.user import User
from duelist.interleaving import SampleOnly, TeamDraft

RULES = SampleOnly().rules()
EVEN = User(attraction=np.full(1, 0.4), examination=np.ones((1, 1)), stop=np.zeros((1, 1)))


def slow_credit(ranking: list[int], documents: tuple[int, ...], clicked: list[int], tau: float) -> float:
    """By the mean over all orders of what the ranking lacks."""
    known = [document for document in ranking if document in documents]
    lacking = [document for document in documents if document not in ranking]
    orders = [known + list(order) for order in permutations(lacking)]
    return float(
        np.mean([sum((1 + order.index(documents[place])) ** -tau for place in clicked) for order in orders])
    )


@pytest.mark.parametrize("tau", [1.0, 3.0])
@pytest.mark.parametrize("clicked", [[], [0], [3], [1, 2], [0, 1, 2, 3]])
def test_credit_is_by_rank_among_the_shown(tau: float, clicked: list[int]) -> None:
    rankings = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [5, 2, 6], [6, 1, 2, 5, 0], []]
    documents = (2, 6, 0, 4)
    rules = SampleOnly(tau=tau).rules()
    credits = credits_of(rules, rankings, (documents, (0, 1, 2, -1)), clicked)
    assert credits == pytest.approx([slow_credit(ranking, documents, clicked, tau) for ranking in rankings])


def test_credits_by_hand() -> None:
    rankings = [[0, 1, 2], [2, 0, 1], [2, 3, 1]]
    credits = credits_of(RULES, rankings, ((1, 2, 0), (0, 1, 2)), [1])
    assert credits == pytest.approx([1 / 27, 1.0, 1.0])
    assert credits_of(RULES, rankings, ((1, 2), (0, 1)), [0]) == pytest.approx([1.0, 1 / 8, 1 / 8])


def test_lists_are_those_of_team_draft() -> None:
    rankings = [[0, 1, 2, 3], [3, 1, 0], [2, 4]]
    drawn = draw_lists(RULES, rankings, 5, 200, seed=1)
    assert drawn == draw_lists(TeamDraft().rules(), rankings, 5, 200, seed=1)


def test_people_who_click_anywhere_favour_nobody() -> None:
    rng = np.random.default_rng(4)
    rankings = [rng.permutation(20)[:8].tolist() for _ in range(3)] + [list(range(5)), list(range(4, -1, -1))]
    means, errors = mean_advantages(RULES, rankings, 12, np.zeros(20), EVEN, 200_000, seed=5)
    assert (np.abs(means) < 4 * errors).all()


def test_people_who_click_high_favour_what_most_agree_on() -> None:
    rankings = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [2, 1, 0]]
    means, errors = mean_advantages(RULES, rankings, 3, np.zeros(3), CARELESS, 20_000, seed=6)
    assert means[3] < -20 * errors[3]
