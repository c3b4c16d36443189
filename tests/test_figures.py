"""Figures in files: texts in every script, and a warning where no font has their characters."""

import logging
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from refusals import names, refused

from duelist.errors import FileError
from duelist.figures import characters, choose_fonts, fonts_for, lacked, new_figure, write_figure

UNKNOWN = "\U000f1234\U000f1235"
"""Characters for private use, which no font has."""
SYMBOL = "\u2322"
"""A frown, which STIX has, a font that comes with matplotlib, and the default font has not."""
SCRIPTS = "\u65e5\u672c \ud55c\uad6d \u0633\u0644\u0627\u0645 \U0001f9ea"


def titled(text: str) -> Figure:
    figure = new_figure(3.0, 2.0)
    figure.subplots().set_title(text)
    return figure


def test_a_character_that_the_default_font_lacks_is_drawn_by_another(tmp_path: Path) -> None:
    assert lacked(["DejaVu Sans"], f"a {SYMBOL}") == SYMBOL
    figure = titled(f"a {SYMBOL}")
    assert choose_fonts(figure) == ""
    _, *others = figure.axes[0].title.get_fontfamily()
    assert ord(SYMBOL) in characters(findfont(FontProperties(family=others)))
    assert lacked(figure.axes[0].title.get_fontfamily(), SYMBOL) == ""
    # nor is anything said about it
    for ending in ("png", "pdf", "svg"):
        assert write_figure(figure, tmp_path / f"figure.{ending}").stat().st_size > 0


def test_texts_of_the_default_font_keep_it() -> None:
    figure = titled("caf\u00e9")
    before = figure.axes[0].title.get_fontfamily()
    assert choose_fonts(figure) == ""
    assert figure.axes[0].title.get_fontfamily() == before


def test_few_fonts_are_chosen_and_what_none_has_is_named() -> None:
    chosen, missing = fonts_for(f"{SYMBOL}{UNKNOWN}")
    assert (len(chosen), missing) == (1, UNKNOWN)


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_one_warning_names_what_no_font_has_and_the_remedy(tmp_path: Path, ending: str) -> None:
    with pytest.warns(UserWarning, match=UNKNOWN) as warned:
        write_figure(titled(f"model {UNKNOWN}{UNKNOWN}"), tmp_path / f"figure.{ending}")
    (warning,) = warned
    assert names(str(warning.message), str(tmp_path / f"figure.{ending}"), UNKNOWN, "SVG")


def test_svg_keeps_texts_and_needs_no_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = f"<b> & {SCRIPTS} {UNKNOWN}"
    path = write_figure(titled(text), tmp_path / "figure.svg")
    shown = [element.text for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    assert text in shown
    assert path.read_bytes() == write_figure(titled(text), tmp_path / "again.svg").read_bytes()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_the_settings_of_others_stay_as_they_are(tmp_path: Path) -> None:
    import matplotlib

    logger = logging.getLogger("matplotlib.font_manager")
    before = matplotlib.rcParams["svg.fonttype"], logger.level, list(warnings.filters)
    write_figure(titled(SCRIPTS), tmp_path / "figure.svg")
    assert (matplotlib.rcParams["svg.fonttype"], logger.level, list(warnings.filters)) == before


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with refused(FileError, str(tmp_path / "figure.docx"), "png", "svg"):
        write_figure(titled("a"), tmp_path / "figure.docx")
