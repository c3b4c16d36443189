from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from page_outline import Outline

from duelist import Votes
from duelist.problems.findings import Findings, examine
from duelist.ratings import bradley_terry
from duelist.ratings.figure import MOST_ARMS
from duelist.web.analysis import analysis_page
from duelist.web.leaderboard import draw_ratings

pytest.importorskip("matplotlib", reason="figures need an extra")

HOSTILE = """left,right,outcome
<script>alert(1)</script>,$x$,left
$x$,<script>alert(1)</script>,left
$x$,"&",tie
"&",$x$,left
"""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    path.write_text(HOSTILE)
    return examine(path)


@pytest.fixture(scope="module")
def page(findings: Findings) -> str:
    return analysis_page("<votes>.csv", findings)


def test_the_page_is_well_formed_and_accessible(findings: Findings, page: str) -> None:
    outline = Outline(page)
    outline.check(tables=1, figures=2)
    assert "<script" not in page
    assert "http" not in page
    assert page == analysis_page("<votes>.csv", findings)


def test_the_page_says_everything(findings: Findings, page: str) -> None:
    texts = Outline(page).texts
    assert findings.ratings is not None
    for line in findings.ratings.rows():
        assert set(line.texts()) <= set(texts)
    assert findings.ratings.verdict in texts
    assert "4 votes of 3 arms" in texts
    # one of the three pairs, <script> and &, never met
    assert "Hatched: 1 of 3 pairs were never compared." in " ".join(texts)


def test_a_page_of_chances_has_no_ratings(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("0.5,0.7\n0.3,0.5\n")
    outline = Outline(analysis_page("matrix.csv", examine(path)))
    assert (outline.tags["table"], outline.tags["svg"]) == (0, 1)
    assert "A preference matrix of 2 arms" in outline.texts
    assert "Highest Copeland score: arm 0." in outline.texts


def test_a_file_has_the_same_drawing_as_ratings_plot() -> None:
    ratings = bradley_terry(Votes.from_counts([[0, 1, 4], [7, 0, 6], [2, 2, 0]], arms=["a", "b", "c"]))
    (axes,) = draw_ratings(ratings).axes
    other = ratings.plot(Figure().subplots())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["b", "a", "c"]
    for one, two in zip(axes.lines, other.lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), two.get_xydata())
    assert axes.get_xlabel() == "rating: log-odds, relative to the mean of all arms"


def test_of_very_many_arms_the_best_are_drawn() -> None:
    k = MOST_ARMS + 5
    ratings = bradley_terry(np.triu(np.full((k, k), 2), 1) + np.tril(np.ones((k, k)), -1))
    axes = draw_ratings(ratings).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [str(arm) for arm in range(MOST_ARMS)]
