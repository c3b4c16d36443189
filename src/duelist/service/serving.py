"""The service as a process, or several: started, told to stop; and connections that nobody keeps open."""

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
"""Seconds that requests may take to be answered when the service is told to stop."""
HUNG = 60
"""Seconds of silence after which a worker is replaced; one that starts is silent while it imports."""


class PatientProtocol(HttpToolsProtocol):
    """HTTP of which the server waits only so long for the rest.

    The server's own time-out is for connections that are idle between two requests. Without this one, whoever
    sends half a request, or nothing, would keep a connection for ever, and a head without an end the memory.
    """

    head_timeout: ClassVar[float] = 10.0
    """Seconds for the first line and all headers."""
    body_timeout: ClassVar[float] = 60.0
    """Seconds for the body."""
    longest_head: ClassVar[int] = 65_536
    """Bytes of the first line and all headers."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._head: int | None = 0  # bytes of a head that has not ended
        self._awaited: float | None = None  # the timeout for what is missing; None if nothing is

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a first request."""
        super().connection_made(transport)
        self._awaited = self.head_timeout
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._awaited = None
        self._wait()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request; a whole one, as most are, needs no timer of its own."""
        if self._awaited is None and self._head is None:
            self._awaited = self.head_timeout  # for what follows the last request, even an empty line
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
        self._head, self._awaited = 0, self.head_timeout

    def on_headers_complete(self) -> None:
        """Know what is asked; the body follows."""
        super().on_headers_complete()
        self._head, self._awaited = None, self.body_timeout

    def on_message_complete(self) -> None:
        """Have all of a request."""
        super().on_message_complete()
        self._awaited = None

    def _wait(self) -> None:
        """Set the timer for what is missing."""
        if self._timer is not None:
            self._timer.cancel()
        timeout = self._awaited
        self._timer = None if timeout is None else self.loop.call_later(timeout, self.transport.close)


class Listening(NamedTuple):
    """A service that listens from now on."""

    address: str
    """Such as http://127.0.0.1:8321."""
    place: str
    """What its database is called."""
    has_keys: bool
    """Whether there is any key of the API."""


def run(settings: Settings, announce: Callable[[Listening], None], make_app: str | Callable[[], Any]) -> None:
    """Serve until the process is told to stop; requests that were accepted are answered first.

    Parameters
    ----------
    settings : Settings
        How to serve.
    announce : callable
        Is told where it listens.
    make_app : str or callable
        What makes the application, which several workers need by name: "module:function".
    """
    # what is wrong with the database is said once, before any worker starts
    with Database(settings.database) as database:
        place, has_keys = database.place, bool(database.api_keys.list())
    KeyRing()  # what is wrong with keys of tickets in the environment is said before anybody asks
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
        http=PatientProtocol,
        ws="none",
        timeout_graceful_shutdown=GRACE,
        timeout_worker_healthcheck=HUNG,
    )
    only = serving_alone(place) if "://" not in place else nullcontext()
    with only:
        listening = listen(settings)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        # who reads where it listens may tell it to stop at once
        signal.signal(signal.SIGTERM, end)
        announce(Listening(f"http://{host}:{listening.getsockname()[1]}", place, has_keys))
        serve(settings, config, listening)


def serve(settings: Settings, config: uvicorn.Config, listening: socket.socket) -> None:
    """Answer what comes."""
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
    else:
        from uvicorn.supervisors import Multiprocess

        Multiprocess(config, [listening]).run()


def end(*_: object) -> None:
    """End the process: nothing was accepted yet, or all was answered and the server repeats the signal."""
    BACKGROUND.stop()
    os._exit(0)


@contextmanager
def serving_alone(place: str) -> Iterator[None]:
    """Let no other service use a file of SQLite: each would know its own voters' open duels alone."""
    lock = FileLock(f"{place}.serving", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise FileError(
            f"{place} is being served already; end the other service first. Several at once need "
            "`duelist serve` and PostgreSQL."
        ) from None
    try:
        yield
    finally:
        lock.release()


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(2048)  # who connects from now on waits until a worker is ready
    except OSError as error:
        listening.close()
        is_elsewhere = isinstance(error, socket.gaierror) or error.errno == EADDRNOTAVAIL
        raise ParameterError(
            f"cannot listen on {settings.host}, port {settings.port} ({error.strerror}); choose another "
            f"{'--host' if is_elsewhere else '--port'}."
        ) from error
    listening.set_inheritable(True)
    return listening
