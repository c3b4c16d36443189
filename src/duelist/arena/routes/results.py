"""The leaderboard, the dashboard, the list of all studies, and votes to carry away."""

from typing import Any

from starlette.responses import HTMLResponse, Response, StreamingResponse

from duelist.arena.pages import StudyLine, dashboard_page, leaderboard_page, studies_page
from duelist.arena.standing import Standing, standing_of
from duelist.arena.visits import ANYBODY, READERS, VOTERS, Visit, page
from duelist.errors import DuelistError
from duelist.service.failures import Refused
from duelist.service.operations import live_studies
from duelist.service.report import summarize
from duelist.votes.writing import as_csv, as_lines


async def leaderboard(visit: Visit) -> Response:
    """Show who leads and how surely."""
    return HTMLResponse(leaderboard_page(visit.place.title, await standing(visit), visit.viewer()))


async def dashboard(visit: Visit) -> Response:
    """Show all that is known of a study, and what its owner can do."""
    material = visit.place.material
    notices = () if material is None else material.notices
    return HTMLResponse(dashboard_page(visit.place.title, await standing(visit), visit.viewer(), notices))


async def standing(visit: Visit) -> Standing:
    """Return what the votes of a study say."""
    place, forecasts = visit.place, visit.request.app.state.forecasts
    if not place.live.state.has_verdicts:
        raise Refused(404, "PageError", "there are pages for studies of named arms; this one has a report.")
    known = {"votes_left": await forecasts.of(place)}
    return await place.live.work(standing_of, place.live.study, place.delta, **known)


async def events(visit: Visit) -> Response:
    """Say when something has changed."""
    since = visit.request.headers.get("last-event-id", visit.request.query_params.get("since"))
    stream: Response = visit.request.app.state.streams.listen(visit.place, since)
    return stream


async def csv_file(visit: Visit) -> Response:
    """Return all votes as CSV."""
    rows = await visit.place.live.work(visit.place.live.study.votes, True)
    return download(as_csv(rows), "text/csv; charset=utf-8", f"{visit.place.name}-votes.csv")


async def lines_file(visit: Visit) -> Response:
    """Return all votes as lines of JSON."""
    rows = await visit.place.live.work(visit.place.live.study.votes, True)
    return download(as_lines(rows), "application/x-ndjson", f"{visit.place.name}-votes.jsonl")


def download(content: Any, media_type: str, name: str) -> Response:
    """Return a file that a browser saves."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(content, media_type=media_type, headers=headers)


async def studies(visit: Visit) -> Response:
    """List all studies: who leads in each, and how surely."""
    live = live_studies(visit.request)
    lines = []
    for name in await live.in_thread(live.database.names):
        try:
            one = await live.find(name)
            about = await one.work(summarize, name, one.study)
        except DuelistError:
            lines.append(StudyLine(name, f"/api/studies/{name}", None, None, 0, "damaged"))
            continue
        has_pages = one.state.has_verdicts
        address = f"/studies/{name}/leaderboard" if has_pages else f"/api/studies/{name}"
        leader = about.leader if isinstance(about.leader, str) and about.answers else None
        state = "closed" if about.closed else "decided" if about.done else "voting"
        lines.append(StudyLine(name, address, leader, about.confidence, about.answers, state))
    return HTMLResponse(studies_page("Studies", lines, visit.viewer()))


async def to_studies(visit: Visit) -> Response:
    """Lead from the root of a service to the list of its studies."""
    return visit.go("/studies")


async def to_voting(visit: Visit) -> Response:
    """Lead from a study's name to its voting page."""
    return visit.go(f"{visit.place.base}/")


def routes(base: str) -> list[Any]:
    """Return the routes of results below a path."""
    pages = [
        page(f"{base}/leaderboard", READERS, leaderboard),
        page(f"{base}/dashboard", READERS, dashboard),
        page(f"{base}/events", READERS, events),
        page(f"{base}/votes.csv", READERS, csv_file),
        page(f"{base}/votes.jsonl", READERS, lines_file),
    ]
    if base == "":
        return pages
    return [
        page("/", ANYBODY, to_studies, about_study=False),
        page("/studies", READERS, studies, about_study=False),
        page(base, VOTERS | READERS, to_voting),
        *pages,
    ]
