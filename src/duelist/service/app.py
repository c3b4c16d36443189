"""The service as an ASGI application."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from fastapi import FastAPI

from duelist import __version__
from duelist.database import Database
from duelist.service.access import Access
from duelist.service.failures import answer_errors
from duelist.service.gate import Gate
from duelist.service.live import LiveStudies
from duelist.service.metrics import Metrics
from duelist.service.routes import health, studies, voting
from duelist.service.settings import VARIABLE, Settings
from duelist.service.warming import open_all

ABOUT = """
Show two options, see which is preferred, find the best while rarely showing a bad one.

A study has **arms** (or knobs). `ask` gives a **duel** of two of them with a **ticket**; `tell` brings the
ticket back with the side that was preferred. What was answered with 200 is on disk, and is counted once
however often it is sent.
"""


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the service; without settings they are those of the process that started this one."""
    if settings is None:
        settings = msgspec.json.decode(os.environ[VARIABLE], type=Settings)
    metrics = Metrics()
    app = FastAPI(
        title="duelist",
        description=ABOUT,
        version=__version__,
        lifespan=running,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings, app.state.metrics = settings, metrics
    for router in (voting.router, studies.router, health.router, health.guarded):
        app.include_router(router)
    answer_errors(app)
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    return app


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """Open the database before the first request, and finish what was accepted after the last."""
    settings: Settings = app.state.settings
    database = await asyncio.to_thread(Database, settings.database)
    app.state.live = LiveStudies(database, app.state.metrics.committed)
    app.state.access = Access(database, settings.is_open)
    app.state.opened = False
    opening = asyncio.create_task(open_all(app))
    yield
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    await app.state.live.close()


def encode_settings(settings: Settings) -> dict[str, Any]:
    """Return the environment of worker processes."""
    return {VARIABLE: msgspec.json.encode(settings).decode()}
