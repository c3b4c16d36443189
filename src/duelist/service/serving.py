"""The service as a process, or several: started, told to stop, and what it says when it listens."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import msgspec
import uvicorn
from filelock import FileLock, Timeout

from duelist.database import Database
from duelist.errors import FileError, ParameterError
from duelist.kernels.live import BACKGROUND
from duelist.service.connections import PatientProtocol
from duelist.service.settings import VARIABLE, Settings
from duelist.study.keys import KeyRing

FACTORY = "duelist.service.app:create_app"
GRACE = 30
"""Seconds that requests may take to be answered when the service is told to stop."""


def run(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until the process is told to stop; requests that were accepted are answered first."""
    # what is wrong with the database is said once, before any worker starts
    with Database(settings.database) as database:
        place, has_keys = database.place, bool(database.api_keys.list())
    KeyRing()  # what is wrong with keys of tickets in the environment is said before anybody asks
    os.environ[VARIABLE] = msgspec.json.encode(settings).decode()
    config = uvicorn.Config(
        FACTORY,
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
    )
    only = serving_alone(place) if "://" not in place else nullcontext()
    with only:
        serve(settings, config, place, has_keys, say)


def serve(
    settings: Settings, config: uvicorn.Config, place: str, has_keys: bool, say: Callable[[str], None]
) -> None:
    """Listen and answer."""
    listening = listen(settings)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    say(f"Serving {place} on http://{host}:{listening.getsockname()[1]} (Ctrl-C ends it).")
    if not settings.is_open and not has_keys:
        say("Nobody can use it yet: make a key with `duelist keys create NAME --role admin`.")
    signal.signal(signal.SIGTERM, end)
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
            f"another service runs on {place}; SQLite serves one. Several need PostgreSQL: postgresql://..."
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
        raise ParameterError(
            f"cannot listen on {settings.host}, port {settings.port} ({error.strerror}); choose another "
            "--port or --host."
        ) from error
    listening.set_inheritable(True)
    return listening
