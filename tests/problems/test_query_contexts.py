"""Rankers that meet on known queries: outcomes, logs, and the queries of a context."""

from typing import Any

import numpy as np
import pytest
from draft_chances import TINY, exact_chances
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused

from duelist import Duel, RankerDuel, clicks
from duelist.errors import OutcomeError, ParameterError
from duelist.problems.query_contexts import QueryContexts, summary_of
from duelist.ranking import RankingData, synthetic_ranking_data

DATA = synthetic_ranking_data(queries=30, documents=8, features=5, seed=2)
# feature 0 is right about the first query, feature 1 about the second
TWO = RankingData(TINY.features, [1, 0, 0, 0, 0, 1, 0], TINY.queries, TINY.offsets)
USER = clicks.informational(2)


def rankers(data: RankingData) -> RankerDuel:
    return RankerDuel(data, [0, 1, 2], clicks=USER, length=2)


def test_outcomes_have_the_chances_of_their_own_query() -> None:
    problem = QueryContexts(rankers(TWO), [[0.25], [0.75]])
    rng = default_rng(0)
    for query, context in enumerate(([0.25], [0.75])):
        alone = rankers(TWO.subset([query]))
        for left, right in ((0, 1), (2, 0)):
            expected = exact_chances(alone, left, right, 2)
            seen = [problem.play(Duel(left, right, context=context), rng) for _ in range(3000)]
            for outcome, chance in expected.items():
                error = 4.0 * np.sqrt(chance * (1.0 - chance) / 3000)
                assert abs(np.mean(np.array(seen) == outcome) - chance) <= error


def test_many_meetings_at_once_are_single_ones_in_a_row() -> None:
    problem = QueryContexts(RankerDuel(DATA, range(4)))
    rng = default_rng(3)
    queries, (left, right) = rng.integers(30, size=200), rng.integers(4, size=(2, 200))
    one, other = default_rng(4), default_rng(4)
    single = [
        problem.play(Duel(int(a), int(b), context=problem.table[query]), other)
        for query, a, b in zip(queries, left, right, strict=True)
    ]
    assert problem.meet(queries, left, right, one).tolist() == single


def test_a_log_shows_every_ordered_pair_alike_on_every_query() -> None:
    problem = QueryContexts(RankerDuel(DATA, range(3)))
    log = problem.log(18_000, default_rng(0))
    assert_array_equal(log.propensities, np.full(18_000, 1.0 / 9.0))
    pairs = np.bincount(3 * log.left + log.right, minlength=9)
    assert np.abs(pairs - 2000).max() < 4.0 * np.sqrt(2000)
    rows, counts = np.unique(log.contexts, axis=0, return_counts=True)
    assert {row.tobytes() for row in rows} == {row.tobytes() for row in problem.table}
    assert np.abs(counts - 600).max() < 4.0 * np.sqrt(600)
    assert set(log.outcomes[log.left == log.right]) == {0.5}
    assert (log.actions, log.columns) == (problem.actions, problem.columns)


def test_the_outcomes_of_a_log_are_those_of_its_queries() -> None:
    problem = QueryContexts(rankers(TWO), [[0.0], [1.0]])
    log = problem.log(40_000, default_rng(1))
    for query in (0, 1):
        chances = exact_chances(rankers(TWO.subset([query])), 0, 1, 2)
        chosen = (log.contexts[:, 0] == query) & (log.left == 0) & (log.right == 1)
        assert chosen.sum() > 1500
        expected = chances[1.0] + 0.5 * chances[0.5]
        assert abs(log.outcomes[chosen].mean() - expected) < 4.0 * 0.5 / chosen.sum() ** 0.5


def test_pairs_can_be_shown_with_other_chances() -> None:
    chances = [[0.0, 0.7], [0.3, 0.0]]
    log = QueryContexts(RankerDuel(DATA, range(2))).log(2000, default_rng(0), chances)
    assert_allclose(log.propensities, np.where(log.left == 0, 0.7, 0.3))
    assert not (log.left == log.right).any()


def test_equal_seeds_give_equal_logs() -> None:
    problem = QueryContexts(RankerDuel(DATA, range(4)))
    one, other, third = (problem.log(500, default_rng(seed)) for seed in (1, 1, 2))
    assert one.outcomes.tobytes() == other.outcomes.tobytes() != third.outcomes.tobytes()
    assert one.contexts.tobytes() == other.contexts.tobytes()


def test_menus_are_queries_drawn_alike() -> None:
    problem = QueryContexts(RankerDuel(DATA, range(4)))
    rng = default_rng(0)
    menus = [problem.menu(rng) for _ in range(600)]
    assert {menu.k for menu in menus} == {4}
    assert {menu.context.tobytes() for menu in menus} == set(problem.queries)


def test_a_context_is_the_mean_and_deviation_of_the_documents() -> None:
    table = summary_of(DATA)
    for query in range(len(DATA)):
        rows = DATA.features[DATA.rows(query)]
        for feature in range(DATA.d):
            assert table[query, feature] == pytest.approx(float(np.mean(rows[:, feature])), rel=1e-6)
            spread = float(np.std(rows[:, feature].astype(np.float64)))
            assert table[query, DATA.d + feature] == pytest.approx(spread, rel=1e-6)
    problem = QueryContexts(RankerDuel(DATA, range(2)))
    assert_array_equal(problem.table, table)
    assert problem.columns == tuple(
        f"{what} of {feature}" for what in ("mean", "deviation") for feature in range(5)
    )


def test_of_queries_with_the_same_context_one_is_drawn() -> None:
    problem = QueryContexts(rankers(TWO), [[0.0], [-0.0]])
    rng = default_rng(5)
    seen = [problem.play(Duel(0, 1, context=[0.0]), rng) for _ in range(6000)]
    expected = exact_chances(rankers(TWO), 0, 1, 2)
    for outcome, chance in expected.items():
        assert abs(np.mean(np.array(seen) == outcome) - chance) <= 4.0 * np.sqrt(chance * (1 - chance) / 6000)


def test_it_describes_itself() -> None:
    problem = QueryContexts(
        RankerDuel(DATA, range(2), names=["a", "b"]), np.eye(30), columns=list(map(str, range(30)))
    )
    assert repr(problem) == "QueryContexts(30 queries, 2 rankers, 30 context columns)"
    assert (problem.k, problem.actions) == (2, ("a", "b"))


@pytest.mark.parametrize(
    ("duel", "facts"),
    [
        (Duel(0, 3, context=[0.0]), ("right", 3, 0, 2)),
        (Duel("a", 1, context=[0.0]), ("left", "a", 0, 2)),
        (Duel(0, 1), ("duel.context", None)),
        (Duel(0, 1, context=[0.5]), ("duel.context", [0.5])),
        (Duel(0, 1, context="svm"), ("duel.context", "svm")),
    ],
)
def test_duels_of_others_are_refused(duel: Duel, facts: tuple[object, ...]) -> None:
    with refused(OutcomeError, *facts):
        QueryContexts(rankers(TWO), [[0.0], [1.0]]).play(duel, default_rng(0))


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"contexts": [[0.0]]}, ("contexts", "2 queries", (1, 1))),
        ({"contexts": [[0.0], [np.nan]]}, ("contexts", "finite", (2, 1))),
        ({"contexts": [0.0, 1.0]}, ("contexts", "2 queries", (2,))),
        ({"contexts": [[0.0], [1.0]], "columns": ["a", "b"]}, ("columns", "2 names", "1 column")),
    ],
)
def test_contexts_that_are_none_are_refused(settings: dict[str, Any], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        QueryContexts(rankers(TWO), **settings)


@pytest.mark.parametrize(
    ("queries", "left", "right", "facts"),
    [
        ([0, 1], [0], [1], ("queries", 2, "left", 1, "right", 1)),
        ([2], [0], [1], ("queries", 0, 1, [2])),
        ([0], [3], [1], ("left", 0, 2, [3])),
        ([0], [0], [-1], ("right", 0, 2, [-1])),
    ],
)
def test_meetings_that_cannot_be_are_refused(
    queries: list[int], left: list[int], right: list[int], facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        QueryContexts(rankers(TWO)).meet(queries, left, right, default_rng(0))


def test_a_generator_and_a_number_of_duels_are_needed() -> None:
    problem = QueryContexts(rankers(TWO))
    with refused(ParameterError, "rng"):
        problem.menu()
    with refused(ParameterError, "duels", 0):
        problem.log(0, default_rng(0))
