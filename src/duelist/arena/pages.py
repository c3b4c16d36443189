"""The pages of an arena's standing: leaderboard, dashboard, and a list of studies."""

from collections.abc import Mapping, Sequence
from math import floor
from types import MappingProxyType
from typing import Any, NamedTuple

from duelist.arena.standing import Standing
from duelist.arena.voters import FAST_SECONDS, FAST_VOTES
from duelist.text import Labels, count, counted
from duelist.web.page import rating_chart, render

MOST_VOTERS = 50
"""How many voters a page lists: those that are marked, and those with the most votes."""


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


class StudyLine(NamedTuple):
    """One study in a list of them."""

    name: str
    url: str
    leader: str | None
    confidence: float | None
    """How sure it is that the leader is the winner; None where there are no verdicts."""
    answers: int
    state: str
    """In a word or two: "voting", "decided" or "closed", for example."""


def leaderboard_page(title: str, standing: Standing, viewer: Viewer) -> str:
    """Return the page that says who leads, as HTML.

    Examples
    --------
    >>> from duelist import Study
    >>> from duelist.arena.standing import standing_of
    >>> study = Study(arms=["haiku", "limerick"])
    >>> page = leaderboard_page("Poems", standing_of(study), Viewer({"vote": "/"}))
    >>> "There are no ratings yet. There are no votes." in page
    True
    """
    return render(
        "leaderboard.html",
        **common("leaderboard", title, viewer, standing),
        **head_of(standing),
        chart=rating_chart(standing.leaderboard.listed, finest=1.0),
    )


def dashboard_page(title: str, standing: Standing, viewer: Viewer, notices: Sequence[str] = ()) -> str:
    """Return the page for who runs the study, as HTML; `notices` are sentences to show at its top."""
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
    """Return the list of all studies, as HTML."""
    return render("studies.html", **common("studies", title, viewer), lines=lines, sure=sure)


def common(page: str, title: str, viewer: Viewer, standing: Standing | None = None) -> dict[str, Any]:
    """Return what all pages need; those of a standing tell its arms apart."""
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
    """Return what the top of a page says: the standing, how sure it is, and how many voted."""
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
    """Return how sure it is, in percent and never rounded up.

    Examples
    --------
    >>> sure(0.9999)
    '99.9%'
    """
    return f"{floor(1000.0 * confidence) / 10.0:.3g}%"
