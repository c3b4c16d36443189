"""Requests for pages: roles, forms, cookies, security headers and error pages."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from types import ModuleType
from typing import Any, NamedTuple

import msgspec
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from duelist import __version__
from duelist.arena.pages import Viewer, common
from duelist.arena.sessions import KEPT, Session, form_token, is_form_token, open_session, seal_session
from duelist.arena.site import Site, site_of
from duelist.service.access import caller_of
from duelist.service.failures import Refused, answer_to, failure_of
from duelist.service.gate import API, place_of
from duelist.service.metrics import write_line
from duelist.study.tickets import KeyRing
from duelist.web.page import render

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    # with no referrer at all, forms are sent with the origin null, and are rejected
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
STATIC = f"/static/{__version__}"
"""Path of style sheets and scripts: browsers may cache them, since every version has its own."""
VOTERS, READERS, OWNERS = frozenset({"play", "admin"}), frozenset({"read", "admin"}), frozenset({"admin"})
"""Roles that may vote, see results (which would bias voters), and change the study."""
ANYBODY: frozenset[str] = frozenset()


class PageRequest(NamedTuple):
    """A request for a page, with its session, role, study and form."""

    http: Request
    session: Session
    role: str | None = None
    about: Site | None = None
    """The study that the page is about, if it is about one."""
    form: FormData = FormData()
    page: "LivePage | None" = None

    @property
    def keys(self) -> KeyRing:
        keys: KeyRing = self.http.app.state.keys
        return keys

    @property
    def site(self) -> Site:
        assert self.about is not None
        return self.about

    def field(self, name: str, most: int = 400_000) -> str:
        """Return a field of the form. Raise Refused if it is missing or longer than `most`."""
        value = self.form.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= most:
            raise Refused(
                422,
                "FormError",
                f"field {name!r} is missing, empty or too long; reload the page.",
            )
        return value

    def viewer(self) -> Viewer:
        pages = [one for one in self.http.app.state.pages if one.is_for(self)]
        base = "" if self.about is None else self.about.base
        urls = {one.name: one.url(base) for one in pages}
        headings = {one.name: one.heading for one in pages if one.heading}
        token = form_token(self.session, self.keys)
        return Viewer(urls, headings, STATIC, self.role in OWNERS, token, ("vote.js", "live.js"))

    def show(self, template: str, title: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return the page of a template."""
        viewer, site = self.viewer(), "duelist" if self.about is None else self.about.title
        shared = common("" if self.page is None else self.page.name, title, viewer)
        shared |= {"token": viewer.token, "site": site, "unlimited": inf}
        return HTMLResponse(render(template, **shared, **values), status)

    def go(self, path: str) -> Response:
        """Redirect the browser to another page, which it fetches with GET."""
        return RedirectResponse(path, 303)


Handler = Callable[[PageRequest], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class LivePage:
    """A page, form or file: its address, the roles that have access, and its handler."""

    name: str
    """Key of its address in templates."""
    path: str
    who: frozenset[str]
    """Roles that have access; empty for everybody."""
    handler: Handler
    method: str
    heading: str
    """Its title in the navigation; empty if it is not listed there."""
    of_study: bool
    """Whether its path is below that of a study."""
    in_arena: bool
    """Whether an arena, which has a single study, has this page."""
    has_token: bool

    def url(self, base: str) -> str:
        return base + self.path if self.of_study else self.path

    def is_for(self, request: PageRequest) -> bool:
        """Return whether the page may link to this one."""
        known = request.about is not None or not self.of_study
        return known and request.role in self.who and "{" not in self.path

    def route(self, base: str) -> Route:
        return Route(self.url(base), self.answer, methods=[self.method], include_in_schema=False)

    async def answer(self, http: Request) -> Response:
        """Answer a request, with an error page if it is not allowed or fails."""
        request = PageRequest(http, Session(), page=self)
        try:
            request = await admit(request, self.who)
            if self.method == "POST":
                request = request._replace(form=await form_of(http))
                if self.has_token:
                    require_token(request)
            if self.of_study:
                request = request._replace(about=await site_of(http))
            response = await self.handler(request)
        except Exception as error:
            response = sorry(request, error)
        finally:
            await request.form.close()
        response.headers.update(HEADERS)
        return response


def page(
    path: str,
    who: frozenset[str],
    method: str = "GET",
    *,
    heading: str = "",
    of_study: bool = True,
    in_arena: bool = True,
    has_token: bool = True,
) -> Callable[[Handler], LivePage]:
    """Make a page of a handler; the page has the handler's name.

    A form carries a token of its voter, unless it has a ticket, which nobody else knows either.
    """

    def made(handler: Handler) -> LivePage:
        return LivePage(
            name=handler.__name__,
            path=path,
            who=who,
            handler=handler,
            method=method,
            heading=heading,
            of_study=of_study,
            in_arena=in_arena,
            has_token=has_token,
        )

    return made


def pages_in(*modules: ModuleType) -> list[LivePage]:
    return [one for module in modules for one in vars(module).values() if isinstance(one, LivePage)]


async def admit(request: PageRequest, who: frozenset[str]) -> PageRequest:
    """Add the session and role to a request. Raise Refused if the role has no access."""
    http = request.http
    state = http.app.state
    state.rates.count(caller_of(http.scope))
    session = open_session(http.cookies.get(state.cookie, ""), state.keys) or Session()
    role = await role_of(http, session)
    if who and role not in who:
        raise refusal(role)
    return request._replace(session=session, role=role)


def require_token(request: PageRequest) -> None:
    """Raise Refused for a form that was not made for its sender, such as one from another site."""
    token = request.form.get("token")
    if not isinstance(token, str) or not is_form_token(token, request.session, request.keys):
        raise Refused(
            403, "FormError", "the form does not belong to this session; reload the page and send it again."
        )


async def role_of(http: Request, session: Session) -> str | None:
    """Return the role of a session: the owner's where the service needs no key."""
    access = http.app.state.access
    if access.is_open:
        return "admin"
    if session.key is not None and not await access.is_known(http, session.key):
        return None
    return session.role


def refusal(role: str | None) -> Refused:
    if role is None:
        return Refused(
            401, "KeyError", "this page requires an invitation link; open it with the link you were given."
        )
    return Refused(403, "RoleError", "your link only allows voting; results are restricted to the owner.")


async def form_of(http: Request) -> FormData:
    """Return the fields of a form. Raise Refused if the body is not a form."""
    kind = http.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        raise Refused(
            415, "ContentTypeError", f"the body is {kind or 'untyped'}, not a form; use the form on the page."
        )
    try:
        return await http.form(max_files=1, max_fields=20, max_part_size=1 << 26)
    except (MultiPartException, HTTPException) as error:
        raise Refused(
            400, "FormError", "the form cannot be read; reload the page and send it again."
        ) from error


def keep(response: Response, request: PageRequest, session: Session) -> Response:
    """Set the cookie of a session, unless the browser has the same one already."""
    if session != request.session:
        response.set_cookie(
            request.http.app.state.cookie,
            seal_session(session, request.keys),
            max_age=KEPT,
            httponly=True,
            samesite="lax",
            secure=request.http.url.scheme == "https",
        )
    return response


def sorry(request: PageRequest, error: Exception) -> Response:
    """Return the error page; log errors of the service."""
    failure = failure_of(error)
    if failure.status >= 500:
        where = None if failure.is_expected else place_of(error)
        write_line(level="error", error=type(error).__name__, detail=failure.detail, place=where)
    response = request.show(
        "sorry.html", "Something went wrong", failure.status, detail=sentence(failure.detail)
    )
    response.headers.update(failure.headers)
    return response


def sentence(text: str) -> str:
    """Capitalise an error message for a page; a leading file name stays as it is.

    Examples
    --------
    >>> sentence("the form cannot be read."), sentence("votes.csv, line 2: 3 fields.")
    ('The form cannot be read.', 'votes.csv, line 2: 3 fields.')
    """
    return text if "." in text.split(" ")[0] else text[:1].upper() + text[1:]


async def on_http(http: Request, error: Exception) -> Response:
    """Answer browsers with an error page, programs as the API does."""
    if http.url.path.startswith(API) or "text/html" not in http.headers.get("accept", ""):
        return await answer_to(http, error)
    response = sorry(PageRequest(http, Session()), error)
    response.headers.update(HEADERS)
    return response


def replaced(session: Session, **changes: Any) -> Session:
    return msgspec.structs.replace(session, **changes)
