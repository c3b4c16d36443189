"""Studies: begun, listed, read, changed and closed."""

from typing import Any

from fastapi import APIRouter, Request, Response

from duelist.errors import ConflictError, ParameterError, UnknownNameError
from duelist.protocols import Learner
from duelist.registry import build_learner
from duelist.service.access import GuardedRoute, allowed
from duelist.service.answers import StudiesAnswer
from duelist.service.failures import responses
from duelist.service.followed import FollowedJournal
from duelist.service.limits import require_few, require_few_weights, require_modest
from duelist.service.models import ArmSent, LearnerChange, LearnerSent, NameSent, NothingSent, StudySent
from duelist.service.routes.common import Name, live_studies, named, no_study
from duelist.service.summary import StudyAnswer, summarize
from duelist.study import Arm, Knob, Study
from duelist.study.storage import DifferentStudyError

router = APIRouter(route_class=GuardedRoute, prefix="/api/studies", tags=["studies"], responses=responses())
CREATED: dict[int | str, dict[str, Any]] = {
    200: {"model": StudyAnswer, "description": "A study of this name is there, and began alike."}
}


@router.post("", **allowed("admin"), status_code=201, responses=CREATED | responses(409))
async def create(request: Request, response: Response, sent: StudySent) -> StudyAnswer:
    """Begin a study; one that is there and began alike is answered with 200."""
    arms = 0 if sent.arms is None else len(sent.arms)
    require_few(request, arms)
    require_few_weights(arms, sent.context, sent.features)
    try:
        live, is_new = await live_studies(request).create(sent.name, lambda journal: begun(sent, journal))
    except DifferentStudyError as error:
        raise ConflictError(
            f"there is a study named {sent.name!r} that began otherwise; choose another name."
        ) from error
    response.status_code = 201 if is_new else 200
    return await live.work(summarize, sent.name, live.study)


@router.get("", **allowed("read"))
async def list_all(request: Request) -> StudiesAnswer:
    """Return the names of all studies."""
    live = live_studies(request)
    return StudiesAnswer(studies=await live.in_thread(live.database.names))


@router.get("/{name}", **allowed("read"), responses=responses(404))
async def read(request: Request, name: Name) -> StudyAnswer:
    """Say what a study is about, who leads, and whether there are enough votes."""
    live = await named(request, name)
    return await live.work(summarize, name, live.study)


@router.delete("/{name}", **allowed("admin"), status_code=204, responses=responses(404))
async def remove(request: Request, name: Name) -> None:
    """Remove a study with all its votes, for ever."""
    try:
        await live_studies(request).remove(name)
    except UnknownNameError as error:
        raise no_study(name) from error


@router.post("/{name}/close", **allowed("admin"), responses=responses(404))
async def close(request: Request, name: Name, sent: NothingSent | None = None) -> StudyAnswer:
    """End a study: it can be read, but asks and records no more."""
    live = await named(request, name)
    await live.do_slowly(live.steps.close())
    return await live.work(summarize, name, live.study)


@router.post("/{name}/arms", **allowed("admin"), responses=responses(404, 409))
async def add_arm(request: Request, name: Name, sent: ArmSent) -> StudyAnswer:
    """Add an arm, or bring a retired one back with all its votes."""
    live = await named(request, name)
    require_few(request, live.state.k + 1)
    await live.do_slowly(live.steps.add_arm(as_arm(sent)))
    return await live.work(summarize, name, live.study)


@router.post("/{name}/arms/retire", **allowed("admin"), responses=responses(404, 409))
async def retire_arm(request: Request, name: Name, sent: NameSent) -> StudyAnswer:
    """Show an arm no more; its votes stay on record."""
    live = await named(request, name)
    await live.do_slowly(live.steps.retire_arm(sent.name))
    return await live.work(summarize, name, live.study)


@router.post("/{name}/learner", **allowed("admin"), responses=responses(404, 409))
async def change_learner(request: Request, name: Name, sent: LearnerChange) -> StudyAnswer:
    """Let another learner go on, which learns from all that was answered before."""
    live = await named(request, name)
    require_few_weights(live.state.k, sent.context, sent.features)
    await live.do_slowly(live.steps.change_learner(built(sent.learner), sent.context, sent.features))
    return await live.work(summarize, name, live.study)


def begun(sent: StudySent, journal: FollowedJournal) -> Study:
    """Return a new study, or the one that is there if it began alike."""
    knobs = None
    if sent.knobs is not None:
        knobs = {name: Knob(**knob.model_dump()) for name, knob in sent.knobs.items()}
    arms = None if sent.arms is None else [one if isinstance(one, str) else as_arm(one) for one in sent.arms]
    return Study(
        None if sent.learner is None else built(sent.learner),
        arms,
        sent.seed,
        journal=journal,
        knobs=knobs,
        context=sent.context,
        features=sent.features,
        patience=sent.patience,
        interleaving=sent.interleaving,
    )


def as_arm(sent: ArmSent) -> Arm:
    """Return an arm with what to show of it."""
    return Arm(**sent.model_dump())


def built(sent: LearnerSent) -> Learner[Any]:
    """Return a learner of the catalogue; code outside it is not reached over the network."""
    parameters = sent.model_extra or {}
    require_modest(sent.name, parameters)
    try:
        return build_learner(sent.name, **parameters)
    except TypeError as error:
        raise ParameterError(f"learner {sent.name}: {error}.") from error
