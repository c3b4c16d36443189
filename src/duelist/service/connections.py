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

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a first request."""
        super().connection_made(transport)
        self._wait(self.head_patience)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request."""
        if self._timer is None and self._head is None:
            self._wait(self.head_patience)  # for what follows the last request, even if it is an empty line
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > self.longest_head and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._head = 0
        self._wait(self.head_patience)

    def on_headers_complete(self) -> None:
        """Know what is asked; the body follows."""
        super().on_headers_complete()
        self._head = None
        self._wait(self.body_patience)

    def on_message_complete(self) -> None:
        """Have all of a request."""
        super().on_message_complete()
        self._wait(None)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.close)
