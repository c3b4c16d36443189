"""Versions of the tables: made where there are none, brought up to date by `duelist db upgrade`."""

import os
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, inspect, text

from duelist.database.engines import as_url, called, connect_to, missing, plain_errors, write_ahead
from duelist.errors import FileError

HEAD = "0001"
"""The version of the tables that this package works with."""
MIGRATIONS = Path(__file__).with_name("migrations")
LOCK = 0x6475656C
"""The number of the lock in PostgreSQL under which tables are made and changed."""


def version_of(connection: Connection, place: str) -> str | None:
    """Return the version of a database's tables; None for an empty database."""
    tables = set(inspect(connection).get_table_names())
    if {"alembic_version", "studies", "events"} <= tables:
        version: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return version
    if tables:
        raise FileError(
            f"{place} holds other tables and no studies; name a database that is empty or was made by "
            "duelist."
        )
    return None


def prepare(engine: Engine, place: str, create: bool) -> None:
    """Make the tables of an empty database, or see that those which are there have the right version."""
    with engine.connect() as connection:
        version = version_of(connection, place)
    if version is None:
        if not create:
            raise missing(place)
        migrate(engine, place)
    elif version < HEAD:
        raise FileError(
            f"{place} has tables of version {version}, and this duelist needs {HEAD}; make a backup, then: "
            "duelist db upgrade"
        )
    elif version > HEAD:
        raise newer(place, version)
    if engine.dialect.name == "sqlite":
        write_ahead(engine)  # not before it is known whose file it is, for it stays so


def migrate(engine: Engine, place: str, version: str = "head") -> None:
    """Bring the tables to a version, all or nothing; of several processes, one does it and others wait."""
    # importing it takes longer than everything else here, and is rarely needed
    from alembic import command
    from alembic.config import Config

    settings: Any = Config()
    settings.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        settings.attributes["connection"] = connection
        down = version != "head" and (version_of(connection, place) or "") > version
        (command.downgrade if down else command.upgrade)(settings, version)


def upgrade(place: str | os.PathLike[str]) -> tuple[str, str]:
    """Bring a database up to date, all or nothing; return the version of its tables before and now."""
    url = as_url(place)
    name = called(url)
    with plain_errors(name):
        engine = connect_to(url, create=False)
        try:
            with engine.connect() as connection:
                before = version_of(connection, name)
            if before is None:
                raise missing(name)
            if before > HEAD:
                raise newer(name, before)
            migrate(engine, name)
        finally:
            engine.dispose()
    return before, HEAD


def newer(place: str, version: str) -> FileError:
    """Return that a database was made by a later version of this package."""
    return FileError(
        f"{place} has tables of version {version}, and this duelist knows {HEAD} and earlier; install the "
        "newer version that made them."
    )
