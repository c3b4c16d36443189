"""The result pages: leaderboard, dashboard and the list of studies."""

from collections.abc import Mapping, Sequence
from math import floor
from types import MappingProxyType
from typing import Any, NamedTuple

from duelist.arena.standing import Standing
from duelist.arena.voters import FAST_SECONDS, FAST_VOTES
from duelist.text import Labels, count, counted
from duelist.web.page import rating_chart, render

MOST_VOTERS = 50
"""Maximum number of voters listed on a page: marked voters first, then those with the most votes."""


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


class StudyLine(NamedTuple):
    """One row in the list of studies."""

    name: str
    url: str
    leader: str | None
    confidence: float | None
    """Confidence that the leader is the winner; None for studies without verdicts."""
    answers: int
    state: str
    """A short state, such as "voting", "decided" or "closed"."""


def leaderboard_page(title: str, standing: Standing, viewer: Viewer) -> str:
    """Return the leaderboard page as HTML.

    Examples
    --------
    >>> from duelist import Study
    >>> from duelist.arena.standing import standing_of
    >>> study = Study(arms=["haiku", "limerick"])
    >>> page = leaderboard_page("Poems", standing_of(study), Viewer({"vote": "/"}))
    >>> "No ratings yet: there are no votes." in page
    True
    """
    return render(
        "leaderboard.html",
        **common("leaderboard", title, viewer, standing),
        **head_of(standing),
        chart=rating_chart(standing.leaderboard.listed, finest=1.0),
    )


def dashboard_page(title: str, standing: Standing, viewer: Viewer, notices: Sequence[str] = ()) -> str:
    """Return the dashboard of the study's owner as HTML, with `notices` (sentences) at its top."""
    return render(
        "dashboard.html",
        **common("dashboard", title, viewer, standing),
        **head_of(standing),
        notices=notices,
        most_voters=MOST_VOTERS,
        fast=f"{FAST_VOTES} votes within {FAST_SECONDS:g} seconds",
        admin=viewer.admin,
        token=viewer.token,
    )


def studies_page(title: str, lines: Sequence[StudyLine], viewer: Viewer) -> str:
    return render("studies.html", **common("studies", title, viewer), lines=lines, sure=sure)


def common(page: str, title: str, viewer: Viewer, standing: Standing | None = None) -> dict[str, Any]:
    """Return the template values shared by all pages; labels tell the arms of a standing apart."""
    return {
        "page": page,
        "title": title,
        "urls": viewer.urls,
        "headings": viewer.headings,
        "static": viewer.static,
        "scripts": viewer.scripts,
        "label": Labels([row.arm for row in standing.leaderboard.rows] if standing else []),
        "count": count,
    }


def head_of(standing: Standing) -> dict[str, Any]:
    """Return the template values of a result page's head: the standing, its confidence and who voted."""
    voters = [counted(len(standing.people), "person")] if standing.people else []
    if standing.judges:
        voters.append(counted(len(standing.judges), "judge"))
    by = f" by {' and '.join(voters)}".replace("persons", "people") if voters else ""
    return {
        "standing": standing,
        "voted": f"{counted(standing.answers, 'vote')}{by}",
        "sure": sure(standing.confidence),
        "needed": f"{100.0 * (1.0 - standing.delta):.3g}%",
    }


def sure(confidence: float) -> str:
    """Format a confidence in percent, never rounded up.

    Examples
    --------
    >>> sure(0.9999)
    '99.9%'
    """
    return f"{floor(1000.0 * confidence) / 10.0:.3g}%"
