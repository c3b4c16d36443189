"""Forms on the dashboard that change a study, for its owner."""

import tempfile
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.responses import Response

from duelist.arena.page_requests import OWNERS, PageRequest, page
from duelist.errors import DuelistError
from duelist.service.failures import Refused
from duelist.study import Arm
from duelist.votes import Votes, load_votes


@page("/arms", OWNERS, "POST")
async def add_arm(request: PageRequest) -> Response:
    # a retired arm is added again
    site = request.site
    text, name = request.form.get("text"), request.field("arm")
    if site.material is not None and name not in site.material.arms:
        raise Refused(
            422, "ArmError", f"the file has no outputs of arm {name!r}; add them there and restart the arena."
        )
    arm = Arm(name, text=text if isinstance(text, str) and text else None)
    await site.live.do_slowly(site.live.steps.add_arm(arm))
    return back(request)


@page("/arms/retire", OWNERS, "POST")
async def retire_arm(request: PageRequest) -> Response:
    names, number = request.site.live.state.names, request.field("arm", 9)
    if not number.isdecimal() or int(number) >= len(names):
        raise Refused(
            422, "ArmError", f"no arm has the number {number!r}; reload the page and choose an arm."
        )
    await request.site.live.do_slowly(request.site.live.steps.retire_arm(names[int(number)]))
    return back(request)


@page("/retract", OWNERS, "POST")
async def retract(request: PageRequest) -> Response:
    await request.site.live.do_slowly(request.site.live.steps.retract(request.field("ticket", 64)))
    return back(request)


@page("/close", OWNERS, "POST")
async def close(request: PageRequest) -> Response:
    await request.site.live.do_slowly(request.site.live.steps.close())
    return back(request)


@page("/votes", OWNERS, "POST")
async def import_votes(request: PageRequest) -> Response:
    given = request.form.get("file")
    if not isinstance(given, UploadFile) or not given.size:
        raise Refused(
            422, "FormError", "the file is empty or missing; choose a file of votes, CSV or JSON Lines."
        )
    content, name = await given.read(), Path(given.filename or "votes.csv").name
    live = request.site.live
    await live.do_slowly(live.steps.import_votes(await live.work(votes_in, content, name)))
    return back(request)


def votes_in(content: bytes, name: str) -> Votes:
    """Read votes as `duelist analyze` does; errors name the file as it was uploaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes"
        path.write_bytes(content)
        try:
            return load_votes(path)
        except DuelistError as error:
            raise Refused(422, "FileError", str(error).replace(str(path), name[:100])) from error


def back(request: PageRequest) -> Response:
    return request.go(f"{request.site.base}/dashboard")
