"""Results of a study: votes, verdicts and reports; and the import of votes."""

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from duelist.service.operations import Operations, named
from duelist.service.report import as_answer, as_range, report_on
from duelist.service.settings import require_few_judged, require_same_shape
from duelist.votes.writing import as_csv, as_lines
from duelist.wire import (
    BestAnswer,
    ContextSent,
    Delta,
    ExhaustedAnswer,
    ImportedAnswer,
    Margins,
    ReportAnswer,
    VerdictAnswer,
    VoterSent,
    VotesLeftAnswer,
    VotesQuery,
    VotesSent,
)

operations = Operations("results", "/api/studies/{name}")
LINES = {
    "application/x-ndjson": '{"time":"2026-11-16T10:00:00Z","voter":null,"left":"a","right":"b",'
    '"outcome":"left","ticket":"i-5d41402abc4b2a76b9719d911017c592","status":"counted","item":null}\n',
    "text/csv": "time,voter,left,right,outcome,ticket,status,item\r\n",
}
"""Examples for the OpenAPI document."""


@operations.declare("GET", "/verdict", "read")
async def verdict(request: Request, query: Margins) -> VerdictAnswer:
    """Return what the votes have proven: a winner, that there is no winner, or nothing yet."""
    live = await named(request)
    return as_answer(await live.work(live.study.verdict, query.delta, query.within))


@operations.declare("GET", "/votes-left", "read")
async def votes_left(request: Request, query: Margins) -> VotesLeftAnswer:
    """Estimate how many more votes are needed for a verdict."""
    live = await named(request)
    require_few_judged(live.state.k)
    return as_range(await live.work(live.study.votes_left, query.delta, query.within))


@operations.declare("POST", "/best", "read")
async def best(request: Request, sent: ContextSent) -> BestAnswer:
    """Return the arm or setting believed to be the best; contextual learners need a context."""
    live = await named(request)
    require_same_shape(live.state.example, sent.context, sent.features)
    return BestAnswer(best=await live.work(live.study.best, sent.context, sent.features))


@operations.declare("POST", "/exhausted", "read")
async def exhausted(request: Request, sent: VoterSent) -> ExhaustedAnswer:
    """Return whether a voter has seen every pair of arms, on every item."""
    live = await named(request)
    return ExhaustedAnswer(exhausted=await live.work(live.study.exhausted, sent.voter, sent.items))


@operations.declare("GET", "/report", "read")
async def report(request: Request, query: Delta) -> ReportAnswer:
    """Return pairwise results, ratings, every kind of winner, and how often each arm was shown."""
    live = await named(request)
    return await live.work(report_on, live.study, query.delta)


@operations.declare("GET", "/votes", "read", answers={200: LINES})
async def votes(request: Request, query: VotesQuery) -> Response:
    """Return all votes, one per line, as JSON lines or CSV."""
    live = await named(request)
    rows = await live.work(live.study.votes, query.all)
    if query.format == "csv":
        return StreamingResponse(as_csv(rows, query.arms), media_type="text/csv; charset=utf-8")
    return StreamingResponse(as_lines(rows, query.arms), media_type="application/x-ndjson")


@operations.declare("POST", "/votes", "admin", errors=(409,))
async def import_votes(request: Request, sent: VotesSent) -> ImportedAnswer:
    """Import votes that were recorded elsewhere; repeating an import counts no vote twice."""
    live = await named(request)
    return ImportedAnswer(new=await live.do_slowly(live.steps.import_votes(sent.votes)))
