"""Two rankings shown as one list, and the clicks on it."""

from starlette.requests import Request

from duelist.service.operations import Operations, named
from duelist.service.routes.voting import as_duel
from duelist.wire import ClicksSent, InterleaveSent, ListAnswer, RecordedAnswer

operations = Operations("lists", "/api/studies/{name}")


@operations.declare("POST", "/interleave", "play", errors=(409,))
async def interleave(request: Request, sent: InterleaveSent) -> ListAnswer:
    """Return one list of the two rankings of a duel; the same call again gives the same list."""
    live = await named(request)
    steps = live.steps.interleave(as_duel(sent), sent.rankings, sent.length, sent.page)
    shown = await live.do_slowly(steps)
    return ListAnswer(documents=list(shown.documents), ticket=shown.ticket)


@operations.declare("POST", "/clicks", "play", errors=(409,))
async def clicks(request: Request, sent: ClicksSent) -> RecordedAnswer:
    """Record the documents of a list that were clicked; they are settled as one answer later, or at once."""
    live = await named(request)
    await live.do_slowly(live.steps.clicks(sent.ticket, sent.clicked, sent.final))
    return RecordedAnswer(recorded=True)
