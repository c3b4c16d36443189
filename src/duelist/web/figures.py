"""Heat maps: who beats whom, and which arms each learner shows."""

import io
import re
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup, escape

from duelist.duel import FloatArray
from duelist.problems import MatrixProblem
from duelist.simulation import SimulationResult
from duelist.simulation.figures import new_figure
from duelist.simulation.lines import PALETTE
from duelist.winners import borda_scores, copeland_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

MOST_VALUES = 12  # arms beyond which the cells are too small for their values
MOST_TICKS = 40  # arms beyond which the sides are too short for all their labels
MOST_LETTERS = 40  # letters beyond which labels side by side would run into each other
LONGEST_LABEL = 24
EQUAL_CONTRAST = 0.179  # the luminance that has the same contrast with white as with black
NEARLY_BLACK = "#010101"  # on a page, black itself is the colour of the text, which may be light


def draw_preferences(problem: MatrixProblem, by_score: bool = False) -> "Figure":
    """Draw the chance that the arm of a row beats the arm of a column; by score, the best arms come first."""
    if by_score:
        # by Copeland score, of equals those that win more often
        scores = np.stack([borda_scores(problem.matrix), copeland_scores(problem.matrix)])
        problem = problem.subset(np.lexsort(-scores).tolist())
    size = float(np.clip(0.7 + 0.39 * problem.k, 3.6, 7.0))
    figure = new_figure(size, size + 0.7)
    axes = figure.subplots()
    image = axes.imshow(problem.matrix, cmap="RdBu", vmin=0.0, vmax=1.0, interpolation="none")
    name_ticks(axes, "x", problem.labels)
    name_ticks(axes, "y", problem.labels)
    axes.set(xlabel="loses", ylabel="wins")
    if problem.k <= MOST_VALUES:
        write_values(axes, image, problem.matrix, "{:.2f}")
    # below, because a narrow screen has no room beside
    figure.colorbar(image, label="chance that the row wins", location="bottom", shrink=0.8)
    return figure


def draw_shares(result: SimulationResult) -> "Figure":
    """Draw the share of sides on which each learner shows each arm, as a mean over runs."""
    from matplotlib.colors import PowerNorm

    shares = np.stack([one.shares.mean(axis=0) for one in result.values()])
    learners, k = shares.shape
    figure = new_figure(float(np.clip(1.6 + 0.39 * k, 4.4, 10.0)), 1.8 + 0.42 * learners)
    axes = figure.subplots()
    # The square root lets small shares be told from none.
    scale = PowerNorm(0.5, vmin=0.0, vmax=1.0)
    image = axes.imshow(shares, cmap="Blues", norm=scale, aspect="auto", interpolation="none")
    name_ticks(axes, "x", result.labels)
    name_ticks(axes, "y", tuple(result))
    axes.set(xlabel="arm")
    if k <= 2 * MOST_VALUES:
        write_values(axes, image, shares, "{:.0%}", least=0.005)
    figure.colorbar(image, label="share of sides", format="{x:.0%}", location="bottom", aspect=40.0)
    return figure


def name_ticks(axes: "Axes", side: str, labels: tuple[str, ...]) -> None:
    """Write the arms' labels along a side: all, or as many as there is room for."""
    places = range(0, len(labels), 1 + (len(labels) - 1) // MOST_TICKS)
    texts = [short_label(labels[place]) for place in places]
    upright = side == "x" and sum(map(len, texts)) > MOST_LETTERS
    setter = axes.set_xticks if side == "x" else axes.set_yticks
    # A label is a name, even where it has a dollar sign.
    setter(places, texts, rotation=90 if upright else 0, parse_math=False)


def short_label(name: str) -> str:
    """Return a name as far as there is room for it."""
    return name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 3].rstrip()}..."


def write_values(
    axes: "Axes", image: "AxesImage", values: FloatArray, pattern: str, least: float = 0.0
) -> None:
    """Write every value, from the least on, into its cell: in white or black, whichever has more contrast."""
    dark = luminance(image.to_rgba(values)[..., :3]) < EQUAL_CONTRAST
    for row, column in np.argwhere(values >= least):
        text = pattern.format(values[row, column])
        colour = "white" if dark[row, column] else NEARLY_BLACK
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize="small")


def luminance(colours: FloatArray) -> FloatArray:
    """Return the relative luminance of sRGB colours, as WCAG 2 defines it."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    weighted: FloatArray = linear @ np.array([0.2126, 0.7152, 0.0722])
    return weighted


def inline_svg(figure: "Figure", name: str, title: str) -> Markup:
    """Return a figure as part of a page: transparent, ids told apart by `name`, colours of the style sheet.

    Black is the text's colour, and each colour of the palette a variable, `--series-0` and so on; the drawing
    itself has no style.
    """
    import matplotlib

    for legend in (*figure.legends, *(axes.get_legend() for axes in figure.axes)):
        if legend is not None:
            legend.get_frame().set_alpha(0.0)
    content = io.StringIO()
    no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        figure.savefig(content, format="svg", transparent=True, metadata=no_metadata)
    drawing = content.getvalue().partition("<svg")[2]
    drawing = re.sub(r"<style.*?</style>", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r'style="([^"]*)"', as_attributes, drawing).replace("#000000", "currentColor")
    for place, colour in enumerate(PALETTE):
        drawing = drawing.replace(f'"{colour}"', f'"var(--series-{place})"')
    drawing = re.sub(r'\sxmlns(:xlink)?="[^"]*"', "", drawing)
    drawing = re.sub(r'(\bid="|url\(#|href="#)', rf"\1{name}-", drawing)
    return Markup(f'<svg role="img" aria-label="{escape(title)}" fill="currentColor"{drawing}')


def as_attributes(style: re.Match[str]) -> str:
    """Return the properties of a style attribute as attributes of their own; of equals, the last."""
    properties = dict(one.split(":") for one in style[1].split(";") if one.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in properties.items())
