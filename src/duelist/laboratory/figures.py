"""The panels of a figure, all in one style."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from numpy.typing import NDArray

from duelist.simulation.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sharing: TypeAlias = Literal["none", "all", "row", "col"]


def panels(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    share: tuple[Sharing, Sharing] = ("none", "none"),
    **properties: Any,
) -> tuple["Figure", NDArray[Any]]:
    """Return a figure of a size in inches, and its panels: rows of columns of axes with faint lines.

    What is `share`d is the x axis and the y axis, of none, all, row or col; further properties are of all
    panels, as `Axes.set` takes them: labels, scales, limits.

    Examples
    --------
    >>> figure, ((left, right),) = panels(6.0, 3.0, columns=2, xlabel="rounds")
    >>> right.get_xlabel()
    'rounds'
    """
    figure = new_figure(width, height)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=share[0], sharey=share[1])
    for one in axes.flat:
        one.set(**properties)
        one.grid(alpha=0.3)
    return figure, axes
