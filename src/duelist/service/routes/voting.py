"""Duels and lists to show, and what came of them."""

from starlette.requests import Request

from duelist.duel import Duel
from duelist.errors import ParameterError
from duelist.journal import Answered, Event
from duelist.service.access import role_of
from duelist.service.failures import Refused
from duelist.service.operations import Operations, named
from duelist.service.settings import MOST_SETTINGS, require_alike
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
    """Return the duel to show next; with `n`, a list of them. Nothing is written."""
    live = await named(request)
    state = live.state
    require_alike(state.example, asked.context, asked.features)
    if state.k == 0 and (asked.n or 1) > MOST_SETTINGS:
        raise ParameterError(
            f"a study of parameters gives at most {MOST_SETTINGS} duels at once; got {asked.n}."
        )
    voter = None if asked.voter is None else as_voter(asked.voter)
    items = as_items(asked.items)
    duels = await live.ask(voter, asked.n or 1, asked.context, asked.features, items)
    if asked.n is None:
        return shown(duels[0])
    return DuelsAnswer(duels=[shown(duel) for duel in duels])


@operations.declare("POST", "/tell", "play", errors=(409,))
async def tell(request: Request, told: Told) -> RecordedAnswer:
    """Record which side was preferred. When this is answered it is on disk; to tell it again does no harm."""
    live = await named(request)
    event = await live.do(live.steps.tell(as_duel(told), as_outcome(told.outcome)))
    return recorded(request, event)


@operations.declare("POST", "/skip", "play", errors=(409,))
async def skip(request: Request, sent: TicketSent) -> RecordedAnswer:
    """Record that a duel was seen and not answered; nothing is learned from it."""
    live = await named(request)
    event = await live.do(live.steps.skip(as_duel(sent)))
    return recorded(request, event)


@operations.declare("POST", "/retract", "play", errors=(409,))
async def retract(request: Request, sent: TicketSent) -> RecordedAnswer:
    """Take back an answer, by the ticket that its voter has, or by its id in `votes` with a key of admin."""
    live = await named(request)
    if role_of(request) != "admin" and IDENTITY.fullmatch(sent.ticket) is not None:
        raise Refused(403, "RoleError", "to retract by a ticket's id needs a key that may admin.")
    event = await live.do_slowly(live.steps.retract(as_duel(sent)))
    return recorded(request, event)


@lists.declare("POST", "/interleave", "play", errors=(409,))
async def interleave(request: Request, sent: InterleaveSent) -> ListAnswer:
    """Return one list of the two rankings of a duel; the same call again gives the same list."""
    live = await named(request)
    steps = live.steps.interleave(as_duel(sent), sent.rankings, sent.length, sent.page)
    shown = await live.do_slowly(steps)
    return ListAnswer(documents=list(shown.documents), ticket=shown.ticket)


@lists.declare("POST", "/clicks", "play", errors=(409,))
async def clicks(request: Request, sent: ClicksSent) -> RecordedAnswer:
    """Record the documents of a list that were clicked; they are settled as one answer later, or at once."""
    live = await named(request)
    await live.do_slowly(live.steps.clicks(sent.ticket, sent.clicked, sent.final))
    return RecordedAnswer(recorded=True)


def shown(duel: Duel) -> DuelAnswer:
    """Return a duel as it is answered."""
    assert duel.ticket is not None
    return DuelAnswer(
        left=duel.left, right=duel.right, ticket=duel.ticket, propensity=duel.propensity, item=duel.item
    )


def recorded(request: Request, event: Event) -> RecordedAnswer:
    """Return that an event is on record; the log names its ticket's id, never the ticket."""
    request.scope["state"]["ticket"] = getattr(event, "ticket", None)
    return RecordedAnswer(recorded=True, late=isinstance(event, Answered) and event.late)


def as_duel(sent: TicketSent) -> Duel | str:
    """Return the duel of a ticket: with its sides, if they were sent, so that they are compared."""
    if sent.left is None and sent.right is None:
        return sent.ticket
    return Duel(sent.left, sent.right, ticket=sent.ticket)
