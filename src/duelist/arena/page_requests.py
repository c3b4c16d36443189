"""Requests for pages: sessions, roles, forms, security headers and error pages.

A session is a voter's name and role, sealed in a cookie that no script can read.
"""

import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from types import ModuleType
from typing import Any, Literal, NamedTuple

import msgspec
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from duelist import __version__
from duelist.arena.site import STUDY, Arena, Site
from duelist.defaults import DELTA
from duelist.errors import DuelistError, TicketError
from duelist.service.access import caller_of
from duelist.service.failures import Refused, answer_to, failure_of
from duelist.service.gate import API, location_of
from duelist.service.live import live_studies
from duelist.service.metrics import write_line
from duelist.service.operations import no_study
from duelist.study.tickets import NONCE, KeyRing
from duelist.web.page import Viewer, common, render

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
COOKIE = "duelist"
KEPT = 365 * 24 * 3600
"""Lifetime of the cookie in seconds."""
LONGEST = 4_000
"""Maximum length of a cookie in characters, which browsers limit."""
Role = Literal["read", "play", "admin"]


class Session(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The content of a cookie or a link.

    Parameters
    ----------
    kind : str
        Distinguishes sessions from form tokens, and both from tickets, which are sealed with the same keys.
    voter : str, optional
        The voter's name; None in the link for all voters.
    role : str, optional
        What the voter may do; None allows open pages only.
    key : str, optional
        Id of the API key that opened the session, which may be revoked.
    last : str, optional
        The ticket of the last vote, which can be undone.
    """

    kind: Literal["session", "form"] = "session"
    voter: str | None = None
    role: Role | None = None
    key: str | None = None
    last: str | None = None

    def with_voter(self) -> "Session":
        """Return the session with a voter's name, drawn at random if it has none."""
        if self.voter is not None:
            return self
        return msgspec.structs.replace(self, voter=f"visitor-{secrets.token_hex(8)}")


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
            raise Refused(422, "FormError", f"field {name!r} is missing, empty or too long; reload the page.")
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
    if state.settings.rate:
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
        where = None if failure.is_expected else location_of(error)
        write_line(level="error", error=type(error).__name__, detail=failure.detail, place=where)
    title = "No access" if failure.status in (401, 403) else "Something went wrong"
    response = request.show("sorry.html", title, failure.status, detail=sentence(failure.detail))
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
    if isinstance(error, HTTPException) and error.detail == "Not Found":  # no route
        error = Refused(404, "PageError", f"no page at {http.url.path[:100]}; check the address.")
    response = sorry(PageRequest(http, Session()), error)
    response.headers.update(HEADERS)
    return response


def replaced(session: Session, **changes: Any) -> Session:
    return msgspec.structs.replace(session, **changes)


async def site_of(http: Request) -> Site:
    arena: Arena | None = http.app.state.arena
    name = STUDY if arena is not None else http.path_params["name"]
    try:
        live = await live_studies(http).find(name)
    except DuelistError as error:
        raise no_study(name) from error
    if arena is not None:
        return Site(live, name, "", arena.material, arena.delta, arena.links)
    return Site(live, name, f"/studies/{name}", None, DELTA, False)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Session).decode


def seal_session(session: Session, keys: KeyRing) -> str:
    """Return a session as text that nobody can read or forge."""
    return urlsafe_b64encode(keys.seal(_encode(session), os.urandom(NONCE))).decode().rstrip("=")


def open_session(text: str, keys: KeyRing) -> Session | None:
    """Return the session of a cookie or a link; None if it was not sealed here.

    Examples
    --------
    >>> keys = KeyRing()
    >>> open_session(seal_session(Session(voter="visitor-1"), keys), keys).voter
    'visitor-1'
    >>> open_session("forged", keys) is None
    True
    """
    opened = open_sealed(text, keys)
    return opened if opened is not None and opened.kind == "session" else None


def open_sealed(text: str, keys: KeyRing) -> Session | None:
    if not 0 < len(text) <= LONGEST or not text.isascii():
        return None
    try:
        return _decode(keys.unseal(urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    except (ValueError, TicketError, msgspec.MsgspecError):
        return None


def form_token(session: Session, keys: KeyRing) -> str:
    """Return the token that protects a form against cross-site requests, sealed for its voter.

    It outlives the process: a page that was open during a restart can still vote.
    """
    return seal_session(Session(kind="form", voter=session.voter), keys)


def is_form_token(token: str, session: Session, keys: KeyRing) -> bool:
    opened = open_sealed(token, keys)
    return opened is not None and opened.kind == "form" and opened.voter == session.voter
