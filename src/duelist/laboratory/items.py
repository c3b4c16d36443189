"""Reproduced papers, their figures and tables, and the findings on their claims."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from math import isnan
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from numpy.typing import NDArray

from duelist.figures import new_figure
from duelist.laboratory.comparisons import Value
from duelist.laboratory.work import ItemResults, Piece

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sharing: TypeAlias = Literal["none", "all", "row", "col"]


@dataclass(frozen=True)
class Finding:
    """The finding on one claim.

    Parameters
    ----------
    ours : str
        Our result, in numbers and few words.
    value : bool, float, Interval, a sequence or array of them, or None
        The value that the claim's `test` compares with the paper; without a test, whether the claim holds.
        None if it could not be measured.
    note : str, default ""
        A remark: why the claim cannot be judged, or what the result depends on.
    limit : optional
        The limit of the comparison, if it is computed instead of given in `expected.json`.

    Examples
    --------
    >>> Finding("0.92 of runs", 0.92).value
    0.92
    """

    ours: str
    value: Value
    note: str = ""
    limit: Any = None


def not_played(reason: str) -> Finding:
    """Return the finding on a claim about something that was omitted.

    Parameters
    ----------
    reason : str
        Why it was omitted.

    Returns
    -------
    Finding
        A finding without a value.

    Examples
    --------
    >>> not_played("It takes a week.").value is None
    True
    """
    return Finding("not played", None, reason)


@dataclass(frozen=True)
class Drawing:
    """A figure in the paper's own form, with an explanation.

    Parameters
    ----------
    name : str
        The name of the figure's file.
    figure : matplotlib.figure.Figure
        The figure.
    caption : str
        The explanation.

    Examples
    --------
    >>> figure, _ = panels(6.0, 3.0)
    >>> Drawing("regret", figure, "Lower is better.").name
    'regret'
    """

    name: str
    figure: "Figure"
    caption: str


def panels(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    share: tuple[Sharing, Sharing] = ("none", "none"),
    **properties: Any,
) -> tuple["Figure", NDArray[Any]]:
    """Return a figure with a grid of axes that have faint grid lines.

    Parameters
    ----------
    width, height : float
        The size in inches.
    rows, columns : int, default 1
        The number of panels.
    share : tuple of str, default ("none", "none")
        Which panels share the x axis and the y axis: "none", "all", "row" or "col".
    **properties
        Properties of all panels, as for `Axes.set`: labels, scales, limits.

    Returns
    -------
    tuple of matplotlib.figure.Figure and array of Axes
        The figure, and the axes by row and column.

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


@dataclass(frozen=True)
class ResultTable:
    """A table of our results next to the paper's.

    Parameters
    ----------
    title : str
        The title.
    headings : sequence of str
        The headings of the columns.
    rows : sequence of sequences of str
        The cells.

    Examples
    --------
    >>> ResultTable("Squares", ["K", "square"], [["2", "4"]]).title
    'Squares'
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of(cls, title: str, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> "ResultTable":
        """Return a table from formats of columns and rows of values.

        Parameters
        ----------
        title : str
            The title.
        columns : mapping of str to str
            The format of a column's cells, by its heading.
        rows : iterable of mappings
            The values of each row by name; None and nan become a dash.

        Returns
        -------
        ResultTable
            The table.

        Examples
        --------
        >>> rows = [{"k": 2, "square": 4.0}, {"k": 3, "square": None}]
        >>> ResultTable.of("Squares", {"K": "{k}", "square": "{square:.1f}"}, rows).rows
        [['2', '4.0'], ['3', '-']]
        """
        written = [[CellFormatter().vformat(one, (), row) for one in columns.values()] for row in rows]
        return cls(title, list(columns), written)


class CellFormatter(Formatter):
    """Formats cells like `str.format`, with a dash for unknown values."""

    def format_field(self, value: Any, format_spec: str) -> str:
        unknown = value is None or (isinstance(value, float) and isnan(value))
        return "-" if unknown else str(super().format_field(value, format_spec))


Expected: TypeAlias = Mapping[str, Any]  # the entry of one item in `expected.json`


@dataclass(frozen=True)
class Item:
    """A figure, a table or a theorem of a paper.

    Plans, findings and figures depend on results alone, so stored results can be shown again without running
    anything.

    Parameters
    ----------
    name : str
        The name on the command line: figure1.
    title : str
        The paper's title of it, and what it shows.
    minutes : float
        The maximum duration at the paper's scale on two cores.
    plan : callable
        Takes empty results with a scale and the kind of data, and returns the pieces to run.
    findings : callable
        Takes the results and the item's entry in `expected.json`, and returns the finding on every claim, by
        name.
    show : callable
        Takes the same, and returns figures and tables.
    then : tuple of callable, default ()
        Further plans, each of which takes the results of all plans before.
    learners : tuple of str, default ()
        The learners that it is about, by their names in the catalogue.
    data : tuple of str, default ()
        The files that it reads, such as preferences/np2004_64.csv; without a data folder, made-up data
        instead.

    Examples
    --------
    >>> item = Item("figure1", "Regret", 5.0, lambda results: [], lambda *_: {}, lambda *_: [])
    >>> item.then, item.data
    ((), ())
    """

    name: str
    title: str
    minutes: float
    plan: Callable[[ItemResults], Sequence[Piece]]
    findings: Callable[[ItemResults, Expected], Mapping[str, Finding]]
    show: Callable[[ItemResults, Expected], Sequence[Drawing | ResultTable]]
    then: tuple[Callable[[ItemResults], Sequence[Piece]], ...] = ()
    learners: tuple[str, ...] = ()
    data: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper, and the items that are reproduced, from their own package.

    Parameters
    ----------
    name : str
        The name on the command line: yue2012.
    citation : str
        The citation.
    package : str
        The importable package with `expected.json`.
    items : tuple of Item
        The items.

    Examples
    --------
    >>> item = Item("figure1", "Regret", 5.0, lambda results: [], lambda *_: {}, lambda *_: [])
    >>> Paper("yue2012", "Yue et al. (2012)", "duelist_reproductions.yue2012", (item,)).name_of(item)
    'yue2012/figure1'
    """

    name: str
    citation: str
    package: str
    items: tuple[Item, ...]

    def name_of(self, item: Item) -> str:
        """Return an item's full name on the command line.

        Parameters
        ----------
        item : Item
            One of the items.

        Returns
        -------
        str
            PAPER/ITEM.

        Examples
        --------
        >>> item = Item("figure1", "Regret", 5.0, lambda results: [], lambda *_: {}, lambda *_: [])
        >>> Paper("yue2012", "Yue et al. (2012)", "duelist_reproductions.yue2012", (item,)).name_of(item)
        'yue2012/figure1'
        """
        return f"{self.name}/{item.name}"

    @cached_property
    def expected(self) -> dict[str, Expected]:
        """The contents of `expected.json`, by item."""
        text = resources.files(self.package).joinpath("expected.json").read_text("utf-8")
        return dict(json.loads(text))
