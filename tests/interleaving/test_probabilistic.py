from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import obvious
from interleaving.drafts import assert_drawn_as_often, draw_lists, kernel_page, settle_two
from interleaving.obvious import HALF, PAIRS
from refusals import refused
from scipy.stats import chisquare

from duelist.errors import ParameterError, UnknownNameError
from duelist.interleaving import Probabilistic, Shown
from duelist.interleaving.probabilistic import draw_order, expected_outcome, rank_weights

FALLING = [Fraction(9, 10), Fraction(3, 5), HALF, Fraction(1, 4), Fraction(1, 5), Fraction(1, 10)]

rankings = st.lists(st.integers(0, 9), max_size=10, unique=True)


def chances_of_left(left: Any, right: Any, documents: Any, tau: int) -> list[Fraction]:
    """Of each place that is credited, the chance that it was the left ranking that drew its document."""
    chances = []
    for place in range(min(len(left), len(right), len(documents))):
        ours, theirs = (
            obvious.softmax(ranking, documents[:place], tau).get(documents[place], Fraction(0))
            for ranking in (left, right)
        )
        chances.append(ours / (ours + theirs))
    return chances


def brute_force(counting: str, tau: int, left: Any, right: Any, documents: Any, clicked: set[int]) -> float:
    """The expected outcome over all 2^n assignments."""
    chances = chances_of_left(left, right, documents, tau)
    places = obvious.counted_clicks(counting, left, right, documents, clicked)
    expected = Fraction(0)
    for teams in product((0, 1), repeat=len(chances)):
        likely = Fraction(1)
        for team, chance in zip(teams, chances, strict=True):
            likely *= chance if team == 0 else 1 - chance
        won = [teams[place] for place in places if place < len(teams)]
        expected += likely * Fraction(obvious.verdict(won.count(0) - won.count(1)))
    return float(expected)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("cut", [0, 2])
def test_lists_come_as_often_as_they_should_also_in_two_steps(name: str, cut: int) -> None:
    left, right = PAIRS[name]
    length = min(5, len({*left, *right}))
    drawn = draw_lists(Probabilistic(tau=1).rules(), left, right, length, cut, times=40_000)
    assert_drawn_as_often(drawn, obvious.probabilistic(left, right, length, tau=1))


@pytest.mark.parametrize("taken", [[], [0, 1, 5]])
@pytest.mark.parametrize("capacity", [2, 40])
def test_the_first_of_many_are_drawn_as_one_after_the_other(taken: list[int], capacity: int) -> None:
    count, times, tau = 40, 20_000, 0.7
    weights = rank_weights(count, tau)
    flags = np.zeros(count, np.bool_)
    flags[taken] = True
    rng = np.random.default_rng(4)
    ranking = np.arange(count)
    orders, rings = np.empty((times, capacity), np.int64), np.empty(capacity)
    for order in orders:
        assert draw_order(ranking, weights, flags, rings, order, rng) == min(capacity, count - len(taken))
    drawn = orders[:, :2]
    free = np.where(flags, 0.0, weights)
    first = free / free.sum()
    pairs = first[:, None] * free[None, :] / (free.sum() - free)[:, None]
    np.fill_diagonal(pairs, 0.0)
    for place, chances in ((0, pairs.sum(axis=1)), (1, pairs.sum(axis=0))):
        seen = np.bincount(drawn[:, place], minlength=count)
        assert chisquare(seen[~flags], times * chances[~flags]).pvalue > 1e-3
        assert not seen[flags].any()


@pytest.mark.parametrize("tau", [0.3, 3.0, 50.0])
def test_weights_are_powers(tau: float) -> None:
    assert rank_weights(200, tau) == pytest.approx(np.arange(1.0, 201.0) ** -tau, rel=1e-14)


@given(rankings, rankings, st.integers(0, 99), st.data())
def test_propensities_are_the_mean_of_both_chances(
    left: list[int], right: list[int], seed: int, data: st.DataObject
) -> None:
    length = data.draw(st.integers(0, len({*left, *right})))
    cut = data.draw(st.integers(0, length))
    rng = np.random.default_rng(seed)
    method = Probabilistic()
    shown = method.interleave([left, right], rng, length, method.interleave([left, right], rng, cut))
    numbers: Any = shown.documents
    for place, document in enumerate(numbers):
        draws = [obvious.softmax(ranking, numbers[:place], 3) for ranking in (left, right)]
        able = [draw.get(document, Fraction(0)) for draw in draws if draw]
        assert shown.propensities[place] == pytest.approx(float(sum(able) / len(able)), rel=1e-12)


@given(rankings, rankings, st.integers(0, 99), st.sets(st.integers(0, 9)))
def test_credit_equals_the_sum_over_all_assignments(
    left: list[int], right: list[int], seed: int, clicked: set[int]
) -> None:
    shown = Probabilistic(tau=2).interleave([left, right], np.random.default_rng(seed))
    clicked &= {*left, *right}
    flags = np.array([document in clicked for document in shown.documents], np.bool_)
    for counting in ("all", "first", "unshared"):
        method = Probabilistic(tau=2, counting=counting)
        expected = brute_force(counting, 2, left, right, shown.documents, clicked)
        assert method.outcome(shown, clicked) == pytest.approx(expected, abs=1e-12)
        assert settle_two(method.rules(), *kernel_page(shown), flags) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tau", [3, 12])
def test_no_digits_are_lost_at_the_end_of_a_long_list(tau: int) -> None:
    rng = np.random.default_rng(3)
    left, right = rng.permutation(100).tolist(), rng.permutation(100).tolist()
    shown = Probabilistic(tau=tau).interleave([left, right], rng)
    exact = chances_of_left(left, right, shown.documents, tau)
    for place in range(100):
        credit = Probabilistic(tau=tau).outcome(shown, [shown.documents[place]])
        assert credit == pytest.approx(float(exact[place]), rel=1e-10)


def test_chances_that_add_up_to_more_than_1_by_rounding_are_an_outcome_all_the_same() -> None:
    surely_left = [0.999999998, 0.999970697, 0.999999834, 0.999999994, 0.999948159, 0.999999983, 0.999999515]
    assert expected_outcome(np.array(surely_left)) == 1.0


def test_a_hundred_clicks_are_shared_as_in_a_simulation() -> None:
    rng = np.random.default_rng(5)
    left, right = rng.permutation(100).tolist(), rng.permutation(100).tolist()
    shown = Probabilistic().interleave([left, right], rng)
    chances = np.array(chances_of_left(left, right, shown.documents, 3), float)
    lead = 2 * (rng.random((100_000, 100)) < chances).sum(axis=1) - 100
    outcomes = 0.5 + 0.5 * np.sign(lead)
    mean = Probabilistic().outcome(shown, shown.documents)
    assert mean == pytest.approx(outcomes.mean(), abs=4 * outcomes.std() / np.sqrt(100_000))


@pytest.mark.parametrize("counting", Probabilistic.fair)
@pytest.mark.parametrize("name", ["shifted", "unequal", "path matters", "one alone"])
def test_clicks_on_places_favour_nobody_exactly(counting: str, name: str) -> None:
    left, right = PAIRS[name]
    length = min(4, len({*left, *right}))
    lists = {
        (documents, (-1,) * length): chance
        for documents, chance in obvious.of_documents(obvious.probabilistic(left, right, length)).items()
    }
    mean = obvious.mean_outcome(
        lists,
        FALLING,
        lambda shown, clicked: Probabilistic(counting=counting).outcome(
            Shown(shown[0], shown[1], (1.0,) * length, (tuple(left), tuple(right))), clicked
        ),
    )
    assert mean == pytest.approx(0.5, abs=1e-12)


def test_unshared_is_not_promised_to_be_fair_and_is_not() -> None:
    left, right = [0, 1], [0, 2, 3]
    lists: obvious.Lists = {
        (documents, (-1,) * 4): chance
        for documents, chance in obvious.of_documents(obvious.probabilistic(left, right, 4)).items()
    }
    mean = obvious.mean_outcome(
        lists,
        FALLING,
        lambda shown, clicked: Probabilistic(counting="unshared").outcome(
            Shown(shown[0], shown[1], (1.0,) * 4, (tuple(left), tuple(right))), clicked
        ),
    )
    assert abs(mean - 0.5) > 0.001


def test_teams_tell_who_drew() -> None:
    shown = Probabilistic().interleave(["ab", "cd"], np.random.default_rng(1))
    assert shown.teams == (*(int(document in ("c", "d")) for document in shown.documents[:2]), -1, -1)


@pytest.mark.parametrize("tau", [0.0, -1.0, float("nan"), 51.0, "3"])
def test_a_tau_that_cannot_be_drawn_with_is_refused(tau: Any) -> None:
    with refused(ParameterError, "tau", tau if isinstance(tau, str) else repr(tau)):
        Probabilistic(tau=tau)


def test_unknown_counting_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        Probabilistic(counting="every")
