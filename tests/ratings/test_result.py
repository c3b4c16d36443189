from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from page_outline import Outline
from refusals import names, refused
from scipy.stats import t

from duelist import Votes, load_votes
from duelist.errors import MissingExtraError, ParameterError, UnknownNameError
from duelist.ratings import elo, fit_bradley_terry
from duelist.ratings.existence import UNSEEN, WON
from duelist.votes.counting import count

VOTES = Votes.from_counts([[0, 1, 4], [7, 0, 6], [2, 2, 0]], arms=["bm25", "dense", "splade"])


def test_a_leaderboard_has_the_best_arm_first() -> None:
    found = fit_bradley_terry(VOTES)
    frame = found.to_frame()
    names = ["arm", "rating", "low", "high", "rank_low", "rank_high", "votes", "first"]
    assert frame.columns.tolist() == names
    assert frame["arm"].tolist() == ["dense", "bm25", "splade"]
    assert frame["rating"].is_monotonic_decreasing
    assert found.arms == VOTES.arms
    assert frame["rating"].iloc[0] == found.rating[1]
    assert frame["low"].iloc[0] == found.low[1]
    assert frame["rank_high"].tolist() == [found.rank_high[arm] for arm in (1, 0, 2)]
    assert found.votes.tolist() == [14, 16, 14]
    assert frame["votes"].tolist() == [16, 14, 14]
    assert frame["first"].tolist() == [found.first[arm] for arm in (1, 0, 2)]
    assert found.rows()[0].first == found.first[1] > 0.9
    lines = str(found).splitlines()
    assert lines[0].split() == ["arm", "rating", "interval", "ranks", "votes"]
    assert lines[1].split()[0] == "dense"
    assert lines[1].split()[-1] == "16"
    assert found.table(1).splitlines()[2] == "and 2 more"


def test_without_intervals_there_are_only_ranks() -> None:
    found = fit_bradley_terry(VOTES, intervals="none")
    assert np.isnan([found.low, found.high]).all()
    assert np.isnan(found.covariance).all()
    assert np.isnan(found.first).all()
    assert np.isnan(found.contrast("dense", "bm25").low)
    assert isnan(found.confidence)
    assert found.rank_low.tolist() == found.rank_high.tolist() == [2, 1, 3]
    assert str(found).splitlines()[0].split() == ["arm", "rating", "rank", "votes"]


def test_points_are_log_odds_on_another_scale() -> None:
    found = fit_bradley_terry([[0, 10], [1, 0]])
    points = found.on_elo_scale(mean=1500.0)
    assert_allclose(points.rating, [1700.0, 1300.0])
    assert_allclose((points.high - points.low) / (found.high - found.low), 400.0 / np.log(10.0))
    assert_allclose(points.rating - points.low, 1.959964 * np.sqrt(np.diag(points.covariance)))
    assert points.rank_high.tolist() == found.rank_high.tolist()
    assert (found.scale, points.scale) == ("log-odds", "elo")


def test_points_are_not_scaled_again() -> None:
    once = fit_bradley_terry(VOTES).on_elo_scale()
    twice = once.on_elo_scale()
    for name in ("rating", "low", "high", "covariance"):
        assert_allclose(getattr(twice, name), getattr(once, name))
    assert_allclose(twice.on_elo_scale(1500.0).rating, once.rating + 500.0)
    moving = elo(VOTES, k=30.0)
    assert_allclose(moving.on_elo_scale().rating, moving.rating)
    # points of another size are made of the usual one
    other = elo(VOTES, k=15.0, scale=200.0)
    assert_allclose(other.on_elo_scale().rating, moving.rating)


def test_ratings_may_be_relative_to_an_arm() -> None:
    found = fit_bradley_terry(VOTES)
    anchored = found.anchored("bm25")
    assert_allclose(anchored.rating, found.rating - found.rating[0])
    assert (anchored.low[0], anchored.rating[0], anchored.high[0]) == (0.0, 0.0, 0.0)
    variances = found.covariance
    error = np.sqrt(variances[0, 0] + variances[1, 1] - 2.0 * variances[0, 1])
    assert anchored.high[1] == pytest.approx(anchored.rating[1] + 1.959964 * error)
    assert_allclose(np.diag(anchored.covariance)[1], error**2)
    assert_allclose(anchored.covariance[0], 0.0, atol=1e-15)
    # another anchor is the same from wherever one begins
    assert_allclose(anchored.anchored("dense", 2.0).low, found.anchored("dense", 2.0).low)
    points = found.on_elo_scale().anchored("bm25")
    assert points.rating[0] == points.high[0] == 1000.0
    assert_allclose(anchored.on_elo_scale().low, points.low)
    assert_allclose(points.on_elo_scale().rating, points.rating)
    assert anchored.rank_high.tolist() == found.rank_high.tolist()
    with refused(UnknownNameError, "'bm26'", "'bm25'"):
        found.anchored("bm26")
    with refused(ParameterError, "value", "inf"):
        found.anchored("bm25", float("inf"))


def test_two_arms_are_contrasted() -> None:
    for found in (fit_bradley_terry(VOTES), fit_bradley_terry(VOTES).on_elo_scale()):
        contrast = found.contrast("dense", "bm25")
        anchored = found.anchored("bm25", 0.0)
        assert contrast[:2] == ("dense", "bm25")
        assert_allclose(contrast[2:5], [anchored.rating[1], anchored.low[1], anchored.high[1]])
        apart = fit_bradley_terry(VOTES).rating
        assert contrast.chance == pytest.approx(1.0 / (1.0 + np.exp(apart[0] - apart[1])))
        assert contrast.chance == found.predicted()[1, 0]
    back = found.contrast("bm25", "dense")
    assert_allclose([back.difference, back.low, back.high], [-contrast[2], -contrast[4], -contrast[3]])
    assert back.chance == pytest.approx(1.0 - contrast.chance)


def test_predicted_wins_are_those_that_were_seen() -> None:
    for ties in ("half", "davidson"):
        votes = Votes.from_counts([[0, 2, 4], [7, 0, 6], [2, 2, 0]], ties=[[0, 1, 2], [1, 0, 3], [2, 3, 0]])
        options: Any = {"ties": ties}
        found = fit_bradley_terry(votes, **options).on_elo_scale()
        chance, tally = found.predicted(), count(votes)
        won = tally.scores if ties == "half" else tally.wins + tally.ties / 2.0
        tie = 1.0 - chance - chance.T
        assert (tie[0, 1] > 0.1) == (ties == "davidson")
        assert_allclose((tally.votes * (chance + tie / 2.0)).sum(axis=1), won.sum(axis=1))
        assert_allclose((tally.votes * tie).sum(), tally.ties.sum() if ties == "davidson" else 0.0, atol=1e-9)


def test_intervals_of_few_clusters_stay_wide_in_contrasts() -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 3, 120)
    right = (left + rng.integers(1, 3, 120)) % 3
    voters = [str(number % 6) for number in range(120)]
    votes = Votes([*"abc"], left, right, rng.random(120) < 0.5, voters=voters)
    found = fit_bradley_terry(votes, repeats="all")
    error = np.sqrt(found.anchored("a").covariance[1, 1])
    contrast = found.contrast("b", "a")
    reach = t.ppf(0.975, found.degrees[:2].min()) * error
    assert contrast.high - contrast.difference == pytest.approx(reach)
    assert reach > 2.4 * error


def test_arms_without_a_rating_come_last() -> None:
    votes = Votes([*"abcd"], [0, 1, 2, 2], [1, 0, 0, 1], [1.0, 1.0, 1.0, 1.0])
    found = fit_bradley_terry(votes)
    frame = found.to_frame()
    assert frame["arm"].tolist() == ["a", "b", "c", "d"]
    assert frame["votes"].tolist() == [3, 3, 2, 0]
    assert frame["rating"].isna().tolist() == [False, False, True, True]
    assert frame["rank_low"].isna().tolist() == [False, False, True, True]
    assert frame["rank_low"].tolist()[:2] == [1, 1]
    assert names(str(found).splitlines()[-1], f"c ({WON})", f"d ({UNSEEN})")


def test_a_frame_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with refused(MissingExtraError, "duelist[frame]"):
        fit_bradley_terry(VOTES).to_frame()


def test_elo_moves_after_every_vote() -> None:
    first = elo(load_votes([("a", "b")]))
    assert_allclose(first.rating, [1002.0, 998.0])
    # a tie of unequal arms lowers the better one
    tied = elo(Votes([*"ab"], [0, 0], [1, 1], [1.0, 0.5]), k=32.0, start=0.0)
    expected = 1.0 / (1.0 + 10.0 ** (-32.0 / 400.0))
    assert_allclose(tied.rating, [16.0 - 32.0 * (expected - 0.5), -16.0 + 32.0 * (expected - 0.5)])
    assert tied.rank_low.tolist() == [1, 2]
    assert tied.votes.tolist() == [2, 2]
    weighted = elo(Votes([*"ab"], [0], [1], [1.0], weights=[2.5]))
    assert_allclose(weighted.rating, [1005.0, 995.0])
    counted = elo(Votes([*"ab"], [0, 0], [1, 1], [1.0, 0.5], counts=[3, 2]))
    assert_allclose(counted.rating, elo(Votes([*"ab"], [0] * 5, [1] * 5, [1.0] * 3 + [0.5] * 2)).rating)


def test_elo_follows_time_where_all_times_are_known() -> None:
    left, right, outcomes = [0, 0, 1, 0], [1, 1, 2, 2], [1.0, 0.0, 1.0, 0.0]
    order = [2, 0, 3, 1]
    sorted_ = Votes([*"abc"], left, right, outcomes).take(np.array(order))
    times = np.argsort(order).astype(float)
    assert_allclose(
        elo(Votes([*"abc"], left, right, outcomes, times=times), k=50.0).rating, elo(sorted_, k=50.0).rating
    )
    rows = elo(Votes([*"abc"], left, right, outcomes), k=50.0).rating
    assert not np.allclose(rows, elo(sorted_, k=50.0).rating)
    times[1] = np.nan
    assert_allclose(elo(Votes([*"abc"], left, right, outcomes, times=times), k=50.0).rating, rows)
    # votes of the same time stay in the order of rows
    even = Votes([*"abc"], left, right, outcomes, times=np.zeros(4))
    assert_allclose(elo(even, k=50.0).rating, rows)


def test_elo_depends_on_scale_and_base_as_one() -> None:
    votes = Votes([*"abc"], [0, 1, 2, 0], [1, 2, 0, 2], [1.0, 1.0, 0.0, 0.5])
    assert_allclose(elo(votes, base=100.0, scale=800.0, k=50.0).rating, elo(votes, k=50.0).rating, atol=1e-9)
    assert np.isfinite(elo(votes, k=1e9, scale=1e-9).rating).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", 0),
        ("scale", -400),
        ("base", 1.0),
        ("start", float("inf")),
    ],
)
def test_wrong_settings_of_elo_are_refused(name: str, value: Any) -> None:
    with refused(ParameterError, name, value):
        elo(pd.DataFrame({"winner": ["a"], "loser": ["b"]}), **{name: value})


def test_a_plot_has_a_point_and_an_interval_for_each_arm() -> None:
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure

    found = fit_bradley_terry(VOTES)
    axes = Figure().subplots()
    assert found.plot(axes) is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["dense", "bm25", "splade"]
    (drawn,) = (one for one in axes.containers if isinstance(one, ErrorbarContainer))
    assert drawn.lines[0] is not None
    points = np.asarray(drawn.lines[0].get_xydata())
    assert_allclose(points, [[found.rating[arm], index] for index, arm in enumerate((1, 0, 2))])
    (bars,) = drawn.lines[2]
    ends = [[found.low[arm], found.high[arm]] for arm in (1, 0, 2)]
    assert_allclose([np.asarray(path.vertices)[:, 0] for path in bars.get_paths()], ends)
    # the best is at the top
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


def test_a_plot_of_points_has_its_line_at_their_mean() -> None:
    from matplotlib.figure import Figure

    axes = fit_bradley_terry(VOTES, intervals="none").on_elo_scale(1500.0).plot(Figure().subplots())
    (mean,) = (line for line in axes.lines if line.get_linestyle() == ":")
    assert_allclose(np.asarray(mean.get_xdata()), 1500.0)


def test_without_axes_a_plot_is_a_figure_that_notebooks_show() -> None:
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    axes = fit_bradley_terry(VOTES).plot()
    (number,) = set(pyplot.get_fignums()) - {*before}
    assert pyplot.figure(number) is axes.figure
    pyplot.close(number)


def test_names_in_a_plot_stay_distinct_and_no_formulas() -> None:
    from matplotlib.figure import Figure

    names = [f"$x$ and a very long name, version {version}" for version in range(3)]
    figure = Figure()
    votes = Votes.from_counts([[0, 1, 4], [7, 0, 6], [2, 2, 0]], arms=names)
    axes = fit_bradley_terry(votes).plot(figure.subplots())
    figure.draw_without_rendering()
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"$x$ and a ve…, version {version}" for version in (1, 0, 2)
    ]


def test_a_plot_needs_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with refused(MissingExtraError, "duelist[plot]"):
        fit_bradley_terry(VOTES).plot()


def test_notebooks_show_a_table_and_no_markup_of_names() -> None:
    votes = Votes.from_counts([[0, 1, 4], [7, 0, 6], [2, 2, 0]], arms=["<b>bold</b>", "a & b", '"q"'])
    found = fit_bradley_terry(votes)
    outline = Outline(found._repr_html_())
    assert outline.open == []
    assert (outline.tags["tr"], outline.tags["th"], outline.tags["td"], outline.tags["b"]) == (4, 8, 12, 0)
    cells = [cell for line in found.rows() for cell in line.texts()]
    assert outline.texts == ["arm", "rating", "interval", "ranks", "votes", *cells]


def test_of_many_arms_notebooks_show_the_best() -> None:
    k = 25
    found = fit_bradley_terry(np.triu(np.full((k, k), 2), 1) + np.tril(np.ones((k, k)), -1), intervals="none")
    shown = found._repr_html_()
    assert shown.count("<tr>") == 21
    assert shown.endswith("<p>and 5 more</p>")
    assert "interval" not in shown
