"""What counts as a cluster, by default and on request."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refused

from duelist import Votes
from duelist.errors import ParameterError, UnknownNameError
from duelist.ratings import elo, fit_bradley_terry


def votes_by(voters: Sequence[str | None] | None, **columns: Any) -> Votes:
    """Return 60 votes on three arms, each with an item, by voters in turn."""
    rng = np.random.default_rng(2)
    left = rng.integers(0, 3, 60)
    right = (left + rng.integers(1, 3, 60)) % 3
    named = None if voters is None else [voters[row % len(voters)] for row in range(60)]
    items = [str(row) for row in range(60)]
    return Votes(range(3), left, right, rng.choice([0.0, 0.5, 1.0], 60), voters=named, items=items, **columns)


def test_voters_are_clusters_by_default_if_there_are_five() -> None:
    four, five = ["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]
    assert fit_bradley_terry(votes_by(None)).clusters is None
    assert fit_bradley_terry(votes_by(four)).clusters is None
    assert fit_bradley_terry(votes_by(five)).clusters == ("voter", 5)
    assert fit_bradley_terry(votes_by(five), clusters="none").clusters is None
    assert fit_bradley_terry(votes_by(four), clusters="voter").clusters == ("voter", 4)
    assert fit_bradley_terry(votes_by(five), intervals="none").clusters is None
    assert_allclose(
        fit_bradley_terry(votes_by(four)).covariance, fit_bradley_terry(votes_by(None)).covariance, atol=1e-12
    )


def test_votes_without_a_voter_are_clusters_by_themselves() -> None:
    found = fit_bradley_terry(votes_by(["a", None, "b", None]))
    assert found.clusters == ("voter", 32)
    # rows that stand for several votes are as many clusters
    votes = votes_by(["a", None, "b", None])
    counts = np.where(np.arange(60) % 2, 3, 1)
    several = Votes(
        range(3), votes.left, votes.right, votes.outcomes, counts, voters=votes.voters, items=votes.items
    )
    rows = np.repeat(np.arange(60), counts)
    counted, repeated = fit_bradley_terry(several), fit_bradley_terry(votes.take(rows))
    assert counted.clusters == repeated.clusters == ("voter", 92)
    assert_allclose(counted.covariance, repeated.covariance, atol=1e-12)
    assert_allclose(counted.degrees, repeated.degrees)


def test_rankings_come_before_voters() -> None:
    rankings = [str(row // 3) for row in range(60)]
    found = fit_bradley_terry(votes_by([*"abcdef"], rankings=rankings))
    assert found.clusters == ("ranking", 20)
    assert fit_bradley_terry(votes_by([*"abcdef"], rankings=rankings), clusters="voter").clusters == (
        "voter",
        6,
    )
    # of one ranking nothing is known about others
    single = fit_bradley_terry(votes_by(None, rankings=["one"] * 60))
    assert single.clusters == ("ranking", 1)
    assert np.isnan(single.low).all()


def test_any_column_can_make_clusters() -> None:
    days = [str(row % 7) for row in range(60)]
    found = fit_bradley_terry(votes_by(None, extras={"day": days}), clusters="day")
    assert found.clusters == ("day", 7)
    same = fit_bradley_terry(votes_by([str(row % 7) for row in range(7)]), clusters="voter")
    assert_allclose(found.covariance, same.covariance, atol=1e-12)
    assert fit_bradley_terry(votes_by(None), clusters="item").clusters == ("item", 60)


def test_columns_that_cannot_be_clusters_are_refused() -> None:
    with refused(UnknownNameError, "'days'", "'day'", "auto, none, item, day"):
        fit_bradley_terry(votes_by(None, extras={"day": ["x", "y"] * 30}), clusters="days")
    with refused(UnknownNameError, "'voter'"):
        fit_bradley_terry(votes_by(None), clusters="voter")
    with refused(ParameterError, "2", "1 voter", 'clusters="none"'):
        fit_bradley_terry(votes_by(["ann"]), clusters="voter")


def test_repeats_are_left_out_unless_all_are_asked_for() -> None:
    votes = Votes(
        [*"ab"],
        [0, 1, 0, 0, 0],
        [1, 0, 1, 1, 1],
        [1.0, 1.0, 1.0, 0.0, 0.0],
        voters=["x", "x", "x", "y", None],
    )
    first = fit_bradley_terry(votes)
    assert first.votes.tolist() == [3, 3]
    assert_allclose(first.rating[0] - first.rating[1], np.log(1 / 2))
    every = fit_bradley_terry(votes, repeats="all")
    assert every.votes.tolist() == [5, 5]
    assert_allclose(every.rating[0] - every.rating[1], np.log(2 / 3))
    assert elo(votes).votes.tolist() == [3, 3]
    assert elo(votes, repeats="all").votes.tolist() == [5, 5]


def test_degrees_are_parts_of_wins_and_ties() -> None:
    votes = Votes([*"ab"], [0, 0, 0], [1, 1, 1], [0.8, 0.1, 0.5])
    found = fit_bradley_terry(votes)
    assert_allclose(found.rating[0] - found.rating[1], np.log(1.4 / 1.6))
    davidson = fit_bradley_terry(votes, ties="davidson")
    # 0.6 wins, 0.8 losses and 0.4 + 0.2 + 1 ties
    assert_allclose(davidson.rating[0] - davidson.rating[1], np.log(0.6 / 0.8))
    assert davidson.nu == pytest.approx(1.6 / np.sqrt(0.6 * 0.8))


def test_weights_multiply_votes() -> None:
    votes = votes_by(None)
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 4, 60)
    columns = (range(3), votes.left, votes.right, votes.outcomes)
    weighted, counted = (
        fit_bradley_terry(Votes(*columns, weights=weights)),
        fit_bradley_terry(Votes(*columns, weights)),
    )
    assert (weighted.weighted, counted.weighted) == (True, False)
    assert_allclose(weighted.rating, counted.rating, atol=1e-9)
    # a vote of weight 2 is less certain than two votes
    assert (np.diag(weighted.covariance) > 1.2 * np.diag(counted.covariance)).all()
    assert weighted.votes.sum() == 120
