"""Coming in: links that say who may do what, and the files that pages are made of."""

from importlib import resources
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from duelist.arena.sessions import Session, open_session
from duelist.arena.visits import ANYBODY, STATIC, Visit, keep, page
from duelist.service.access import caller_of
from duelist.service.failures import Refused

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
FOR_EVER = "public, max-age=31536000, immutable"
"""The address of a file has the version of the package in it."""


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


def routes(base: str) -> list[Any]:
    """Return the routes by which one comes in, which are not below a study's path."""
    return [
        page("/enter", ANYBODY, enter, about_study=False),
        page(f"{STATIC}/{{file}}", ANYBODY, static, about_study=False),
    ]
