"""Real services for tests, in processes that end with the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.processes import Service, start_service


@pytest.fixture
def started() -> Iterator[Callable[..., Service]]:
    """Return what starts services, which end with the test."""
    with ExitStack() as running:

        def start(database: str | Path, *options: str, port: int = 0) -> Service:
            service = start_service(database, *options, port=port)
            running.callback(service.kill)
            return service

        yield start
