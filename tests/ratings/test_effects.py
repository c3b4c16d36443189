"""Effects of covariates and sides are recovered, with intervals that hold."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refused
from scipy.optimize import minimize
from scipy.stats import binom

from duelist import Votes
from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError, UnknownNameError
from duelist.ratings import fit_bradley_terry

K, SETS = 5, 150
TRUTH = np.array([0.6, 0.3, 0.0, -0.3, -0.6])
STYLE = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
"""The better an arm, the shorter its answers."""
SIDE, LENGTH = 0.4, 0.9


def simulated(seed: int, votes: int = 600, voters: int = 0) -> Votes:
    """Return votes in which long answers and the left side are preferred."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, K, votes)
    right = (left + rng.integers(1, K, votes)) % K
    length = STYLE[[left, right]] + rng.normal(size=(2, votes))
    voter = rng.integers(0, max(voters, 1), votes)
    taste = 0.7 * rng.standard_normal((max(voters, 1), K)) * (voters > 0)
    strength = TRUTH[left] - TRUTH[right] + taste[voter, left] - taste[voter, right]
    odds = strength + SIDE + LENGTH * (length[0] - length[1])
    extras = {f"length_{side}": [repr(float(x)) for x in length[row]] for row, side in enumerate("ab")}
    names = [str(one) for one in voter] if voters else None
    outcomes = rng.random(votes) < 1.0 / (1.0 + np.exp(-odds))
    return Votes(range(K), left, right, outcomes, voters=names, extras=extras)


def difference(votes: Votes) -> FloatArray:
    a, b = (np.array(votes.extras[f"length_{side}"].tolist(), float) for side in "ab")
    return np.asarray(a - b)


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_estimates_are_those_of_a_logistic_regression(ties: Any) -> None:
    votes = simulated(1, 300)
    outcomes = np.where(np.arange(300) % 5 == 0, 0.5, votes.outcomes)
    votes = Votes(range(K), votes.left, votes.right, outcomes, extras=votes.extras)
    apart = difference(votes)
    x = apart / apart.std()
    design = np.zeros((300, K + 2))
    rows = np.arange(300)
    design[rows, votes.left], design[rows, votes.right] = 1.0, -1.0
    design[:, K], design[:, K + 1] = x, 1.0

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        half, log_nu = design @ point[:-1] / 2.0, point[-1] if ties == "davidson" else -np.inf
        total = np.logaddexp(np.logaddexp(half, -half), log_nu)
        margin, tie = outcomes - 0.5, outcomes == 0.5
        expected = (np.exp(half - total) - np.exp(-half - total)) / 2.0
        slope = design.T @ (margin - expected)
        likely = (2.0 * margin * half - total).sum()
        of_ties = 0.0
        if ties == "davidson":
            likely += tie.sum() * log_nu
            of_ties = float((tie - np.exp(log_nu - total)).sum())
        return -float(likely), -np.append(slope, of_ties)

    theirs = minimize(
        loss, np.zeros(K + 3), jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 2000}
    ).x
    found = fit_bradley_terry(votes, covariates=("length",), side_effect=True, ties=ties)
    assert_allclose(found.rating, theirs[:K] - theirs[:K].mean(), atol=1e-8)
    assert [effect.name for effect in found.effects] == ["length", "left side"]
    assert_allclose([effect.value for effect in found.effects], theirs[K : K + 2], atol=1e-8)
    if ties == "davidson":
        assert found.nu == pytest.approx(np.exp(theirs[-1]), abs=1e-8)


@pytest.mark.parametrize("voters", [0, 15])
def test_effects_and_ratings_are_covered(voters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.ratings.ranks.MOST_DRAWS", 1_000)
    held, ignored = np.zeros(K + 2), np.zeros(K)
    for seed in range(SETS):
        votes = simulated(seed, voters=voters)
        found = fit_bradley_terry(votes, covariates=["length"], side_effect=True, repeats="all")
        # tastes of voters flatten the log-odds of all, by a factor known for the normal distribution
        flat = np.sqrt(1.0 + 2.0 * 0.7**2 / 2.89) if voters else 1.0
        truth = np.array([*TRUTH, LENGTH * difference(votes).std(), SIDE]) / flat
        low = [*found.low, *(effect.low for effect in found.effects)]
        high = [*found.high, *(effect.high for effect in found.effects)]
        held += (low <= truth) & (truth <= high)
        if seed < 20:
            ignored += fit_bradley_terry(votes, repeats="all").rating / 20
    assert (held >= binom.ppf(0.001, SETS, 0.95)).all(), held
    # without the covariate, the arms with short answers look worse than they are: the order is turned around
    assert (np.diff(ignored) > 0.0).all()


def test_a_side_effect_is_the_advantage_of_the_left() -> None:
    # at home a wins 3 of 4 and b 2 of 4: the odds of home are sqrt(3 * 1), those of a are sqrt(3 / 1)
    votes = Votes([*"ab"], [0, 0, 1, 1], [1, 1, 0, 0], [1.0, 0.0, 1.0, 0.0], counts=[3, 1, 2, 2])
    found = fit_bradley_terry(votes, side_effect=True)
    assert found.effects[0].value == pytest.approx(np.log(3.0) / 2.0)
    assert found.rating[0] - found.rating[1] == pytest.approx(np.log(3.0) / 2.0)
    # four groups of votes tell two log-odds, of variances 1/3 + 1 and 1/2 + 1/2
    error = np.sqrt((1 / 3 + 1 + 1 / 2 + 1 / 2) / 4)
    assert found.effects[0].high == pytest.approx(found.effects[0].value + 1.959964 * error)
    points = found.on_elo_scale()
    assert points.effects[0].value == pytest.approx(200.0 * np.log10(3.0))
    assert points.effects[0].high == pytest.approx(found.effects[0].high * 400.0 / np.log(10.0))


@pytest.mark.parametrize("names", [("length_a", "length_b"), ("length_left", "length_right")])
def test_a_covariate_may_be_two_columns_or_their_difference(names: tuple[str, str]) -> None:
    votes = simulated(3, 200)
    columns = (range(K), votes.left, votes.right, votes.outcomes)
    both = dict(zip(names, (votes.extras["length_a"], votes.extras["length_b"]), strict=True))
    one = {"length": [repr(float(value)) for value in difference(votes)]}
    found = [
        fit_bradley_terry(Votes(*columns, extras=extras), covariates="length", intervals="none")
        for extras in (both, one)
    ]
    assert_allclose(found[0].rating, found[1].rating, atol=1e-9)
    assert found[0].effects[0].value == pytest.approx(found[1].effects[0].value)
    assert np.isnan(found[0].effects[0].low)


def with_column(values: list[str | None]) -> Votes:
    left, right = [0, 1, 0, 1, 2, 0], [1, 0, 1, 2, 1, 2]
    return Votes([*"abc"], left, right, [1.0, 1.0, 0.0, 1.0, 1.0, 1.0], extras={"length": values})


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        (["1", "2", "long", "3", "4", "5"], ["'long'", "row 2"]),
        (["1", "2", None, "3", "4", "5"], ["row 2"]),
        (["1", "2", "inf", "3", "4", "5"], ["'inf'", "row 2"]),
        (["2", "2", "2", "2", "2", "2"], ["covariate", "difference"]),
        # b is longer by 1 than a, and c by 2 than b
        (["-1", "1", "-1", "-2", "2", "-3"], ["effect", "collinear"]),
    ],
)
def test_covariates_that_tell_nothing_are_refused(values: list[str | None], facts: list[str]) -> None:
    with refused(ParameterError, "length", *facts):
        fit_bradley_terry(with_column(values), covariates=["length"])


def test_an_unknown_covariate_is_refused() -> None:
    with refused(UnknownNameError, "covariate", "'lenght'", "length"):
        fit_bradley_terry(with_column(["1", "2", "2", "3", "4", "5"]), covariates=["lenght"])


def test_an_infinite_effect_asks_for_a_ridge() -> None:
    votes = Votes([*"ab"], [0, 1, 0, 1], [1, 0, 1, 0], [1.0, 1.0, 1.0, 1.0])
    with refused(PreferenceError, "Newton's method", "ridge=0.1"):
        fit_bradley_terry(votes, side_effect=True)
    found = fit_bradley_terry(votes, side_effect=True, ridge=0.1)
    assert 0.0 < found.effects[0].low < found.effects[0].value < 10.0
