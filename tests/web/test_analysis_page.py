"""The page of an analysis: well-formed, complete, one verdict, readable on a phone."""

import csv
from pathlib import Path
from typing import Any

import pytest
from analysis.tables import battles, written
from browsing import violations_on
from numpy.random import default_rng
from page_outline import Outline
from playwright.sync_api import Browser
from refusals import names

from duelist import Analysis, analyze
from duelist.web.analysis import MOST_PREDICTED, analysis_document, write_analysis
from duelist.web.page import MOST_DRAWN

pytest.importorskip("matplotlib", reason="figures need an extra")

HOSTILE = [
    "left,right,outcome,kind,length_left,length_right",
    "<script>alert(1)</script>,$x$,left,<b>,1,3",
    "$x$,<script>alert(1)</script>,left,<b>,2,1",
    "<script>alert(1)</script>,$x$,left,<b>,5,2",
    '$x$,"&",tie,two,4,4',
    '"&",$x$,left,two,2,9',
    "alone,& <i>,tie,two,1,3",
]
SCREENS = [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    path = written(tmp_path_factory.mktemp("votes"), HOSTILE)
    options: dict[str, Any] = {"by": "kind", "covariates": ["length"], "side_effect": True, "ridge": 0.1}
    return analyze(path, contrasts=[("$x$", "&")], **options)


@pytest.fixture(scope="module")
def page(found: Analysis) -> str:
    return analysis_document("<votes>.csv", found).page()


def test_the_page_is_well_formed_and_accessible(found: Analysis, page: str) -> None:
    # the leaderboard, effects, contrasts, two categories, pairs and predicted wins
    Outline(page).check(tables=7, figures=2)
    assert "<script" not in page
    assert "<i>" not in page
    assert "http" not in page
    assert page == analysis_document("<votes>.csv", found).page()


def test_the_page_says_everything_and_the_verdict_once(found: Analysis, page: str) -> None:
    texts = Outline(page).texts
    board = found.leaderboard
    assert board is not None
    assert texts.count(found.headline) == 1
    for part in (board, *found.categories.values()):
        for line in part.texts():
            assert {cell for cell in line if cell} <= {*texts}
    text = " ".join(" ".join(texts).split())
    assert board.apart in text
    assert board.legend in text
    assert "kind: <b> (3 votes)" in texts
    assert {"length", "left side", "$x$ minus &", "Schulze", "ranked pairs", "Kemeny"} <= {*texts}
    assert "<votes>.csv: 6 votes on 5 arms" in texts
    # of ten pairs, three were compared
    assert "7 of 10 pairs" in text


def test_predicted_wins_are_those_of_the_ratings(found: Analysis, page: str) -> None:
    board = found.leaderboard
    assert board is not None
    assert board.ratings is not None
    arms = [row.arm for row in board.listed]
    chance = board.ratings.contrast(arms[0], arms[-1]).chance
    table = page.partition("<h2>Predicted wins</h2>")[2].partition("</table>")[0]
    cells = [text for text in Outline(table + "</table></div>").texts if text.strip().isdigit()]
    k = len(arms)
    # numbers above, and each row has its number and the chances against the others
    assert len(cells) == k + k * k
    assert cells[k + k - 1] == str(round(100 * chance))


def test_a_page_of_chances_has_no_leaderboard(tmp_path: Path) -> None:
    path = written(tmp_path, ["0.5,0.7", "0.3,0.5"], "matrix.csv")
    found = analyze(path)
    outline = Outline(analysis_document("matrix.csv", found).page())
    assert (outline.tags["table"], outline.tags["svg"]) == (0, 1)
    assert any(names(text, "matrix.csv", "2 arms") for text in outline.texts)
    assert found.headline in outline.texts
    assert write_analysis("matrix.csv", found, tmp_path / "out") == ("report.html",)


def test_files_hold_page_figure_and_table(found: Analysis, tmp_path: Path) -> None:
    assert write_analysis("votes.csv", found, tmp_path) == (
        "report.html",
        "leaderboard.svg",
        "leaderboard.csv",
    )
    assert (tmp_path / "report.html").read_text() == analysis_document("votes.csv", found).page()
    with (tmp_path / "leaderboard.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["category"] for row in rows} == {"all votes", "kind: <b>", "kind: two"}
    drawing = (tmp_path / "leaderboard.svg").read_text()
    assert names(drawing, "log-odds")
    assert "alert(1)" in drawing


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of 40 arms with long names."""
    names = {f"mistralai/Mixtral-8x22B-Instruct-v0.{place} with thought": place / 20 for place in range(40)}
    path = written(tmp_path_factory.mktemp("many"), battles(default_rng(1), names, 4000))
    arms = list(names)
    return analysis_document("votes.csv", analyze(path, scale="elo", contrasts=[(arms[0], arms[39])])).page()


def test_of_many_arms_the_best_are_drawn_and_predicted(many: str) -> None:
    text = " ".join(" ".join(Outline(many).texts).split())
    assert f"{MOST_DRAWN} best of 40 arms" in text
    assert f"{MOST_PREDICTED} best arms" in text
    assert many.count('class="point"') == MOST_DRAWN


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_it_can_be_read_on_every_screen(
    browser: Browser, many: str, page: str, width: int, scheme: str
) -> None:
    for content in (many, page):
        opened = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
        )
        opened.set_content(content)
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        for cell in opened.locator(".rated :is(th, td)").all()[:60]:
            box = cell.bounding_box()
            assert box is not None
            assert box["x"] >= 0.0
            assert box["x"] + box["width"] <= width + 0.5, cell.inner_text()
        assert violations_on(opened) == []
        opened.close()
