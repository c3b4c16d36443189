"""What happens, as it happens: events that a server sends to the pages that are open."""

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
"""Pages that may listen at once; more must load anew."""
LOOK_EVERY = 0.5
"""Seconds between two looks for votes."""
HEARTBEAT = 15.0
"""Seconds after which something is sent although nothing happened, so that nobody takes the line for dead."""


class Stream(StreamingResponse):
    """A stream of events that says when it has ended, also where nobody stayed for its beginning."""

    def __init__(self, events: AsyncIterator[bytes], ended: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


class Streams:
    """The pages that listen, and the end of all of them when the service is told to stop."""

    def __init__(self) -> None:
        self._open = 0
        self._stopped = asyncio.Event()

    def __len__(self) -> int:
        """Return how many pages listen."""
        return self._open

    def stop(self) -> None:
        """End all streams: a service that is told to stop waits for its answers to end."""
        self._stopped.set()

    def listen(self, place: Site, since: str | None) -> Stream:
        """Return a stream that says when a study has changed since an event's number."""
        if self._open >= MOST or self._stopped.is_set():
            raise Refused(503, "StreamError", "too many pages listen; load this one again to see news.")
        known = int(since) if since is not None and since.isdecimal() and len(since) < 19 else None
        # counted before it begins: those who come at the same moment count each other
        self._open += 1
        return Stream(self._events(place, known), self._end)

    def _end(self) -> None:
        self._open -= 1

    async def _events(self, place: Site, known: int | None) -> AsyncIterator[bytes]:
        try:
            yield b"retry: 2000\n\n"
            quiet = 0.0
            while not self._stopped.is_set():
                state = await place.live.work(place.live.study.state)
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
            return  # the page comes back by itself, and is told then what is wrong
