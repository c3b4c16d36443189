"""The service as one or several processes, and time-outs for its connections."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from errno import EADDRNOTAVAIL
from typing import Any, ClassVar, NamedTuple

import msgspec
import uvicorn
from filelock import FileLock, Timeout
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from duelist.database import Database
from duelist.errors import FileError, ParameterError
from duelist.kernels.live import BACKGROUND
from duelist.service.settings import VARIABLE, Settings
from duelist.study.tickets import KeyRing

GRACE = 30
"""Seconds to finish requests when the service is stopped."""
HUNG = 60
"""Seconds without a heartbeat after which a worker is replaced; a worker is silent while it imports."""


class TimeoutProtocol(HttpToolsProtocol):
    """HTTP protocol with time-outs for the head and the body of a request.

    uvicorn's time-out covers only connections that are idle between two requests. Without these, a client
    that sends half a request, or nothing, would hold its connection indefinitely, and an endless head would
    fill the memory.
    """

    head_timeout: ClassVar[float] = 10.0
    """Seconds for the request line and all headers."""
    body_timeout: ClassVar[float] = 60.0
    """Seconds for the body."""
    longest_head: ClassVar[int] = 65_536
    """Maximum size of the request line and all headers in bytes."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._head: int | None = 0  # bytes of an unfinished head
        self._awaited: float | None = None  # time-out for the missing part; None if the request is complete

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._awaited = self.head_timeout
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._awaited = None
        self._wait()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed bytes to the parser; a request that arrives whole, as most do, needs no timer."""
        if self._awaited is None and self._head is None:
            self._awaited = (
                self.head_timeout
            )  # bytes after the last request start the next one, even an empty line
        awaited = self._awaited
        super().data_received(data)
        if self._awaited != awaited or (self._awaited is not None and self._timer is None):
            self._wait()
        if self._head is not None:
            self._head += len(data)
            if self._head > self.longest_head and not self.transport.is_closing():
                self.send_400_response("The request head is too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head, self._awaited = 0, self.head_timeout

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._head, self._awaited = None, self.body_timeout

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._awaited = None

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        timeout = self._awaited
        self._timer = None if timeout is None else self.loop.call_later(timeout, self.transport.close)


class Listening(NamedTuple):
    """The address and the database of a service that has started to listen."""

    address: str
    """URL such as http://127.0.0.1:8321."""
    location: str
    """Name of the database in messages, without passwords."""
    has_keys: bool
    """Whether any API key exists."""


def run(settings: Settings, announce: Callable[[Listening], None], make_app: str | Callable[[], Any]) -> None:
    """Serve until the process is stopped; requests that were accepted are finished first.

    Parameters
    ----------
    settings : Settings
        Settings of the service.
    announce : callable
        Callback that receives a `Listening` once the socket is open.
    make_app : str or callable
        Factory of the application; for several workers, its name: "module:function".
    """
    # report a problem with the database once, before workers start
    with Database(settings.database) as database:
        location, has_keys = database.location, bool(database.api_keys.list())
    KeyRing()  # report invalid ticket keys in the environment before the first request
    os.environ[VARIABLE] = msgspec.json.encode(settings).decode()
    config = uvicorn.Config(
        make_app,
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        access_log=False,
        log_level="warning",
        server_header=False,
        http=TimeoutProtocol,
        ws="none",
        timeout_graceful_shutdown=GRACE,
        timeout_worker_healthcheck=HUNG,
    )
    only = serving_alone(location) if "://" not in location else nullcontext()
    with only:
        listening = listen(settings)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        # a process that reads the announcement may stop the service at once
        signal.signal(signal.SIGTERM, end)
        announce(Listening(f"http://{host}:{listening.getsockname()[1]}", location, has_keys))
        serve(settings, config, listening)


def serve(settings: Settings, config: uvicorn.Config, listening: socket.socket) -> None:
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
    else:
        from uvicorn.supervisors import Multiprocess

        Multiprocess(config, [listening]).run()


def end(*_: object) -> None:
    """End the process: before the first request, or when the server re-raises the signal at its end."""
    BACKGROUND.stop()
    os._exit(0)


@contextmanager
def serving_alone(location: str) -> Iterator[None]:
    """Lock an SQLite file against other services: open duels are tracked per process."""
    lock = FileLock(f"{location}.serving", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise FileError(
            f"{location} is already being served; stop the other service first, or use PostgreSQL with "
            "`duelist serve` to run several."
        ) from None
    try:
        yield
    finally:
        lock.release()


def listen(settings: Settings) -> socket.socket:
    """Return a listening socket; raise ParameterError if the address cannot be used."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(2048)  # connections from now on wait until a worker is ready
    except OSError as error:
        listening.close()
        is_elsewhere = isinstance(error, socket.gaierror) or error.errno == EADDRNOTAVAIL
        raise ParameterError(
            f"cannot listen on {settings.host}, port {settings.port} ({error.strerror}); choose another "
            f"{'--host' if is_elsewhere else '--port'}."
        ) from error
    listening.set_inheritable(True)
    return listening
