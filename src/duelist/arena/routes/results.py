"""The leaderboard, the dashboard, and votes to carry away."""

from typing import Any

from starlette.responses import HTMLResponse, Response, StreamingResponse

from duelist.arena.pages import dashboard_page, leaderboard_page
from duelist.arena.standing import Standing, standing_of
from duelist.arena.visits import READERS, Visit, page
from duelist.service.failures import Refused
from duelist.votes.writing import as_csv, as_lines


@page("/leaderboard", READERS, heading="Leaderboard")
async def leaderboard(visit: Visit) -> Response:
    """Show who leads and how surely."""
    return HTMLResponse(leaderboard_page(visit.place.title, await standing(visit), visit.viewer()))


@page("/dashboard", READERS, heading="Dashboard")
async def dashboard(visit: Visit) -> Response:
    """Show all that is known of a study, and what its owner can do."""
    material = visit.place.material
    notices = () if material is None else material.notices
    return HTMLResponse(dashboard_page(visit.place.title, await standing(visit), visit.viewer(), notices))


async def standing(visit: Visit) -> Standing:
    """Return what the votes of a study say."""
    place, forecasts = visit.place, visit.request.app.state.forecasts
    state = place.live.state
    if not state.has_verdicts:
        raise Refused(404, "PageError", "there are pages for studies of named arms; this one has a report.")
    known = {"votes_left": await forecasts.of(place, state)}
    return await place.live.work(standing_of, place.live.study, place.delta, **known)


@page("/events", READERS)
async def events(visit: Visit) -> Response:
    """Say when something has changed."""
    since = visit.request.headers.get("last-event-id", visit.request.query_params.get("since"))
    stream: Response = visit.request.app.state.streams.listen(visit.place, since)
    return stream


@page("/votes.csv", READERS)
async def export_csv(visit: Visit) -> Response:
    """Return all votes as CSV."""
    rows = await visit.place.live.work(visit.place.live.study.votes, True)
    return download(as_csv(rows), "text/csv; charset=utf-8", f"{visit.place.name}-votes.csv")


@page("/votes.jsonl", READERS)
async def export_jsonl(visit: Visit) -> Response:
    """Return all votes as lines of JSON."""
    rows = await visit.place.live.work(visit.place.live.study.votes, True)
    return download(as_lines(rows), "application/x-ndjson", f"{visit.place.name}-votes.jsonl")


def download(content: Any, media_type: str, name: str) -> Response:
    """Return a file that a browser saves."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(content, media_type=media_type, headers=headers)
