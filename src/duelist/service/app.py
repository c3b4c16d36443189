"""The service as an ASGI application."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import msgspec
from fastapi import FastAPI

from duelist import __version__
from duelist.database import Database
from duelist.service.access import SCHEME, Access
from duelist.service.failures import HANDLED, answer_to
from duelist.service.gate import Gate
from duelist.service.live import LiveStudies
from duelist.service.metrics import Metrics
from duelist.service.quick import Shortcut
from duelist.service.rates import Rates
from duelist.service.routes import health, lists, results, studies, voting
from duelist.service.settings import VARIABLE, Settings
from duelist.service.warming import open_all

ABOUT = """
Show two options, see which is preferred, find the best while rarely showing a bad one.

A study has **arms** (or knobs). `ask` gives a **duel** of two of them with a **ticket**; `tell` brings the
ticket back with the side that was preferred. What was answered with 200 is on disk, and is counted once
however often it is sent.
"""


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
LOOKING = 0.5
"""Seconds between two looks whether the process that started this worker is still there."""
SETTLING = 15.0
"""Seconds between two looks for clicks that are due."""


class Application(FastAPI):
    """An application behind a gate, whose description says what a key is."""

    gate: Gate

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        scope["app"] = self
        await self.gate(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """Return the description of all routes."""
        content = super().openapi()
        content["components"]["securitySchemes"] = {"key": SCHEME}
        return content


def create_app(settings: Settings | None = None, lifespan: Lifespan | None = None) -> Application:
    """Return the service; without settings they are those of the process that started this one.

    A `lifespan` other than `running` is that of an application which adds pages.
    """
    if settings is None:
        settings = msgspec.json.decode(os.environ[VARIABLE], type=Settings)
    metrics = Metrics()
    app = Application(
        title="duelist",
        description=ABOUT,
        version=__version__,
        lifespan=lifespan or running,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers=dict.fromkeys(HANDLED, answer_to),
    )
    app.state.settings, app.state.metrics, app.state.rates = settings, metrics, Rates(settings.rate)
    for router in (
        voting.router,
        lists.router,
        studies.router,
        results.router,
        health.router,
        health.guarded,
    ):
        # as the application's own: a router that is included has every request matched twice
        app.router.routes.extend(router.routes)
    app.gate = Gate(Shortcut(super(Application, app).__call__, app.routes), settings, metrics)
    return app


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """Open the database before the first request, and finish what was accepted after the last."""
    settings: Settings = app.state.settings
    database = await asyncio.to_thread(Database, settings.database)
    app.state.live = LiveStudies(database, app.state.metrics)
    app.state.access = Access(database, settings.is_open)
    app.state.opened = False
    tasks = [asyncio.create_task(open_all(app)), asyncio.create_task(settle_regularly(app))]
    if settings.workers > 1:
        tasks.append(asyncio.create_task(end_with_parent()))
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await app.state.live.close()


async def end_with_parent() -> None:
    """Stop when the process that started this worker is gone, also if it was killed."""
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(LOOKING)
    signal.raise_signal(signal.SIGTERM)


async def settle_regularly(app: FastAPI) -> None:
    """Settle clicks that are due, also where nobody asks any more."""
    while True:
        await asyncio.sleep(SETTLING)
        await app.state.live.settle()
