"""Shared by the commands on a database; nothing is imported before it is needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from duelist.errors import FileError, require_known

if TYPE_CHECKING:
    from duelist.database import Database, DatabaseJournal
    from duelist.study import Study


def show_help(context: typer.Context) -> None:
    """Show the help of a command that was called without a subcommand."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@contextmanager
def opened(address: str, create: bool = False) -> "Iterator[Database]":
    """Open a database during the block; raise FileError if it does not exist and may not be created."""
    from duelist.database import Database

    with Database(address, create=create) as database:
        yield database


def study_of(database: "Database", name: str) -> "Study":
    """Return a study of a database, or raise an error that lists the studies."""
    from duelist.study import Study

    return Study.open(journal_of(database, name))


def journal_of(database: "Database", name: str) -> "DatabaseJournal":
    """Return the journal of a study of a database, or raise an error that lists the studies."""
    names = database.names()
    if not names:
        raise FileError(
            f"{database.location} has no studies; add one with: duelist db import STUDY FILE --create"
        )
    require_known("study", name, names)
    return database.journal(name)
