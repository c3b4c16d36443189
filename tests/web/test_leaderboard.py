"""Charts of leaderboards: where marks lie, and what of them is in sight on a phone."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from arena.standing.crowd import honest
from arena.test_layout import shown
from numpy.random import default_rng
from playwright.sync_api import Browser, Locator

from duelist import Duel, Study, analyze
from duelist.analysis import LeaderboardRow
from duelist.arena.pages import leaderboard_page
from duelist.arena.standing import standing_of
from duelist.learners import Uniform
from duelist.web.analysis import analysis_document
from duelist.web.page import Viewer, rating_chart, round_values

PHONE = 390
NAMES = [f"mistralai/Mixtral-8x22B-Instruct-v0.{version} with chain of thought" for version in range(10)]


def row(name: str, low: float, rating: float, high: float) -> LeaderboardRow:
    return LeaderboardRow(name, 0.0, 0.0, 0.0, rating, low, high)


@pytest.mark.parametrize(("low", "high"), [(999.9, 1000.1), (0.0, 0.0), (-3000.0, 5000.0), (981.0, 1019.0)])
@pytest.mark.parametrize("finest", [1.0, 0.01])
def test_ticks_are_few_and_hold_all(low: float, high: float, finest: float) -> None:
    values = round_values(low, high, finest)
    assert 2 <= len(values) <= 6
    assert values[0] - 1e-9 <= low <= high <= values[-1] + 1e-9
    assert len(set(np.diff(values).round(6))) == 1
    assert values[1] - values[0] >= finest


@pytest.mark.parametrize(
    ("low", "high", "finest", "texts"),
    [
        (941.0, 1087.0, 1.0, ["900", "950", "1,000", "1,050", "1,100"]),
        (-0.4, 0.7, 0.01, ["-0.5", "0.0", "0.5", "1.0"]),
        (0.0, 0.0, 0.01, ["0.00", "0.01"]),
        (-2.2, 2.9, 0.01, ["-4", "-2", "0", "2", "4"]),
    ],
)
def test_ticks_have_the_digits_they_need(low: float, high: float, finest: float, texts: list[str]) -> None:
    chart = rating_chart([row("a", low, (low + high) / 2.0, high)], finest)
    assert [tick.text for tick in chart.ticks] == texts


def test_bars_lie_one_below_the_other_and_labels_stay_distinct() -> None:
    chart = rating_chart([row(name, -1.0, 0.0, 1.0) for name in NAMES], finest=0.01)
    tops = [bar.top for bar in chart.bars]
    assert tops == sorted(set(tops))
    assert max(tops) < chart.height
    assert len({bar.label for bar in chart.bars}) == len(NAMES)
    for bar, name in zip(chart.bars, NAMES, strict=True):
        assert f"{name.split('v')[1][:3]} with" in bar.label


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return both pages that have a leaderboard, of ten arms with long names."""
    rng = default_rng(0)
    choose = honest([0.2 * place for place in range(10)])
    study = Study(Uniform(), arms=NAMES)
    lines = ["left,right,outcome"]
    for left, right in combinations(range(10), 2):
        for number in range(6):
            outcome = choose(left, right, rng)
            study.tell(Duel(NAMES[left], NAMES[right]), outcome, voter=f"voter {number}")
            lines.append(f"{NAMES[left]},{NAMES[right]},{ {1.0: 'left', 0.0: 'right', 0.5: 'tie'}[outcome] }")
    votes: Path = tmp_path_factory.mktemp("votes") / "votes.csv"
    votes.write_text("\n".join(lines) + "\n")
    return {
        "analysis": analysis_document("votes.csv", analyze(votes)).page(),
        "arena": leaderboard_page("Models", standing_of(study), Viewer({"vote": "/"})),
    }


def in_sight(part: Locator, width: int) -> bool:
    """Return whether all of an element is on a screen, without scrolling sideways."""
    box = part.bounding_box()
    return box is not None and box["x"] >= 0.0 and box["x"] + box["width"] <= width + 0.5


@pytest.mark.parametrize("kind", ["analysis", "arena"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_ranks_and_intervals_are_in_sight_on_a_phone(
    browser: Browser, pages: dict[str, str], kind: str, scheme: str
) -> None:
    page = shown(browser, pages[kind], PHONE)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    rows = page.locator(".board tbody tr").all()
    assert len(rows) == 10
    for row in rows:
        cells = row.locator("th, td").all()
        assert cells[0].inner_text() in NAMES
        for cell in cells:
            assert in_sight(cell, PHONE), cell.inner_text()
        # the numbers stand on one line, below the name
        assert len({cell.evaluate("one => one.getBoundingClientRect().top") for cell in cells[1:]}) == 1
    marks = page.locator(".chart :is(.named, .interval, .point)").all()
    assert len(marks) == 30
    for mark in marks:
        assert in_sight(mark, PHONE)
    page.close()


@pytest.mark.parametrize("kind", ["analysis", "arena"])
def test_on_a_wide_screen_it_is_a_table(browser: Browser, pages: dict[str, str], kind: str) -> None:
    page = shown(browser, pages[kind], 1280)
    heads = [head.bounding_box() for head in page.locator(".board thead th").all()]
    cells = [cell.bounding_box() for cell in page.locator(".board tbody tr").first.locator("th, td").all()]
    assert [box and round(box["x"]) for box in cells] == [box and round(box["x"]) for box in heads]
    page.close()
