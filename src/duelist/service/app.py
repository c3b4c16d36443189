"""The service as an ASGI application."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from duelist.database import Database
from duelist.errors import DuelistError
from duelist.kernels.live import BACKGROUND
from duelist.learners.armed.auto import Auto
from duelist.protocols import Learner
from duelist.service.access import Access, Rates, caller_of
from duelist.service.failures import HANDLED, answer_to
from duelist.service.gate import Gate
from duelist.service.live import LiveStudies, live_studies
from duelist.service.metrics import Metrics, write_line
from duelist.service.openapi import describe
from duelist.service.operations import JSON, Operations, written
from duelist.service.routes import results, studies, voting
from duelist.service.settings import VARIABLE, Settings
from duelist.study import Study
from duelist.wire import Health, Readiness

health = Operations("operations")


@health.declare("GET", "/healthz", None)
async def healthz(request: Request) -> Health:
    """Report that the process is running."""
    return Health()


@health.declare("GET", "/readyz", None, answers={200: Readiness, 503: Readiness})
async def readyz(request: Request) -> Response:
    """Report whether the database is reachable, the studies are open and the learners compiled."""
    request.app.state.rates.count(caller_of(request.scope))
    live = live_studies(request)
    try:
        await live.in_thread(live.database.names)
        journal = not live.database.committer.is_failing
    except DuelistError:
        journal = False
    opened, kernels = bool(request.app.state.opened), not BACKGROUND.wanted
    ready = journal and opened and kernels
    found = Readiness(ready=ready, journal=journal, studies=opened, kernels=kernels)
    return written(found, 200 if ready else 503)


@health.declare("GET", "/metrics", "read", answers={200: {"text/plain": "duelist_answers_total 17.0"}})
async def metrics(request: Request) -> Response:
    """Return the metrics of this worker in Prometheus format."""
    request.app.state.metrics.studies.set(len(live_studies(request)))
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")


OPERATIONS = (
    *voting.operations,
    *voting.lists,
    *studies.operations,
    *results.operations,
    *health,
)
Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]
PARENT_CHECK = 0.5
"""Seconds between checks whether the parent process is still running."""
SETTLE_EVERY = 15.0
"""Seconds between checks for clicks that are due to be credited."""


def create_app(
    settings: Settings | None = None, lifespan: Lifespan | None = None, pages: Sequence[BaseRoute] = ()
) -> Starlette:
    """Return the ASGI application of the service.

    Parameters
    ----------
    settings : Settings, optional
        How to serve; by default, the settings that the parent process passed in the environment.
    lifespan : callable, optional
        Replaces `running`, for an application that adds pages.
    pages : sequence of routes
        Routes besides those of the API.

    Returns
    -------
    Starlette
        The application.

    Examples
    --------
    >>> app = create_app(Settings(database="studies.db"))
    >>> app.state.settings.port
    8321
    """
    if settings is None:
        settings = msgspec.json.decode(os.environ[VARIABLE], type=Settings)
    metrics = Metrics()
    app = Starlette(
        routes=[*OPERATIONS, Route("/openapi.json", description), *pages],
        middleware=[Middleware(Gate, settings, metrics)],
        exception_handlers=dict.fromkeys(HANDLED, answer_to),
        lifespan=lifespan or running,
    )
    app.router.redirect_slashes = False
    app.state.settings, app.state.metrics, app.state.rates = settings, metrics, Rates(settings.rate)
    return app


async def description(request: Request) -> Response:
    return Response(msgspec.json.encode(openapi()), media_type=JSON)


@cache
def openapi() -> dict[str, Any]:
    return describe(OPERATIONS)


@asynccontextmanager
async def running(app: Starlette) -> AsyncIterator[None]:
    """Open the database at startup; at shutdown, finish the requests that were accepted."""
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
    """Stop when the parent process is gone, even if it was killed."""
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(PARENT_CHECK)
    signal.raise_signal(signal.SIGTERM)


async def settle_regularly(app: Starlette) -> None:
    """Credit clicks that are due, even for studies without requests."""
    while True:
        await asyncio.sleep(SETTLE_EVERY)
        await app.state.live.settle()


async def open_all(app: Starlette) -> None:
    """Open all studies, and compile the learner of each kind by using it once."""
    live = app.state.live
    await live.in_thread(warm, Auto())
    kinds: set[type[Any]] = {Auto}
    for name in await live.in_thread(live.database.names):
        try:
            study = (await live.find(name)).study
            if type(study.learner) not in kinds and study.arms and not study.state().in_contexts:
                kinds.add(type(study.learner))
                await live.in_thread(warm, study.learner)
        except DuelistError as error:
            # the other studies are served; requests for this one get the same error
            write_line(level="error", study=name, error=type(error).__name__, detail=str(error))
    app.state.opened = True


def warm(learner: Learner[Any]) -> None:
    """Run all kernels of a learner that a study with arms uses."""
    study = Study(learner, arms=["a", "b", "c"])
    study.tell(study.ask(), "left")
    study.import_votes([{"left": "a", "right": "b", "outcome": "left"}] * 2)
    study.best()
