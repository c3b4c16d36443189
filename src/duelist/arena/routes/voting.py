"""The voting page: two outputs side by side, blind, and the form that says which is better."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from duelist.arena.content.showing import as_html
from duelist.arena.site import Site, decoded, media_of, media_token
from duelist.arena.visits import VOTERS, Visit, keep, page, replaced
from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, Duel
from duelist.errors import ClosedError, ConflictError, TicketError
from duelist.journal import Answered, Skipped
from duelist.service.failures import Refused
from duelist.study import StudyState
from duelist.study.recording import Steps
from duelist.study.tickets import KeyRing

SKIP = "skip"
TELLING = ("etag", "last-modified")
"""Headers by which one file could be told from another, and so one arm."""
OUTCOMES = {"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE}


@page("/", VOTERS, heading="Vote")
async def vote(visit: Visit) -> Response:
    """Show the next duel, or say that there is none."""
    session = visit.session.with_voter()
    visit_now = visit._replace(session=session)
    place, voter = visit.place, session.voter
    assert voter is not None
    state = place.live.state
    if not state.has_verdicts:
        raise Refused(404, "PageError", "people vote here on named arms; this study is asked by a program.")
    closed, duels = False, []
    try:
        duels = await place.live.ask(voter, items=place.items, repeat=False)
    except ClosedError:
        closed = True
    if not duels:
        told = await said(visit) | ({"votes_left": None, "last": None} if closed else {})
        return keep(visit_now.show("thanks.html", "Thank you", closed=closed, **told), visit, session)
    shown = show(place, duels[0], state, visit.keys)
    page_now = visit_now.show("vote.html", "Which is better?", **shown, **await said(visit))
    return keep(page_now, visit, session)


@page("/vote", VOTERS, "POST", has_token=False)
async def tell(visit: Visit) -> Response:
    """Record what was preferred, and go on to the next duel."""
    place, steps = visit.place, visit.place.live.steps
    ticket, outcome = visit.field("ticket"), visit.field("outcome", 10)
    told: Steps[Answered | Skipped]
    if outcome == SKIP:
        told = steps.skip(ticket)
    elif outcome in OUTCOMES:
        told = steps.tell(ticket, OUTCOMES[outcome])
    else:
        known = ", ".join((*OUTCOMES, SKIP))
        raise Refused(422, "FormError", f"the outcome is one of {known}; load the page again.")
    try:
        event: Answered | Skipped = await place.live.do(told)
    except ConflictError as error:
        said_otherwise = "this duel was answered before; your first answer stands. Undo it to change it."
        raise Refused(409, "ConflictError", said_otherwise) from error
    visit.request.scope["state"]["ticket"] = event.ticket
    last = None if outcome == SKIP else ticket
    return keep(visit.go(f"{place.base}/"), visit, replaced(visit.session, last=last))


@page("/undo", VOTERS, "POST")
async def undo(visit: Visit) -> Response:
    """Take back the last vote, and show its duel again."""
    place, steps = visit.place, visit.place.live.steps
    ticket = visit.field("ticket")
    if steps.voter_of(ticket) != visit.session.voter:
        raise TicketError("this is the vote of somebody else; undo it on the page where it was given.")
    await place.live.do_slowly(steps.retract(ticket, again=True))
    return keep(visit.go(f"{place.base}/"), visit, replaced(visit.session, last=None))


@page("/media/{token}", VOTERS)
async def media(visit: Visit) -> Response:
    """Return the picture or the sound of one side, whose address does not tell which arm it is."""
    place = visit.place
    number, item = media_of(visit.request.path_params["token"], visit.keys)
    names = place.live.state.names
    if number >= len(names):
        raise HTTPException(404, "there is nothing here to show.")
    image = place.image(names[number])
    if image is not None:
        media_type, content = decoded(image)
        return Response(content, media_type=media_type)
    output = place.output(names[number], item)
    if output.path is None or not output.path.is_file():
        raise HTTPException(404, "there is nothing here to show.")
    response = FileResponse(output.path, media_type=output.media_type, stat_result=output.path.stat())
    for header in TELLING:
        del response.headers[header]
    return response


async def said(visit: Visit) -> dict[str, Any]:
    """Return what the page says besides the duel: how far the study is, and what can be undone."""
    place, voter = visit.place, visit.session.voter
    live, forecasts = place.live, visit.request.app.state.forecasts
    last = visit.session.last
    try:
        undoable = last is not None and live.steps.voter_of(last) == voter
    except TicketError:
        undoable = False  # of another study, or of one that was removed
    state = live.state
    return {
        "answers": state.answers,
        "mine": 0 if voter is None else await live.at_once(state.answers_of, voter),
        "votes_left": await forecasts.of(place, state),
        "last": last if undoable else None,
    }


def show(place: Site, duel: Duel, state: StudyState, keys: KeyRing) -> dict[str, Any]:
    """Return a duel as the template shows it: nothing in it tells which arm is which."""
    prompt = place.prompt(duel.item)
    sides = {}
    for side, arm in (("left", duel.left), ("right", duel.right)):
        output, image = place.output(arm, duel.item), place.image(arm)
        kind = "image" if image is not None else (output.media_type or "text").partition("/")[0]
        address = f"{place.base}/media/{media_token(state.number(arm), duel.item, keys)}"
        sides[side] = {
            "text": None if output.text is None else as_html(output.text, place.links),
            "kind": kind,
            "address": address,
        }
    asked = None if prompt is None or prompt.text is None else as_html(prompt.text, place.links)
    return {"ticket": duel.ticket, "prompt": asked, "sides": sides}
