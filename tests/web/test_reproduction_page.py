"""The page of reproductions is whole, safe, and needs nothing else."""

from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
import toy_paper
from page_outline import Outline

from duelist.cli.reproduce import COLOURS
from duelist.laboratory import ItemResults, Judged, PieceResult, ResultTable, Scale, judge
from duelist.laboratory.verdicts import WORDS
from duelist.web.reproduction_page import reproduction_page

pytest.importorskip("matplotlib", reason="figures need an extra")


def judged(fourth: int, real: bool = True) -> Judged:
    again = PieceResult({"number": 4}, {"square": np.array([fourth])})
    results = ItemResults(Scale.QUICK, real, {"again": again})
    return judge(toy_paper.PAPER, toy_paper.NEEDING if not real else toy_paper.SQUARES, results)


def page_of(*items: Judged) -> str:
    shown = {one.name: one.item.show(one.results, one.expected) for one in items}
    return reproduction_page(items, shown, Scale.QUICK)


def test_every_verdict_claim_figure_and_table_is_on_the_page() -> None:
    page = page_of(judged(16), judged(17, real=False))
    outline = Outline(page)
    assert not outline.open
    text = " ".join(outline.texts)
    for wanted in (
        "4 claims, 1 holds, 1 fails, 2 ",
        "the fourth power, Section 1",
        "it is exact",
        "no reason",
        "Squares & more",
        "All squares",
        "Ours & theirs are the same.",
        "Toy (2026). On squares.",
        "Figure 1: squares <of> numbers",
        "squares/list.csv",
    ):
        assert wanted in text
    assert outline.tags["svg"] == 2
    # contents, claims and a table of each item
    assert outline.tags["table"] == 5


def test_tables_figures_and_style_are_accessible() -> None:
    outline = Outline(page_of(judged(16), judged(17, real=False)))
    outline.check_tables()
    outline.check_style()
    outline.check_scrolling()
    # the verdict on it all comes first, and then an item's verdict before what it is
    words = [text for text in outline.texts if text.strip()]
    assert "4 claims" in words[words.index(words[0], 2) + 1]


def test_links_lead_to_items_and_names_are_unique() -> None:
    page = page_of(judged(16), judged(16, real=False))
    outline = Outline(page)
    assert max(outline.ids.values()) == 1
    for anchor in ("toy-squares", "toy-needing"):
        assert f'href="#{anchor}"' in page
        assert outline.ids[anchor] == 1


def test_the_page_needs_no_network() -> None:
    page = page_of(judged(16))
    for fetched in ("http://", "https://", "<script", "<link", "@import", "url(http"):
        assert fetched not in page


@pytest.mark.parametrize("word", [*WORDS.values(), "partly judged"])
def test_every_verdict_has_its_own_colour(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORDS, True, word)
    kind = word.replace(" ", "-")
    assert f'<span class="verdict {kind}">{word}</span>' in page_of(judged(16))
    style = resources.files("duelist.web").joinpath("static", "style.css").read_text()
    assert f".{kind} {{ background: var(--{kind}); }}" in style
    assert word in COLOURS


def test_texts_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "<script>alert(1)</script>"
    expected = {**toy_paper.PAPER.expected["squares"], "notes": [hostile]}
    monkeypatch.setitem(toy_paper.PAPER.expected, "squares", expected)
    one = judged(16)
    verdicts = tuple(
        replace(verdict, claim=hostile, paper=hostile, why=hostile, ours=hostile, note=hostile)
        for verdict in one.verdicts
    )
    one = replace(one, verdicts=verdicts)
    page = reproduction_page([one], {one.name: [ResultTable(hostile, [hostile], [[hostile]])]}, Scale.QUICK)
    assert "<script" not in page
    # of two verdicts the claim, the expectation, ours, the note and the tolerance; a note; a table, whose
    # title is its caption and the name of what scrolls
    assert page.count("&lt;script&gt;") == 2 * 5 + 1 + 4
