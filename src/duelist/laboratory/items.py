"""What is reproduced: papers, their figures and tables, and what is found out about their claims."""

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
    """What was found out about one claim."""

    ours: str
    """What came out, in numbers and few words."""
    value: Value
    """What is compared with the paper, as the claim's `test` says; without a test, whether it holds. None
    where that cannot be told."""
    note: str = ""
    """What is worth knowing beside it: why it cannot be judged, or what it depends on."""
    limit: Any = None
    """What it is compared with, where that is computed and not in `expected.json`."""


def not_played(reason: str) -> Finding:
    """Return the finding on a claim about something that was left out."""
    return Finding("not played", None, reason)


@dataclass(frozen=True)
class Drawing:
    """A figure in the paper's own form, and how to read it."""

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


@dataclass(frozen=True)
class ResultTable:
    """A table, ours beside theirs."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of(cls, title: str, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> "ResultTable":
        """Return a table whose columns are specified: a heading, and how its cell is written.

        Examples
        --------
        >>> rows = [{"k": 2, "square": 4.0}, {"k": 3, "square": None}]
        >>> ResultTable.of("Squares", {"K": "{k}", "square": "{square:.1f}"}, rows).rows
        [['2', '4.0'], ['3', '-']]
        """
        written = [[CellFormatter().vformat(one, (), row) for one in columns.values()] for row in rows]
        return cls(title, list(columns), written)


class CellFormatter(Formatter):
    """How cells are written: as by `str.format`, and a dash for what is not known."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return one value in its format."""
        unknown = value is None or (isinstance(value, float) and isnan(value))
        return "-" if unknown else str(super().format_field(value, format_spec))


Expected: TypeAlias = Mapping[str, Any]  # what `expected.json` says of one item


@dataclass(frozen=True)
class Item:
    """A figure, a table or a theorem of a paper.

    Plans, findings and what is shown are functions of results alone, so that what was saved can be looked at
    again without being played again.
    """

    name: str
    """As one types it: figure1."""
    title: str
    """As the paper has it, and what it shows."""
    minutes: float
    """How long it may take at the paper's scale on two cores."""
    plan: Callable[[ItemResults], Sequence[Piece]]
    """What is to be played, at the scale and on the data of results that are empty yet."""
    findings: Callable[[ItemResults, Expected], Mapping[str, Finding]]
    """What was found out about every claim of the item, by the claims' names in `expected.json`."""
    show: Callable[[ItemResults, Expected], Sequence[Drawing | ResultTable]]
    """Figures and tables, from results alone."""
    then: tuple[Callable[[ItemResults], Sequence[Piece]], ...] = ()
    """What is to be played besides, once all before it is known: one plan after the other."""
    learners: tuple[str, ...] = ()
    """Whom it tells something about, by their names in the catalogue."""
    data: tuple[str, ...] = ()
    """Files it reads, such as preferences/np2004_64.csv; without a folder of data, made-up ones instead."""


@dataclass(frozen=True)
class Paper:
    """A paper and what is reproduced of it, from a folder of its own."""

    name: str
    """As one types it: yue2012."""
    citation: str
    package: str
    """Where the folder is, as a name to import."""
    items: tuple[Item, ...]

    def name_of(self, item: Item) -> str:
        """Return an item's name, as one types it: yue2012/figure1."""
        return f"{self.name}/{item.name}"

    @cached_property
    def expected(self) -> dict[str, Expected]:
        """What `expected.json` says, by item."""
        text = resources.files(self.package).joinpath("expected.json").read_text("utf-8")
        return dict(json.loads(text))
