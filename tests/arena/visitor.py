"""Browsers without a window: pages and forms of an arena or a service, in the tests' own process."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from html.parser import HTMLParser
from typing import Any

import httpx

from duelist.arena.app import create_app
from duelist.arena.page_requests import Session, seal_session
from duelist.arena.running import open_study
from duelist.arena.site import Arena
from duelist.database import Database
from duelist.judging.material import Material, Output
from duelist.service.settings import Settings
from duelist.votes.formats import ABOUT_ARMS

HOME = "http://127.0.0.1:8322"


class Forms(HTMLParser):
    """Finds the forms of a page: where each leads, and its hidden fields."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note a form, or a hidden field of the last one."""
        given = dict(attributes)
        if tag == "form":
            self.found.append((given["action"] or "", {}))
        elif tag == "input" and given.get("type") == "hidden":
            self.found[-1][1][given["name"] or ""] = given["value"] or ""


class Visitor:
    """A browser with cookies of its own."""

    def __init__(self, runner: asyncio.Runner, app: Any) -> None:
        self._runner, self.app = runner, app
        transport = httpx.ASGITransport(app, raise_app_exceptions=True)
        self.http = httpx.AsyncClient(transport=transport, base_url=HOME, follow_redirects=True)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self._runner.run(self.http.get(path, **options))

    def votes(self) -> list[dict[str, Any]]:
        """Return the votes that can be downloaded, without what is said of arms."""
        rows = map(json.loads, self.get("/votes.jsonl").text.splitlines())
        return [row for row in rows if row["status"] not in ABOUT_ARMS]

    def post(self, path: str, fields: dict[str, str], **options: Any) -> httpx.Response:
        return self._runner.run(self.http.post(path, data=fields, **options))

    def form(self, page: httpx.Response, path: str) -> dict[str, str]:
        """Return the hidden fields of the form that leads to a path."""
        return next(fields for action, fields in Forms(page.text).found if action == path)

    def send(self, page: httpx.Response, path: str, **fields: str) -> httpx.Response:
        """Fill in and send a form of a page."""
        return self.post(path, {**self.form(page, path), **fields})

    def vote(self, outcome: str, page: httpx.Response | None = None) -> httpx.Response:
        """Vote on the duel that is shown; return the next page."""
        return self.send(page or self.get("/"), "/vote", outcome=outcome)

    def shown(self, page: httpx.Response) -> tuple[str, str]:
        """Return the texts of both sides."""
        left, right = re.findall(r'class="output".*?>(.*?)</div>', page.text, re.DOTALL)
        return plain(left), plain(right)


class RunningService:
    """A service that runs, and its visitors."""

    def __init__(self, runner: asyncio.Runner, app: Any) -> None:
        self._runner, self.app = runner, app

    def visitor(self, session: Session | None = None) -> Visitor:
        """Return somebody new, who has opened a link if a session is given."""
        one = Visitor(self._runner, self.app)
        if session is not None:
            one.get("/enter", params={"link": self.link(session)})
        return one

    def link(self, session: Session) -> str:
        """Return what a link says."""
        return seal_session(session, self.app.state.keys)

    def wait(self, awaitable: Any) -> Any:
        """Return what comes of something."""
        return self._runner.run(awaitable)


OWNER, VOTER = Session(role="admin"), Session(role="play")


def material_of(arms: tuple[str, ...] = ("secret-a", "secret-b", "secret-c"), items: int = 4) -> Material:
    """Return outputs that do not tell by whom they are."""
    outputs: dict[str | None, tuple[Output, ...]] = {
        f"Question {item}": tuple(Output(f"Text {item * 10 + place}") for place in range(len(arms)))
        for item in range(items)
    }
    prompts: dict[str | None, Output] = {item: Output(f"{item}?") for item in outputs}
    return Material("Texts", arms, outputs, prompts)


@contextmanager
def arena(
    database: Any, material: Material | None = None, share: bool = False, **options: Any
) -> Iterator[RunningService]:
    """Run an arena for the block."""
    material = material or material_of()
    with Database(database) as opened:
        open_study(opened, material)
    with service(database, Arena(material=material, **options), is_open=not share) as running:
        yield running


@contextmanager
def service(database: Any, arena: Arena | None = None, **settings: Any) -> Iterator[RunningService]:
    """Run a service with pages for the block."""
    chosen = {"database": str(database), "is_open": True, "logs": False, "port": 8322, **settings}
    app = create_app(Settings(**chosen), arena)
    with asyncio.Runner() as runner:
        living = app.router.lifespan_context(app)
        runner.run(living.__aenter__())
        try:
            yield RunningService(runner, app)
        finally:
            runner.run(living.__aexit__(None, None, None))


def plain(text: str) -> str:
    """Return a piece of a page without its tags."""
    return unescape(re.sub(r"<[^>]*>", "", text)).strip()
