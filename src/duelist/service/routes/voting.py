"""Duels asked for, and what came of them."""

from fastapi import APIRouter, Request, Response

from duelist.duel import Duel
from duelist.errors import ParameterError
from duelist.journal import Answered, Event
from duelist.service.access import allowed, role_of
from duelist.service.answers import Answer, DuelAnswer, DuelsAnswer, RecordedAnswer
from duelist.service.failures import Refused, responses
from duelist.service.limits import MOST_SETTINGS, require_alike
from duelist.service.models import Asked, TicketSent, Told
from duelist.service.quick import PREFIX, QuickRoute
from duelist.service.routes.common import Name, as_duel, named
from duelist.study.choices import as_items
from duelist.study.recording import IDENTITY
from duelist.study.votes import as_outcome, as_voter

router = APIRouter(
    route_class=QuickRoute, prefix=PREFIX.rstrip("/"), tags=["voting"], responses=responses(404, 409)
)


@router.post("/ask", response_model=DuelAnswer | DuelsAnswer, **allowed("play"))
async def ask(request: Request, name: Name, asked: Asked) -> Response:
    """Return the duel to show next; with `n`, a list of them. Nothing is written."""
    live = await named(request, name)
    state = live.state
    require_alike(state.example, asked.context, asked.features)
    if state.k == 0 and (asked.n or 1) > MOST_SETTINGS:
        raise ParameterError(f"a study of knobs gives at most {MOST_SETTINGS} duels at once; got {asked.n}.")
    voter = None if asked.voter is None else as_voter(asked.voter)
    items = as_items(asked.items)
    duels = await live.ask(voter, asked.n or 1, asked.context, asked.features, items)
    if asked.n is None:
        return written(shown(duels[0]))
    return written(DuelsAnswer(duels=[shown(duel) for duel in duels]))


@router.post("/tell", response_model=RecordedAnswer, **allowed("play"))
async def tell(request: Request, name: Name, told: Told) -> Response:
    """Record which side was preferred. When this is answered it is on disk; to tell it again does no harm."""
    live = await named(request, name)
    event = await live.do(live.steps.tell(as_duel(told), as_outcome(told.outcome)))
    return written(recorded(request, event))


@router.post("/skip", response_model=RecordedAnswer, **allowed("play"))
async def skip(request: Request, name: Name, sent: TicketSent) -> Response:
    """Record that a duel was seen and not answered; nothing is learned from it."""
    live = await named(request, name)
    event = await live.do(live.steps.skip(as_duel(sent)))
    return written(recorded(request, event))


@router.post("/retract", response_model=RecordedAnswer, **allowed("play"))
async def retract(request: Request, name: Name, sent: TicketSent) -> Response:
    """Take back an answer, by the ticket that its voter has, or by its id in `votes` with a key of admin."""
    live = await named(request, name)
    if role_of(request) != "admin" and IDENTITY.fullmatch(sent.ticket) is not None:
        raise Refused(403, "RoleError", "to retract by a ticket's id needs a key that may admin.")
    event = await live.do_slowly(live.steps.retract(as_duel(sent)))
    return written(recorded(request, event))


def written(answer: Answer) -> Response:
    """Return an answer as it is sent: what the models have checked once is not checked again."""
    return Response(answer.model_dump_json(), media_type="application/json")


def shown(duel: Duel) -> DuelAnswer:
    """Return a duel as it is answered."""
    assert duel.ticket is not None
    sides = {"left": duel.left, "right": duel.right}
    return DuelAnswer(**sides, ticket=duel.ticket, propensity=duel.propensity, item=duel.item)


def recorded(request: Request, event: Event) -> RecordedAnswer:
    """Return that an event is on record; the log names its ticket's id, never the ticket."""
    request.scope["state"]["ticket"] = getattr(event, "ticket", None)
    return RecordedAnswer(late=isinstance(event, Answered) and event.late)
