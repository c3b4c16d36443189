"""The result pages: leaderboard, dashboard and the list of studies."""

from collections.abc import Sequence
from math import floor
from typing import Any, NamedTuple

from duelist.arena.standing import Standing
from duelist.arena.voters import FAST_SECONDS, FAST_VOTES
from duelist.text import Labels, counted
from duelist.web.page import Viewer, common, rating_chart, render

MOST_VOTERS = 50
"""Maximum number of voters listed on a page: marked voters first, then those with the most votes."""


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
        **common("leaderboard", title, viewer, labels_of(standing)),
        **head_of(standing),
        chart=rating_chart(standing.leaderboard.listed, finest=1.0),
    )


def dashboard_page(title: str, standing: Standing, viewer: Viewer, notices: Sequence[str] = ()) -> str:
    """Return the dashboard of the study's owner as HTML, with `notices` (sentences) at its top."""
    return render(
        "dashboard.html",
        **common("dashboard", title, viewer, labels_of(standing)),
        **head_of(standing),
        notices=notices,
        most_voters=MOST_VOTERS,
        fast=f"{FAST_VOTES} votes within {FAST_SECONDS:g} seconds",
        admin=viewer.admin,
        token=viewer.token,
    )


def studies_page(title: str, lines: Sequence[StudyLine], viewer: Viewer) -> str:
    return render("studies.html", **common("studies", title, viewer), lines=lines, sure=sure)


def labels_of(standing: Standing) -> Labels:
    return Labels([row.arm for row in standing.leaderboard.rows])


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
