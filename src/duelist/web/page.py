"""Pages from templates, and documents: what a terminal and a page show alike, said once.

A page needs no other file and no network: texts are escaped, and the one style sheet is inside.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from math import ceil, floor, log10
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from duelist import __version__
from duelist.analysis.leaderboard import LeaderboardRow
from duelist.text import Labels, count, number, short_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MOST_DRAWN = 30
"""How many arms a chart shows: the best."""
ROW = 44
"""Pixels down for each arm of a chart."""
LONGEST_LABEL = 36
"""Letters of a name in a chart on a phone."""
NAMELESS = Labels()


class Viewer(NamedTuple):
    """Who looks at a page, and where its links and forms lead.

    Forms are posted with `token` and their own fields: `arm` and `text` to add an arm, `arm`, its number, to
    retire one, `ticket`, `file` and `sure`.
    """

    urls: Mapping[str, str]
    """What the viewer may see and do, by the name of the page: `vote`, `events`, `add_arm`, for example."""
    headings: Mapping[str, str] = MappingProxyType({})
    """Of the pages in the navigation, by name."""
    static: str = "/static"
    """Where style sheets and scripts are."""
    admin: bool = False
    """Whether forms that change the study are shown."""
    token: str = ""
    """What forms carry against posts from other sites."""
    scripts: tuple[str, ...] = ()
    """Names of modules below `static`."""


class Tick(NamedTuple):
    """A value along the axis, as it is written, and where it is, in percent."""

    text: str
    place: float


class RatingBar(NamedTuple):
    """An arm's label, and where its rating and interval are: across in percent, down in pixels."""

    label: str
    low: float
    rating: float
    high: float
    top: int


class RatingChart(NamedTuple):
    """Ratings with their intervals, the best at the top."""

    bars: tuple[RatingBar, ...]
    ticks: tuple[Tick, ...]
    height: int


@dataclass(frozen=True)
class TextTable:
    """A table of texts: a name in the first column, numbers in all others."""

    kind: ClassVar = "table"
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    style: str = "ranked"
    """Classes of the style sheet."""


@dataclass(frozen=True)
class Figure:
    """Drawings side by side, made only for a page, and what they show."""

    kind: ClassVar = "figure"
    draw: "Callable[[], Sequence[Drawing]]"
    titles: Sequence[str]
    """Of each drawing, for those who cannot see it; different from all others on the page."""
    caption: str

    def drawn(self) -> list[Markup]:
        """Return the drawings as parts of a page."""
        from duelist.web.figures import inline_svg

        return [
            inline_svg(drawing, title.lower().replace(" ", "-"), title)
            for drawing, title in zip(self.draw(), self.titles, strict=True)
        ]


@dataclass(frozen=True)
class Chart:
    """A chart of ratings with their intervals, and what to know about it."""

    kind: ClassVar = "chart"
    ratings: RatingChart
    caption: str


@dataclass(frozen=True)
class Chances:
    """The chances of arms against each other, as a table whose cells are coloured."""

    kind: ClassVar = "chances"
    name: str
    labels: Sequence[str]
    rows: Sequence[Sequence[float]]
    caption: str


@dataclass(frozen=True)
class Command:
    """A command that a reader may repeat."""

    kind: ClassVar = "command"
    text: str


Part: TypeAlias = str | Mapping[str, str] | TextTable | Figure | Chart | Chances | Command
"""A part of a section: a paragraph, terms with what there is to say about each, or one of the above."""


class Section(NamedTuple):
    """A part of a document under its title."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Document:
    """What was found, for people: on a terminal, which leaves out what is drawn, or on a page."""

    title: str
    lead: str
    """The most important sentence."""
    sections: Sequence[Section]
    facts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    """What a reader must know about what was read, in sentences."""
    appendix: Sequence[Section] = ()
    """Sections of a page alone."""

    def page(self) -> str:
        """Return the document as HTML."""
        sections = [*self.sections, *self.appendix]
        return render("document.html", title=self.title, document=self, sections=sections)


@cache
def environment() -> Environment:
    """Return the environment of all templates; it escapes texts, and a missing value is an error."""
    made = Environment(
        loader=PackageLoader("duelist.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = resources.files("duelist.web").joinpath("static", "style.css").read_text(encoding="utf-8")
    made.globals |= {"style": Markup(style), "version": __version__}
    made.filters["number"] = number
    return made


def render(template: str, **values: Any) -> str:
    """Return the page of a template, as HTML."""
    return environment().get_template(template).render(values)


def common(page: str, title: str, viewer: Viewer, labels: Labels = NAMELESS) -> dict[str, Any]:
    """Return what the templates of live pages need."""
    return {
        "page": page,
        "title": title,
        "urls": viewer.urls,
        "headings": viewer.headings,
        "static": viewer.static,
        "scripts": viewer.scripts,
        "label": labels,
        "count": count,
    }


def rating_chart(rows: Sequence[LeaderboardRow], finest: float) -> RatingChart:
    """Return where ratings and intervals of the best arms lie; ticks are at least `finest` apart."""
    spans = {
        row.arm: (
            row.rating if row.low is None else row.low,
            row.rating,
            row.rating if row.high is None else row.high,
        )
        for row in rows
        if row.rating is not None
    }
    drawn = [*spans.items()][:MOST_DRAWN]
    ends = [end for _, span in drawn for end in span]
    values = round_values(min(ends, default=0.0), max(ends, default=0.0), finest)
    first, step = values[0], values[1] - values[0]
    digits = max(-floor(log10(step) + 1e-9), 0)

    def place(value: float) -> float:
        # a little room on both sides, for points and for the texts of the outer ticks
        return 7.0 + 86.0 * (value - first) / (values[-1] - first)

    labels = short_labels([name for name, _ in drawn], LONGEST_LABEL)
    bars = tuple(
        RatingBar(label, place(low), place(rating), place(high), ROW * line)
        for line, (label, (_, (low, rating, high))) in enumerate(zip(labels, drawn, strict=True))
    )
    ticks = tuple(Tick(f"{value:,.{digits}f}", place(value)) for value in values)
    return RatingChart(bars, ticks, ROW * len(bars))


def round_values(low: float, high: float, finest: float) -> list[float]:
    """Return round values at equal distances, about four of them, from one below `low` to one above `high`.

    Examples
    --------
    >>> round_values(941.0, 1087.0, finest=1.0)
    [900.0, 950.0, 1000.0, 1050.0, 1100.0]
    """
    raw = max((high - low) / 3.0, finest)
    size = 10.0 ** floor(log10(raw))
    step = next(size * factor for factor in (1.0, 2.0, 5.0, 10.0) if size * factor >= raw)
    first, last = floor(low / step), ceil(high / step)
    return [step * number for number in range(first, max(last, first + 1) + 1)]
