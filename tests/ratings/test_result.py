from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from duelist import Votes, load_votes
from duelist.errors import MissingExtraError, ParameterError
from duelist.ratings import bradley_terry, elo

VOTES = Votes.from_counts([[0, 1, 4], [7, 0, 6], [2, 2, 0]], arms=["bm25", "dense", "splade"])


def test_a_leaderboard_has_the_best_arm_first() -> None:
    found = bradley_terry(VOTES)
    frame = found.to_frame()
    assert frame.columns.tolist() == ["arm", "rating", "low", "high", "rank_low", "rank_high"]
    assert frame["arm"].tolist() == ["dense", "bm25", "splade"]
    assert frame["rating"].is_monotonic_decreasing
    assert found.arms == VOTES.arms
    assert frame["rating"].iloc[0] == found.rating[1]
    assert frame["low"].iloc[0] == found.low[1]
    assert frame["rank_high"].tolist() == [found.rank_high[arm] for arm in (1, 0, 2)]
    assert found.votes.tolist() == [14, 16, 14]
    lines = str(found).splitlines()
    assert lines[0].split() == ["arm", "rating", "interval", "ranks", "votes"]
    assert lines[1].split()[0] == "dense"
    assert lines[1].split()[-1] == "16"
    assert found.table(1).splitlines()[2] == "and 2 more"


def test_without_intervals_there_are_only_ranks() -> None:
    found = bradley_terry(VOTES, intervals="none")
    assert np.isnan([found.low, found.high]).all()
    assert np.isnan(found.covariance).all()
    assert isnan(found.confidence)
    assert found.rank_low.tolist() == found.rank_high.tolist() == [2, 1, 3]
    assert str(found).splitlines()[0].split() == ["arm", "rating", "rank", "votes"]


def test_points_are_log_odds_on_another_scale() -> None:
    found = bradley_terry([[0, 10], [1, 0]])
    points = found.on_elo_scale(mean=1500.0)
    assert_allclose(points.rating, [1700.0, 1300.0])
    assert_allclose((points.high - points.low) / (found.high - found.low), 400.0 / np.log(10.0))
    assert_allclose(points.rating - points.low, 1.959964 * np.sqrt(np.diag(points.covariance)))
    assert points.rank_high.tolist() == found.rank_high.tolist()


def test_a_frame_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"a data frame needs an extra: .*duelist\[frame\]"):
        bradley_terry(VOTES).to_frame()


def test_elo_moves_after_every_vote() -> None:
    first = elo(load_votes([("a", "b")]))
    assert_allclose(first.rating, [1002.0, 998.0])
    # a tie of unequal arms lowers the better one
    tied = elo(Votes("ab", [0, 0], [1, 1], [1.0, 0.5]), k=32.0, start=0.0)
    expected = 1.0 / (1.0 + 10.0 ** (-32.0 / 400.0))
    assert_allclose(tied.rating, [16.0 - 32.0 * (expected - 0.5), -16.0 + 32.0 * (expected - 0.5)])
    assert tied.rank_low.tolist() == [1, 2]
    assert tied.votes.tolist() == [2, 2]
    counted = elo(Votes("ab", [0, 0], [1, 1], [1.0, 0.5], counts=[3, 2]))
    assert_allclose(counted.rating, elo(Votes("ab", [0] * 5, [1] * 5, [1.0] * 3 + [0.5] * 2)).rating)


def test_elo_depends_on_scale_and_base_as_one() -> None:
    votes = Votes("abc", [0, 1, 2, 0], [1, 2, 0, 2], [1.0, 1.0, 0.0, 0.5])
    assert_allclose(elo(votes, base=100.0, scale=800.0, k=50.0).rating, elo(votes, k=50.0).rating, atol=1e-9)
    assert np.isfinite(elo(votes, k=1e9, scale=1e-9).rating).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be a positive number"),
        ({"scale": -400}, "scale must be a positive number"),
        ({"base": 1.0}, "base must be above 1; got 1.0"),
        ({"start": float("inf")}, "start must be a finite number; got inf"),
    ],
)
def test_wrong_settings_of_elo_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        elo(pd.DataFrame({"winner": ["a"], "loser": ["b"]}), **arguments)
