"""What the owner of a study can do on its dashboard."""

import tempfile
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.responses import Response

from duelist.arena.visits import OWNERS, Visit, page
from duelist.errors import DuelistError
from duelist.service.failures import Refused
from duelist.study import Arm
from duelist.votes import Votes, load_votes


@page("/arms", OWNERS, "POST")
async def add_arm(visit: Visit) -> Response:
    """Add an arm, or bring one back."""
    place = visit.place
    text, name = visit.form.get("text"), visit.field("arm")
    if place.material is not None and name not in place.material.arms:
        raise Refused(422, "ArmError", "its outputs must be in the file: add them there, and start again.")
    arm = Arm(name, text=text if isinstance(text, str) and text else None)
    await place.live.do_slowly(place.live.steps.add_arm(arm))
    return back(visit)


@page("/arms/retire", OWNERS, "POST")
async def retire_arm(visit: Visit) -> Response:
    """Show an arm, by its number, no more."""
    names, number = visit.place.live.state.names, visit.field("arm", 9)
    if not number.isdecimal() or int(number) >= len(names):
        raise Refused(422, "ArmError", "choose an arm that is there.")
    await visit.place.live.do_slowly(visit.place.live.steps.retire_arm(names[int(number)]))
    return back(visit)


@page("/retract", OWNERS, "POST")
async def retract(visit: Visit) -> Response:
    """Take back a vote by its ticket's id."""
    await visit.place.live.do_slowly(visit.place.live.steps.retract(visit.field("ticket", 64)))
    return back(visit)


@page("/close", OWNERS, "POST")
async def close(visit: Visit) -> Response:
    """End the study."""
    await visit.place.live.do_slowly(visit.place.live.steps.close())
    return back(visit)


@page("/votes", OWNERS, "POST")
async def import_votes(visit: Visit) -> Response:
    """Record the votes of a file that was recorded elsewhere."""
    given = visit.form.get("file")
    if not isinstance(given, UploadFile) or not given.size:
        raise Refused(422, "FormError", "choose a file of votes, CSV or JSON lines.")
    content, name = await given.read(), Path(given.filename or "votes.csv").name
    live = visit.place.live
    await live.do_slowly(live.steps.import_votes(await live.work(votes_in, content, name)))
    return back(visit)


def votes_in(content: bytes, name: str) -> Votes:
    """Read votes as `duelist analyze` does; errors name the file as its owner knows it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes"
        path.write_bytes(content)
        try:
            return load_votes(path)
        except DuelistError as error:
            raise Refused(422, "FileError", str(error).replace(str(path), name[:100])) from error


def back(visit: Visit) -> Response:
    """Return to the dashboard."""
    return visit.go(f"{visit.place.base}/dashboard")
