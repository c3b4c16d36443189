"""A service shared by the tests of a file; each test creates its own studies."""

from collections.abc import Iterator
from itertools import count

import pytest
from sockets import Served, serving_studies

from duelist.client import Client

NUMBERS = count(1)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving_studies(tmp_path_factory.mktemp("client") / "studies.db") as served:
        yield served


@pytest.fixture(scope="module")
def client(service: Served) -> Iterator[Client]:
    # kernels may have to be compiled
    with Client(service.url, timeout=60.0) as connected:
        yield connected


@pytest.fixture
def name() -> str:
    return f"study-{next(NUMBERS)}"
