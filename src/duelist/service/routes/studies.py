"""Studies: create, list, read, change and close."""

from typing import Any

from msgspec.structs import astuple
from starlette.requests import Request
from starlette.responses import Response

from duelist.database.journal import FollowedJournal
from duelist.errors import ConflictError, ParameterError, UnknownNameError
from duelist.journal.events import SETTINGS
from duelist.journal.protocol import require_study_name
from duelist.protocols import Learner
from duelist.registry import build_learner
from duelist.service.live import live_studies
from duelist.service.operations import Operations, named, no_study, written
from duelist.service.report import summarize
from duelist.service.settings import require_bounded, require_few, require_few_weights
from duelist.study import Arm, Parameter, Study
from duelist.study.choices import as_choices
from duelist.study.storage import DifferentStudyError
from duelist.wire import (
    LONGEST_NAME,
    ArmSent,
    LearnerChange,
    NameSent,
    NothingSent,
    StudiesAnswer,
    StudyAnswer,
    StudySent,
)

operations = Operations("studies", "/api/studies")


@operations.declare("POST", "", "admin", answers={201: StudyAnswer, 200: StudyAnswer}, errors=(409,))
async def create(request: Request, sent: StudySent) -> Response:
    """Create a study; if it already exists with the same settings, the answer is 200."""
    require_study_name(sent.name)  # the schema's pattern accepts a trailing line break
    arms = 0 if sent.arms is None else len(sent.arms)
    require_few(request.app.state.settings.most_arms, arms)
    require_few_weights(arms, sent.context, sent.features)
    try:
        live, is_new = await live_studies(request).create(
            sent.name, lambda journal: create_from(sent, journal)
        )
    except DifferentStudyError as error:
        raise ConflictError(
            f"a study named {sent.name!r} already exists with other settings; choose another name."
        ) from error
    return written(await live.work(summarize, sent.name, live.study), 201 if is_new else 200)


@operations.declare("GET", "", "read")
async def list_all(request: Request) -> StudiesAnswer:
    """Return the names of all studies."""
    live = live_studies(request)
    return StudiesAnswer(studies=await live.in_thread(live.database.names))


@operations.declare("GET", "/{name}", "read")
async def read(request: Request) -> StudyAnswer:
    """Return a study's settings, its leader, and whether there are enough votes."""
    live = await named(request)
    return await live.work(summarize, request.path_params["name"], live.study)


@operations.declare("DELETE", "/{name}", "admin", status=204)
async def remove(request: Request) -> None:
    """Remove a study and all its votes permanently."""
    name = require_study_name(request.path_params["name"])
    try:
        await live_studies(request).remove(name)
    except UnknownNameError as error:
        raise no_study(name) from error


@operations.declare("POST", "/{name}/close", "admin")
async def close(request: Request, sent: NothingSent | None = None) -> StudyAnswer:
    """Close a study: it can still be read, but accepts nothing more."""
    live = await named(request)
    await live.do_slowly(live.steps.close())
    return await live.work(summarize, request.path_params["name"], live.study)


@operations.declare("POST", "/{name}/arms", "admin", errors=(409,))
async def add_arm(request: Request, sent: ArmSent) -> StudyAnswer:
    """Add an arm, or bring back a retired one with all its votes."""
    live = await named(request)
    require_few(request.app.state.settings.most_arms, live.state.k + 1)
    await live.do_slowly(live.steps.add_arm(as_arm(sent)))
    return await live.work(summarize, request.path_params["name"], live.study)


@operations.declare("POST", "/{name}/arms/retire", "admin", errors=(409,))
async def retire_arm(request: Request, sent: NameSent) -> StudyAnswer:
    """Stop showing an arm; its votes stay on record."""
    live = await named(request)
    await live.do_slowly(live.steps.retire_arm(sent.name))
    return await live.work(summarize, request.path_params["name"], live.study)


@operations.declare("POST", "/{name}/learner", "admin", errors=(409,))
async def change_learner(request: Request, sent: LearnerChange) -> StudyAnswer:
    """Replace the learner; the new one learns from all earlier answers."""
    live = await named(request)
    require_few_weights(live.state.k, sent.context, sent.features)
    await live.do_slowly(live.steps.change_learner(build_sent(sent.learner), sent.context, sent.features))
    return await live.work(summarize, request.path_params["name"], live.study)


def create_from(sent: StudySent, journal: FollowedJournal) -> Study:
    """Return a new study, or the existing one if its settings are the same."""
    parameters = None
    if sent.parameters is not None:
        parameters = {name: Parameter(*astuple(parameter)) for name, parameter in sent.parameters.items()}
    arms = None if sent.arms is None else [one if isinstance(one, str) else as_arm(one) for one in sent.arms]
    as_choices(arms, parameters)  # a service has studies of duels alone
    return Study(
        None if sent.learner is None else build_sent(sent.learner),
        arms,
        journal=journal,
        parameters=parameters,
        context=sent.context,
        features=sent.features,
        **{name: getattr(sent, name) for name in SETTINGS},
    )


def as_arm(sent: ArmSent) -> Arm:
    return Arm(*astuple(sent))


def build_sent(sent: dict[str, Any]) -> Learner[Any]:
    """Build a learner of the catalogue; no other code is reachable over the network."""
    parameters = dict(sent)
    name = parameters.pop("name", None)
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise ParameterError("learner.name must be the name of a learner, such as RUCB.")
    require_bounded(name, parameters)
    try:
        return build_learner(name, **parameters)
    except TypeError as error:
        raise ParameterError(f"learner {name}: {error}.") from error
