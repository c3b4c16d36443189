from itertools import pairwise

import numpy as np
import pytest
from arena.standing.crowd import crowd_study, honest_votes

from duelist import Study
from duelist.arena.standing import MOST_STAGES, PairStanding, shares_of, standing_of
from duelist.learners import Uniform
from duelist.web.page import rating_chart


def test_shares_are_those_counted_by_hand() -> None:
    study, *_ = crowd_study(2, k=4, people=3, votes=67)
    rows, shares = study.votes(), shares_of(study.votes())
    assert shares.ends[-1] == len(rows) == 201
    assert len(shares.ends) == MOST_STAGES
    begin = 0
    for end, row in zip(shares.ends, shares.rows, strict=True):
        stage = rows[begin:end]
        assert len(stage) in (5, 6)
        for arm, share in zip(shares.arms, row, strict=True):
            assert share == pytest.approx(
                sum(arm in (vote.left, vote.right) for vote in stage) / (2 * len(stage))
            )
        begin = end


def test_of_many_arms_those_shown_most_often_are_told_apart() -> None:
    ballots = honest_votes(0, k=20)
    shares = shares_of(ballots)
    assert (len(shares.arms), shares.others) == (7, 13)
    shown = np.bincount(np.concatenate([ballots.left, ballots.right]))
    assert [shown[int(arm.split()[1])] for arm in shares.arms] == sorted(shown)[:-8:-1]
    np.testing.assert_allclose(np.sum(shares.rows, axis=1), 1.0)


def test_one_vote_is_one_stage() -> None:
    study, *_ = crowd_study(2, k=2, people=1, votes=1)
    shares = shares_of(study.votes())
    assert (shares.ends, shares.rows) == ((1,), ((0.5, 0.5),))
    assert [layer.points for layer in shares.layers] == [
        "0,50 100,50 100,100 0,100",
        "0,0 100,0 100,50 0,50",
    ]


def test_layers_lie_upon_each_other_and_fill_the_chart() -> None:
    layers = shares_of(honest_votes(0, k=9)).layers
    points = [np.array([point.split(",") for point in layer.points.split()], float) for layer in layers]
    half = len(points[0]) // 2
    for lower, upper in pairwise(points):
        np.testing.assert_allclose(upper[half:], lower[:half][::-1])
    np.testing.assert_allclose(points[0][half:, 1], 100.0)
    np.testing.assert_allclose(points[-1][:half, 1], 0.0, atol=0.01)
    assert (len(layers), layers[-1].name) == (8, "2 others")


def test_a_study_without_votes_has_no_shares() -> None:
    shares = shares_of(Study(Uniform(), arms=["a", "b"]).votes())
    assert shares.rows == ()
    assert shares.layers == ()


def test_ratings_lie_where_their_axis_says() -> None:
    arms = standing_of(crowd_study(3)[0]).leaderboard.rows
    chart = rating_chart(arms, finest=1.0)
    values = [float(tick.text.replace(",", "")) for tick in chart.ticks]
    places = [tick.place for tick in chart.ticks]
    for bar, arm in zip(chart.bars, arms, strict=True):
        known = (arm.low, arm.rating, arm.high)
        np.testing.assert_allclose(bar[1:4], np.interp(np.array(known, float), values, places))
        assert 0.0 < bar.low < bar.rating < bar.high < 100.0


def test_few_votes_stay_pale_and_both_sides_of_a_pair_are_opposite() -> None:
    assert PairStanding(0, 0, 60).heat == 0
    assert PairStanding(0, 1, 1).heat == 5
    for wins, ties, losses in [(1, 0, 0), (9, 3, 2), (40, 0, 5)]:
        votes = wins + ties + losses
        assert PairStanding(wins, ties, votes).heat + PairStanding(losses, ties, votes).heat == 10
