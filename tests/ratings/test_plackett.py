"""Ratings from whole rankings equal the maximum of their likelihood, found by others."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import choix
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused
from scipy.optimize import minimize
from scipy.stats import binom

from duelist import Votes
from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError
from duelist.ratings import fit_bradley_terry, fit_plackett_luce
from duelist.ratings.existence import LOST, UNSEEN, WON

Ranking = Sequence[Sequence[int]]
TRUTH = np.array([0.9, 0.4, 0.0, -0.2, -0.4, -0.7])


def votes_of(k: int, rankings: Sequence[Ranking], **columns: Any) -> Votes:
    """Return rankings as votes; columns have a value for each ranking."""
    rows = []
    for number, levels in enumerate(rankings):
        ranked = [(rank, arm) for rank, level in enumerate(levels) for arm in level]
        for (rank, one), (other_rank, other) in combinations(ranked, 2):
            rows.append((one, other, 0.5 if rank == other_rank else 1.0, number))
    left, right, outcomes, numbers = zip(*rows, strict=True)
    others: dict[str, Any] = {
        name: [values[number] for number in numbers] for name, values in columns.items()
    }
    return Votes(range(k), left, right, outcomes, rankings=[f"r{number}" for number in numbers], **others)


def drawn(seed: int, many: int, smallest: int = 2) -> list[list[int]]:
    """Return rankings of some of the arms, by the model."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(many):
        some = rng.permutation(len(TRUTH))[: rng.integers(smallest, len(TRUTH) + 1)]
        found.append(some[np.argsort(-(TRUTH[some] + rng.gumbel(size=len(some))))].tolist())
    return found


def alone(rankings: Sequence[Sequence[int]]) -> list[Ranking]:
    return [[[arm] for arm in ranking] for ranking in rankings]


def tied(rankings: list[list[int]], seed: int) -> list[Ranking]:
    """Return rankings in which neighbours tie at random."""
    rng = np.random.default_rng(seed)
    found: list[Ranking] = []
    for ranking in rankings:
        levels = [[ranking[0]]]
        for arm in ranking[1:]:
            if rng.random() < 0.35:
                levels[-1].append(arm)
            else:
                levels.append([arm])
        found.append(levels)
    return found


def log_likelihood(levels: Ranking, rating: FloatArray) -> float:
    """Return Efron's log-likelihood, choice by choice."""
    total = 0.0
    for rank, level in enumerate(levels):
        below = np.exp(rating[[arm for later in levels[rank + 1 :] for arm in later]]).sum()
        many = len(level)
        for choice in range(many - (below == 0.0)):
            total += rating[list(level)].mean()
            total -= np.log(below + (1.0 - choice / many) * np.exp(rating[list(level)]).sum())
    return float(total)


def gradients(rankings: Sequence[Ranking], rating: FloatArray) -> FloatArray:
    steps = 1e-5 * np.eye(len(rating))
    return np.array(
        [
            [(log_likelihood(one, rating + e) - log_likelihood(one, rating - e)) / 2e-5 for e in steps]
            for one in rankings
        ]
    )


@pytest.mark.parametrize("seed", range(3))
def test_ratings_equal_those_of_choix(seed: int) -> None:
    rankings = [tuple(ranking) for ranking in drawn(seed, 80)]
    found = fit_plackett_luce(votes_of(6, alone(rankings)), intervals="none")
    for theirs in (
        choix.ilsr_rankings(6, rankings, tol=1e-12, max_iter=1000),
        choix.opt_rankings(6, rankings, tol=1e-12),
    ):
        assert_allclose(found.rating, theirs - theirs.mean(), atol=1e-6)
    # choix penalizes by alpha, not by alpha / 2, times the sum of squares
    penalized = choix.opt_rankings(6, rankings, alpha=1.5, tol=1e-12)
    assert_allclose(fit_plackett_luce(votes_of(6, alone(rankings)), ridge=3.0).rating, penalized, atol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_ratings_are_the_maximum_with_ties_and_weights(seed: int) -> None:
    rankings = tied(drawn(seed, 60), seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, 60)

    def loss(rating: FloatArray) -> float:
        likely = [log_likelihood(one, rating) for one in rankings]
        return -float(weights @ likely)

    theirs = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-9}).x
    found = fit_plackett_luce(votes_of(6, rankings, weights=weights))
    assert_allclose(found.rating, theirs - theirs.mean(), atol=1e-6)
    assert found.weighted
    assert found.clusters == ("ranking", 60)


def test_the_covariance_is_a_sandwich_of_rankings() -> None:
    rankings = tied(drawn(4, 50, 3), 4)
    found = fit_plackett_luce(votes_of(6, rankings), clusters="none")
    assert found.clusters is None
    slopes = gradients(rankings, found.rating)
    second = np.array(
        [
            (
                gradients(rankings, found.rating + e).sum(axis=0)
                - gradients(rankings, found.rating - e).sum(axis=0)
            )
            / 2e-4
            for e in 1e-4 * np.eye(6)
        ]
    )
    inverse = np.linalg.pinv(second, rcond=1e-5)
    assert_allclose(found.covariance, inverse @ slopes.T @ slopes @ inverse, atol=1e-4)
    # with voters as clusters, the slopes of their rankings are summed
    voters = [f"v{number % 8}" for number in range(50)]
    items = [str(number) for number in range(50)]
    by_voter = fit_plackett_luce(votes_of(6, rankings, voters=voters, items=items), clusters="voter")
    assert by_voter.clusters == ("voter", 8)
    summed = np.array([slopes[number::8].sum(axis=0) for number in range(8)])
    number = by_voter.degrees + 1.0
    factor = np.sqrt(number / (number - 1.0))
    expected = inverse @ summed.T @ summed @ inverse * np.outer(factor, factor)
    assert_allclose(by_voter.covariance, expected, atol=1e-4)
    assert (number > 6.0).all()
    assert (number <= 8.0).all()


def test_pairs_are_rated_as_by_bradley_and_terry() -> None:
    rng = np.random.default_rng(1)
    left = rng.integers(0, 5, 200)
    right = (left + rng.integers(1, 5, 200)) % 5
    outcomes, counts = rng.choice([0.0, 0.3, 0.5, 0.9, 1.0], 200), rng.integers(1, 4, 200)
    voters = [f"v{number}" for number in rng.integers(0, 12, 200)]
    votes = Votes(range(5), left, right, outcomes, counts, voters=voters)
    for clusters in ("none", "auto"):
        one, other = (
            rate(votes, clusters=clusters, repeats="all") for rate in (fit_bradley_terry, fit_plackett_luce)
        )
        for name in ("rating", "low", "high", "covariance", "degrees", "first"):
            assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9, err_msg=name)
        for name in ("rank_low", "rank_high", "votes"):
            assert_array_equal(getattr(one, name), getattr(other, name))
        assert one.clusters == other.clusters


def test_intervals_cover_the_truth() -> None:
    held, sets = np.zeros(6), 150
    truth = TRUTH - TRUTH.mean()
    for seed in range(sets):
        found = fit_plackett_luce(votes_of(6, alone(drawn(seed, 60, 3))))
        held += (found.low <= truth) & (truth <= found.high)
    low, high = (binom.ppf(level, sets, 0.95) for level in (0.0005, 0.9999))
    assert (held >= low).all()
    assert (held <= high).all()


def test_arms_without_a_finite_rating_leave_the_rankings() -> None:
    rankings = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 4]]
    found = fit_plackett_luce(votes_of(6, alone(rankings)), intervals="none")
    assert found.arms == ("1", "2", "3")
    assert found.unrated == {
        "0": WON,
        "4": LOST,
        "5": UNSEEN,
    }
    others = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]]
    assert_allclose(
        found.rating, fit_plackett_luce(votes_of(3, alone(others)), intervals="none").rating, atol=1e-9
    )
    assert fit_plackett_luce(votes_of(6, alone(rankings)), ridge=0.1).arms == ("0", "1", "2", "3", "4")


def test_a_ranking_that_repeats_others_is_left_out() -> None:
    rankings = alone([[0, 1, 2], [2, 1, 0], [1, 2], [2, 1, 3], [3, 0], [0, 3]])
    votes = votes_of(4, rankings, voters=["x", "x", "x", "x", "y", "z"])
    kept = votes_of(4, [rankings[number] for number in (0, 3, 4, 5)])
    first = fit_plackett_luce(votes, intervals="none")
    assert_allclose(first.rating, fit_plackett_luce(kept, intervals="none").rating, atol=1e-9)
    assert first.votes.tolist() == fit_plackett_luce(kept, intervals="none").votes.tolist()
    every = fit_plackett_luce(votes, intervals="none", repeats="all")
    assert_allclose(
        every.rating, fit_plackett_luce(votes_of(4, rankings), intervals="none").rating, atol=1e-9
    )


@pytest.mark.parametrize("outcomes", [[1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.7, 1.0]])
def test_votes_that_are_no_ranking_are_refused(outcomes: list[float]) -> None:
    pairs = [(0, 1), (1, 2), (0, 2)][: len(outcomes)]
    left, right = zip(*pairs, (1, 0), (2, 1), (0, 2), strict=True)
    names: list[str | None] = ["odd"] * len(outcomes) + [None] * 3
    votes = Votes(range(3), left, right, [*outcomes, 1.0, 1.0, 0.0], rankings=names)
    with refused(PreferenceError, "'odd'", "3 arms", f"{len(outcomes)} votes"):
        fit_plackett_luce(votes)


def test_wrong_arguments_are_refused() -> None:
    votes = votes_of(3, alone([[0, 1, 2], [2, 1, 0]]))
    wrong: Any = "bootstrap"
    with refused(ParameterError, "intervals", "sandwich, none", "'bootstrap'"):
        fit_plackett_luce(votes, intervals=wrong)
    with refused(ParameterError, "ridge", -1.0):
        fit_plackett_luce(votes, ridge=-1.0)
