"""Server-sent events that tell open pages when their study has changed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import msgspec
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from duelist.arena.site import Site
from duelist.errors import DuelistError
from duelist.service.failures import Refused

MOST = 200
"""Maximum number of pages that listen at once."""
LOOK_EVERY = 0.5
"""Seconds between checks for new votes."""
HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that no proxy closes an idle connection."""


class Stream(StreamingResponse):
    """An event stream that calls `ended` when it ends, even if the client left before it began."""

    def __init__(self, events: AsyncIterator[bytes], ended: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


class Streams:
    """The open event streams, all of which end when the service stops."""

    def __init__(self) -> None:
        self._open = 0
        self._stopped = asyncio.Event()

    def __len__(self) -> int:
        return self._open

    def stop(self) -> None:
        """End all streams, because the server waits for open responses before it stops."""
        self._stopped.set()

    def listen(self, site: Site, since: str | None) -> Stream:
        """Return a stream that reports every change of a study since an event number."""
        if self._open >= MOST or self._stopped.is_set():
            raise Refused(
                503,
                "StreamError",
                f"{MOST} pages already receive live updates; reload this page to see new votes.",
            )
        known = int(since) if since is not None and since.isdecimal() and len(since) < 19 else None
        # counted before it begins, so that simultaneous requests count each other
        self._open += 1
        return Stream(self._events(site, known), self._end)

    def _end(self) -> None:
        self._open -= 1

    async def _events(self, site: Site, known: int | None) -> AsyncIterator[bytes]:
        try:
            yield b"retry: 2000\n\n"
            quiet = 0.0
            while not self._stopped.is_set():
                state = await site.live.work(site.live.study.state)
                if state.seq != known:
                    known, quiet = state.seq, 0.0
                    content = msgspec.json.encode({"answers": state.answers}).decode()
                    yield f"id: {state.seq}\ndata: {content}\n\n".encode()
                elif quiet >= HEARTBEAT:
                    quiet = 0.0
                    yield b": still here\n\n"
                quiet += LOOK_EVERY
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopped.wait(), LOOK_EVERY)
        except DuelistError:
            return  # the browser reconnects by itself, and then receives the error
