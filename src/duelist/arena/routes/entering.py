"""Coming in: links that say who may do what, the list of studies, and the files that pages are made of."""

from importlib import resources

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from duelist.arena.pages import StudyLine, studies_page
from duelist.arena.visits import ANYBODY, READERS, STATIC, VOTERS, Session, Visit, keep, open_session, page
from duelist.errors import DuelistError, ParameterError
from duelist.service.access import caller_of
from duelist.service.failures import Refused
from duelist.service.live import live_studies
from duelist.service.report import summarize

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
FOR_EVER = "public, max-age=31536000, immutable"
"""The address of a file has the version of the package in it."""


@page("/enter", ANYBODY, of_study=False)
async def enter(visit: Visit) -> Response:
    """Open a link: of the owner, of all voters, of one voter, or a key of the API."""
    link = visit.request.query_params.get("link", "")
    opened = open_session(link, visit.keys)
    if opened is None and link.startswith("duelist_"):
        key = await visit.request.app.state.access.find(visit.request, link)
        opened = Session(role=key.role, key=key.id)
    if opened is None:
        visit.request.app.state.rates.count(caller_of(visit.request.scope))
        raise Refused(401, "KeyError", "the link is not complete, or not of this arena; copy all of it.")
    # whoever has voted here keeps their name, unless the link gives them one
    session = opened if opened.voter is not None else with_name(opened, visit.session)
    arena = visit.request.app.state.arena
    return keep(visit.go("/" if arena is not None else "/studies"), visit, session.with_voter())


def with_name(opened: Session, before: Session) -> Session:
    """Return a session that was opened, under the name of the one before."""
    return Session(voter=before.voter, role=opened.role, key=opened.key, last=before.last)


@page(f"{STATIC}/{{file}}", ANYBODY, of_study=False)
async def static(visit: Visit) -> Response:
    """Return a style sheet or a script."""
    name = visit.request.path_params["file"]
    folder = resources.files("duelist.web").joinpath("static")
    known = {file.name: file for file in folder.iterdir() if file.is_file()}
    ending = "." + name.rpartition(".")[2]
    if name not in known or ending not in TYPES:
        raise HTTPException(404, "there is no such file.")
    content = known[name].read_bytes()
    return Response(content, media_type=TYPES[ending], headers={"cache-control": FOR_EVER})


@page("/studies", READERS, heading="Studies", of_study=False, in_arena=False)
async def studies(visit: Visit) -> Response:
    """List all studies: who leads in each, and how surely."""
    live = live_studies(visit.request)
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
    return HTMLResponse(studies_page("Studies", lines, visit.viewer()))


@page("/", ANYBODY, of_study=False, in_arena=False)
async def to_studies(visit: Visit) -> Response:
    """Lead from the root of a service to the list of its studies."""
    return visit.go("/studies")


@page("", VOTERS | READERS, in_arena=False)
async def to_voting(visit: Visit) -> Response:
    """Lead from a study's name to its voting page."""
    return visit.go(f"{visit.place.base}/")
