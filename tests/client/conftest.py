"""A service that the tests of the client share: each makes studies of its own in it."""

from collections.abc import Iterator
from itertools import count

import pytest

from benchmarks.processes import Service, start_service
from duelist.client import Client

NUMBERS = count(1)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = start_service(tmp_path_factory.mktemp("client") / "studies.db")
    yield started
    started.kill()


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[Client]:
    # kernels may have to be compiled
    with Client(service.url, timeout=60.0) as connected:
        yield connected


@pytest.fixture
def name() -> str:
    """Return a name that no other study has."""
    return f"study-{next(NUMBERS)}"
