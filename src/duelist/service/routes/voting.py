"""Duels and lists to show, and their answers and clicks."""

from starlette.requests import Request

from duelist.duel import Duel
from duelist.errors import ParameterError
from duelist.journal import Answered, Event
from duelist.service.access import role_of
from duelist.service.failures import Refused
from duelist.service.operations import Operations, named
from duelist.service.settings import MOST_SETTINGS, require_same_shape
from duelist.study.choices import as_items
from duelist.study.recording import IDENTITY
from duelist.study.votes import as_outcome, as_voter
from duelist.wire import (
    Asked,
    ClicksSent,
    DuelAnswer,
    DuelsAnswer,
    InterleaveSent,
    ListAnswer,
    RecordedAnswer,
    TicketSent,
    Told,
)

operations = Operations("voting", "/api/studies/{name}")
lists = Operations("lists", "/api/studies/{name}")


@operations.declare("POST", "/ask", "play", errors=(409,))
async def ask(request: Request, asked: Asked) -> DuelAnswer | DuelsAnswer:
    """Return the next duel to show; with `n`, a list of duels. Nothing is recorded."""
    live = await named(request)
    state = live.state
    require_same_shape(state.example, asked.context, asked.features)
    if state.k == 0 and (asked.n or 1) > MOST_SETTINGS:
        raise ParameterError(f"n must be at most {MOST_SETTINGS} for a study of parameters; got {asked.n}.")
    voter = None if asked.voter is None else as_voter(asked.voter)
    items = as_items(asked.items)
    duels = await live.ask(voter, asked.n or 1, asked.context, asked.features, items)
    if asked.n is None:
        return duel_answer(duels[0])
    return DuelsAnswer(duels=[duel_answer(duel) for duel in duels])


@operations.declare("POST", "/tell", "play", errors=(409,))
async def tell(request: Request, told: Told) -> RecordedAnswer:
    """Record which side was preferred. A status of 200 means it is on disk; repeating it has no effect."""
    live = await named(request)
    event = await live.do(live.steps.tell(as_duel(told), as_outcome(told.outcome)))
    return recorded(request, event)


@operations.declare("POST", "/skip", "play", errors=(409,))
async def skip(request: Request, sent: TicketSent) -> RecordedAnswer:
    """Record that a duel was shown but not answered; nothing is learned from it."""
    live = await named(request)
    event = await live.do(live.steps.skip(as_duel(sent)))
    return recorded(request, event)


@operations.declare("POST", "/retract", "play", errors=(409,))
async def retract(request: Request, sent: TicketSent) -> RecordedAnswer:
    """Withdraw an answer, by its ticket, or by its id in `votes` with an admin key."""
    live = await named(request)
    if role_of(request) != "admin" and IDENTITY.fullmatch(sent.ticket) is not None:
        raise Refused(403, "RoleError", "retracting by a ticket's id requires a key with the role admin.")
    event = await live.do_slowly(live.steps.retract(as_duel(sent)))
    return recorded(request, event)


@lists.declare("POST", "/interleave", "play", errors=(409,))
async def interleave(request: Request, sent: InterleaveSent) -> ListAnswer:
    """Return one page of a list that interleaves the two rankings of a duel; repeats return the same page."""
    live = await named(request)
    steps = live.steps.interleave(as_duel(sent), sent.rankings, sent.length, sent.page)
    page = await live.do_slowly(steps)
    return ListAnswer(documents=list(page.documents), ticket=page.ticket)


@lists.declare("POST", "/clicks", "play", errors=(409,))
async def clicks(request: Request, sent: ClicksSent) -> RecordedAnswer:
    """Record clicks on a list; they are credited as one answer later, or at once if final."""
    live = await named(request)
    await live.do_slowly(live.steps.clicks(sent.ticket, sent.clicked, sent.final))
    return RecordedAnswer(recorded=True)


def duel_answer(duel: Duel) -> DuelAnswer:
    assert duel.ticket is not None
    return DuelAnswer(
        left=duel.left, right=duel.right, ticket=duel.ticket, propensity=duel.propensity, item=duel.item
    )


def recorded(request: Request, event: Event) -> RecordedAnswer:
    """Confirm that an event is on record; the log gets its ticket's id, never the ticket."""
    request.scope["state"]["ticket"] = getattr(event, "ticket", None)
    return RecordedAnswer(recorded=True, late=isinstance(event, Answered) and event.late)


def as_duel(sent: TicketSent) -> Duel | str:
    """Return the ticket, or a duel with the sides that were sent, which are compared with the ticket's."""
    if sent.left is None and sent.right is None:
        return sent.ticket
    return Duel(sent.left, sent.right, ticket=sent.ticket)
