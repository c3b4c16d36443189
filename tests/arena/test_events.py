"""Pages that listen: no more than there is room for, and those that leave make room."""

import asyncio
from pathlib import Path

import pytest
from arena.visitor import arena
from refusals import refused
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from duelist.arena.events import MOST, Streams
from duelist.arena.site import Site
from duelist.service.failures import Refused

SCOPE = {"type": "http", "asgi": {"spec_version": "2.4"}}


async def leave(stream: StreamingResponse, after: int) -> None:
    """Receive some messages of a stream, and hang up."""
    received = 0

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        nonlocal received
        received += 1
        if received > after:
            raise OSError("the caller has left")

    with pytest.raises(ClientDisconnect):
        await stream(SCOPE, receive, send)


def test_those_who_come_at_once_are_counted_and_make_room(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db") as running:

        async def listen() -> None:
            live = await running.app.state.live.find("arena")
            study, streams = Site(live, "arena", "", None, 0.05, False), Streams()
            # all are let in before the first is sent anything
            listening = [streams.listen(study, None) for _ in range(MOST)]
            with refused(Refused, str(MOST)):
                streams.listen(study, None)
            await asyncio.gather(*(leave(stream, place % 3) for place, stream in enumerate(listening)))
            assert len(streams) == 0

        running.wait(listen())
