"""The style sheet: texts and lines can be told from what is behind them, in the light and in the dark."""

import re
from importlib import resources

import pytest
from contrast import contrast, over

from duelist.figures import PALETTE
from duelist.laboratory.verdicts import WORDS

STYLE = resources.files("duelist.web").joinpath("static", "style.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+): (#\w+);", block))
    for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
)
SCREENS = pytest.mark.parametrize("colours", [LIGHT, LIGHT | DARK], ids=["light", "dark"])
SERIES = [f"series-{place}" for place, colour in enumerate(PALETTE) if colour != "#000000"]


def test_the_formula_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert over("#00000080", "#ffffff") == "#7f7f7f"


@SCREENS
def test_texts_can_be_read(colours: dict[str, str]) -> None:
    for text in ("ink", "soft", "accent"):
        for ground in ("paper", "card"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


@SCREENS
def test_verdicts_can_be_read(colours: dict[str, str]) -> None:
    for word in [*WORDS.values(), "partly judged"]:
        ground = over(colours[word.replace(" ", "-")], colours["paper"])
        assert contrast(colours["ink"], ground) >= 4.5, word


@SCREENS
def test_lines_can_be_seen(colours: dict[str, str]) -> None:
    for line, least in ({"line": 3.2, "warning": 3.2} | dict.fromkeys(SERIES, 4.5)).items():
        assert contrast(colours[line], colours["paper"]) >= least, line


def test_colours_of_figures_are_those_of_the_light_page_and_have_others_in_the_dark() -> None:
    assert [LIGHT[name] for name in SERIES] == [colour for colour in PALETTE if colour != "#000000"]
    assert set(SERIES) <= DARK.keys()
    assert min(contrast(colour, "#ffffff") for colour in PALETTE) >= 4.5


def test_the_verdict_stays_in_sight_and_claims_need_no_sideways_scrolling() -> None:
    assert re.search(r"\.lead \{\s*position: sticky; top: 0;", STYLE)
    narrow = STYLE.partition("@media (max-width:")[2]
    assert "min-width" not in narrow
    assert re.search(r"\.claims td \{ display: block;", narrow)
    # figures beside claims keep the size at which they can be read
    assert ".scroll > svg { max-width: none; }" in narrow
