from fractions import Fraction
from itertools import permutations
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interleaving import obvious
from interleaving.obvious import HALF, PAIRS
from refusals import refused
from scipy.optimize import linprog

from duelist.errors import ParameterError, UnknownNameError
from duelist.interleaving import Optimized, Shown
from duelist.interleaving.optimized import allowed_lists, credits_of, most_sensitive, plan, sensitivity

FALLING = [Fraction(9, 10), Fraction(3, 5), HALF, Fraction(1, 4), Fraction(1, 5), Fraction(1, 10)]

rankings = st.lists(st.integers(0, 7), max_size=6, unique=True)


@st.composite
def numbered_pairs(draw: st.DrawFn) -> tuple[int, tuple[int, ...], int]:
    """A left ranking 0, 1, ..., a right one by such numbers, and how many documents they have."""
    left = draw(st.integers(0, 5))
    right = draw(st.lists(st.integers(0, 8), max_size=5, unique=True))
    alone = [document for document in right if document >= left]
    numbers = {document: left + place for place, document in enumerate(alone)}
    return left, tuple(numbers.get(document, document) for document in right), left + len(alone)


def is_allowed(documents: tuple[int, ...], left: int, right: tuple[int, ...]) -> bool:
    return all(
        document in (obvious.best(range(left), documents[:place]), obvious.best(right, documents[:place]))
        for place, document in enumerate(documents)
    )


def worth(kind: str, left: list[int], right: list[int], document: int) -> float:
    absent = max(len(left), len(right)) + 1
    ours, theirs = (
        ranking.index(document) + 1 if document in ranking else absent for ranking in (left, right)
    )
    return {
        "linear": float(theirs - ours),
        "inverse": 1 / ours - 1 / theirs,
        "binary": float((theirs > ours) - (theirs < ours)),
    }[kind]


@given(numbered_pairs())
def test_allowed_lists_are_all_permutations_that_are_allowed(pair: tuple[int, tuple[int, ...], int]) -> None:
    left, right, count = pair
    length = min(count, 4)
    expected = {
        documents for documents in permutations(range(count), length) if is_allowed(documents, left, right)
    }
    found = [tuple(row) for row in allowed_lists(left, right, length).tolist()]
    assert len(found) == len(set(found))
    assert set(found) == expected


@pytest.mark.parametrize("kind", ["linear", "inverse", "binary"])
def test_credit_is_by_ranks(kind: str) -> None:
    left, right = [0, 1, 2], [3, 2, 0, 4]
    expected = [worth(kind, left, right, document) for document in range(5)]
    assert credits_of(3, tuple(right), kind) == pytest.approx(expected)


def test_sensitivity_is_the_entropy_of_who_gets_a_click() -> None:
    credits = np.array([[1.0, -1.0, 0.0], [2.0, 1.0, 3.0], [0.0, 0.0, 0.0]])
    looks = np.array([6, 3, 2]) / 11
    shared = -looks[0] * log2(6 / 9) - looks[1] * log2(3 / 9)
    assert sensitivity(credits) == pytest.approx([shared, 0.0, 0.0])


@given(numbered_pairs(), st.sampled_from(["linear", "inverse", "binary"]))
@settings(max_examples=40)
def test_a_random_click_is_worth_nothing_at_any_credited_place(
    pair: tuple[int, tuple[int, ...], int], kind: str
) -> None:
    left, right, length = pair
    planned = plan(left, right, kind, length)
    assert sum(planned.chances) == pytest.approx(1.0)
    assert all(is_allowed(documents, left, right) for documents in planned.lists)
    credits = credits_of(left, right, kind)
    for place in range(planned.credited):
        expected = sum(
            chance * credits[documents[place]]
            for documents, chance in zip(planned.lists, planned.chances, strict=True)
        )
        assert expected == pytest.approx(0.0, abs=1e-7)
    if planned.credited < length:
        every = np.array(credits)[allowed_lists(left, right, length)]
        assert most_sensitive(every[:, : planned.credited + 1]) is None
    elif length:
        assert planned.credited >= 1


def test_no_other_chances_tell_more() -> None:
    right = (3, 0, 5, 1, 4, 2)
    lists = allowed_lists(6, right, 6)
    credits = np.array(credits_of(6, right, "linear"))[lists]
    # as the paper writes it: the credit of every top is zero
    tops = np.cumsum(credits, axis=1).T
    best = linprog(
        -sensitivity(credits),
        A_eq=np.vstack([tops, np.ones(len(lists))]),
        b_eq=np.append(np.zeros(6), 1.0),
        method="highs-ipm",
    )
    planned = plan(6, right, "linear", 6)
    reached = sum(
        chance * sensitivity(np.array(credits_of(6, right, "linear"))[None, list(documents)])[0]
        for documents, chance in zip(planned.lists, planned.chances, strict=True)
    )
    assert best.fun == pytest.approx(-reached, abs=1e-7)


def test_of_a_shifted_ranking_the_odd_one_out_is_shown_anywhere_as_often() -> None:
    planned = plan(4, (1, 2, 3, 0), "linear", 4)
    assert set(planned.lists) == {(0, 1, 2, 3), (1, 0, 2, 3), (1, 2, 0, 3), (1, 2, 3, 0)}
    assert planned.chances == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("cut", [0, 2, 3])
def test_lists_come_as_often_as_planned_also_in_two_steps(cut: int) -> None:
    left, right = [0, 1, 2, 3], [2, 4, 0, 5]
    method = Optimized()
    rng = np.random.default_rng(8)
    lists, chances, _ = plan(4, (2, 4, 0, 5), "linear", 6)
    expected: dict[Any, float] = dict(zip(lists, chances, strict=True))
    seen: dict[Any, int] = dict.fromkeys(expected, 0)
    times, propensities = 4000, set()
    for _ in range(times):
        shown = method.interleave([left, right], rng, after=method.interleave([left, right], rng, cut))
        seen[shown.documents] += 1
        propensities.add((shown.documents, shown.propensities))
    for documents, chances_of_places in propensities:
        assert np.prod(chances_of_places) == pytest.approx(expected[documents])
    for documents, chance in expected.items():
        assert seen[documents] / times == pytest.approx(chance, abs=4 * np.sqrt(0.25 / times))


@given(rankings, rankings, st.integers(0, 9), st.sets(st.integers(0, 7)))
@pytest.mark.parametrize("counting", ["all", "first"])
@settings(max_examples=25)
def test_outcome_is_the_sign_of_the_credit(
    counting: str, left: list[int], right: list[int], seed: int, clicked: set[int]
) -> None:
    method = Optimized("inverse", counting)
    shown = method.interleave([left, right], np.random.default_rng(seed))
    clicked &= {*left, *right}
    documents: Any = shown.documents
    places = obvious.counted_clicks(counting, left, right, documents, clicked)
    lead = sum(worth("inverse", left, right, documents[place]) for place in places if shown.teams[place] >= 0)
    assert method.outcome(shown, clicked) == obvious.verdict(round(lead, 9))
    for place, document in enumerate(documents):
        if shown.teams[place] >= 0:
            assert shown.teams[place] == (worth("inverse", left, right, document) < 0)


@pytest.mark.parametrize("name", ["shifted", "disjoint", "unequal", "partly shared", "path matters"])
def test_binary_credit_of_the_first_click_is_fair(name: str) -> None:
    left, right = PAIRS[name]
    method = Optimized("binary", "first")
    numbers = {document: number for number, document in enumerate(dict.fromkeys(left + right))}
    planned = plan(len(left), tuple(numbers[document] for document in right), "binary", len(numbers))
    names = list(numbers)
    credits = credits_of(len(left), tuple(numbers[document] for document in right), "binary")
    lists = {}
    for documents, chance in zip(planned.lists, planned.chances, strict=True):
        teams = tuple(
            -1 if place >= planned.credited or credits[number] == 0 else int(credits[number] < 0)
            for place, number in enumerate(documents)
        )
        lists[tuple(names[number] for number in documents), teams] = Fraction(chance)
    mean = obvious.mean_outcome(
        lists,
        FALLING,
        lambda shown, clicked: method.outcome(
            Shown(shown[0], shown[1], (1.0,) * len(shown[0]), (tuple(left), tuple(right))), clicked
        ),
    )
    assert mean == pytest.approx(0.5, abs=1e-7)


def test_a_long_list_is_planned_in_stretches() -> None:
    rng = np.random.default_rng(2)
    left, right = rng.permutation(100).tolist(), rng.permutation(130)[:100].tolist()
    method = Optimized(depth=5)
    shown = method.interleave([left, right], rng, 23)
    longer = method.interleave([left, right], rng, after=shown)
    assert longer.documents[:23] == shown.documents
    assert set(longer.documents) == {*left, *right}
    assert len(longer.documents) == len({*left, *right})
    assert 0.0 <= method.outcome(longer, longer.documents[10:40]) <= 1.0
    # in the second stretch ranks start again
    fresh_left = [document for document in left if document not in shown.documents[:5]]
    fresh_right = [document for document in right if document not in shown.documents[:5]]
    for place in range(5, 10):
        if shown.teams[place] >= 0:
            document: Any = shown.documents[place]
            sign = worth("binary", fresh_left[:5], fresh_right[:5], document)
            assert method.outcome(shown, [document]) == obvious.verdict(sign)


def test_a_list_of_another_method_is_not_continued() -> None:
    after = Shown((1, 0), (1, 0), (0.5, 1.0), ((0, 1, 2), (0, 2, 1)))
    with refused(ParameterError, "after"):
        Optimized().interleave([[0, 1, 2], [0, 2, 1]], np.random.default_rng(0), after=after)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"crediting": "square"}, UnknownNameError),
        ({"counting": "unshared"}, ParameterError),
        ({"counting": "some"}, UnknownNameError),
        ({"depth": 0}, ParameterError),
        ({"depth": 13}, ParameterError),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Optimized(**arguments)
