"""The properties common to all methods: documents of any kind, clicks, lengths and further pages."""

import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving import Balanced, Optimized, Probabilistic, Shown, TeamDraft

METHODS = [Balanced(), TeamDraft(), Probabilistic(), Optimized()]

every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)

rankings = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=9)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@every_method
def test_a_method_travels_to_other_processes_also_once_used(method: Any) -> None:
    shown = method.interleave([["a", "b", "c"], ["c", "d"]], np.random.default_rng(4))
    again = pickle.loads(pickle.dumps(method))
    assert again == method
    assert again.interleave([["a", "b", "c"], ["c", "d"]], np.random.default_rng(4)) == shown
    assert again.outcome(shown, ["c"]) == method.outcome(shown, ["c"])


@every_method
@given(left=rankings, right=rankings, seed=st.integers(0, 99), data=st.data())
@settings(max_examples=20)
def test_pages_follow_each_other_without_repeats_or_gaps(
    method: Any, left: list[str], right: list[str], seed: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    every = {*left, *right}
    cut = data.draw(st.integers(0, len(every)))
    first = method.interleave([left, right], rng, cut)
    assert len(first.documents) == cut
    whole = method.interleave([left, right], rng, after=first)
    assert whole.documents[:cut] == first.documents
    assert whole.teams[:cut] == first.teams
    assert whole.propensities[:cut] == first.propensities
    assert sorted(whole.documents) == sorted(every)
    assert len(whole.teams) == len(whole.propensities) == len(every)
    assert set(whole.teams) <= {-1, 0, 1}
    assert all(0.0 < propensity <= 1.0 for propensity in whole.propensities)
    assert whole.rankings == (tuple(dict.fromkeys(left)), tuple(dict.fromkeys(right)))
    assert method.interleave([left, right], rng, after=whole) == whole


@every_method
def test_equal_seeds_give_equal_lists(method: Any) -> None:
    lists = [method.interleave(["abcd", "bdac"], np.random.default_rng(5)) for _ in range(2)]
    assert lists[0] == lists[1]


@every_method
def test_documents_may_be_anything_that_has_a_hash(method: Any, rng: np.random.Generator) -> None:
    left = [("tuple", 1), 2.5, None, "word"]
    right = (document for document in ["word", frozenset({1}), None])
    shown = method.interleave([left, right], rng)
    assert set(shown.documents) == {("tuple", 1), 2.5, None, "word", frozenset({1})}
    assert isinstance(method.outcome(shown, iter([None, "word"])), float)
    assert isinstance(shown, Shown)


@every_method
def test_one_empty_ranking_and_two(method: Any, rng: np.random.Generator) -> None:
    assert method.interleave([[], []], rng) == Shown((), (), (), ((), ()))
    assert method.outcome(method.interleave([[], []], rng), []) == 0.5
    alone = method.interleave([[], ["a", "b"]], rng)
    assert sorted(alone.documents) == ["a", "b"]
    if not isinstance(method, Probabilistic):
        assert alone.documents == ("a", "b")
        assert alone.propensities == (1.0, 1.0)


@pytest.mark.parametrize("method", [TeamDraft(), Probabilistic(), Optimized()])
def test_nobody_is_credited_for_what_one_ranking_shows_alone(method: Any, rng: np.random.Generator) -> None:
    alone = method.interleave([[], ["a", "b"]], rng)
    assert method.outcome(alone, ["a"]) == 0.5
    assert set(alone.teams) == {-1}


@every_method
def test_only_the_first_place_of_a_document_counts(method: Any) -> None:
    twice = method.interleave(["aabcbd", "dacca"], np.random.default_rng(3))
    assert twice == method.interleave(["abcd", "dac"], np.random.default_rng(3))


@every_method
def test_clicks_count_once_and_in_any_order(method: Any, rng: np.random.Generator) -> None:
    shown = method.interleave(["abcdef", "fbdace"], rng)
    assert method.outcome(shown, "aabba") == method.outcome(shown, ["b", "a"])
    for clicked in ("ab", "bcdefa"):
        assert method.outcome(shown, iter(clicked)) == method.outcome(shown, [*clicked])
    assert method.outcome(shown, []) == 0.5


@every_method
def test_clicks_on_what_was_not_shown_are_refused(method: Any, rng: np.random.Generator) -> None:
    shown = method.interleave(["abc", "cab"], rng, length=2)
    missing = next(document for document in "abc" if document not in shown.documents)
    for clicked in ([missing], [*shown.documents, *"abcab"], iter(missing), [*shown.documents, *"abcdefghi"]):
        with refused(OutcomeError, "clicked", repr(missing)):
            method.outcome(shown, clicked)
    with refused(OutcomeError, "clicked", ["a"]):
        method.outcome(shown, [["a"]])


@every_method
def test_documents_without_a_hash_are_refused(method: Any, rng: np.random.Generator) -> None:
    with refused(ParameterError, "rankings", "'list'"):
        method.interleave([[["a"]], ["b"]], rng)
    with refused(ParameterError, "rankings", "'dict'"):
        method.interleave([["b"], [{}]], rng)


@every_method
@pytest.mark.parametrize("length", [-1, 1.5, "3"])
def test_lengths_that_are_none_are_refused(method: Any, length: Any, rng: np.random.Generator) -> None:
    with refused(ParameterError, "length", 0, length if isinstance(length, str) else repr(length)):
        method.interleave(["abc", "cab"], rng, length=length)


@every_method
def test_a_length_beyond_all_documents_shows_all(method: Any, rng: np.random.Generator) -> None:
    assert len(method.interleave(["abc", "cab"], rng, length=99).documents) == 3
    assert len(method.interleave(["abc", "cab"], rng, length=np.int64(2)).documents) == 2


@every_method
def test_a_list_cannot_be_continued_to_a_shorter_one_or_with_other_rankings(
    method: Any, rng: np.random.Generator
) -> None:
    shown = method.interleave(["abc", "cab"], rng, length=2)
    with refused(ParameterError, "length", 2, 1):
        method.interleave(["abc", "cab"], rng, length=1, after=shown)
    for left, right in (("abc", "cba"), ("bac", "cab"), ("cab", "abc")):
        with refused(ParameterError, "after"):
            method.interleave([left, right], rng, after=shown)


@every_method
def test_equal_rankings_are_shown_as_they_are(method: Any, rng: np.random.Generator) -> None:
    shown = method.interleave(["abcd", "abcd"], rng)
    if not isinstance(method, Probabilistic):
        assert shown.documents == tuple("abcd")
        assert shown.propensities == (1.0,) * 4
    if not isinstance(method, TeamDraft):
        assert method.outcome(shown, "bd") == 0.5


@every_method
def test_hyperparameters_cannot_be_changed(method: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        method.counting = "first"


@every_method
@pytest.mark.parametrize("rankings", [{"bm25": ["a"], "dense": ["b"]}, "ab"])
def test_rankings_by_name_are_not_read_as_documents(method: Any, rankings: Any) -> None:
    with refused(ParameterError, "rankings", rankings):
        method.interleave(rankings, np.random.default_rng(1))
