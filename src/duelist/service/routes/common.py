"""What the routes share: the study that a path names."""

from typing import Annotated

from fastapi import Path, Request

from duelist.duel import Duel
from duelist.errors import UnknownNameError
from duelist.service.failures import Refused
from duelist.service.live import LiveStudies, LiveStudy
from duelist.service.models import STUDY_NAME, TicketSent

Name = Annotated[str, Path(pattern=STUDY_NAME, description="The study's name.", examples=["home"])]


def live_studies(request: Request) -> LiveStudies:
    """Return all studies of the service."""
    live: LiveStudies = request.app.state.live
    return live


async def named(request: Request, name: Name) -> LiveStudy:
    """Return the study of a path, or answer that there is none."""
    try:
        return await live_studies(request).find(name)
    except UnknownNameError as error:
        raise no_study(name) from error


def as_duel(sent: TicketSent) -> Duel | str:
    """Return the duel of a ticket: with its sides, if they were sent, so that they are compared."""
    if sent.left is None and sent.right is None:
        return sent.ticket
    return Duel(sent.left, sent.right, ticket=sent.ticket)


def no_study(name: str) -> Refused:
    """Return that there is no study of a name."""
    return Refused(404, "UnknownNameError", f"there is no study named {name!r}.")
