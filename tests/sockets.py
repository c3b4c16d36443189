"""Real services for tests, on sockets of the tests' own process."""

import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from duelist.arena.app import create_app
from duelist.service.serving import TimeoutProtocol
from duelist.service.settings import Settings


class Served(NamedTuple):
    """Where something is served."""

    url: str
    port: int


@contextmanager
def on_socket(app: Any, **options: Any) -> Iterator[Served]:
    """Serve an application for the block, in a thread: it is there at once, where a process imports first."""
    config = uvicorn.Config(app, **{"http": TimeoutProtocol, "ws": "none", "log_level": "error", **options})
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        port = listening.getsockname()[1]
        try:
            yield Served(f"http://127.0.0.1:{port}", port)
        finally:
            server.should_exit = True
            thread.join()


def serving_studies(database: str | Path, **settings: Any) -> AbstractContextManager[Served]:
    """Serve studies for the block; by default nobody needs a key."""
    chosen = {"database": str(database), "is_open": True, "logs": False, **settings}
    return on_socket(create_app(Settings(**chosen)))
