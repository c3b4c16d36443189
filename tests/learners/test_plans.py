"""Playing many duels at once: sweeps drawn as binomials have the same distribution as single duels."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference_learners.twins import ArmedLearner
from scipy import stats

from duelist import (
    CondorcetSavage,
    InterleavedFilter1,
    InterleavedFilter2,
    MatrixProblem,
    Runs,
    simulate,
)
from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmWorld, arm_menu, open_arm_ledger
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Run
from duelist.learners.armed.matches import calm, first_of_urn, new_race, proven_side, race
from duelist.menus import Arms
from duelist.problems import bradley_terry, condorcet_cycle, worst_case

RUNS = 1000
SAME = 1e-3
"""The smallest of many p-values allowed for equal distributions; these seeds are above it."""
DIFFERENT = 1e-6
"""A p-value below this shows that distributions differ."""


def same_numbers(first: FloatArray | IntArray, second: FloatArray | IntArray) -> float:
    return float(stats.ks_2samp(first, second, method="asymp").pvalue)


def same_kinds(first: Sequence[int] | IntArray, second: Sequence[int] | IntArray) -> float:
    """Return the p-value of a chi-square test, merging kinds that occur less than ten times."""
    kinds = np.unique(np.concatenate([first, second]))
    table = np.array([[np.sum(np.asarray(side) == kind) for kind in kinds] for side in (first, second)])
    rare = table.sum(axis=0) < 10
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else float(stats.chi2_contingency(table).pvalue)


def p_values(first: Runs, second: Runs) -> dict[str, float]:
    found = {"informative": same_numbers(first.informative, second.informative)}
    for column, mark in enumerate(first.checkpoints):
        found[f"regret at {mark}"] = same_numbers(first.regret[:, column], second.regret[:, column])
        found[f"best at {mark}"] = same_kinds(first.best_at[:, column], second.best_at[:, column])
    for arm in range(first.plays.shape[1]):
        found[f"plays of {arm}"] = same_numbers(first.plays[:, arm], second.plays[:, arm])
    ranks = [np.argsort(np.argsort(one.plays, axis=1), axis=1) @ weights(one) for one in (first, second)]
    found["ranks of plays"] = same_kinds(ranks[0], ranks[1])
    return found


def weights(result: Runs) -> IntArray:
    k = result.plays.shape[1]
    powers: IntArray = k ** np.arange(k)
    return powers


class Plan(NamedTuple):
    learner: ArmedLearner
    problem: MatrixProblem
    horizon: int
    marks: tuple[int, int]

    def sample(self, seed: int, *, stepwise: bool) -> Runs:
        return simulate(
            {"it": self.learner},
            self.problem,
            self.horizon,
            runs=RUNS,
            seed=seed,
            checkpoints=self.marks,
            stepwise=stepwise,
        )["it"]


LADDER = bradley_terry([5.0, 3.5, 2.5, 1.8, 1.0])
LONG, CYCLE = worst_case(8, 0.25), condorcet_cycle(5, 0.2)
# Horizons at which some runs end within a sweep and others have found their winner.
PLANS = {
    "IF1 on a ladder": Plan(InterleavedFilter1(100, factor=1.0), LADDER, 2003, (203, 901)),
    "IF1 on the worst case": Plan(InterleavedFilter1(100, factor=1.0), LONG, 1807, (403, 1203)),
    "IF1 over a cycle": Plan(InterleavedFilter1(10, factor=1.0), CYCLE, 501, (157, 303)),
    "IF2 on a ladder": Plan(InterleavedFilter2(100, factor=1.0), LADDER, 1901, (203, 901)),
    "IF2 on the worst case": Plan(InterleavedFilter2(100, factor=1.0), LONG, 1301, (403, 803)),
    "IF2 over a cycle": Plan(InterleavedFilter2(10, factor=1.0), CYCLE, 403, (101, 303)),
    "SAVAGE on a ladder": Plan(CondorcetSavage(10, delta=0.5), LADDER, 907, (203, 503)),
    "SAVAGE on the worst case": Plan(CondorcetSavage(10, delta=0.5), LONG, 901, (403, 703)),
    "SAVAGE over a cycle": Plan(CondorcetSavage(10, delta=0.5), CYCLE, 303, (101, 201)),
}
THREE = ["IF1 on the worst case", "IF2 over a cycle", "SAVAGE on a ladder"]


@cache
def leaping(name: str) -> Runs:
    return PLANS[name].sample(1, stepwise=False)


@cache
def stepping(name: str) -> Runs:
    return PLANS[name].sample(2, stepwise=True)


@pytest.mark.parametrize("name", PLANS)
def test_leaps_change_no_distribution(name: str, record_property: Callable[[str, object], None]) -> None:
    found = p_values(leaping(name), stepping(name))
    record_property("p_values", found)
    assert min(found.values()) > SAME, found
    for result in (leaping(name), stepping(name)):
        assert 0.5 < np.mean(result.informative < PLANS[name].horizon) < 0.9


@pytest.mark.parametrize("name", THREE)
def test_a_slightly_different_radius_is_noticed(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    plan = PLANS[name]
    wider = plan._replace(learner=widened(plan.learner, plan.problem.k))
    found = p_values(wider.sample(1, stepwise=False), stepping(name))
    record_property("p_values", found)
    assert min(found.values()) < DIFFERENT, found


def widened(learner: ArmedLearner, k: int) -> ArmedLearner:
    """Return the learner with a radius that is 5 % larger."""
    if isinstance(learner, CondorcetSavage):
        assert learner.delta is not None
        pairs = k * (k - 1) / 2
        return replace(
            learner, delta=learner.delta / (2 * pairs * learner.horizon / learner.delta) ** (1.05**2 - 1)
        )
    assert isinstance(learner, InterleavedFilter1 | InterleavedFilter2)
    return replace(learner, factor=learner.factor * 1.05**2)


@pytest.mark.parametrize("name", THREE)
def test_slightly_different_preferences_are_noticed(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    plan = PLANS[name]
    flatter = plan._replace(problem=MatrixProblem(0.5 + 0.95 * (plan.problem.matrix - 0.5)))
    found = p_values(flatter.sample(1, stepwise=False), stepping(name))
    # Regret is not compared, because it would differ by the gaps even if all duels were the same.
    counted = {what: p for what, p in found.items() if not what.startswith("regret")}
    record_property("p_values", counted)
    assert min(counted.values()) < DIFFERENT, counted


@pytest.mark.parametrize("name", THREE)
def test_looking_more_often_changes_no_distribution(name: str) -> None:
    plan = PLANS[name]
    often = simulate(
        {"it": plan.learner}, plan.problem, plan.horizon, RUNS, seed=3, checkpoints=range(7, plan.horizon, 29)
    )["it"]
    seldom = leaping(name)
    found = {
        "regret": same_numbers(often.regret[:, -1], seldom.regret[:, -1]),
        "informative": same_numbers(often.informative, seldom.informative),
        "best": same_kinds(often.best, seldom.best),
    }
    assert min(found.values()) > SAME, found


def decision(spread: float, wins: float, duels: int) -> int:
    """Return which side is better by the interval around the share of wins, in exact arithmetic."""
    lead = Fraction(wins) / duels - Fraction(1, 2)
    if lead**2 < Fraction(spread) / duels:
        return 0
    return (lead > 0) - (lead < 0)


SPREADS = st.floats(0.05, 60.0)


@given(SPREADS, st.integers(1, 2000), st.integers(0, 4000))
def test_a_side_is_proven_by_the_interval_rule(spread: float, duels: int, halves: int) -> None:
    wins = min(halves / 2, duels)
    share, radius = wins / duels, sqrt(spread / duels)
    assume(abs(abs(share - 0.5) - radius) > 1e-9)
    half_outside = not share - radius < 0.5 < share + radius
    expected = (1 if share > 0.5 else -1) if half_outside else 0
    assert proven_side(spread, wins, duels) == expected == decision(spread, wins, duels)


@pytest.mark.parametrize(("wins", "expected"), [(4.0, 1), (0.0, -1), (3.5, 0), (0.5, 0), (2.0, 0)])
def test_no_side_is_proven_inside_the_open_interval(wins: float, expected: int) -> None:
    assert proven_side(1.0, wins, 4) == decision(1.0, wins, 4) == expected


def test_no_side_is_proven_before_the_first_duel() -> None:
    assert proven_side(3.0, 0.0, 0) == 0


def longest_calm(spread: float, wins: float, duels: int) -> int:
    """Return the number of further duels that leave a match undecided even if one side wins them all."""
    more = 0
    while not any(decision(spread, wins + won, duels + more + 1) for won in (0, more + 1)):
        more += 1
    return more


@given(SPREADS, st.integers(0, 300), st.integers(0, 600))
def test_calm_is_never_too_long_and_hardly_too_short(spread: float, duels: int, halves: int) -> None:
    wins = min(halves / 2, duels)
    assume(duels == 0 or decision(spread, wins, duels) == 0)
    longest = longest_calm(spread, wins, duels)
    assert max(longest - 1, 1) <= calm(spread, wins, duels) <= max(longest, 1)


@given(st.floats(0.05, 5.0), st.integers(0, 30), st.integers(0, 30))
def test_nothing_is_decided_before_the_end_of_a_calm(spread: float, duels: int, wins: int) -> None:
    assume(wins <= duels and (duels == 0 or decision(spread, wins, duels) == 0))
    for more in range(1, calm(spread, wins, duels)):
        for won in range(more + 1):
            assert proven_side(spread, wins + won, duels + more) == 0


@pytest.mark.parametrize(("wins", "duels", "first"), [(3, 10, 4), (30, 40, 17), (1, 50, 25), (9, 10, 9)])
def test_an_urn_is_hypergeometric(wins: int, duels: int, first: int) -> None:
    world_rng = np.random.default_rng(5)
    drawn = [first_of_urn(wins, duels, first, world_rng) for _ in range(5000)]
    law = stats.hypergeom(duels, wins, first)
    values = np.arange(max(0, first + wins - duels), min(first, wins) + 1)
    expected = 5000 * law.pmf(values)
    common = expected >= 5
    observed = np.array([drawn.count(int(value)) for value in values])
    if not common.all():
        observed = np.append(observed[common], observed[~common].sum())
        expected = np.append(expected[common], expected[~common].sum())
    assert set(drawn) <= set(values.tolist())
    assert stats.chisquare(observed, expected).pvalue > SAME


@pytest.mark.parametrize(("wins", "first", "found"), [(3, 0, 0), (3, 8, 3), (0, 5, 0), (8, 5, 5)])
def test_an_urn_without_choice(wins: int, first: int, found: int) -> None:
    assert first_of_urn(wins, 8, first, np.random.default_rng(0)) == found


class Standing(NamedTuple):
    """The end of a race: the match that stopped it or -1, and the duels and wins of every match."""

    binding: int
    duels: list[int]
    wins: list[float]


class Start(NamedTuple):
    spread: float
    either: bool
    cap: int
    chances: list[float]
    duels: int
    wins: list[float]

    def leap(self, world_rng: np.random.Generator) -> Standing:
        size = len(self.chances)
        preferences = np.full((size + 1, size + 1), 0.5)
        preferences[0, 1:] = self.chances
        matches = new_race(size)
        matches.left[:] = 0
        matches.right[:] = np.arange(1, size + 1)
        matches.wins[:] = self.wins
        matches.duels[:] = self.duels
        world = ArmWorld(preferences, np.zeros((1, size + 1)))
        ledger = open_arm_ledger(np.array([1]), size + 1, np.zeros(1, np.bool_))
        menu = arm_menu(Arms(size + 1))
        run = Run(world, ledger, menu, arm_buffer(), world_rng, world_rng, stepwise=False)
        binding = race(self.spread, self.either, self.cap, matches, run)
        return Standing(binding, matches.duels.tolist(), matches.wins.tolist())

    def step(self, world_rng: np.random.Generator, *, late: bool = False) -> Standing:
        """Play the sweeps duel by duel; `late` is a mistake that always plays a sweep to its end."""
        size = len(self.chances)
        wins, duels = list(self.wins), [self.duels] * size
        open_matches = list(range(size))
        for _ in range(self.cap):
            for i in open_matches:
                wins[i] += bool(world_rng.random() < self.chances[i])
                duels[i] += 1
                if self.either and not late and self.side(wins[i], duels[i]) != 0:
                    return Standing(i, duels, wins)
            found = {i: self.side(wins[i], duels[i]) for i in open_matches}
            for i in open_matches:
                if found[i] < 0 or (self.either and found[i] > 0):
                    return Standing(i, duels, wins)
            open_matches = [i for i in open_matches if found[i] == 0]
        return Standing(-1, duels, wins)

    def side(self, wins: float, duels: int) -> int:
        """Return which side is better by the interval around the share of wins."""
        share, radius = wins / duels, sqrt(self.spread / duels)
        if share - radius < 0.5 < share + radius:
            return 0
        return 1 if share > 0.5 else -1


RACES = {
    "close": Start(1.5, False, 100, [0.6, 0.55, 0.4], 0, [0.0, 0.0, 0.0]),
    "one is stronger": Start(4.0, False, 1000, [0.8, 0.6, 0.3, 0.7], 0, [0.0, 0.0, 0.0, 0.0]),
    "cut short": Start(2.0, False, 25, [0.65, 0.3, 0.5], 0, [0.0, 0.0, 0.0]),
    "under way": Start(3.0, False, 60, [0.6, 0.35, 0.5], 17, [9.0, 6.0, 13.0]),
    "either, close": Start(1.5, True, 200, [0.6, 0.55, 0.4], 0, [0.0, 0.0, 0.0]),
    "either, clear": Start(4.0, True, 1000, [0.8, 0.6, 0.2, 0.7], 0, [0.0, 0.0, 0.0, 0.0]),
    "either, cut short": Start(2.0, True, 12, [0.75, 0.3, 0.5], 0, [0.0, 0.0, 0.0]),
    "either, under way": Start(3.0, True, 60, [0.6, 0.35, 0.5], 17, [9.0, 6.0, 13.0]),
    "a single match": Start(2.0, True, 40, [0.6], 0, [0.0]),
}


@cache
def leaps(name: str) -> list[Standing]:
    world_rng = np.random.default_rng(1)
    return [RACES[name].leap(world_rng) for _ in range(RUNS)]


@cache
def sweeps(name: str) -> list[Standing]:
    world_rng = np.random.default_rng(2)
    return [RACES[name].step(world_rng) for _ in range(RUNS)]


def compare_races(first: list[Standing], second: list[Standing]) -> dict[str, float]:
    found = {
        "binding": same_kinds([one.binding for one in first], [one.binding for one in second]),
        "sweeps": same_kinds([behind(one) for one in first], [behind(one) for one in second]),
    }
    for i in range(len(first[0].duels)):
        for what in ("duels", "wins"):
            sides = [np.array([getattr(one, what)[i] for one in standings]) for standings in (first, second)]
            found[f"{what} of {i}"] = same_numbers(sides[0], sides[1])
        leads = [
            np.array([one.wins[i] - one.duels[i] / 2 for one in standings if one.binding != i])
            for standings in (first, second)
        ]
        if min(map(len, leads)) > 0:
            found[f"lead of {i} when it does not bind"] = same_numbers(leads[0], leads[1])
    return found


def behind(one: Standing) -> int:
    """Return how many matches have had exactly one duel fewer than the longest."""
    return one.duels.count(max(one.duels) - 1)


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_a_race_of_sweeps(name: str, record_property: Callable[[str, object], None]) -> None:
    found = compare_races(leaps(name), sweeps(name))
    record_property("p_values", found)
    assert min(found.values()) > SAME, found


@pytest.mark.parametrize("name", [name for name in RACES if name.startswith("either")])
def test_a_sweep_played_too_far_is_noticed(name: str) -> None:
    world_rng = np.random.default_rng(2)
    too_far = [RACES[name].step(world_rng, late=True) for _ in range(RUNS)]
    assert min(compare_races(leaps(name), too_far).values()) < DIFFERENT


@pytest.mark.parametrize("name", ["one is stronger", "under way", "either, clear", "either, under way"])
def test_one_win_more_is_noticed(name: str) -> None:
    flattered = [
        Standing(binding, duels, [won + (i != binding) for i, won in enumerate(wins)])
        for binding, duels, wins in sweeps(name)
    ]
    assert min(compare_races(leaps(name), flattered).values()) < DIFFERENT


@pytest.mark.parametrize("name", RACES)
def test_every_race_ends_where_a_race_can_end(name: str) -> None:
    start = RACES[name]
    for binding, duels, wins in leaps(name):
        decided = [decision(start.spread, w, n) for w, n in zip(wins, duels, strict=True)]
        last = duels[binding] if binding >= 0 else start.duels + start.cap
        for i in range(len(duels)):
            if i == binding:
                assert decided[i] < 0 or (start.either and decided[i] > 0)
            elif start.either:
                assert decided[i] == 0
                assert duels[i] == last - (0 <= binding < i)
            else:
                assert duels[i] == last or (decided[i] > 0 and duels[i] < last)
                assert decided[i] >= 0 or i > binding >= 0
