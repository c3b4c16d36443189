"""What a study says: votes, verdicts, reports; and votes that were recorded elsewhere."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from duelist.service.access import GuardedRoute, allowed
from duelist.service.answers import BestAnswer, ExhaustedAnswer, ImportedAnswer
from duelist.service.failures import responses
from duelist.service.limits import require_alike, require_few_judged
from duelist.service.models import ContextSent, VoterSent, VotesSent
from duelist.service.report import ReportAnswer, report_on
from duelist.service.routes.common import Name, named
from duelist.service.summary import VerdictAnswer, VotesLeftAnswer, as_answer, as_range
from duelist.votes.writing import as_csv, as_lines

router = APIRouter(
    route_class=GuardedRoute, prefix="/api/studies/{name}", tags=["results"], responses=responses(404)
)
LINES = {
    "application/x-ndjson": {
        "schema": {"type": "string"},
        "example": '{"time":"2026-11-16T10:00:00Z","voter":null,"left":"a","right":"b","outcome":"left",'
        '"ticket":"i-5d41402abc4b2a76b9719d911017c592","status":"counted","item":null}\n',
    },
    "text/csv": {
        "schema": {"type": "string"},
        "example": "time,voter,left,right,outcome,ticket,status,item\r\n",
    },
}
"""What votes look like, for their description."""
Delta = Annotated[float, Query(gt=0.0, lt=1.0, description="The share of studies in which it may be wrong.")]
Within = Annotated[float, Query(ge=0.0, le=0.25, description="A difference that does not matter.")]


@router.get("/verdict", **allowed("read"))
async def verdict(request: Request, name: Name, delta: Delta = 0.05, within: Within = 0.0) -> VerdictAnswer:
    """Say what the votes have proven: a winner, that there is none, or nothing yet."""
    live = await named(request, name)
    return as_answer(await live.work(live.study.verdict, delta, within))


@router.get("/votes-left", **allowed("read"))
async def votes_left(
    request: Request, name: Name, delta: Delta = 0.05, within: Within = 0.0
) -> VotesLeftAnswer:
    """Say about how many more votes it will take until it is done."""
    live = await named(request, name)
    require_few_judged(live.state.k)
    return as_range(await live.work(live.study.votes_left, delta, within))


@router.post("/best", **allowed("read"))
async def best(request: Request, name: Name, sent: ContextSent) -> BestAnswer:
    """Say what is believed to be the best, in a context if the learner needs one."""
    live = await named(request, name)
    require_alike(live.state.example, sent.context, sent.features)
    return BestAnswer(best=await live.work(live.study.best, sent.context, sent.features))


@router.post("/exhausted", **allowed("read"))
async def exhausted(request: Request, name: Name, sent: VoterSent) -> ExhaustedAnswer:
    """Say whether a voter has seen every pair of arms, on every item."""
    live = await named(request, name)
    return ExhaustedAnswer(exhausted=await live.work(live.study.exhausted, sent.voter, sent.items))


@router.get("/report", **allowed("read"))
async def report(request: Request, name: Name, delta: Delta = 0.05) -> ReportAnswer:
    """Return who beats whom and how surely, ratings, every kind of winner, and who was shown how often."""
    live = await named(request, name)
    return await live.work(report_on, live.study, delta)


@router.get(
    "/votes",
    **allowed("read"),
    response_class=StreamingResponse,
    responses={200: {"description": "One vote a line.", "content": LINES}},
)
async def votes(
    request: Request,
    name: Name,
    all: Annotated[bool, Query(description="Also those that were retracted or skipped.")] = False,
    format: Annotated[Literal["jsonl", "csv"], Query(description="JSON lines, or CSV.")] = "jsonl",
    arms: Annotated[
        bool,
        Query(description="First a line for each arm that has no votes, came later or is retired."),
    ] = False,
) -> StreamingResponse:
    """Return all votes, one a line: as JSON, or as CSV."""
    live = await named(request, name)
    rows = await live.work(live.study.votes, all)
    if format == "csv":
        return StreamingResponse(as_csv(rows, arms), media_type="text/csv; charset=utf-8")
    return StreamingResponse(as_lines(rows, arms), media_type="application/x-ndjson")


@router.post("/votes", **allowed("admin"), responses=responses(404, 409))
async def import_votes(request: Request, name: Name, sent: VotesSent) -> ImportedAnswer:
    """Record votes that were recorded elsewhere; to import them twice counts them once."""
    live = await named(request, name)
    return ImportedAnswer(new=await live.do_slowly(live.steps.import_votes(sent.votes)))
