"""Pages: who visits and may see them, the forms they send, and what every answer says to the browser.

Who visits is a session: a voter's name and what they may do, sealed in a cookie that no script can read.
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
    # forms of a page that sends no referrer at all say that they come from nowhere, and are refused
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
STATIC = f"/static/{__version__}"
"""Where style sheets and scripts are: a new version is another address, so that browsers keep old ones."""
VOTERS, READERS, OWNERS = frozenset({"play", "admin"}), frozenset({"read", "admin"}), frozenset({"admin"})
"""Who may vote, who may see results (voters who see them are biased), and who may change things."""
ANYBODY: frozenset[str] = frozenset()
COOKIE = "duelist"
KEPT = 365 * 24 * 3600
"""Seconds that a browser keeps its cookie."""
LONGEST = 4_000
"""Characters of a cookie; browsers keep no longer ones."""
Role = Literal["read", "play", "admin"]


class Session(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a cookie or a link says.

    Parameters
    ----------
    mark : str
        Tells sessions from the tokens of forms, and both from tickets, which are sealed with the same keys.
    voter : str, optional
        Under which name its browser votes; the link that admits everybody has none.
    role : str, optional
        What it may do; None where a page must be open to be seen.
    key : str, optional
        The key of the API that it was opened with, which may be revoked.
    last : str, optional
        The ticket of the last vote, which can be undone.
    """

    mark: Literal["session", "form"] = "session"
    voter: str | None = None
    role: Role | None = None
    key: str | None = None
    last: str | None = None

    def with_voter(self) -> "Session":
        """Return the session with a name to vote under: drawn at random, so that it says nothing."""
        if self.voter is not None:
            return self
        return msgspec.structs.replace(self, voter=f"visitor-{secrets.token_hex(8)}")


class Visit(NamedTuple):
    """A request for a page: from whom, about what, with which form."""

    request: Request
    session: Session
    role: str | None = None
    site: Site | None = None
    form: FormData = FormData()
    page: "LivePage | None" = None

    @property
    def keys(self) -> KeyRing:
        """What sessions, tickets and addresses are sealed with."""
        keys: KeyRing = self.request.app.state.keys
        return keys

    @property
    def place(self) -> Site:
        """The study that the page is about."""
        assert self.site is not None
        return self.site

    def field(self, name: str, most: int = 400_000) -> str:
        """Return a field of the form, or refuse one that is missing."""
        value = self.form.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= most:
            raise Refused(422, "FormError", f"the form lacks the field {name!r}; load the page again.")
        return value

    def viewer(self) -> Viewer:
        """Return what pages are told of who looks at them: where things are, and what they may do."""
        pages = [one for one in self.request.app.state.pages if one.is_for(self)]
        base = "" if self.site is None else self.site.base
        urls = {one.name: one.url(base) for one in pages}
        headings = {one.name: one.heading for one in pages if one.heading}
        token = form_token(self.session, self.keys)
        return Viewer(urls, headings, STATIC, self.role in OWNERS, token, ("vote.js", "live.js"))

    def show(self, template: str, title: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page."""
        viewer, site = self.viewer(), "duelist" if self.site is None else self.site.title
        told = common("" if self.page is None else self.page.name, title, viewer)
        told |= {"token": viewer.token, "site": site, "unlimited": inf}
        return HTMLResponse(render(template, **told, **values), status)

    def go(self, path: str) -> Response:
        """Return that the browser goes on to another page, which it fetches anew."""
        return RedirectResponse(path, 303)


Handler = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class LivePage:
    """A page, a form or a file: where it is, who may see or send it, and the function that answers."""

    name: str
    """What templates call its address."""
    path: str
    who: frozenset[str]
    """Roles; none where anybody may come."""
    handler: Handler
    method: str
    heading: str
    """Its name in the navigation; empty for what is not in it."""
    of_study: bool
    """Whether its path begins with that of a study."""
    in_arena: bool
    """Whether an arena has it, where there is one study alone."""
    has_token: bool

    def url(self, base: str) -> str:
        """Return where it is, of a study whose pages begin with a path."""
        return base + self.path if self.of_study else self.path

    def is_for(self, visit: Visit) -> bool:
        """Return whether a visitor may be told of it, on a page about this study or none."""
        known = visit.site is not None or not self.of_study
        return known and visit.role in self.who and "{" not in self.path

    def route(self, base: str) -> Route:
        """Return where requests for it go."""
        return Route(self.url(base), self.answer, methods=[self.method], include_in_schema=False)

    async def answer(self, request: Request) -> Response:
        """Return the answer to a request, also where it may not be made or fails."""
        visit = Visit(request, Session(), page=self)
        try:
            visit = await admit(visit, self.who)
            if self.method == "POST":
                visit = visit._replace(form=await form_of(request))
                if self.has_token:
                    require_token(visit)
            if self.of_study:
                visit = visit._replace(site=await site_of(request))
            response = await self.handler(visit)
        except Exception as error:
            response = sorry(visit, error)
        finally:
            await visit.form.close()
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
    """Make a page of a function of a visit; it is called as the function is.

    A form carries a token of its voter, unless it has a ticket: nobody else knows that either.
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
    """Return the pages of modules, in their order."""
    return [one for module in modules for one in vars(module).values() if isinstance(one, LivePage)]


async def admit(visit: Visit, who: frozenset[str]) -> Visit:
    """Return who visits, or refuse them."""
    request = visit.request
    state = request.app.state
    if state.settings.rate:
        state.rates.count(caller_of(request.scope))
    session = open_session(request.cookies.get(state.cookie, ""), state.keys) or Session()
    role = await role_of(request, session)
    if who and role not in who:
        raise refusal(role)
    return visit._replace(session=session, role=role)


def require_token(visit: Visit) -> None:
    """Refuse a form that was not made for its sender, such as one on a page of another site."""
    token = visit.form.get("token")
    if not isinstance(token, str) or not is_form_token(token, visit.session, visit.keys):
        raise Refused(403, "FormError", "the form is not of this page; load the page again and send it.")


async def role_of(request: Request, session: Session) -> str | None:
    """Return what a visitor may do: everything on this machine where no key is needed."""
    access = request.app.state.access
    if access.is_open:
        return "admin"
    if session.key is not None and not await access.is_known(request, session.key):
        return None
    return session.role


def refusal(role: str | None) -> Refused:
    """Return why somebody may not see a page."""
    if role is None:
        return Refused(401, "KeyError", "this is by invitation: open it with the link that you were given.")
    return Refused(403, "RoleError", "your link is for voting alone; results are for those who ask.")


async def form_of(request: Request) -> FormData:
    """Return the fields of a form, or say that it is none."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        raise Refused(415, "ContentTypeError", "send a form, as the page does.")
    try:
        return await request.form(max_files=1, max_fields=20, max_part_size=1 << 26)
    except (MultiPartException, HTTPException) as error:
        raise Refused(400, "FormError", "the form cannot be read; load the page again.") from error


def keep(response: Response, visit: Visit, session: Session) -> Response:
    """Let the browser keep a session; where nothing changed, what it has is good."""
    if session != visit.session:
        response.set_cookie(
            visit.request.app.state.cookie,
            seal_session(session, visit.keys),
            max_age=KEPT,
            httponly=True,
            samesite="lax",
            secure=visit.request.url.scheme == "https",
        )
    return response


def sorry(visit: Visit, error: Exception) -> Response:
    """Return a page that says what went wrong and what to do."""
    failure = failure_of(error)
    if failure.status >= 500:
        where = None if failure.is_expected else location_of(error)
        write_line(level="error", error=type(error).__name__, detail=failure.detail, place=where)
    response = visit.show("sorry.html", "This did not work", failure.status, detail=sentence(failure.detail))
    response.headers.update(failure.headers)
    return response


def sentence(text: str) -> str:
    """Return an error's text as a sentence of a page; a name of a file stays as it is.

    Examples
    --------
    >>> sentence("the form cannot be read."), sentence("votes.csv, line 2: 3 fields.")
    ('The form cannot be read.', 'votes.csv, line 2: 3 fields.')
    """
    return text if "." in text.split(" ")[0] else text[:1].upper() + text[1:]


async def on_http(request: Request, error: Exception) -> Response:
    """Answer a browser that no page is there, and programs as the API does."""
    if request.url.path.startswith(API) or "text/html" not in request.headers.get("accept", ""):
        return await answer_to(request, error)
    response = sorry(Visit(request, Session()), error)
    response.headers.update(HEADERS)
    return response


def replaced(session: Session, **changes: Any) -> Session:
    """Return a session with other fields."""
    return msgspec.structs.replace(session, **changes)


async def site_of(request: Request) -> Site:
    """Return what a page is about, by its path."""
    arena: Arena | None = request.app.state.arena
    name = STUDY if arena is not None else request.path_params["name"]
    try:
        live = await live_studies(request).find(name)
    except DuelistError as error:
        raise no_study(name) from error
    if arena is not None:
        return Site(live, name, "", arena.material, arena.delta, arena.links)
    return Site(live, name, f"/studies/{name}", None, DELTA, False)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Session).decode


def seal_session(session: Session, keys: KeyRing) -> str:
    """Return a session as a text that nobody can read or make."""
    return urlsafe_b64encode(keys.seal(_encode(session), os.urandom(NONCE))).decode().rstrip("=")


def open_session(text: str, keys: KeyRing) -> Session | None:
    """Return the session of a cookie or a link; None for what is none of ours.

    Examples
    --------
    >>> keys = KeyRing()
    >>> open_session(seal_session(Session(voter="visitor-1"), keys), keys).voter
    'visitor-1'
    >>> open_session("forged", keys) is None
    True
    """
    opened = open_sealed(text, keys)
    return opened if opened is not None and opened.mark == "session" else None


def open_sealed(text: str, keys: KeyRing) -> Session | None:
    """Return what was sealed; None for what was not sealed with these keys."""
    if not 0 < len(text) <= LONGEST or not text.isascii():
        return None
    try:
        return _decode(keys.unseal(urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    except (ValueError, TicketError, msgspec.MsgspecError):
        return None


def form_token(session: Session, keys: KeyRing) -> str:
    """Return what a form carries so that a page of another site cannot send it: sealed for its voter.

    It outlives the process, so that a page that was open when a service was started anew can still vote.
    """
    return seal_session(Session(mark="form", voter=session.voter), keys)


def is_form_token(token: str, session: Session, keys: KeyRing) -> bool:
    """Return whether a form was made for this session."""
    opened = open_sealed(token, keys)
    return opened is not None and opened.mark == "form" and opened.voter == session.voter
