"""Exact chances of a win: against the package's own parts, and against wrong ones, which verdicts notice."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from slides.slides_results import failed, few_queries

from duelist import clicks
from duelist.duel import TIE, FloatArray, IntArray
from duelist.interleaving import Balanced
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.problems import RankerDuel
from duelist_reproductions.slides.degraded import SHOWN, degraded_rankers
from duelist_reproductions.slides.exact import all_clicks, click_chances, leads, merge, outcome_chances
from duelist_reproductions.slides.sweep import BLIND, MARKS, PAIRS

SETS = all_clicks(SHOWN)
MONTHS = 2


class Way(NamedTuple):
    """A way to interleave and to give credit, right unless significant otherwise."""

    coin: float = 0.5
    cut: Callable[[IntArray, IntArray, IntArray], IntArray] = lambda left, right, place: np.minimum(
        left, right
    )
    moved: int = 0


WRONG = {
    "left always goes first": Way(coin=1.0),
    "left goes first in 60% of lists": Way(coin=0.6),
    "k where both rankings hold the lowest click": Way(
        cut=lambda left, right, place: np.maximum(left, right)
    ),
    "k one too large": Way(cut=lambda left, right, place: np.minimum(left, right) + 1),
    "k one too small": Way(cut=lambda left, right, place: np.minimum(left, right) - 1),
    "k is the place of the lowest click": Way(cut=lambda left, right, place: place),
    "k is the whole list": Way(cut=lambda left, right, place: np.full_like(place, SHOWN - 1)),
    "clicks credited to the place below": Way(moved=1),
    "clicks credited to the place above": Way(moved=-1),
}


def chances_of(problem: RankerDuel, left: int, right: int, way: Way) -> FloatArray:
    """Return the chances that left wins, and that right does, of the right way or a wrong one."""
    data = problem.data
    total = np.zeros(2)
    moved = np.zeros_like(SETS)
    inside = slice(max(way.moved, 0), SHOWN + min(way.moved, 0))
    moved[:, inside] = np.roll(SETS, way.moved, axis=1)[:, inside]
    lowest = np.where(moved.any(axis=1), SHOWN - 1 - moved[:, ::-1].argmax(axis=1), 0)
    for query in range(len(data)):
        one, other = (problem.orders[ranker, data.rows(query)] for ranker in (left, right))
        for share, pair in ((way.coin, (one, other)), (1.0 - way.coin, (other, one))):
            page = merge(*pair, SHOWN)
            in_one, in_other = one.argsort()[page], other.argsort()[page]
            k = way.cut(in_one[lowest], in_other[lowest], lowest)[:, np.newaxis]
            lead = (moved & (in_one <= k)).sum(axis=1) - (moved & (in_other <= k)).sum(axis=1)
            chances = click_chances(problem.user, data.labels[data.rows(query)][page])
            total += share * np.array([chances[lead > 0].sum(), chances[lead < 0].sum()])
    return total / len(data)


def counts(chances: FloatArray, rng: np.random.Generator) -> dict[str, Any]:
    """Draw months of wins and losses."""
    steps = np.diff(MARKS, prepend=0)
    rows = np.column_stack([chances, 1.0 - chances.sum(axis=1)])
    drawn = [[[rng.multinomial(step, row) for step in steps] for row in rows] for _ in range(MONTHS)]
    wins, losses, _ = np.moveaxis(np.cumsum(drawn, axis=2), 3, 0)
    each = (MONTHS, len(PAIRS))
    return {
        "impressions": np.array(MARKS),
        "wins": wins,
        "losses": losses,
        "quality": np.tile([0.5, 0.6, 0.4], (*each, 1)),
        "without": np.zeros(each, np.int64),
        "uneven": np.zeros(each, np.int64),
        "decided": np.full(each, np.nan),
        "truth": np.linspace(0.6, 0.4, 6),
    }


@pytest.fixture(scope="module")
def problems() -> list[RankerDuel]:
    data = few_queries(12)
    click, leave = BLIND
    people = clicks.informational(3), clicks.cascade([click] * 3, [leave] * 3)
    return [RankerDuel(data, degraded_rankers(data), Balanced(), one, SHOWN) for one in people]


@pytest.fixture(scope="module")
def exact(problems: list[RankerDuel]) -> FloatArray:
    return np.array([[outcome_chances(one, *pair, SHOWN) for pair in PAIRS] for one in problems])


def judged(problems: list[RankerDuel], exact: FloatArray, way: Way) -> set[str]:
    """Return the claims that do not hold of months drawn from a way."""
    rng = np.random.default_rng(0)
    found = {"exact": PieceResult({}, {"win": exact[:, :, 0], "loss": exact[:, :, 1]})}
    for sighted, problem in zip((True, False), problems, strict=True):
        chances = np.array([chances_of(problem, *pair, way) for pair in PAIRS])
        found[f"{sighted}"] = PieceResult({"sighted": sighted}, counts(chances, rng))
    return failed(ItemResults(Scale.PAPER, False, found))


def test_the_right_way_gives_the_exact_chances(problems: list[RankerDuel], exact: FloatArray) -> None:
    for problem, rows in zip(problems, exact, strict=True):
        for pair in (0, 4, 9):
            np.testing.assert_allclose(chances_of(problem, *PAIRS[pair], Way()), rows[pair], rtol=1e-12)


def test_blind_people_prefer_nobody_exactly(exact: FloatArray) -> None:
    sighted, blind = exact
    np.testing.assert_allclose(blind[:, 0], blind[:, 1], rtol=1e-12)
    assert (sighted[:, 0] > sighted[:, 1] + 0.005).all()


def test_lists_clicks_and_credit_are_those_of_the_package(problems: list[RankerDuel]) -> None:
    problem = problems[0]
    assert problem.clicks is not None
    data, model = problem.data, clicks.informational(3)
    rows = data.rows(1)
    left, right = problem.orders[0, rows], problem.orders[4, rows]
    lists = {Balanced().interleave([left, right], np.random.default_rng(seed), SHOWN) for seed in range(9)}
    merged = [merge(*pair, SHOWN) for pair in ((left, right), (right, left))]
    assert {shown.documents for shown in lists} == {tuple(page.tolist()) for page in merged}
    for shown in lists:
        page = np.array(shown.documents)
        grades = data.labels[rows][page]
        chances = click_chances(problem.user, grades)
        lead = leads(SETS, left.argsort()[page], right.argsort()[page])
        for clicked in range(0, 1 << SHOWN, 7):
            assert chances[clicked] == pytest.approx(np.exp(model.log_chance(grades, SETS[clicked])))
            outcome = TIE + TIE * np.sign(lead[clicked])
            assert Balanced().outcome(shown, page[SETS[clicked]].tolist()) == outcome


def test_the_right_way_passes(problems: list[RankerDuel], exact: FloatArray) -> None:
    assert judged(problems, exact, Way()) == set()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_way_is_noticed(name: str, problems: list[RankerDuel], exact: FloatArray) -> None:
    wrong = judged(problems, exact, WRONG[name])
    assert "preference_as_defined" in wrong
    assert ("not_by_bias" in wrong) == (WRONG[name].coin != 0.5)
