"""What a service does before it is ready: open its studies, and have their learners compiled."""

from typing import Any

from starlette.applications import Starlette

from duelist.errors import DuelistError
from duelist.learners.armed.auto import Auto
from duelist.protocols import Learner
from duelist.service.logs import write_line
from duelist.study import Study


async def open_all(app: Starlette) -> None:
    """Open all studies, and use a learner of each kind once, which has it compiled."""
    live = app.state.live
    await live.in_thread(warm, Auto())
    kinds: set[type[Any]] = {Auto}
    for name in await live.in_thread(live.database.names):
        try:
            study = (await live.find(name)).study
            if type(study.learner) not in kinds and study.arms and not study.state().in_contexts:
                kinds.add(type(study.learner))
                await live.in_thread(warm, study.learner)
        except DuelistError as error:
            # the others are served; this one says the same to whoever asks for it
            write_line(level="error", study=name, error=type(error).__name__, detail=str(error))
    app.state.opened = True


def warm(learner: Learner[Any]) -> None:
    """Use all kernels of a learner of arms that a study uses."""
    study = Study(learner, arms=["a", "b", "c"])
    study.tell(study.ask(), "left")
    study.import_votes([{"left": "a", "right": "b", "outcome": "left"}] * 2)
    study.best()
