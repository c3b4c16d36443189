"""The service with pages: voting, leaderboard and dashboard of every study, or of one arena."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from hashlib import blake2b
from types import FrameType
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from duelist.arena.events import Streams
from duelist.arena.page_requests import on_http, pages_in
from duelist.arena.routes import admin, entering, results, voting
from duelist.arena.site import Arena, Forecasts
from duelist.service.app import create_app as create_service
from duelist.service.app import running
from duelist.service.settings import Settings
from duelist.study.tickets import KeyRing

FACTORY = "duelist.arena.app:create_app"
"""Import path by which workers find the application."""
EVERY_STUDY = "/studies/{name}"
"""Path of a study's pages, in a service with several studies."""
Watch = Callable[[Starlette], Awaitable[None]]


def create_app(
    settings: Settings | None = None, arena: Arena | None = None, watch: Watch | None = None
) -> Starlette:
    """Return the service with pages.

    Parameters
    ----------
    settings : Settings, optional
        By default those of the process that started this one.
    arena : Arena, optional
        The content of the single study of `duelist arena`. By default every study gets pages.
    watch : coroutine function, optional
        Runs for as long as the application serves.
    """
    base = "" if arena is not None else EVERY_STUDY
    pages = [one for one in pages_in(entering, voting, results, admin) if one.in_arena or arena is None]
    app = create_service(settings, partial(with_pages, watch=watch), [one.route(base) for one in pages])
    app.state.pages = pages
    app.state.arena = arena
    digest = blake2b(app.state.settings.database.encode(), digest_size=6).hexdigest()
    # browsers share cookies between all ports of a host, where several arenas may run
    app.state.cookie = f"duelist_{digest}"
    app.add_exception_handler(HTTPException, on_http)
    return app


@asynccontextmanager
async def with_pages(app: Starlette, watch: Watch | None) -> AsyncIterator[None]:
    """Run the service with the keys, forecasts and event streams that its pages need."""
    async with running(app):
        app.state.keys = KeyRing(app.state.live.database.ticket_keys)
        app.state.forecasts, app.state.streams = Forecasts(), Streams()
        restore = on_signals(app.state.streams.stop)
        task = None if watch is None else asyncio.ensure_future(watch(app))
        yield
        restore()
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await app.state.forecasts.stop()


def on_signals(stop: Callable[[], None]) -> Callable[[], None]:
    """Call `stop` on SIGTERM and SIGINT, before the server waits for open responses; return an undo."""
    loop = asyncio.get_running_loop()
    before: dict[int, Any] = {}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)
        if callable(before[number]):
            before[number](number, frame)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            before[number] = signal.getsignal(number)
            signal.signal(number, handle)
    except ValueError:  # not in the main thread, which receives no signals
        before.clear()
    return restore
