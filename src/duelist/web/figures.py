"""Heat maps of preferences and of the arms that each learner shows."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from markupsafe import Markup, escape

from duelist.duel import BoolArray, FloatArray
from duelist.figures import PALETTE, new_figure, texts_as_texts
from duelist.simulation import Result
from duelist.text import short_labels, text_width
from duelist.winners import borda_scores, copeland_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

MOST_VALUES = 12  # with more arms, cells are too small for values
MOST_TICKS = 60  # with more arms, the sides are too short for all labels
LONGEST_LABEL = 24
LETTER = 0.085  # width of a letter of a label, in inches
CELL = 0.43  # size of a cell with a value, in inches
SMALLEST_CELL = 0.145  # size of a cell without one, in inches; fits a small label
LEAST_SIDE = 2.6  # smallest matrix, in inches, that fits the colour bar
SMALL = 8.5  # font size of labels of small cells, in points
EQUAL_CONTRAST = 0.179  # luminance with equal contrast to white and black
NEARLY_BLACK = "#010101"  # on a page, black is replaced by the text colour, which may be light
NEVER: dict[str, Any] = {"facecolor": "#d9d9d9", "edgecolor": "#8c8c8c", "hatch": "////", "linewidth": 0.0}
"""Style of pairs that were never compared."""


def draw_preferences(
    matrix: FloatArray, labels: Sequence[str], counts: FloatArray | None = None, by_score: bool = False
) -> "Figure":
    """Draw the chance that the arm of a row beats the arm of a column.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the chance that arm i beats arm j.
    labels : sequence of str
        The arms' names.
    counts : array of shape (K, K), optional
        Number of comparisons behind each chance. Pairs without any are hatched and have no value.
    by_score : bool, default False
        Whether to put the arms that beat the most others first.
    """
    from matplotlib.patches import Patch, Rectangle

    k = len(labels)
    order = np.arange(k)
    if by_score:
        # by Copeland score, ties by Borda score
        order = np.lexsort(-np.stack([borda_scores(matrix), copeland_scores(matrix)]))
    block = np.ix_(order, order)
    never = np.zeros((k, k), bool) if counts is None else never_compared(counts)[block]
    values = np.ma.masked_array(matrix[block], never)
    names = short_labels([labels[arm] for arm in order.tolist()], LONGEST_LABEL)
    side = max(LEAST_SIDE, CELL * min(k, MOST_VALUES), SMALLEST_CELL * min(k, MOST_TICKS))
    longest = LETTER * max(map(text_width, names))
    figure = new_figure(side + longest + 0.6, side + (longest if longest > side / k else 0.2) + 1.3)
    axes = figure.subplots()
    image = axes.imshow(values, cmap="RdBu", vmin=0.0, vmax=1.0, interpolation="none")
    name_ticks(axes, "x", names, side)
    name_ticks(axes, "y", names, side)
    axes.set(xlabel="loses", ylabel="wins")
    if k <= MOST_VALUES:
        write_values(axes, image, values, "{:.2f}")
    # below the matrix, because narrow screens have no space at the side
    bar: dict[str, Any] = {"location": "bottom", "shrink": 0.8, "aspect": 6.0 * side, "pad": 0.1 / side}
    figure.colorbar(image, label="chance that the row wins", **bar)
    if never.any():
        # visible through cells without a value
        axes.add_patch(Rectangle((-0.5, -0.5), k, k, zorder=-1.0, **NEVER))
        figure.legend([Patch(**NEVER)], ["never compared"], loc="outside lower right", frameon=False)
    return figure


def never_compared(counts: FloatArray) -> BoolArray:
    none: BoolArray = (counts == 0.0) & ~np.eye(len(counts), dtype=bool)
    return none


def draw_shares(result: Result) -> "Figure":
    """Draw the share of sides on which each learner shows each arm, averaged over runs."""
    from matplotlib.colors import PowerNorm

    shares = np.stack([one.shares.mean(axis=0) for one in result.values()])
    learners, k = shares.shape
    side = float(np.clip(0.39 * k, 2.8, 8.4))
    figure = new_figure(side + 1.6, 1.8 + 0.42 * learners)
    axes = figure.subplots()
    # a square root makes small shares distinguishable from zero
    scale = PowerNorm(0.5, vmin=0.0, vmax=1.0)
    image = axes.imshow(shares, cmap="Blues", norm=scale, aspect="auto", interpolation="none")
    name_ticks(axes, "x", short_labels(result.labels, LONGEST_LABEL), side)
    name_ticks(axes, "y", short_labels(list(result), LONGEST_LABEL), CELL * learners)
    axes.set(xlabel="arm")
    if k <= 2 * MOST_VALUES:
        write_values(axes, image, shares, "{:.0%}", least=0.005)
    figure.colorbar(image, label="share of sides", format="{x:.0%}", location="bottom", aspect=40.0)
    return figure


def name_ticks(axes: "Axes", side: Literal["x", "y"], labels: Sequence[str], length: float) -> None:
    """Write labels along a side of `length` inches: all, or as many as fit."""
    ticks = range(0, len(labels), 1 + (len(labels) - 1) // MOST_TICKS)
    texts = [labels[tick] for tick in ticks]
    space = length / len(texts)
    upright = side == "x" and LETTER * max(map(text_width, texts)) > space
    setter = axes.set_xticks if side == "x" else axes.set_yticks
    # anchored, because the browser's font may have another width
    form: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "center", "rotation_mode": "anchor"}
    # a label is a name, not mathematics, even if it contains a dollar sign
    setter(ticks, texts, parse_math=False, **(form if upright else {}))
    axes.tick_params(side, labelsize="medium" if space > 2 * SMALLEST_CELL else SMALL)


def write_values(
    axes: "Axes", image: "AxesImage", values: FloatArray, pattern: str, least: float = 0.0
) -> None:
    """Write every value of at least `least` into its cell, in white or black, whichever has more contrast."""
    dark = luminance(image.to_rgba(values)[..., :3]) < EQUAL_CONTRAST
    for row, column in np.argwhere(np.ma.filled(values >= least, False)):
        text = pattern.format(values[row, column])
        colour = "white" if dark[row, column] else NEARLY_BLACK
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize="small")


def luminance(colours: FloatArray) -> FloatArray:
    """Return the relative luminance of sRGB colours, as WCAG 2 defines it."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    weighted: FloatArray = linear @ np.array([0.2126, 0.7152, 0.0722])
    return weighted


def inline_svg(figure: "Figure", name: str, title: str) -> Markup:
    """Return a figure as part of a page: transparent, with `name` in its ids and colours of the style sheet.

    Black becomes the text's colour, and each colour of the palette a variable, `--series-0` and so on. Texts
    stay texts in the page's fonts, so the browser renders every script. The drawing has no style element.
    """
    for legend in (*figure.legends, *(axes.get_legend() for axes in figure.axes)):
        if legend is not None:
            legend.get_frame().set_alpha(0.0)
    content = io.StringIO()
    no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with texts_as_texts(name):
        figure.savefig(content, format="svg", transparent=True, metadata=no_metadata)
    drawing = content.getvalue().partition("<svg")[2]
    drawing = re.sub(r"<style.*?</style>", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r'style="([^"]*)"', as_attributes, drawing).replace("#000000", "currentColor")
    for index, colour in enumerate(PALETTE):
        drawing = drawing.replace(f'"{colour}"', f'"var(--series-{index})"')
    drawing = re.sub(r'\sxmlns(:xlink)?="[^"]*"', "", drawing)
    drawing = re.sub(r'(\bid="|url\(#|href="#)', rf"\1{name}-", drawing)
    opening = f'<svg class="drawing" role="img" aria-label="{escape(title)}" fill="currentColor"'
    return Markup(opening + drawing)


def as_attributes(style: re.Match[str]) -> str:
    """Turn the properties of a style attribute into separate attributes; the last of equal names counts."""
    properties = dict(one.split(":") for one in style[1].split(";") if one.strip())
    kept = {name.strip(): value.strip() for name, value in properties.items()}
    kept.pop("font-family", None)  # the page's
    if "font" in kept:  # written by older versions of matplotlib: 10px 'DejaVu Sans', sans-serif
        kept["font-size"] = kept.pop("font").partition("px")[0].rpartition(" ")[2] + "px"
    return " ".join(f'{name}="{value}"' for name, value in kept.items())
