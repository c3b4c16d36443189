"""Leaderboard, dashboard, live events and downloads of votes."""

from typing import Any

from starlette.responses import HTMLResponse, Response, StreamingResponse

from duelist.arena.page_requests import READERS, PageRequest, page
from duelist.arena.pages import dashboard_page, leaderboard_page
from duelist.arena.standing import Standing, standing_of
from duelist.service.failures import Refused
from duelist.votes.writing import as_csv, as_lines


@page("/leaderboard", READERS, heading="Leaderboard")
async def leaderboard(request: PageRequest) -> Response:
    return HTMLResponse(leaderboard_page(request.site.title, await standing(request), request.viewer()))


@page("/dashboard", READERS, heading="Dashboard")
async def dashboard(request: PageRequest) -> Response:
    material = request.site.material
    notices = () if material is None else material.notices
    return HTMLResponse(
        dashboard_page(request.site.title, await standing(request), request.viewer(), notices)
    )


async def standing(request: PageRequest) -> Standing:
    site, forecasts = request.site, request.http.app.state.forecasts
    state = site.live.state
    if not state.has_verdicts:
        raise Refused(
            404,
            "PageError",
            f"study {request.site.name!r} has no named arms, and so no pages; use its report in the API.",
        )
    known = {"votes_left": await forecasts.of(site, state)}
    return await site.live.work(standing_of, site.live.study, site.delta, **known)


@page("/events", READERS)
async def events(request: PageRequest) -> Response:
    since = request.http.headers.get("last-event-id", request.http.query_params.get("since"))
    stream: Response = request.http.app.state.streams.listen(request.site, since)
    return stream


@page("/votes.csv", READERS)
async def export_csv(request: PageRequest) -> Response:
    rows = await request.site.live.work(request.site.live.study.votes, True)
    return download(as_csv(rows), "text/csv; charset=utf-8", f"{request.site.name}-votes.csv")


@page("/votes.jsonl", READERS)
async def export_jsonl(request: PageRequest) -> Response:
    rows = await request.site.live.work(request.site.live.study.votes, True)
    return download(as_lines(rows), "application/x-ndjson", f"{request.site.name}-votes.jsonl")


def download(content: Any, media_type: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(content, media_type=media_type, headers=headers)
