"""Documents for terminal and page, and the templates of pages.

A page is self-contained and works offline: texts are escaped, and the style sheet is embedded.
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
"""Number of arms in a chart, the best first."""
ROW = 44
"""Height of an arm in a chart, in pixels."""
LONGEST_LABEL = 36
"""Maximum length of a name in a chart, to fit a phone."""
NAMELESS = Labels()


class Viewer(NamedTuple):
    """Who views a page, and where its links and forms lead.

    Forms post `token` and their own fields: `arm` and `text` to add an arm, `arm` (its number) to retire one,
    `ticket` to retract a vote, `file` to import votes, `sure` to close the study.
    """

    urls: Mapping[str, str]
    """Addresses of all that the viewer may see and do, by page name, such as `vote` or `add_arm`."""
    headings: Mapping[str, str] = MappingProxyType({})
    """Titles of the pages in the navigation, by page name."""
    static: str = "/static"
    """Path of style sheets and scripts."""
    admin: bool = False
    """Whether to include the forms that change the study."""
    token: str = ""
    """Token in every form that protects against cross-site requests."""
    scripts: tuple[str, ...] = ()
    """File names of modules below `static`."""


class Tick(NamedTuple):
    """A tick: its text and its position along the axis in percent."""

    text: str
    place: float


class RatingBar(NamedTuple):
    """An arm's label, rating and interval: horizontally in percent, vertically in pixels."""

    label: str
    low: float
    rating: float
    high: float
    top: int


class RatingChart(NamedTuple):
    """Ratings with intervals, the best at the top."""

    bars: tuple[RatingBar, ...]
    ticks: tuple[Tick, ...]
    height: int


@dataclass(frozen=True)
class TextTable:
    """A table of texts: names in the first column, numbers in the others."""

    kind: ClassVar = "table"
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    style: str = "ranked"
    """CSS classes."""


@dataclass(frozen=True)
class Figure:
    """Drawings side by side, drawn only for pages, with a caption."""

    kind: ClassVar = "figure"
    draw: "Callable[[], Sequence[Drawing]]"
    titles: Sequence[str]
    """Alternative text of each drawing, unique on the page."""
    caption: str

    def drawn(self) -> list[Markup]:
        from duelist.web.figures import inline_svg

        return [
            inline_svg(drawing, title.lower().replace(" ", "-"), title)
            for drawing, title in zip(self.draw(), self.titles, strict=True)
        ]


@dataclass(frozen=True)
class Chart:
    """A chart of ratings with intervals, and its caption."""

    kind: ClassVar = "chart"
    ratings: RatingChart
    caption: str


@dataclass(frozen=True)
class Chances:
    """The chances of arms against each other, as a table of coloured cells."""

    kind: ClassVar = "chances"
    name: str
    labels: Sequence[str]
    rows: Sequence[Sequence[float]]
    caption: str


@dataclass(frozen=True)
class Command:
    """A command that the reader can run."""

    kind: ClassVar = "command"
    text: str


Part: TypeAlias = str | Mapping[str, str] | TextTable | Figure | Chart | Chances | Command
"""A part of a section: a paragraph, terms with descriptions, or one of the above."""


class Section(NamedTuple):
    """A section of a document."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Document:
    """A report for people, on a terminal (without drawings) or as a page."""

    title: str
    lead: str
    """The most important sentence."""
    sections: Sequence[Section]
    facts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    """Sentences about how the input was read."""
    appendix: Sequence[Section] = ()
    """Sections of the page that a terminal omits."""

    def page(self) -> str:
        """Render the document as HTML."""
        sections = [*self.sections, *self.appendix]
        return render("document.html", title=self.title, document=self, sections=sections)


@cache
def environment() -> Environment:
    """Return the template environment, which escapes texts and raises an error for missing values."""
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
    """Render a template as HTML."""
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
    """Lay out the ratings and intervals of the best arms; ticks are at least `finest` apart."""
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
        # margins for points and the texts of the outer ticks
        return 7.0 + 86.0 * (value - first) / (values[-1] - first)

    labels = short_labels([name for name, _ in drawn], LONGEST_LABEL)
    bars = tuple(
        RatingBar(label, place(low), place(rating), place(high), ROW * line)
        for line, (label, (_, (low, rating, high))) in enumerate(zip(labels, drawn, strict=True))
    )
    ticks = tuple(Tick(f"{value:,.{digits}f}", place(value)) for value in values)
    return RatingChart(bars, ticks, ROW * len(bars))


def round_values(low: float, high: float, finest: float) -> list[float]:
    """Return about four equidistant round values, from one below `low` to one above `high`.

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
