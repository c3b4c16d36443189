"""Two rankings shown as one list, and the clicks on it."""

from fastapi import APIRouter, Request

from duelist.service.access import GuardedRoute, allowed
from duelist.service.answers import ListAnswer, RecordedAnswer
from duelist.service.failures import responses
from duelist.service.models import ClicksSent, InterleaveSent
from duelist.service.routes.common import Name, as_duel, named

router = APIRouter(
    route_class=GuardedRoute, prefix="/api/studies/{name}", tags=["lists"], responses=responses(404, 409)
)


@router.post("/interleave", **allowed("play"))
async def interleave(request: Request, name: Name, sent: InterleaveSent) -> ListAnswer:
    """Return one list of the two rankings of a duel; the same call again gives the same list."""
    live = await named(request, name)
    steps = live.steps.interleave(as_duel(sent), sent.rankings, sent.length, sent.page)
    shown = await live.do_slowly(steps)
    return ListAnswer(documents=list(shown.documents), ticket=shown.ticket)


@router.post("/clicks", **allowed("play"))
async def clicks(request: Request, name: Name, sent: ClicksSent) -> RecordedAnswer:
    """Record the documents of a list that were clicked; they are settled as one answer later, or at once."""
    live = await named(request, name)
    await live.do_slowly(live.steps.clicks(sent.ticket, sent.clicked, sent.final))
    return RecordedAnswer()
