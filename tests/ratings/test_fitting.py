"""Ratings equal what others compute, and do not depend on what they should not depend on."""

from math import log
from pathlib import Path
from typing import Any

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from real_data import VOTES, needs_votes

from duelist import MatrixProblem, Votes, load_votes
from duelist.duel import FloatArray
from duelist.problems import bradley_terry as true_problem
from duelist.ratings import elo, fit_bradley_terry
from duelist.votes.counting import count

WINNERS = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}


def made_up(seed: int, k: int = 7, votes: int = 400, ties: float = 0.2) -> Votes:
    """Return votes of which every arm wins and loses some."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=k)
    left = rng.integers(0, k, votes)
    right = (left + rng.integers(1, k, votes)) % k
    won = rng.random(votes) < 1.0 / (1.0 + np.exp(strength[right] - strength[left]))
    outcomes = np.where(rng.random(votes) < ties, 0.5, won)
    return Votes([f"arm {arm}" for arm in range(k)], left, right, outcomes)


def columns(votes: Votes) -> tuple[list[str], list[str], list[Any]]:
    """Return votes as evalica takes them."""
    left, right = ([votes.arms[arm] for arm in side.tolist()] for side in (votes.left, votes.right))
    return left, right, [WINNERS[outcome] for outcome in votes.outcomes.tolist()]


def log_scores(result: Any, votes: Votes) -> FloatArray:
    scores: FloatArray = np.log(result.scores.loc[list(votes.arms)].to_numpy())
    return np.asarray(scores - scores.mean())


def check_against_evalica(votes: Votes) -> None:
    exactly: dict[str, Any] = {"tolerance": 1e-13, "limit": 100_000}
    theirs = evalica.bradley_terry(*columns(votes), **exactly)
    assert_allclose(fit_bradley_terry(votes, repeats="all").rating, log_scores(theirs, votes), atol=1e-6)
    # evalica's newman is Davidson's model, in which it writes 2 v for nu
    with_ties = evalica.newman(*columns(votes), **exactly)
    ours = fit_bradley_terry(votes, ties="davidson", repeats="all")
    assert_allclose(ours.rating, log_scores(with_ties, votes), atol=1e-6)
    assert ours.nu == pytest.approx(2.0 * with_ties.v, abs=1e-6)
    moving = evalica.elo(*columns(votes)).scores.loc[list(votes.arms)].to_numpy()
    assert_allclose(elo(votes, repeats="all").rating, moving, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_equal_those_of_evalica(seed: int) -> None:
    check_against_evalica(made_up(seed))


@needs_votes
@pytest.mark.parametrize("pair", ["deu-eng", "rus-eng", "tur-eng"])
def test_ratings_of_published_votes_equal_those_of_evalica(pair: str) -> None:
    check_against_evalica(load_votes(VOTES / f"wmt16-{pair}.csv.gz"))


@pytest.mark.parametrize("seed", range(5))
def test_ratings_equal_those_of_choix(seed: int) -> None:
    wins = count(made_up(seed)).wins
    k = len(wins)
    data = [(i, j) for i in range(k) for j in range(k) for _ in range(int(wins[i, j]))]
    theirs = choix.ilsr_pairwise(k, data, tol=1e-12, max_iter=1000)
    assert_allclose(fit_bradley_terry(wins).rating, theirs - theirs.mean(), atol=1e-6)
    # choix penalizes by alpha, not by alpha / 2, times the sum of squares
    penalized = choix.opt_pairwise(k, data, alpha=1.5, tol=1e-13)
    assert_allclose(fit_bradley_terry(wins, ridge=3.0).rating, penalized, atol=1e-6)


@pytest.mark.parametrize(("won", "lost"), [(1, 1), (3, 1), (10_000_000, 1), (1, 999)])
def test_two_arms_have_the_log_odds(won: int, lost: int) -> None:
    found = fit_bradley_terry([[0, won], [lost, 0]])
    assert_allclose(found.rating, [log(won / lost) / 2.0, -log(won / lost) / 2.0], atol=1e-9)
    # the log-odds have the variance 1/won + 1/lost, and each rating is half of them
    assert_allclose(np.diag(found.covariance), (1.0 / won + 1.0 / lost) / 4.0)


def test_two_arms_have_the_odds_of_davidson() -> None:
    found = fit_bradley_terry(Votes.from_counts([[0, 8], [2, 0]], ties=[[0, 6], [6, 0]]), ties="davidson")
    assert_allclose(found.rating[0] - found.rating[1], log(8 / 2))
    assert found.nu == pytest.approx(6 / np.sqrt(8 * 2))


def test_exact_chances_give_back_the_truth() -> None:
    weights = np.array([1.0, 2.0, 5.0, 0.5, 3.0])
    wins = true_problem(weights).matrix * 10_000_000.0
    np.fill_diagonal(wins, 0.0)
    truth = np.log(weights) - np.log(weights).mean()
    assert_allclose(fit_bradley_terry(wins.round()).rating, truth, atol=1e-6)


def test_without_ties_davidson_is_bradley_and_terry() -> None:
    votes = made_up(1, ties=0.0)
    plain, davidson = fit_bradley_terry(votes), fit_bradley_terry(votes, ties="davidson")
    assert (plain.nu, davidson.nu) == (None, 0.0)
    assert_allclose(davidson.rating, plain.rating)
    assert_allclose(davidson.covariance, plain.covariance)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10_000), st.permutations(range(7)), st.sampled_from(["half", "davidson"]))
def test_order_and_names_of_arms_change_nothing(seed: int, order: list[int], ties: Any) -> None:
    votes = made_up(seed % 50)
    index = np.argsort(order)
    turned = np.random.default_rng(seed).random(len(votes)) < 0.5
    left, right = np.where(turned, votes.right, votes.left), np.where(turned, votes.left, votes.right)
    outcomes = np.where(turned, 1.0 - votes.outcomes, votes.outcomes)
    shuffled = np.random.default_rng(seed).permutation(len(votes))
    other = Votes([*"gfedcba"], index[left][shuffled], index[right][shuffled], outcomes[shuffled])
    for intervals in ("sandwich", "bootstrap"):
        one = fit_bradley_terry(votes, ties=ties, intervals=intervals, bootstrap=20)
        two = fit_bradley_terry(other, ties=ties, intervals=intervals, bootstrap=20)
        for name in ("rating", "low", "high", "rank_low", "rank_high", "votes"):
            assert_allclose(getattr(two, name), getattr(one, name)[order], atol=1e-9, err_msg=name)
        assert_allclose(two.covariance, one.covariance[np.ix_(order, order)], atol=1e-9)


def test_votes_come_in_many_forms(tmp_path: Path) -> None:
    votes = made_up(3)
    wins = count(votes).scores
    names = np.array(votes.arms)
    table = {"left": names[votes.left], "right": names[votes.right], "outcome": votes.outcomes}
    path = tmp_path / "votes.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    expected = fit_bradley_terry(votes).rating
    for form in (
        path,
        str(path),
        table,
        pd.DataFrame(table),
        MatrixProblem.from_wins(wins, votes.arms),
        wins,
    ):
        found = fit_bradley_terry(form)
        assert_allclose(found.rating, expected, atol=1e-9)
        assert found.arms == (votes.arms if form is not wins else tuple("0123456"))


def test_counts_are_repeated_votes() -> None:
    votes = made_up(4)
    tally = count(votes)
    counted = fit_bradley_terry(Votes.from_counts(tally.wins, tally.ties, votes.arms))
    single = fit_bradley_terry(votes)
    assert_allclose(counted.rating, single.rating, atol=1e-12)
    assert_allclose(counted.covariance, single.covariance, atol=1e-12)
    assert counted.votes.tolist() == single.votes.tolist()
    assert single.votes.sum() == 2 * len(votes)


def test_many_arms_are_rated() -> None:
    votes = made_up(5, k=300, votes=30_000, ties=0.1)
    found = fit_bradley_terry(votes, ties="davidson")
    # at the maximum, every arm is expected to win as much as it won
    half = np.exp((found.rating[:, None] - found.rating[None, :]) / 2.0)
    assert found.nu is not None
    tally = count(votes)
    chance = half / (half + half.T + found.nu)
    tie = found.nu / (half + half.T + found.nu)
    met = tally.votes
    assert_allclose((met * (chance + tie / 2.0)).sum(axis=1), tally.scores.sum(axis=1), atol=1e-6)
    assert_allclose((met * tie).sum(), tally.ties.sum(), atol=1e-6)
    assert abs(found.rating.sum()) < 1e-9
