from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from interleaving import slow
from interleaving.pages import CASCADE, assert_drawn_as_often, draw_lists, mean_advantages
from refusals import refused

from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving import (
    Balanced,
    Interleaving,
    Optimized,
    PairwisePreference,
    Probabilistic,
    SampleOnly,
    Shown,
    TeamDraft,
)

METHODS: list[Interleaving] = [
    PairwisePreference(),
    Probabilistic(),
    SampleOnly(),
    TeamDraft(),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)


@every_method
def test_better_rankings_are_credited_more(method: Interleaving) -> None:
    grades = np.array([2, 2, 1, 1, 0, 0, 0, 0, 0, 0])
    rng = np.random.default_rng(1)
    best, worst = list(range(10)), list(range(9, -1, -1))
    swapped = [2, 3, 0, 1, *range(4, 10)]
    rankings = [best, swapped, rng.permutation(10).tolist(), worst]
    means, errors = mean_advantages(method.rules(), rankings, 5, grades, CASCADE, 20_000, seed=2)
    assert (means[0] - means[1:] > 4 * (errors[0] + errors[1:])).all()
    assert (means[1] - means[2:] > 4 * (errors[1] + errors[2:])).all()


@every_method
def test_any_documents_may_be_ranked(method: Interleaving) -> None:
    rankings: list[list[Hashable]] = [["a", (1, 2), None], [None, 3.5, "a"], ["b"]]
    shown = method.interleave(rankings, np.random.default_rng(1))
    assert set(shown.documents) == {"a", (1, 2), None, 3.5, "b"}
    assert shown.rankings == tuple(tuple(ranking) for ranking in rankings)
    assert len(shown.teams) == len(shown.propensities) == 5
    assert all(0.0 < propensity <= 1.0 for propensity in shown.propensities)


@every_method
def test_the_public_method_is_the_kernel(method: Interleaving) -> None:
    rankings = [[0, 1, 2, 3, 4], [4, 2, 0, 1, 3], [3, 5, 2]]
    drawn = draw_lists(method.rules(), rankings, 4, 30, seed=3)
    rng = np.random.default_rng(3)
    lists = [method.interleave(rankings, rng, length=4) for _ in range(30)]
    assert Counter((shown.documents, shown.teams) for shown in lists) == drawn


@every_method
def test_only_the_first_place_of_a_document_counts(method: Interleaving) -> None:
    repeated = method.interleave(["abacb", "cca", "b"], np.random.default_rng(4))
    assert repeated == method.interleave(["abc", "ca", "b"], np.random.default_rng(4))


@every_method
def test_nothing_but_empty_rankings_shows_nothing(method: Interleaving) -> None:
    shown = method.interleave([[], [], []], np.random.default_rng(5))
    assert shown == Shown((), (), (), ((), (), ()))
    assert method.credit(shown, []).tolist() == [0.0] * 3
    assert (method.preferences(shown, []) == 0.5).all()
    assert method.interleave(["abc", "b", "c"], np.random.default_rng(5), length=0).documents == ()


@pytest.mark.parametrize("method", METHODS[:3], ids=lambda method: type(method).__name__)
def test_without_teams_equal_rankings_are_credited_alike(method: Interleaving) -> None:
    shown = method.interleave(["abcd", "abcd", "dcba"], np.random.default_rng(7))
    credits = method.credit(shown, shown.documents[1:2])
    assert credits[0] == credits[1] != credits[2]


@every_method
def test_preferences_compare_credits(method: Interleaving) -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        shown = method.interleave(["abcdef", "badcfe", "fedcba", "cab"], rng, length=5)
        clicked = [document for document in shown.documents if rng.random() < 0.5]
        credits, preferences = method.credit(shown, clicked), method.preferences(shown, clicked)
        assert (preferences + preferences.T == 1.0).all()
        for i in range(4):
            for j in range(4):
                if abs(credits[i] - credits[j]) > 1e-6:
                    assert preferences[i, j] == float(credits[i] > credits[j])
                else:
                    assert preferences[i, j] == 0.5


@every_method
def test_clicks_in_any_order_and_number_are_the_same(method: Interleaving) -> None:
    shown = method.interleave(["abcd", "dbca", "cadb"], np.random.default_rng(9))
    assert (method.credit(shown, "ab") == method.credit(shown, "baab")).all()


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("method", "lists_of"),
    [
        (PairwisePreference(), slow.pairwise_preference_lists),
        (Probabilistic(), slow.probabilistic_lists),
        (TeamDraft(), slow.team_draft_lists),
    ],
    ids=["pairwise", "probabilistic", "team draft"],
)
def test_a_continued_list_is_drawn_like_a_whole_one(method: Interleaving, lists_of: object, cut: int) -> None:
    assert callable(lists_of)
    rankings = [[0, 1, 2, 3], [2, 0, 4], [2, 3]]
    rng = np.random.default_rng(10)
    drawn: Counter[slow.Shown] = Counter()
    for _ in range(2_000):
        start = method.interleave(rankings, rng, length=cut)
        whole = method.interleave(rankings, rng, length=5, after=start)
        assert whole.documents[:cut] == start.documents
        assert whole.teams[:cut] == start.teams
        assert whole.propensities[:cut] == start.propensities
        drawn[tuple(int(str(document)) for document in whole.documents), whole.teams] += 1
    assert_drawn_as_often(drawn, lists_of(rankings, 5))


@every_method
def test_what_cannot_be_is_refused(method: Interleaving) -> None:
    rng = np.random.default_rng(11)
    unhashable: Any = ["a"]
    shown = method.interleave(["abc", "bca", "cab"], rng, length=2)
    for rankings in ([], ["abc"]):
        with refused(ParameterError, type(method).__name__, method.fewest, len(rankings)):
            method.interleave(rankings, rng)
    with refused(ParameterError, "rankings", "'list'"):
        method.interleave([[unhashable], [], []], rng)
    with refused(ParameterError, "length", 0, -1):
        method.interleave(["ab", "b", "a"], rng, length=-1)
    with refused(ParameterError, "length", 2, 1):
        method.interleave(["abc", "bca", "cab"], rng, length=1, after=shown)
    with refused(ParameterError, "after"):
        method.interleave(["abc", "cab", "bca"], rng, after=shown)
    with refused(OutcomeError, "clicked", "'z'"):
        method.credit(shown, ["z"])


def test_hyperparameters_that_cannot_work_are_refused() -> None:
    with refused(ParameterError, "tau", 0, 50):
        Probabilistic(tau=0)
    with refused(ParameterError, "tau", 0, 50, 51):
        Probabilistic(tau=51)
    with refused(ParameterError, "tau", -1.0):
        SampleOnly(tau=-1.0)
    with refused(ParameterError, "beyond", 0, -1):
        PairwisePreference(beyond=-1)


@pytest.mark.parametrize(
    ("method", "number"),
    [(Balanced(), 3), (Optimized(), 3), (SampleOnly(), 2), (PairwisePreference(), 2), (TeamDraft(), 1)],
)
def test_a_method_refuses_numbers_of_rankings_that_it_is_not_for(method: Interleaving, number: int) -> None:
    rankings = tuple((0, 1) for _ in range(number))
    with refused(ParameterError, type(method).__name__, number):
        method.interleave(rankings, np.random.default_rng(0))
    with refused(ParameterError, type(method).__name__, number):
        method.credit(Shown((0, 1), (0, 1), (0.5, 1.0), rankings), [0])


def test_an_outcome_is_of_two_rankings() -> None:
    shown = TeamDraft().interleave(["ab", "cd", "ef"], np.random.default_rng(0))
    with refused(ParameterError, "shown", "3 rankings", 2, "preferences()"):
        TeamDraft().outcome(shown, [])


@pytest.mark.parametrize("method", [Balanced(), Optimized(), Probabilistic(), TeamDraft()])
def test_preferences_of_two_rankings_are_the_outcome(method: Interleaving) -> None:
    rng = np.random.default_rng(12)
    for _ in range(20):
        shown = method.interleave(["abcdef", "badcfe"], rng)
        clicked = [document for document in shown.documents if rng.random() < 0.4]
        outcome = method.outcome(shown, clicked)
        expected = [[0.5, outcome], [1.0 - outcome, 0.5]]
        assert method.preferences(shown, clicked) == pytest.approx(np.array(expected), abs=1e-12)


def test_only_the_first_click_or_clicks_below_the_common_prefix_count_for_many_as_well() -> None:
    shown = Shown(tuple("abcd"), (0, 1, 2, 0), (1.0,) * 4, (tuple("abcd"), tuple("abdc"), tuple("acbd")))
    assert TeamDraft("first").credit(shown, "bc").tolist() == [0.0, 1.0, 0.0]
    assert TeamDraft("unshared").credit(shown, "ad").tolist() == [1.0, 0.0, 0.0]
    first, second, both = (Probabilistic(counting="first").credit(shown, one) for one in ("b", "c", "bc"))
    assert both.tolist() == first.tolist() != second.tolist()
    assert Probabilistic(counting="unshared").credit(shown, "a").tolist() == [0.0] * 3
