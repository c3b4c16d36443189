"""What an analysis reads, counts, rates and leaves out."""

import json
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from analysis.tables import battles, written
from matplotlib.figure import Figure
from numpy.random import default_rng
from refusals import names, refused

from duelist import Analysis, Leaderboard, MatrixProblem, Study, Votes, analyze, load_votes
from duelist.analysis.analysis import as_moment
from duelist.errors import FileError, ParameterError, PreferenceError, UnknownNameError
from duelist.ratings import Ratings, fit_bradley_terry
from duelist.text import counted
from duelist.votes import count

STRENGTHS = {"dense": 1.0, "splade": 0.6, "bm25": 0.0, "random": -1.0}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("votes"), battles(default_rng(0), STRENGTHS, 800))


def strict(found: Analysis) -> Any:
    """Return an analysis after a round trip through JSON that allows no NaN."""
    return json.loads(json.dumps(found.to_dict(), allow_nan=False))


def board_of(found: Analysis) -> Leaderboard:
    assert found.leaderboard is not None
    return found.leaderboard


def ratings_of(found: Analysis) -> Ratings:
    ratings = board_of(found).ratings
    assert ratings is not None
    return ratings


def points_of(found: Analysis) -> dict[str, float]:
    return {row.arm: row.rating for row in board_of(found).rows if row.rating is not None}


def test_every_source_gives_the_same(path: Path) -> None:
    found = analyze(path)
    votes, frame = load_votes(path), pd.read_csv(path)
    renamed = frame.rename(columns={"left": "home", "right": "away", "outcome": "who"})
    named = {"left": "home", "right": "away", "outcome": "who"}
    for other in (
        analyze(votes),
        analyze(frame),
        analyze({name: frame[name].tolist() for name in frame}),
        analyze(renamed, columns=named),
        analyze(frame.to_dict("records")),
    ):
        assert other.verdict == found.verdict
        assert board_of(other).rows == board_of(found).rows
    problem = MatrixProblem.from_votes(votes)
    assert analyze(problem).arms == found.arms
    assert analyze(problem).winners == found.winners
    np.testing.assert_allclose(analyze(count(votes).scores).matrix, found.matrix)
    assert analyze([("a", "b", 3), ("b", "a", 1)]).size == "4 votes on 2 arms"


def test_a_problem_of_chances_is_a_matrix() -> None:
    found = analyze(MatrixProblem([[0.5, 0.7], [0.3, 0.5]], labels=["x", "y"]))
    assert (found.size, found.headline) == ("a preference matrix of 2 arms", "x beats every other arm.")
    assert (found.verdict, found.leaderboard, found.counts, found.unseen) == (None, None, None, 0)
    assert strict(found)["leaderboard"] is None
    with refused(PreferenceError, "leaderboard"):
        found.plot()
    with refused(PreferenceError, "leaderboard"):
        found.to_csv()


def test_a_matrix_is_read_once_and_solved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solver, loading = map(import_module, ("duelist.winners.von_neumann", "duelist.votes.loading"))
    read, solved = [], []
    bytes_of, solve = loading.read_bytes, solver._ends_of_central_paths

    def reading(path: Any) -> bytes:
        read.append(path)
        content: bytes = bytes_of(path)
        return content

    def solving(*given: Any) -> Any:
        solved.append(given)
        return solve(*given)

    monkeypatch.setattr(loading, "read_bytes", reading)
    monkeypatch.setattr(solver, "_ends_of_central_paths", solving)
    for text in ("0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n", "winner,loser\na,b\nb,c\nc,a\n"):
        read.clear()
        solved.clear()
        path = written(tmp_path, text.split("\n")[:-1])
        found = analyze(path)
        found.to_dict()
        assert (len(read), len(solved)) == (1, 1)
        assert len(found.winners["von_neumann"]) == 3


def test_four_wins_of_four_decide_nothing() -> None:
    found = analyze([("a", "b", 4)])
    assert found.verdict is not None
    assert found.verdict.finding == "undecided"
    assert found.verdict.leader == "a"
    assert board_of(found).ratings is None
    assert found.winners["condorcet"] == {"a": 1.0}
    assert names(strict(found)["unrated"], "ratings", "ridge=0.1")


def equal_arms(seed: int) -> Votes:
    """Return votes of 20 people, 20 each, on two arms that are equally good; tastes differ."""
    rng = default_rng(seed)
    tastes = rng.beta(0.5, 0.5, 20)
    voters = np.repeat(np.arange(20), 20)
    outcomes = (rng.random(400) < tastes[voters]).astype(float)
    return Votes(["a", "b"], np.zeros(400), np.ones(400), outcomes, voters=[f"v{one}" for one in voters])


@pytest.mark.parametrize("repeats", ["first", "all"])
def test_equal_arms_are_rarely_told_apart_whoever_votes_often(repeats: Any) -> None:
    found = [analyze(equal_arms(seed), repeats=repeats) for seed in range(60)]
    assert sum(one.verdict is not None and one.verdict.finding != "undecided" for one in found) <= 3
    assert {ratings_of(one).clusters for one in found} == {("voter", 20)}
    # of 60 sets, 3 are expected, and more than 6 have a chance of 3%
    assert sum(board_of(one).rows[0].rank_high == 1 for one in found) <= 6


def test_repeats_are_left_out_or_counted_and_it_is_said() -> None:
    votes = equal_arms(0)
    first, every = analyze(votes), analyze(votes, repeats="all")
    assert first.size == every.size == "400 votes on 2 arms, 20 voters"
    assert [row.votes for row in board_of(first).rows] == [20.0, 20.0]
    assert [row.votes for row in board_of(every).rows] == [400.0, 400.0]
    assert any(names(one, "Left out", "380 votes", "--repeats all") for one in first.remarks)
    assert any(names(one, "Counted", "380 votes", "--repeats all") for one in every.remarks)
    assert first.verdict == every.verdict
    assert strict(first)["repeats"] == strict(every)["repeats"] == 380


def test_retired_arms_are_said() -> None:
    votes = Votes(["a", "b", "c"], [0, 1, 0], [1, 2, 2], [1, 0, 1], retired=[2])
    (remark,) = analyze(votes).remarks
    assert names(remark, "Retired", "c")


def test_a_study_without_votes_has_no_leader() -> None:
    found = analyze(Study(arms=["a", "b", "c"]).votes())
    assert found.verdict is not None
    assert (found.verdict.finding, found.verdict.confidence) == ("undecided", 0.0)
    assert board_of(found).why
    assert (found.size, found.pairs, found.unseen) == ("0 votes on 3 arms", (), 3)
    strict(found)


def test_statuses_are_said() -> None:
    votes = Votes(["a", "b"], [0] * 4, [1] * 4, [1, 0, 1, np.nan], statuses=[0, 0, 1, 2])
    retracted, skipped = analyze(votes).remarks
    assert names(retracted, "1 retracted vote")
    assert names(skipped, "1 skipped duel")
    assert analyze(votes).size == "2 votes on 2 arms"


def test_teams_that_met_no_others_do_not_stop_a_leaderboard(tmp_path: Path) -> None:
    rng = default_rng(7)
    rows = battles(rng, {f"team {number:03}": rng.normal() for number in range(334)}, 8000)
    rows += ["isle a,isle b,left", "isle b,isle c,left", "isle c,isle a,left"]
    found = analyze(written(tmp_path, rows))
    board = board_of(found)
    assert (len(found.arms), len(board.listed), len(board.unrated)) == (337, 334, 3)
    assert {row.arm for row in board.unrated} == {"isle a", "isle b", "isle c"}
    assert names(board.apart, "isle a, isle b, isle c")
    assert found.unseen == 337 * 336 // 2 - len(found.pairs)
    assert len(found.some_unseen(3)) == 3
    assert strict(found)["predicted"] is None


def test_clusters_may_be_any_column(tmp_path: Path) -> None:
    rng = default_rng(3)
    rows = ["left,right,outcome,session id"]
    for session in range(30):
        taste = rng.beta(1.0, 1.0)
        rows += [f"a,b,{'left' if rng.random() < taste else 'right'},s{session}" for _ in range(10)]
    path = written(tmp_path, rows)
    plain, wide = analyze(path), analyze(path, clusters="session id")
    assert (ratings_of(plain).clusters, ratings_of(wide).clusters) == (
        None,
        ("session id", 30),
    )
    assert names(board_of(wide).legend, "session id", "30 clusters")
    narrow = ratings_of(plain)
    assert (ratings_of(wide).high - ratings_of(wide).low).min() > 1.5 * (narrow.high - narrow.low).max()
    direct = fit_bradley_terry(load_votes(path, extras=["session id"]), clusters="session id")
    np.testing.assert_array_equal(direct.low, ratings_of(wide).low)
    with refused(FileError, "'sesion'", "'session id'"):
        analyze(path, clusters="sesion")


@pytest.mark.parametrize("sides", [("_left", "_right"), ("_a", "_b")])
def test_covariates_are_pairs_of_columns_or_differences(tmp_path: Path, sides: tuple[str, str]) -> None:
    rng = default_rng(5)
    rows = [f"model_a,model_b,winner,Length{sides[0]},Length{sides[1]},gap"]
    for _ in range(600):
        one, other = rng.integers(0, 500, 2)
        won = rng.random() < 1.0 / (1.0 + np.exp(-(one - other) / 200.0))
        rows.append(f"x,y,{'model_a' if won else 'model_b'},{one},{other},{one - other}")
        rows.append(f"y,x,{rng.choice(['model_a', 'model_b'])},{one},{one},0")
    path = written(tmp_path, rows)
    by_sides, by_gap = analyze(path, covariates=["length"]), analyze(path, covariates="gap", side_effect=True)
    (length,) = ratings_of(by_sides).effects
    gap, side = ratings_of(by_gap).effects
    assert (length.name, gap.name, side.name) == ("length", "gap", "left side")
    assert 0.3 < length.low < length.value < length.high
    assert gap.value == pytest.approx(length.value, rel=0.05)
    assert [one["name"] for one in strict(by_gap)["effects"]] == ["gap", "left side"]


TIMED = [
    "left,right,outcome,time",
    "a,b,left,2026-01-01T00:00:00",
    "b,a,left,2026-01-31T23:59:59.5",
    "a,b,left,2026-02-01T00:00:00",
    "c,a,left,2026-03-05T12:00:00",
    "a,b,right,",
]


@pytest.mark.parametrize(
    ("since", "until", "votes"),
    [
        ("2026-01-01", "2026-01-31", 2),
        ("2026-01-01T00:00:01", "2026-02-01", 2),
        (None, "2026-01-31T23:59:59", 1),
        (date(2026, 2, 1), datetime(2026, 2, 1, tzinfo=UTC), 1),
        (datetime(2026, 1, 31, tzinfo=UTC).timestamp(), None, 3),
        ("1767225600", "20260301", 3),
    ],
)
def test_only_votes_of_a_period(tmp_path: Path, since: Any, until: Any, votes: int) -> None:
    found = analyze(written(tmp_path, TIMED), since=since, until=until)
    assert board_of(found).answers == votes
    (remark,) = [one for one in found.remarks if one.startswith("Left out")]
    assert names(remark, counted(5 - votes, "vote"), "1 of them without a time")
    assert ("c" in found.arms) != names(remark, "1 arm", "c")


def test_a_period_without_votes_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, TIMED)
    with refused(PreferenceError, "2026-01-01 00:00:00", "2026-03-05 12:00:00"):
        analyze(path, since="2027-01-01")
    with refused(ParameterError, "since", "'2026-02-01'", "until", "'2026-01-01'"):
        analyze(path, since="2026-02-01", until="2026-01-01")
    with refused(ParameterError, "since", "'January'"):
        analyze(path, since="January")
    with refused(ParameterError, "times", "--columns time=COLUMN"):
        analyze([("a", "b"), ("b", "a")], since=0.0)


def test_moments() -> None:
    day = datetime(2026, 11, 16, tzinfo=UTC).timestamp()
    assert as_moment("since", "2026-11-16") == as_moment("since", date(2026, 11, 16)) == day
    assert as_moment("until", "2026-11-16", end=True) == pytest.approx(day + 86400.0, abs=1e-5)
    assert as_moment("until", "2026-11-16T00:00", end=True) == day
    assert as_moment("until", "2026-11-16T02:00+02:00", end=True) == day
    assert as_moment("since", None) is None
    for wrong in ("2026-11", "x", float("nan"), 1e300, True and "tomorrow"):
        with refused(ParameterError, "since", f"{wrong!r}"):
            as_moment("since", wrong)


def test_categories_have_leaderboards_of_their_arms(tmp_path: Path) -> None:
    rows = ["left,right,outcome,Lang"]
    rows += [
        "a,b,left,de",
        "b,a,left,de",
        "a,b,left,de",
        "a,c,left,en",
        "c,a,left,en",
        "c,d,left,",
        "d,c,left,",
    ]
    found = analyze(written(tmp_path, rows), by="lang", anchor="a")
    assert {name: [row.arm for row in one.rows] for name, one in found.categories.items()} == {
        "de": ["a", "b"],
        "en": ["a", "c"],
        "": ["c", "d"],
    }
    assert [one.answers for one in found.categories.values()] == [3, 2, 2]
    assert names(found.categories[""].why, "anchor", "a")
    assert found.categories["de"].ratings is not None
    assert found.categories["de"].ratings.anchor == "a"
    assert [found.titled(name) for name in found.categories] == ["lang: de", "lang: en", "without lang"]
    assert strict(found)["categories"][""]["unrated"] == found.categories[""].why
    with refused(FileError, "'country'", "'left', 'right'"):
        analyze(tmp_path / "votes.csv", by="country")
    with refused(UnknownNameError, "column", "'voter'"):
        analyze(tmp_path / "votes.csv", by="voter")


def test_too_many_categories_are_refused() -> None:
    votes = Votes(
        ["a", "b"], [0] * 1001, [1] * 1001, [1.0, 0.0, 0.5] * 333 + [1.0, 0.0], items=map(str, range(1001))
    )
    with refused(ParameterError, "item", "1,001", "1,000"):
        analyze(votes, by="item")


def test_a_category_that_cannot_be_rated_like_the_whole_says_why(tmp_path: Path) -> None:
    rows = ["voter,left,right,outcome,kind"]
    rows += [f"v{n},a,b,{'left' if n % 3 else 'right'},many" for n in range(12)]
    rows += ["v1,b,c,left,one", "v1,c,b,right,one"]
    found = analyze(written(tmp_path, rows), by="kind", clusters="voter")
    assert found.categories["many"].ratings is not None
    assert found.categories["one"].ratings is None
    assert found.categories["one"].why


def test_scale_anchor_and_contrasts(path: Path) -> None:
    plain = analyze(path)
    points = analyze(path, scale="elo", anchor="bm25", contrasts=[("dense", "splade"), ("random", "dense")])
    rated, odds = points_of(points), points_of(plain)
    assert rated["bm25"] == 1000.0
    for arm in STRENGTHS:
        assert rated[arm] - 1000.0 == pytest.approx(400 / np.log(10) * (odds[arm] - odds["bm25"]))
    ahead, behind = points.contrasts
    assert (ahead.one, ahead.other) == ("dense", "splade")
    assert ahead.difference == pytest.approx(rated["dense"] - rated["splade"])
    assert behind.low < behind.difference < behind.high < 0.0
    assert behind.chance == pytest.approx(1.0 / (1.0 + 10.0 ** (-behind.difference / 400.0)))
    assert names(board_of(points).legend, "Elo points", "64%", "bm25", "1,000")
    assert names(board_of(plain).legend, "log-odds", "73%", "0.00")
    assert strict(points)["anchor"] == "bm25"


@pytest.mark.parametrize(
    ("options", "error", "facts"),
    [
        ({"anchor": "nobody"}, UnknownNameError, ["arm", "'nobody'"]),
        ({"contrasts": [("dense", "nobody")]}, UnknownNameError, ["arm", "'nobody'"]),
        ({"scale": "points"}, ParameterError, ["scale", "log-odds, elo", "'points'"]),
        ({"confidence": 1.0}, ParameterError, ["confidence", "1.0"]),
        ({"delta": 0.0}, ParameterError, ["delta", "0.0"]),
        ({"repeats": "last"}, ParameterError, ["repeats", "first, all", "'last'"]),
        ({"minimum_votes": -1}, ParameterError, ["minimum_votes", "-1"]),
        ({"columns": {"left": "lft"}}, FileError, ["'lft'", "'left'"]),
        ({"columns": {"lft": "left"}}, FileError, ["'lft'", "--columns ROLE=COLUMN"]),
    ],
)
def test_wrong_options_are_named(
    path: Path, options: dict[str, Any], error: type[Exception], facts: list[str]
) -> None:
    with refused(error, *facts):
        analyze(path, **options)


def test_an_anchor_without_a_rating_is_refused() -> None:
    votes = load_votes([("a", "b"), ("b", "a"), ("c", "a")])
    with refused(ParameterError, "anchor", "'c'"):
        analyze(votes, anchor="c")
    with refused(PreferenceError, "contrasts", "ridge=0.1"):
        analyze([("a", "b", 4)], contrasts=[("a", "b")])


@pytest.mark.parametrize(
    "options",
    [{"by": "kind"}, {"prior": 1.0}, {"since": "2026-01-01"}, {"clusters": "voter"}, {"anchor": "0"}],
)
def test_options_for_votes_are_refused_for_a_matrix(tmp_path: Path, options: dict[str, Any]) -> None:
    path = written(tmp_path, ["0.5,0.6", "0.4,0.5"])
    with refused(ParameterError, next(iter(options)), "matrix"):
        analyze(path, **options)
    assert analyze(path).winners["condorcet"] == {"0": 1.0}


def test_a_matrix_that_is_none_is_named_with_its_file(tmp_path: Path) -> None:
    path = written(tmp_path, ["0.5,0.6", "0.6,0.5"])
    with refused(FileError, "votes.csv", "matrix[0, 1]", "0.6"):
        analyze(path)
    rounded = written(tmp_path, ["0.5,0.501", "0.5,0.5"])
    assert analyze(rounded, normalize=True).matrix[0, 1] == 0.501 / 1.001


def test_neither_the_order_of_rows_nor_of_columns_matters(path: Path, tmp_path: Path) -> None:
    header, *rows = path.read_text().splitlines()
    shuffled = [header, *(rows[index] for index in default_rng(9).permutation(len(rows)))]
    turned = [",".join(reversed(row.split(","))) for row in (header, *rows)]
    plain = analyze(path, scale="elo")
    for number, text in enumerate((shuffled, turned)):
        other = analyze(written(tmp_path, text, f"{number}.csv"), scale="elo")
        assert str(other) == str(plain)
        assert other.verdict == plain.verdict
        assert other.pairs == plain.pairs
        assert other.winners == plain.winners
        for one, same in zip(board_of(plain).rows, board_of(other).rows, strict=True):
            assert same.arm == one.arm
            assert same[1:10] == pytest.approx(one[1:10], rel=1e-12)


def test_text_figure_and_notebook(path: Path) -> None:
    found = analyze(path)
    board = board_of(found)
    text = str(found).splitlines()
    assert text[:2] == ["800 votes on 4 arms.", found.headline]
    assert text[2:] == str(board).splitlines()
    assert repr(found) == str(found)
    axes = found.plot(Figure().subplots())
    assert [label.get_text() for label in axes.get_yticklabels()] == [row.arm for row in board.rows]
    assert names(axes.get_xlabel(), "log-odds", "mean")
    named = analyze(path, scale="elo", anchor="bm25").plot(Figure().subplots())
    assert names(named.get_xlabel(), "Elo points", "bm25")
    page = found._repr_html_()
    assert page.startswith(f"<p><strong>{found.headline}</strong></p>\n<p>800 votes on 4 arms</p>")
    assert board.to_html() in page
    unrated = analyze([("a", "b", 4)])
    with refused(PreferenceError, "ratings", "ridge=0.1"):
        unrated.plot()
