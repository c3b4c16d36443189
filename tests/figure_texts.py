"""What cannot be read in a figure: texts that its edge cuts, or that are too small on a narrow page."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = 368.0
"""The width of a figure, in pixels of a page, on a screen of 400."""
SMALLEST = 11.0
"""The smallest letters, in pixels, that all can read."""
PIXELS = 4.0 / 3.0
"""Of a page in a point of a figure that keeps its size."""


def unreadable(figure: "Figure", fitted: bool = False) -> Iterator[str]:
    """Iterate over texts that cannot be read, of a figure that scrolls or is fitted to a narrow page."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    width, height = figure.bbox.width, figure.bbox.height
    scale = PAGE / (72.0 * figure.get_figwidth()) if fitted else PIXELS
    # ticks that are made, but not drawn, lie outside
    ticks = [
        tick for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_major_ticks()
    ]
    ticks += [
        tick for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_minor_ticks()
    ]
    numbers = {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if id(text) in numbers or not text.get_visible() or not text.get_text().strip():
            continue
        place = text.get_window_extent()
        if place.x0 < -0.5 or place.y0 < -0.5 or place.x1 > width + 0.5 or place.y1 > height + 0.5:
            yield f"{text.get_text()!r} is cut: {place} of {width:g} x {height:g}"
        letters = float(text.get_fontsize()) * scale
        if letters < SMALLEST:
            yield f"{text.get_text()!r} has letters of {letters:.1f} pixels"
