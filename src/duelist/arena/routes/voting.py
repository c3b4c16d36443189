"""The voting page: two outputs side by side, blind, and the form for the answer."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from duelist.arena.content.showing import as_html
from duelist.arena.page_requests import VOTERS, PageRequest, keep, page, replaced
from duelist.arena.site import Site, decoded, media_of, media_token
from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, Duel
from duelist.errors import ClosedError, ConflictError, TicketError
from duelist.journal import Answered, Skipped
from duelist.service.failures import Refused
from duelist.study import StudyState
from duelist.study.recording import Steps
from duelist.study.tickets import KeyRing

SKIP = "skip"
REVEALING = ("etag", "last-modified")
"""Headers that identify a file, and so would reveal its arm."""
OUTCOMES = {"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE}


@page("/", VOTERS, heading="Vote")
async def vote(request: PageRequest) -> Response:
    session = request.session.with_voter()
    request_now = request._replace(session=session)
    site, voter = request.site, session.voter
    assert voter is not None
    state = site.live.state
    if not state.has_verdicts:
        raise Refused(
            404,
            "PageError",
            f"study {site.name!r} has no named arms, so people cannot vote on this page; use its API.",
        )
    closed, duels = False, []
    try:
        duels = await site.live.ask(voter, items=site.items, repeat=False)
    except ClosedError:
        closed = True
    if not duels:
        status = await progress(request) | ({"votes_left": None, "last": None} if closed else {})
        return keep(request_now.show("thanks.html", "Thank you", closed=closed, **status), request, session)
    duel = duel_values(site, duels[0], state, request.keys)
    page_now = request_now.show("vote.html", "Which is better?", **duel, **await progress(request))
    return keep(page_now, request, session)


@page("/vote", VOTERS, "POST", has_token=False)
async def tell(request: PageRequest) -> Response:
    site, steps = request.site, request.site.live.steps
    ticket, outcome = request.field("ticket"), request.field("outcome", 10)
    recording: Steps[Answered | Skipped]
    if outcome == SKIP:
        recording = steps.skip(ticket)
    elif outcome in OUTCOMES:
        recording = steps.tell(ticket, OUTCOMES[outcome])
    else:
        known = ", ".join((*OUTCOMES, SKIP))
        raise Refused(422, "FormError", f"unknown outcome {outcome!r}; give one of {known}.")
    try:
        event: Answered | Skipped = await site.live.do(recording)
    except ConflictError as error:
        kept = "this duel already has an answer, which is kept; undo it to change it."
        raise Refused(409, "ConflictError", kept) from error
    request.http.scope["state"]["ticket"] = event.ticket
    last = None if outcome == SKIP else ticket
    return keep(request.go(f"{site.base}/"), request, replaced(request.session, last=last))


@page("/undo", VOTERS, "POST")
async def undo(request: PageRequest) -> Response:
    site, steps = request.site, request.site.live.steps
    ticket = request.field("ticket")
    if steps.voter_of(ticket) != request.session.voter:
        raise TicketError("this vote was cast by another voter; undo it in the browser that cast it.")
    await site.live.do_slowly(steps.retract(ticket, again=True))
    return keep(request.go(f"{site.base}/"), request, replaced(request.session, last=None))


@page("/media/{token}", VOTERS)
async def media(request: PageRequest) -> Response:
    """Return the image or audio of one side; the address does not reveal the arm."""
    site = request.site
    number, item = media_of(request.http.path_params["token"], request.keys)
    names = site.live.state.names
    if number >= len(names):
        raise HTTPException(404, "no media at this address; reload the voting page.")
    image = site.image(names[number])
    if image is not None:
        media_type, content = decoded(image)
        return Response(content, media_type=media_type)
    output = site.output(names[number], item)
    if output.path is None or not output.path.is_file():
        raise HTTPException(404, "no media at this address; reload the voting page.")
    response = FileResponse(output.path, media_type=output.media_type, stat_result=output.path.stat())
    for header in REVEALING:
        del response.headers[header]
    return response


async def progress(request: PageRequest) -> dict[str, Any]:
    """Return the study's progress and the vote that can be undone, as template values."""
    site, voter = request.site, request.session.voter
    live, forecasts = site.live, request.http.app.state.forecasts
    last = request.session.last
    try:
        undoable = last is not None and live.steps.voter_of(last) == voter
    except TicketError:
        undoable = False  # of another study, or a removed one
    state = live.state
    return {
        "answers": state.answers,
        "mine": 0 if voter is None else await live.at_once(state.answers_of, voter),
        "votes_left": await forecasts.of(site, state),
        "last": last if undoable else None,
    }


def duel_values(site: Site, duel: Duel, state: StudyState, keys: KeyRing) -> dict[str, Any]:
    """Return the template values of a duel, none of which reveals its arms."""
    prompt = site.prompt(duel.item)
    sides = {}
    for side, arm in (("left", duel.left), ("right", duel.right)):
        output, image = site.output(arm, duel.item), site.image(arm)
        kind = "image" if image is not None else (output.media_type or "text").partition("/")[0]
        address = f"{site.base}/media/{media_token(state.number(arm), duel.item, keys)}"
        sides[side] = {
            "text": None if output.text is None else as_html(output.text, site.links),
            "kind": kind,
            "address": address,
        }
    asked = None if prompt is None or prompt.text is None else as_html(prompt.text, site.links)
    return {"ticket": duel.ticket, "prompt": asked, "sides": sides}
