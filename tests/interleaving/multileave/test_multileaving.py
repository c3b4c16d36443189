from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from interleaving.multileave import slow
from interleaving.multileave.pages import CASCADE, assert_drawn_as_often, draw_lists, mean_advantages

from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving.multileave import (
    Multileaving,
    PairwisePreferenceMultileaving,
    ProbabilisticMultileaving,
    SampleOnlyScoredMultileaving,
    ShownMany,
    TeamDraftMultileaving,
)

METHODS: list[Multileaving] = [
    PairwisePreferenceMultileaving(),
    ProbabilisticMultileaving(),
    SampleOnlyScoredMultileaving(),
    TeamDraftMultileaving(),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)


@every_method
def test_better_rankings_are_credited_more(method: Multileaving) -> None:
    grades = np.array([2, 2, 1, 1, 0, 0, 0, 0, 0, 0])
    rng = np.random.default_rng(1)
    best, worst = list(range(10)), list(range(9, -1, -1))
    swapped = [2, 3, 0, 1, *range(4, 10)]
    rankings = [best, swapped, rng.permutation(10).tolist(), worst]
    means, errors = mean_advantages(method.rules(), rankings, 5, grades, CASCADE, 20_000, seed=2)
    assert (means[0] - means[1:] > 4 * (errors[0] + errors[1:])).all()
    assert (means[1] - means[2:] > 4 * (errors[1] + errors[2:])).all()


@every_method
def test_any_documents_may_be_ranked(method: Multileaving) -> None:
    rankings: list[list[Hashable]] = [["a", (1, 2), None], [None, 3.5, "a"], ["b"]]
    shown = method.interleave(rankings, np.random.default_rng(1))
    assert set(shown.documents) == {"a", (1, 2), None, 3.5, "b"}
    assert shown.rankings == tuple(tuple(ranking) for ranking in rankings)
    assert len(shown.teams) == len(shown.propensities) == 5
    assert all(0.0 < propensity <= 1.0 for propensity in shown.propensities)


@every_method
def test_the_public_method_is_the_kernel(method: Multileaving) -> None:
    rankings = [[0, 1, 2, 3, 4], [4, 2, 0, 1, 3], [3, 5, 2]]
    drawn = draw_lists(method.rules(), rankings, 4, 30, seed=3)
    rng = np.random.default_rng(3)
    lists = [method.interleave(rankings, rng, length=4) for _ in range(30)]
    assert Counter((shown.documents, shown.teams) for shown in lists) == drawn


@every_method
def test_only_the_first_place_of_a_document_counts(method: Multileaving) -> None:
    repeated = method.interleave(["abacb", "cca"], np.random.default_rng(4))
    assert repeated == method.interleave(["abc", "ca"], np.random.default_rng(4))


@every_method
def test_nothing_but_empty_rankings_shows_nothing(method: Multileaving) -> None:
    shown = method.interleave([[], [], []], np.random.default_rng(5))
    assert shown == ShownMany((), (), (), ((), (), ()))
    assert method.credit(shown, []).tolist() == [0.0] * 3
    assert (method.preferences(shown, []) == 0.5).all()
    assert method.interleave(["abc"], np.random.default_rng(5), length=0).documents == ()


@every_method
def test_one_ranking_is_only_reordered(method: Multileaving) -> None:
    shown = method.interleave(["abc"], np.random.default_rng(6))
    assert sorted(map(str, shown.documents)) == ["a", "b", "c"]
    assert method.preferences(shown, shown.documents).tolist() == [[0.5]]


@pytest.mark.parametrize("method", METHODS[:3], ids=lambda method: type(method).__name__)
def test_without_teams_equal_rankings_are_credited_alike(method: Multileaving) -> None:
    shown = method.interleave(["abcd", "abcd", "dcba"], np.random.default_rng(7))
    credits = method.credit(shown, shown.documents[1:2])
    assert credits[0] == credits[1] != credits[2]


@every_method
def test_preferences_compare_credits(method: Multileaving) -> None:
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
def test_clicks_in_any_order_and_number_are_the_same(method: Multileaving) -> None:
    shown = method.interleave(["abcd", "dbca", "cadb"], np.random.default_rng(9))
    assert (method.credit(shown, "ab") == method.credit(shown, "baab")).all()


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("method", "lists_of"),
    [
        (PairwisePreferenceMultileaving(), slow.pairwise_preference_lists),
        (ProbabilisticMultileaving(), slow.probabilistic_lists),
        (TeamDraftMultileaving(), slow.team_draft_lists),
    ],
    ids=["pairwise", "probabilistic", "team draft"],
)
def test_a_continued_list_is_drawn_like_a_whole_one(method: Multileaving, lists_of: object, cut: int) -> None:
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
def test_what_cannot_be_is_refused(method: Multileaving) -> None:
    rng = np.random.default_rng(11)
    unhashable: Any = ["a"]
    shown = method.interleave(["abc", "bca"], rng, length=2)
    with pytest.raises(ParameterError, match="at least one ranking"):
        method.interleave([], rng)
    with pytest.raises(ParameterError, match="told apart by their hash"):
        method.interleave([[unhashable]], rng)
    with pytest.raises(ParameterError, match="length must be a whole number, at least 0; got -1"):
        method.interleave(["ab"], rng, length=-1)
    with pytest.raises(ParameterError, match="length must be a whole number, at least 2; got 1"):
        method.interleave(["abc", "bca"], rng, length=1, after=shown)
    with pytest.raises(ParameterError, match="the same rankings"):
        method.interleave(["abc", "cab"], rng, after=shown)
    with pytest.raises(OutcomeError, match="'z' was clicked but not shown"):
        method.credit(shown, ["z"])


def test_hyperparameters_that_cannot_work_are_refused() -> None:
    with pytest.raises(ParameterError, match="tau must be a positive number; got 0"):
        ProbabilisticMultileaving(tau=0)
    with pytest.raises(ParameterError, match="tau must be at most 50; got 51"):
        ProbabilisticMultileaving(tau=51)
    with pytest.raises(ParameterError, match="tau must be a positive number; got -1"):
        SampleOnlyScoredMultileaving(tau=-1.0)
    with pytest.raises(ParameterError, match="beyond must be a whole number, at least 0; got -1"):
        PairwisePreferenceMultileaving(beyond=-1)
