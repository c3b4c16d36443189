"""What commands on a database share; nothing is imported before it is needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from duelist.errors import FileError, needing_extra, require_known

if TYPE_CHECKING:
    from duelist.database import Database
    from duelist.study import Study


def show_help(context: typer.Context) -> None:
    """Show the help of a command that was called without one of its parts."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@contextmanager
def opened(place: str, create: bool = False) -> "Iterator[Database]":
    """Open a database during the block; one that is not there is refused unless it may be made."""
    with needing_extra("a database", "database"):
        from duelist.database import Database
    with Database(place, create=create) as database:
        yield database


def upgraded(place: str) -> tuple[str, str]:
    """Bring a database up to date; return the version of its tables before and now."""
    with needing_extra("a database", "database"):
        from duelist.database.versions import upgrade
    return upgrade(place)


def study_of(database: "Database", name: str) -> "Study":
    """Return a study of a database, or say which there are."""
    from duelist.study import Study

    names = database.names()
    if not names:
        raise FileError(f"{database.place} holds no studies.")
    require_known("study", name, names)
    return Study.open(database.journal(name))
