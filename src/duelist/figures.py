"""Common parts of all figures: colours, fonts for every script, and writing to files."""

import io
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from duelist.errors import FileError, MissingExtraError
from duelist.files import write_whole

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#b84e00", "#00795a", "#a8447d", "#8a6100", "#6f42c1", "#666666", "#000000")
"""Okabe and Ito's hues, darkened to a contrast of at least 4.5 with white; the style sheet of pages has
lighter ones for dark mode."""
BROWSER_DRAWN = ("svg", "svgz")  # formats in which text is stored as text


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure; without matplotlib, raise an error that names the extra to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("plotting", "plot") from error
    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: "Figure", path: str | os.PathLike[str]) -> Path:
    """Write a figure atomically, in the format given by the file extension.

    SVG stores text as text, which browsers draw in every script. For other formats, a warning names the
    characters that no installed font has.
    """
    ending = Path(path).suffix.lstrip(".").lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise FileError(f"{path}: the extension must be a figure format: {', '.join(sorted(known))}.")
    missing = choose_fonts(figure)
    if missing and ending not in BROWSER_DRAWN:
        warnings.warn(
            f"{path}: no installed font has the characters {missing}, which are drawn as boxes. Write the "
            "figure as SVG, or install a font: Noto Sans CJK has Chinese, Japanese and Korean.",
            stacklevel=2,
        )
    content = io.BytesIO()
    # reproducible: equal figures give equal files
    with texts_as_texts("duelist"):
        figure.savefig(content, format=ending, dpi=150, metadata={"Date": None} if ending == "svg" else None)
    return write_whole(path, content.getvalue())


@contextmanager
def texts_as_texts(salt: str) -> Iterator[None]:
    """Within the block, write text in SVG as text; `salt` determines the ids of elements."""
    import matplotlib

    with (
        matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none"}),
        warnings.catch_warnings(),
        fonts_of_any_weight(),
    ):
        # for SVG the browser has the fonts; for other formats `write_figure` warns once
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


@contextmanager
def fonts_of_any_weight() -> Iterator[None]:
    """Within the block, silence matplotlib's messages about fonts that lack the default weight."""
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def choose_fonts(artist: "Artist") -> str:
    """Add installed fonts for characters that the default font lacks; return characters that no font has."""
    from matplotlib.text import Text

    missing: dict[str, None] = {}
    for text in artist.findobj(Text):
        assert isinstance(text, Text)
        families = text.get_fontfamily()
        lacking = lacked(families, text.get_text())
        if lacking:
            others, unknown = fonts_for(lacking)
            text.set_fontfamily([*families, *(name for name in others if name not in families)])
            missing |= dict.fromkeys(unknown)
    return "".join(missing)


def lacked(families: Sequence[str], text: str) -> str:
    """Return the distinct characters of a text that no font of the families has."""
    from matplotlib.font_manager import FontProperties, findfont

    left = [sign for sign in dict.fromkeys(text) if not (sign.isascii() or sign.isspace())]
    for family in families if left else ():
        with fonts_of_any_weight():
            known = characters(findfont(FontProperties(family=[family])))
        left = [sign for sign in left if ord(sign) not in known]
    return "".join(left)


@cache
def fonts_for(text: str) -> tuple[tuple[str, ...], str]:
    """Return installed fonts that have the characters of a text, and the characters that no font has."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    # fonts that were installed after matplotlib created its list
    for path in set(findSystemFonts()) - {one.fname for one in fontManager.ttflist}:
        with suppress(OSError, RuntimeError):  # damaged, or a bitmap font
            fontManager.addfont(path)
    # for each name, the upright font of regular weight
    fonts = sorted(fontManager.ttflist, key=lambda one: (one.style == "normal", one.weight == 400, one.fname))
    found = {one.name: characters(one.fname) for one in fonts if "Last Resort" not in one.name}
    chosen: list[str] = []
    left = {ord(sign) for sign in text}
    while any(left & has for has in found.values()):
        # ties go to sans-serif fonts, which match the default one
        best = max(
            sorted(found), key=lambda name: (len(left & found[name]), "Sans" in name, "Mono" not in name)
        )
        chosen.append(best)
        left -= found[best]
    return tuple(chosen), "".join(sign for sign in text if ord(sign) in left)


@cache
def characters(path: str) -> frozenset[int]:
    """Return the code points of the characters that a font can draw."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):  # a bitmap font
        return frozenset()
