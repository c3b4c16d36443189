"""The service as a process, or several: started, told to stop, and what it says when it listens."""

import os
import signal
import socket
import sys
from collections.abc import Callable

import msgspec
import uvicorn

from duelist.database import Database
from duelist.errors import ParameterError
from duelist.service.connections import PatientProtocol
from duelist.service.settings import VARIABLE, Settings

FACTORY = "duelist.service.app:create_app"
GRACE = 30
"""Seconds that requests may take to be answered when the service is told to stop."""


def run(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until the process is told to stop; requests that were accepted are answered first."""
    # what is wrong with the database is said once, before any worker starts
    with Database(settings.database) as database:
        place, has_keys = database.place, bool(database.api_keys.list())
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
    listening = listen(settings)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    say(f"Serving {place} on http://{host}:{listening.getsockname()[1]} (Ctrl-C ends it).")
    if not settings.is_open and not has_keys:
        say("Nobody can use it yet: make a key with `duelist keys create NAME --role admin`.")
    # when all is answered, the server ends itself by the signal that it was sent
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
    else:
        from uvicorn.supervisors import Multiprocess

        Multiprocess(config, [listening]).run()


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
