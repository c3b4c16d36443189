"""Whether the service runs, whether it is ready, and what it counts."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from duelist.errors import DuelistError
from duelist.kernels.live import BACKGROUND
from duelist.service.access import GuardedRoute, allowed
from duelist.service.answers import Answer
from duelist.service.failures import at_the_gate
from duelist.service.gate import caller_of

router = APIRouter(tags=["operations"])
guarded = APIRouter(tags=["operations"], route_class=GuardedRoute)


class Health(Answer):
    """That the service runs."""

    status: str = "ok"
    """Always ok."""


class Readiness(Answer):
    """Whether requests are answered at full speed."""

    ready: bool
    """Whether all of the following is true."""
    journal: bool
    """Whether the database can be reached, and could be written to when it last was."""
    studies: bool
    """Whether all studies have been opened."""
    kernels: bool
    """Whether the learners are compiled; until then they are interpreted."""


@router.get("/healthz", responses=at_the_gate())
async def healthz() -> Health:
    """Say that the process runs."""
    return Health()


@router.get(
    "/readyz",
    response_model=Readiness,
    responses=at_the_gate() | {503: {"model": Readiness, "description": "Not yet, or not now."}},
)
async def readyz(request: Request) -> Response:
    """Say whether the database is reachable, the studies are open and the learners compiled."""
    request.app.state.rates.count(caller_of(request.scope))
    live = request.app.state.live
    try:
        await live.in_thread(live.database.names)
        journal = not live.commits.is_failing
    except DuelistError:
        journal = False
    studies, kernels = bool(request.app.state.opened), not BACKGROUND.wanted
    ready = journal and studies and kernels
    found = Readiness(ready=ready, journal=journal, studies=studies, kernels=kernels)
    return JSONResponse(found.model_dump(), 200 if ready else 503)


@guarded.get(
    "/metrics",
    **allowed("read"),
    response_class=Response,
    responses=at_the_gate(401, 503)
    | {200: {"content": {"text/plain": {"example": "duelist_answers_total 17.0"}}}},
)
async def metrics(request: Request) -> Response:
    """Return counts of this worker, for Prometheus."""
    request.app.state.metrics.studies.set(len(request.app.state.live))
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")
