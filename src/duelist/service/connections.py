"""Connections that nobody can keep open without sending: requests arrive in time and with a short head."""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class PatientProtocol(HttpToolsProtocol):
    """HTTP of which the server waits only so long for the rest.

    The server's own time-out is for connections that are idle between two requests. Without this one, whoever
    sends half a request, or nothing, would keep a connection for ever, and a head without an end the memory.
    """

    head_patience: ClassVar[float] = 10.0
    """Seconds for the first line and all headers."""
    body_patience: ClassVar[float] = 60.0
    """Seconds for the body."""
    longest_head: ClassVar[int] = 65_536
    """Bytes of the first line and all headers."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._head: int | None = 0  # bytes of a head that has not ended
        self._awaited: float | None = None  # the patience for what is missing; None if nothing is

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a first request."""
        super().connection_made(transport)
        self._awaited = self.head_patience
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._awaited = None
        self._wait()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request; a whole one, as most are, needs no timer of its own."""
        if self._awaited is None and self._head is None:
            self._awaited = self.head_patience  # for what follows the last request, even an empty line
        awaited = self._awaited
        super().data_received(data)
        if self._awaited != awaited or (self._awaited is not None and self._timer is None):
            self._wait()
        if self._head is not None:
            self._head += len(data)
            if self._head > self.longest_head and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._head, self._awaited = 0, self.head_patience

    def on_headers_complete(self) -> None:
        """Know what is asked; the body follows."""
        super().on_headers_complete()
        self._head, self._awaited = None, self.body_patience

    def on_message_complete(self) -> None:
        """Have all of a request."""
        super().on_message_complete()
        self._awaited = None

    def _wait(self) -> None:
        """Set the timer for what is missing."""
        if self._timer is not None:
            self._timer.cancel()
        patience = self._awaited
        self._timer = None if patience is None else self.loop.call_later(patience, self.transport.close)
