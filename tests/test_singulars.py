"""Numbers of things in descriptions and errors: the right ones, and no plural after the number one."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import names, refused

from duelist.clicks import ClickLog, cascade, perfect
from duelist.errors import DuelistError, ParameterError
from duelist.learners.ranking import PairwiseGradientRanker
from duelist.menus import Ball, Documents, require_inside
from duelist.policies.finite import TablePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.policies.models import LinearModel
from duelist.problems import LinearRankerSpace, QueryContexts, RankerDuel
from duelist.ranking import LinearRanker, RankingData, ndcg

ONE = RankingData(np.ones((1, 1)), [1], ["svm"], [0, 1])
LOG = ClickLog.from_records([("svm", ["a"], [1])])
RANKER = PairwiseGradientRanker()
RANKER_STATE = RANKER.init(Documents([[1.0]]), np.random.default_rng(0))
MIXTURE: dict[str, Any] = {"weights": np.ones(1), "columns": ["context"]}


PLURALS = (
    "actions|clicks|columns|documents|features|grades|impressions|names|numbers|places|policies|queries|"
    "rankers|sums"
)


def assert_in_singular(text: str) -> None:
    assert not re.search(rf"(?<![\d.,])1 (context )?({PLURALS})\b", text), text


@pytest.mark.parametrize(
    ("described", "facts"),
    [
        (ONE, ("1 query", "1 document", "1 feature", "0-1")),
        (LOG, ("1 impression", "1 query", "1 document", "1 place", "1 click")),
        (RankerDuel(ONE, [0, 0], names="ab"), ("2 rankers", "1 query")),
        (
            QueryContexts(RankerDuel(ONE, [0, 0], names="ab"), [[1.0]]),
            ("1 query", "2 rankers", "1 context column"),
        ),
        (LinearRankerSpace(ONE), ("1 feature", "1 query")),
        (PolicyMixture([TablePolicy(np.array([0]))], actions="ab", **MIXTURE), ("1 policy", "2 actions")),
        (LinearModel(np.ones((1, 1)), np.ones(1)), ("1 sum", "1 column")),
    ],
    ids=lambda one: "" if isinstance(one, tuple) else type(one).__name__,
)
def test_descriptions(described: object, facts: tuple[str, ...]) -> None:
    assert names(repr(described), type(described).__name__, *facts)
    assert_in_singular(repr(described))


@pytest.mark.parametrize(
    ("misuse", "kind", "facts"),
    [
        (lambda: ONE.split(0.5, np.random.default_rng(0)), ParameterError, ("1 query",)),
        (lambda: LOG.split(0.5, np.random.default_rng(0)), ParameterError, ("1 impression",)),
        (lambda: ndcg([1.0, 2.0], ONE), ParameterError, ("1 document", (2,))),
        (lambda: ndcg([np.nan], ONE), ParameterError, ("nan", "1 document")),
        (lambda: LinearRanker(np.ones(1)).score(np.ones((1, 2))), ParameterError, ("1 feature", 2)),
        (
            lambda: RANKER.ask(RANKER_STATE, Documents([[1.0, 2.0]]), np.random.default_rng(0)),
            ParameterError,
            ("1 feature", 2),
        ),
        (lambda: RankerDuel(ONE, [0, 0], names=["a"]), ParameterError, ("names", "1 name", "2 rankers")),
        (
            lambda: PolicyMixture([TablePolicy(np.array([0]))], np.full(2, 0.5), "ab", ["x"]),
            ParameterError,
            ("weights", "1 policy"),
        ),
        (
            lambda: PolicyMixture([TablePolicy(np.array([2]))], np.ones(1), "ab", ["x"]),
            ParameterError,
            ("policy 0", "3 actions", "1 column", 2),
        ),
        (lambda: require_inside(Ball(1), "x"), ParameterError, ("1 number", "x")),
        (lambda: cascade([0.1, 0.9], [0.5]), ParameterError, ("stop", "1 number", "2 grades")),
        (lambda: perfect(2).log_chance([1], [True, False]), ParameterError, ("1 grade",)),
    ],
)
def test_errors(misuse: Callable[[], object], kind: type[DuelistError], facts: tuple[object, ...]) -> None:
    with refused(kind, *facts) as raised:
        misuse()
    assert_in_singular(str(raised.value))
