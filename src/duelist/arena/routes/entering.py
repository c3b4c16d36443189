"""Invitation links, the list of studies, and static files."""

from importlib import resources

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from duelist.arena.page_requests import (
    ANYBODY,
    READERS,
    STATIC,
    VOTERS,
    PageRequest,
    Session,
    keep,
    open_session,
    page,
)
from duelist.arena.pages import StudyLine, studies_page
from duelist.errors import DuelistError, ParameterError
from duelist.service.access import caller_of
from duelist.service.failures import Refused
from duelist.service.live import live_studies
from duelist.service.report import summarize

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
CACHED = "public, max-age=31536000, immutable"
"""Files never change: their address contains the version of the package."""


@page("/enter", ANYBODY, of_study=False)
async def enter(request: PageRequest) -> Response:
    """Open the link of the owner, of all voters or of one voter, or one with an API key."""
    link = request.http.query_params.get("link", "")
    opened = open_session(link, request.keys)
    if opened is None and link.startswith("duelist_"):
        key = await request.http.app.state.access.find(request.http, link)
        opened = Session(role=key.role, key=key.id)
    if opened is None:
        request.http.app.state.rates.count(caller_of(request.http.scope))
        raise Refused(
            401, "KeyError", "the link is incomplete or belongs to another arena; copy the whole link."
        )
    # earlier voters keep their name, unless the link has one
    session = opened if opened.voter is not None else with_name(opened, request.session)
    arena = request.http.app.state.arena
    return keep(request.go("/" if arena is not None else "/studies"), request, session.with_voter())


def with_name(opened: Session, before: Session) -> Session:
    return Session(voter=before.voter, role=opened.role, key=opened.key, last=before.last)


@page(f"{STATIC}/{{file}}", ANYBODY, of_study=False)
async def static(request: PageRequest) -> Response:
    name = request.http.path_params["file"]
    folder = resources.files("duelist.web").joinpath("static")
    known = {file.name: file for file in folder.iterdir() if file.is_file()}
    ending = "." + name.rpartition(".")[2]
    if name not in known or ending not in TYPES:
        raise HTTPException(404, f"no such file: {name}; check the address.")
    content = known[name].read_bytes()
    return Response(content, media_type=TYPES[ending], headers={"cache-control": CACHED})


@page("/studies", READERS, heading="Studies", of_study=False, in_arena=False)
async def studies(request: PageRequest) -> Response:
    live = live_studies(request.http)
    lines = []
    for name in await live.in_thread(live.database.names):
        try:
            one = await live.find(name)
            about = await one.work(summarize, name, one.study)
        except ParameterError:
            lines.append(StudyLine(name, f"/api/studies/{name}", None, None, 0, "not served"))
            continue
        except DuelistError:
            lines.append(StudyLine(name, f"/api/studies/{name}", None, None, 0, "damaged"))
            continue
        has_pages = one.state.has_verdicts
        address = f"/studies/{name}/leaderboard" if has_pages else f"/api/studies/{name}"
        leader = about.leader if isinstance(about.leader, str) and about.answers else None
        state = "closed" if about.closed else "decided" if about.done else "voting"
        lines.append(StudyLine(name, address, leader, about.confidence, about.answers, state))
    return HTMLResponse(studies_page("Studies", lines, request.viewer()))


@page("/", ANYBODY, of_study=False, in_arena=False)
async def to_studies(request: PageRequest) -> Response:
    """Redirect the root of a service to the list of studies."""
    return request.go("/studies")


@page("", VOTERS | READERS, in_arena=False)
async def to_voting(request: PageRequest) -> Response:
    """Redirect a study's address without a slash to its voting page."""
    return request.go(f"{request.site.base}/")
