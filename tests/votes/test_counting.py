"""Votes are counted by one rule: repeats left out, degrees as wins and ties."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from refusals import refused

from duelist import Votes
from duelist.errors import ParameterError
from duelist.votes import Tally, Texts, count
from duelist.votes.counting import SeenComparisons, agreement_with_people, counted_rows

ARMS = ("a", "b", "c")
NAMES = st.none() | st.sampled_from(["u", "v"])
ROWS = st.lists(
    st.tuples(
        st.permutations(range(3)),
        st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0),
        st.integers(1, 3),
        NAMES,
        NAMES,
        st.sampled_from([0, 0, 0, 1, 2]),
    ),
    max_size=25,
)


def votes_of(rows: list[Any]) -> Votes:
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * 6
    pairs, outcomes, counts, voters, items, statuses = columns
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    return Votes(ARMS, left, right, outcomes, counts, voters, items, statuses=statuses)


def obvious(rows: list[Any], repeats: str) -> tuple[list[int], dict[str, Any]]:
    """Count one vote after the other, as the rule says."""
    kept, seen = [], set()
    wins, ties, scores = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    for pair, outcome, many, voter, item, status in rows:
        comparison = (voter, frozenset(pair[:2]), item)
        if status or (repeats == "first" and voter is not None and comparison in seen):
            kept.append(0)
            continue
        seen.add(comparison)
        kept.append(1 if repeats == "first" and voter is not None else many)
        for _ in range(kept[-1]):
            left, right = pair[:2]
            winner, loser = (left, right) if outcome > 0.5 else (right, left)
            wins[winner, loser] += abs(2 * outcome - 1)
            for one, other in ((left, right), (right, left)):
                ties[one, other] += 1 - abs(2 * outcome - 1)
            scores[left, right] += outcome
            scores[right, left] += 1 - outcome
    return kept, {"wins": wins, "ties": ties, "scores": scores}


@pytest.mark.parametrize("repeats", ["first", "all"])
@given(rows=ROWS)
def test_votes_are_counted_as_an_obvious_version_counts_them(repeats: Any, rows: list[Any]) -> None:
    votes = votes_of(rows)
    kept, tables = obvious(rows, repeats)
    assert counted_rows(votes, repeats).tolist() == kept
    tally = count(votes, repeats)
    for name, table in tables.items():
        assert_allclose(getattr(tally, name), table, atol=1e-12)
    assert tally.answers == sum(many for *_, many, _, _, status in rows if not status)
    assert tally.answers - tally.repeats == sum(kept) == round(float(tally.votes.sum()) / 2)


@given(ROWS)
def test_one_by_one_and_all_at_once_are_equal_to_the_last_bit(rows: list[Any]) -> None:
    single, all_at_once, seen = Tally(2), Tally(3), SeenComparisons()
    single.grow(3)
    for (left, right, _), outcome, _, voter, item, _ in rows:
        if seen.is_first(voter, left, right, item):
            single.add(left, right, outcome)
        else:
            single.add_repeats(1)
    votes = votes_of([(*row[:2], 1, *row[3:5], 0) for row in rows])
    kept = counted_rows(votes)
    all_at_once.add_all(votes.left, votes.right, votes.outcomes, kept)
    for tally in (all_at_once, count(votes)):
        for name in ("wins", "ties", "scores"):
            assert getattr(single, name).tobytes() == getattr(tally, name).tobytes()
    assert (single.answers, single.repeats) == (len(rows), len(rows) - int(kept.sum()))


def test_voters_items_and_arms_by_the_million_stay_apart() -> None:
    n = 2_000
    names = Texts(tuple(map(str, range(3_000_000))), np.arange(n) * 1_400)
    arms = [str(arm) for arm in range(4_000)]
    votes = Votes(arms, np.arange(n), np.arange(n) + 1, np.ones(n), voters=names, items=names)
    assert counted_rows(votes).sum() == n
    twice = votes.take(np.arange(2 * n) % n)
    assert counted_rows(twice).tolist() == [1] * n + [0] * n


def test_a_rule_that_is_none_is_refused() -> None:
    rule: Any = "last"
    with refused(ParameterError, "repeats", rule):
        count(votes_of([]), rule)


def test_agreement_is_with_most_other_people() -> None:
    votes = Votes(
        *(ARMS, [0, 1, 0, 0, 0, 0], [1, 0, 1, 1, 2, 2], [1.0, 0.0, 0.0, 0.0, 1.0, 0.5]),
        voters=["ann", "judge", None, "ann", "ann", "judge"],
        items=[None, None, None, None, "q", "q"],
    )
    found = agreement_with_people(votes, np.array([True, False]))
    # ann is for a where somebody is for b; to the judge, these two are a split, and ann is for a on q
    assert found._asdict() == {
        "compared": pytest.approx([1, 0]),
        "agreed": pytest.approx([0, 0]),
        "ties": pytest.approx([0, 1]),
        "splits": pytest.approx([0, 1]),
    }
