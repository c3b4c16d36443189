"""Whether the service runs, whether it is ready, and what it counts."""

from starlette.requests import Request
from starlette.responses import Response

from duelist.errors import DuelistError
from duelist.kernels.live import BACKGROUND
from duelist.service.access import caller_of
from duelist.service.operations import Operations, live_studies, written
from duelist.wire import Health, Readiness

operations = Operations("operations")


@operations.declare("GET", "/healthz", None)
async def healthz(request: Request) -> Health:
    """Say that the process runs."""
    return Health()


@operations.declare("GET", "/readyz", None, answers={200: Readiness, 503: Readiness})
async def readyz(request: Request) -> Response:
    """Say whether the database is reachable, the studies are open and the learners compiled."""
    request.app.state.rates.count(caller_of(request.scope))
    live = live_studies(request)
    try:
        await live.in_thread(live.database.names)
        journal = not live.commits.is_failing
    except DuelistError:
        journal = False
    studies, kernels = bool(request.app.state.opened), not BACKGROUND.wanted
    ready = journal and studies and kernels
    found = Readiness(ready=ready, journal=journal, studies=studies, kernels=kernels)
    return written(found, 200 if ready else 503)


@operations.declare("GET", "/metrics", "read", answers={200: {"text/plain": "duelist_answers_total 17.0"}})
async def metrics(request: Request) -> Response:
    """Return counts of this worker, for Prometheus."""
    request.app.state.metrics.studies.set(len(live_studies(request)))
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")
