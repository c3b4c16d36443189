"""Covariances equal their definition, and intervals and ranges of ranks hold as often as they promise."""

from typing import Any

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, norm, studentized_range, t

from duelist import Votes
from duelist.duel import FloatArray, IntArray
from duelist.ratings import Ratings, fit_bradley_terry
from duelist.ratings.ranks import critical_value, rank_ranges
from duelist.votes.counting import count

SETS, K = 300, 6
TRUTH = np.array([0.8, 0.5, 0.0, -0.1, -0.4, -0.8])
CYCLE = 0.25 * (np.eye(K, k=1) + np.eye(K, k=1 - K) - np.eye(K, k=-1) - np.eye(K, k=K - 1))
"""Beyond what ratings explain, every arm beats the next more often, in a circle."""


def chances(strength: FloatArray) -> FloatArray:
    matrix: FloatArray = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    return matrix


def drawn(matrix: FloatArray, each: int, ties: float, seed: int) -> Votes:
    """Return votes of all pairs, of which a share are ties, whoever meets."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(len(matrix), 1)
    tied = rng.binomial(each, ties, len(first))
    won = rng.binomial(each - tied, matrix[first, second])
    wins, both = np.zeros((2, *matrix.shape), np.int64)
    wins[first, second], wins[second, first] = won, each - tied - won
    both[first, second] = both[second, first] = tied
    return Votes.from_counts(wins, both)


def aim(matrix: FloatArray, ties: float) -> FloatArray:
    """Return the ratings that endless votes would have."""
    shares = (ties / 2.0 + (1.0 - ties) * matrix) * (1.0 - np.eye(K)) * 2e9
    return fit_bradley_terry(shares.round(), intervals="none").rating


def covered(found: list[Ratings], truth: FloatArray) -> IntArray:
    """Return in how many sets of votes each arm's interval holds its true rating."""
    held: IntArray = np.sum([(one.low <= truth) & (truth <= one.high) for one in found], axis=0)
    return held


def check_covered(times: IntArray) -> None:
    # what an exact interval has in all but one in ten thousand cases, for each of the arms
    low, high = (binom.ppf(level, SETS, 0.95) for level in (0.00005, 0.99995))
    assert (times >= low).all(), times
    assert (times <= high).all(), times


def naive(votes: Votes, rating: FloatArray, nu: float | None) -> tuple[FloatArray, FloatArray]:
    """Return slopes of single votes, one a row, and the second derivative, by finite differences."""
    free = nu is not None
    k = len(votes.arms)
    start = rating if nu is None else np.append(rating, np.log(nu))

    def likely(point: FloatArray, left: int, right: int, outcome: float, weight: float) -> float:
        half = (point[left] - point[right]) / 2.0
        total = np.exp(half) + np.exp(-half) + (np.exp(point[k]) if free else 0.0)
        tie = 1.0 - abs(2.0 * outcome - 1.0)
        seen = (2.0 * outcome - 1.0) * half + (point[k] * tie if free else 0.0)
        return float(weight * (seen - np.log(total)))

    step, q = 1e-4, len(start)
    steps = step * np.eye(q)
    slopes, second = [], np.zeros((q, q))
    weights = np.ones(len(votes.left)) if votes.weights is None else votes.weights
    for vote in zip(votes.left, votes.right, votes.outcomes, weights, strict=True):
        slopes.append([(likely(start + e, *vote) - likely(start - e, *vote)) / (2 * step) for e in steps])
        for i, e in enumerate(steps):
            for j, f in enumerate(steps):
                corners = likely(start + e + f, *vote) - likely(start + e - f, *vote)
                corners += likely(start - e - f, *vote) - likely(start - e + f, *vote)
                second[i, j] += corners / (4 * step**2)
    return np.array(slopes), second


def effective(slopes: FloatArray, known: FloatArray) -> FloatArray:
    """Return how many equal clusters would be as uncertain: a row of slopes and information for each."""
    own = np.maximum(((slopes**2).sum(axis=0) - known.sum(axis=0)) / (known**2).sum(axis=0), 0.0)
    spread = known + own * known**2
    number: FloatArray = spread.sum(axis=0) ** 2 / (spread**2).sum(axis=0)
    return number


@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("clusters", ["none", "voter", "item", "day"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_covariance_is_a_sandwich(ties: Any, clusters: str, weighted: bool) -> None:
    rng = np.random.default_rng(5)
    left = rng.integers(0, 3, 40)
    right = (left + rng.integers(1, 3, 40)) % 3
    columns = {
        "voter": rng.choice([*"uvwxyz"], 40).tolist(),
        "item": rng.choice(["p", "q", "r", ""], 40).tolist(),
        "day": rng.choice([*"1234"], 40).tolist(),
    }
    votes = Votes(
        [*"abc"],
        left,
        right,
        rng.choice([0.0, 0.2, 0.5, 0.7, 1.0], 40),
        voters=columns["voter"],
        items=columns["item"],
        extras={"day": columns["day"]},
        weights=rng.uniform(0.2, 2.0, 40) if weighted else None,
    )
    found = fit_bradley_terry(votes, ties=ties, clusters=clusters, repeats="all")
    slopes, second = naive(votes, found.rating, found.nu)
    assert_allclose(slopes.sum(axis=0), 0.0, atol=1e-6)
    assert found.weighted == weighted
    inverse = np.linalg.pinv(second, rcond=1e-5)
    factor, reach = np.ones(3), np.asarray(norm.ppf([0.975] * 3))
    if clusters == "none":
        assert found.clusters is None
    else:
        # votes on an unknown item are clusters by themselves
        names = [name or str(number) for number, name in enumerate(columns[clusters])]
        members = [[one == name for one in names] for name in sorted(set(names))]
        slopes = np.array([slopes[one].sum(axis=0) for one in members])
        parts = [naive(votes.take(np.array(one)), found.rating, found.nu)[1] for one in members]
        number = effective(slopes, -np.array([np.diag(part) for part in parts]))[:3]
        assert (number > 2.0).all()
        factor = np.sqrt(number / (number - 1.0))
        reach = np.asarray(t.ppf(0.975, number - 1.0))
        assert_allclose(found.degrees, number - 1.0, rtol=1e-4)
        assert found.clusters == (clusters, len(members))
    expected = (inverse @ slopes.T @ slopes @ inverse)[:3, :3] * np.outer(factor, factor)
    assert_allclose(found.covariance, expected, atol=1e-5)
    assert_allclose(found.high - found.low, 2 * reach * np.sqrt(np.diag(expected)), rtol=1e-4)


@pytest.mark.parametrize("ridge", [0.0, 0.5, 6.0])
def test_a_ridge_counts_as_an_observation(ridge: float) -> None:
    won, lost = 7, 2
    found = fit_bradley_terry([[0, won], [lost, 0]], ridge=ridge)
    lead = found.rating[0] - found.rating[1]
    chance = 1.0 / (1.0 + np.exp(-lead))
    # of the difference of two ratings, whose priors together have half the precision of each
    varied = won * (1.0 - chance) ** 2 + lost * chance**2 + ridge / 2.0
    known = (won + lost) * chance * (1.0 - chance) + ridge / 2.0
    assert_allclose(found.covariance[0, 0], varied / known**2 / 4.0, rtol=1e-6)


def test_intervals_and_ranks_cover_the_truth() -> None:
    votes = [drawn(chances(TRUTH), 60, 0.0, seed) for seed in range(SETS)]
    found = [fit_bradley_terry(one) for one in votes]
    check_covered(covered(found, TRUTH - TRUTH.mean()))
    ranks = np.arange(1, K + 1)
    right = [((one.rank_low <= ranks) & (ranks <= one.rank_high)).all() for one in found]
    assert np.mean(right) >= 0.95
    # not for want of saying anything: the best and the worst are told apart
    assert np.mean([one.rank_high[0] < one.rank_low[5] for one in found]) > 0.9


def test_the_sandwich_covers_where_the_model_does_not_hold() -> None:
    matrix = chances(TRUTH) + CYCLE * (1.0 - 2.0 * np.abs(chances(TRUTH) - 0.5))
    votes = [drawn(matrix, 60, 0.5, seed) for seed in range(SETS)]
    found, truth = [fit_bradley_terry(one) for one in votes], aim(matrix, 0.5)
    check_covered(covered(found, truth))
    # As if every tie were a win and a loss at half the price, the intervals are too wide.
    doubled = [fit_bradley_terry(2.0 * count(one).scores) for one in votes[:100]]
    reach = np.sqrt(2.0) * np.array([one.high - one.low for one in doubled]) / 2.0
    misses = np.abs(np.array([one.rating for one in doubled]) - truth) > reach
    assert misses.mean() < 0.01


def test_davidsons_intervals_cover_the_truth() -> None:
    half, nu = np.exp(np.subtract.outer(TRUTH, TRUTH) / 2.0), 0.8
    rng = np.random.default_rng(11)
    first, second = np.triu_indices(K, 1)
    weights = np.stack([half[first, second], half[second, first], np.full(len(first), nu)], axis=1)
    found, estimated = [], []
    for _ in range(SETS):
        seen = rng.multinomial(80, weights / weights.sum(axis=1, keepdims=True))
        wins, ties = np.zeros((2, K, K), np.int64)
        wins[first, second], wins[second, first] = seen[:, 0], seen[:, 1]
        ties[first, second] = ties[second, first] = seen[:, 2]
        found.append(fit_bradley_terry(Votes.from_counts(wins, ties), ties="davidson"))
        estimated.append(found[-1].nu)
    check_covered(covered(found, TRUTH - TRUTH.mean()))
    assert np.mean(np.array(estimated, float)) == pytest.approx(nu, rel=0.02)


def by_voters(seed: int) -> Votes:
    """Return votes of 60 voters, each of whom has a taste of their own and votes on every pair twice."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(K, 1)
    left, right = np.tile(first, 120), np.tile(second, 120)
    voter = np.repeat(np.arange(60), 2 * len(first))
    taste = TRUTH + 1.0 * rng.standard_normal((60, K))
    chance = 1.0 / (1.0 + np.exp(taste[voter, right] - taste[voter, left]))
    return Votes(range(K), left, right, rng.random(len(left)) < chance, voters=voter.astype(str).tolist())


def test_clusters_cover_where_votes_resemble_each_other() -> None:
    sets = [by_voters(seed) for seed in range(SETS)]
    # tastes of two arms differ by a normal number of variance 2
    differences, weights = hermegauss(60)
    apart = np.subtract.outer(TRUTH, TRUTH)[:, :, None] + np.sqrt(2.0) * differences
    truth = aim((1.0 / (1.0 + np.exp(-apart))) @ weights / weights.sum(), 0.0)
    check_covered(covered([fit_bradley_terry(one, repeats="all") for one in sets], truth))
    # taken one by one, votes seem to say more than they do
    single = [fit_bradley_terry(one, repeats="all", clusters="none") for one in sets[:100]]
    assert (covered(single, truth) < 87).all()


def equal_arms(voters: int, seed: int, k: int = K, each: int = 30) -> Votes:
    """Return votes on equal arms by voters who have tastes."""
    rng = np.random.default_rng([voters, seed])
    voter = np.repeat(np.arange(voters), each)
    left = rng.integers(0, k, len(voter))
    right = (left + rng.integers(1, k, len(voter))) % k
    taste = rng.standard_normal((voters, k))
    chance = 1.0 / (1.0 + np.exp(taste[voter, right] - taste[voter, left]))
    return Votes(range(k), left, right, rng.random(len(left)) < chance, voters=voter.astype(str).tolist())


@pytest.mark.parametrize(("voters", "by_normal"), [(5, 0.3), (7, 0.18), (12, 0.10), (20, 0.07)])
def test_equal_arms_are_rarely_told_apart_by_few_voters(
    voters: int, by_normal: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.ratings.ranks.MOST_DRAWS", 1_000)
    found = [
        fit_bradley_terry(equal_arms(voters, seed), clusters="voter", repeats="all") for seed in range(SETS)
    ]
    wrong = sum(bool((one.rank_low > 1).any()) for one in found)
    # at most what a chance of 5% gives in all but one in two hundred cases
    assert wrong <= binom.ppf(0.995, SETS, 0.05)
    held = np.mean([(one.low <= 0.0) & (one.high >= 0.0) for one in found])
    assert 0.93 <= held <= 0.975
    # as if there were endless voters
    endless = np.full(K, np.inf)
    normal = [rank_ranges(one.rating, one.covariance, endless, 0.95)[0] for one in found]
    assert np.mean([(best > 1).any() for best in normal]) > by_normal


def test_more_arms_than_voters_have_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.ratings.ranks.MOST_DRAWS", 1_000)
    votes = [equal_arms(4, seed, 15, 100) for seed in range(150)]
    found = [fit_bradley_terry(one, clusters="voter", repeats="all") for one in votes]
    wrong = sum(bool((one.rank_low > 1).any()) for one in found)
    assert wrong <= binom.ppf(0.995, 150, 0.05)
    # a covariance of three dimensions has too small a simultaneous quantile
    flat = [rank_ranges(one.rating, one.covariance, one.degrees, 0.95)[0] for one in found]
    assert np.mean([(best > 1).any() for best in flat]) > 0.15


def test_an_arm_that_one_voter_judged_is_uncertain() -> None:
    rng = np.random.default_rng(3)
    votes = equal_arms(30, 1, 4)
    against = rng.integers(0, 4, 40)
    left, right = np.append(votes.left, np.full(40, 4)), np.append(votes.right, against)
    outcomes = np.append(votes.outcomes, rng.random(40) < 0.5)
    assert votes.voters is not None
    voters = [*votes.voters.tolist(), *["only"] * 40]
    found = fit_bradley_terry(Votes(range(5), left, right, outcomes, voters=voters), repeats="all")
    apart = fit_bradley_terry(Votes(range(5), left, right, outcomes), repeats="all")
    assert found.degrees[4] == 1.0
    assert (found.degrees[:4] > 10.0).all()
    # Student's quantile with one degree of freedom is 12.7
    assert (found.high - found.low)[4] > 6.0 * (apart.high - apart.low)[4]
    assert found.rank_low[4] == 1
    assert found.rank_high[4] == 5


@pytest.mark.parametrize("clusters", ["none", "voter"])
def test_the_bootstrap_agrees_with_the_sandwich(clusters: str) -> None:
    votes = by_voters(1)
    options: dict[str, Any] = {"clusters": clusters, "repeats": "all"}
    wide = fit_bradley_terry(votes, intervals="bootstrap", bootstrap=2000, **options)
    robust = fit_bradley_terry(votes, **options)
    assert_array_equal(wide.rating, robust.rating)
    deviation, expected = np.sqrt(np.diag(wide.covariance)), np.sqrt(np.diag(robust.covariance))
    assert_allclose(deviation, expected, rtol=0.1)
    assert_allclose(wide.low, robust.low, atol=0.3 * expected.max())
    assert_allclose(wide.high, robust.high, atol=0.3 * expected.max())
    again = fit_bradley_terry(votes, intervals="bootstrap", bootstrap=50, seed=1, **options)
    other = fit_bradley_terry(votes, intervals="bootstrap", bootstrap=50, seed=2, **options)
    assert not np.array_equal(again.low, other.low)


def test_the_bootstrap_stretches_intervals_of_few_clusters() -> None:
    votes = equal_arms(8, 2, 4)
    wide = fit_bradley_terry(votes, intervals="bootstrap", bootstrap=2000, repeats="all")
    robust = fit_bradley_terry(votes, repeats="all")
    assert_array_equal(wide.degrees, robust.degrees)
    assert_allclose(wide.high - wide.low, robust.high - robust.low, rtol=0.2)


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_the_bootstrap_takes_weights_degrees_and_effects(ties: Any) -> None:
    rng = np.random.default_rng(7)
    left = rng.integers(0, 4, 900)
    right = (left + rng.integers(1, 4, 900)) % 4
    outcomes = rng.choice([0.0, 0.3, 0.5, 0.9, 1.0], 900)
    extras = {"length": [f"{value:.3f}" for value in rng.normal(size=900)]}
    votes = Votes(range(4), left, right, outcomes, weights=rng.choice([0.5, 1.0, 3.0], 900), extras=extras)
    for options in ({}, {"side_effect": True}, {"side_effect": True, "covariates": ["length"]}):
        settings: dict[str, Any] = {"ties": ties, **options}
        wide = fit_bradley_terry(votes, intervals="bootstrap", bootstrap=300, **settings)
        robust = fit_bradley_terry(votes, **settings)
        assert_allclose(np.sqrt(np.diag(wide.covariance)), np.sqrt(np.diag(robust.covariance)), rtol=0.2)
        for one, other in zip(wide.effects, robust.effects, strict=True):
            assert one.value == other.value
            assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.25)


def test_bootstrap_intervals_cover_the_truth() -> None:
    votes = [drawn(chances(TRUTH), 60, 0.3, seed) for seed in range(SETS)]
    found = [fit_bradley_terry(one, intervals="bootstrap", bootstrap=200) for one in votes]
    check_covered(covered(found, aim(chances(TRUTH), 0.3)))


def test_samples_that_lost_a_side_stay_finite() -> None:
    found = fit_bradley_terry([[0, 30, 1], [1, 0, 5], [1, 5, 0]], intervals="bootstrap", bootstrap=200)
    assert np.isfinite([found.low, found.high]).all()
    assert np.isfinite(found.covariance).all()
    assert (found.low < found.rating).all()
    assert (found.rating < found.high).all()


def test_equal_arms_are_told_apart_in_one_case_of_twenty() -> None:
    found = [fit_bradley_terry(drawn(np.full((K, K), 0.5), 100, 0.0, seed)) for seed in range(SETS)]
    wrong = sum(bool((one.rank_low > 1).any()) for one in found)
    # both ways: ranges that were not simultaneous would be wrong in a third of the cases
    low, high = (binom.ppf(level, SETS, 0.05) for level in (0.0005, 0.9995))
    assert low <= wrong <= high


@pytest.mark.parametrize("k", [2, 3, 10, 40])
def test_the_critical_value_of_equal_arms_is_tukeys(k: int) -> None:
    expected = studentized_range.ppf(0.95, k, 10_000_000) / np.sqrt(2.0)
    assert critical_value(np.eye(k) - 1.0 / k, 0.95) == pytest.approx(expected, rel=0.02)


def test_the_chance_to_be_first_is_that_of_the_normal_distribution() -> None:
    found = fit_bradley_terry([[0, 30], [20, 0]])
    contrast = found.rating[0] - found.rating[1]
    # ratings of two arms are opposite
    error = 2.0 * np.sqrt(found.covariance[0, 0])
    assert found.first[0] == pytest.approx(norm.cdf(contrast / error), abs=0.01)
    assert found.first.sum() == pytest.approx(1.0)
    even = fit_bradley_terry(Votes.from_counts(np.zeros((4, 4)), ties=1 - np.eye(4)))
    assert_allclose(even.first, 0.25)


def test_votes_that_vary_in_nothing_tell_nothing_apart() -> None:
    found = fit_bradley_terry(Votes.from_counts(np.zeros((3, 3)), ties=1 - np.eye(3)))
    assert_array_equal(found.rating, 0.0)
    assert found.rank_low.tolist() == [1, 1, 1]
    assert found.rank_high.tolist() == [3, 3, 3]
