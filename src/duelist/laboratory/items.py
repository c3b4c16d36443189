"""What is reproduced: papers, their figures and tables, and what is found out about their claims."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from duelist.laboratory.work import Piece, Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Finding:
    """What was found out about one claim."""

    ours: str
    """What came out, in numbers and few words."""
    holds: bool | None
    """None where it cannot be judged, at this scale or on made-up data."""
    note: str = ""
    """Why it cannot be judged, or why it does not hold, and the experiment that looked for the reason."""


@dataclass(frozen=True)
class Drawing:
    """A figure in the paper's own form, and how to read it."""

    name: str
    figure: "Figure"
    caption: str


@dataclass(frozen=True)
class Grid:
    """A table, ours beside theirs."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


Expected: TypeAlias = Mapping[str, Any]
"""What `expected.json` says of one item."""


@dataclass(frozen=True)
class Item:
    """A figure, a table or a theorem of a paper.

    Plan, judge and show are functions of results alone, so that what was saved can be looked at again
    without being played again.
    """

    name: str
    """As one types it: figure1."""
    title: str
    """As the paper has it, and what it shows."""
    minutes: float
    """How long it may take at the paper's scale on two cores."""
    plan: Callable[[Results], Sequence[Piece]]
    """What is to be played, given what is known so far: asked again until nothing new is wanted."""
    judge: Callable[[Results, Expected], Mapping[str, Finding]]
    """What was found out about every claim of the item, by the claims' names in `expected.json`."""
    show: Callable[[Results, Expected], Sequence[Drawing | Grid]]
    """Figures and tables, from results alone."""
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
        expected: dict[str, Expected] = json.loads(text)
        return expected
