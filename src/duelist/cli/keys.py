"""`duelist keys`: the keys of the API, and the key of tickets."""

import os
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer
from rich.text import Text

from duelist.cli.databases import opened, show_help
from duelist.cli.options import DatabasePlace, option
from duelist.cli.terminal import console, examples, say, table
from duelist.errors import ParameterError

EXAMPLES = examples(
    "duelist keys create 'kiosk in the hall' --role play",
    "duelist keys list",
    "duelist keys revoke 3f2a90c4d1b7",
    "duelist keys rotate-tickets",
)


def keys(context: typer.Context) -> None:
    """Make and revoke the keys of the API, and change the key of tickets.

    Programs show a **key of the API** to the service with every request. Its role says what it may do:
    **read** may look, **play** may also ask and tell, **admin** may do everything. The database keeps digests
    alone.

    **Tickets** are sealed by the service itself, with keys that stay in the database.
    """
    show_help(context)


def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is, for people.")],
    role: Annotated[
        Literal["read", "play", "admin"], option("--role ROLE", "read, play or admin: what it may do.")
    ] = "play",
    database: DatabasePlace = "studies.db",
) -> None:
    """Make a key of the API, and print its secret, which cannot be shown again."""
    with opened(database) as kept:
        secret = kept.api_keys.create(name, role)
    say(secret)
    say("note: this is shown once; whoever has it may do what its role allows.", stderr=True)


def show(database: DatabasePlace = "studies.db") -> None:
    """List the keys of the API; their secrets are not known."""
    with opened(database) as kept:
        found = kept.api_keys.list()
    if not found:
        say("There are no keys; duelist keys create NAME makes one.")
        return
    listing = table("id", "name", "role", "made", "revoked")
    for key in found:
        revoked = "" if key.revoked is None else day(key.revoked)
        style = "" if key.revoked is None else "dim"
        listing.add_row(Text(key.id), Text(key.name), key.role, day(key.created), revoked, style=style)
    console().print(listing)


def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, as listed.")],
    database: DatabasePlace = "studies.db",
) -> None:
    """Let a key of the API open nothing any more, for ever; to revoke it twice does no harm."""
    with opened(database) as kept:
        kept.api_keys.revoke(id)
    say(f"The key {id} is revoked.")


def rotate_tickets(database: DatabasePlace = "studies.db") -> None:
    """Seal tickets with a new key from now on; those that are open stay valid.

    A service that runs takes the new key when it is started again.
    """
    with opened(database) as kept:
        from duelist.study.tickets import VARIABLE, KeyRing

        if VARIABLE in os.environ:
            raise ParameterError(f"tickets are sealed with keys in {VARIABLE}; add a new one there, last.")
        KeyRing(kept.ticket_keys).rotate()
    say("Tickets are sealed with a new key, as soon as the service is started again.")


def day(seconds: float) -> str:
    """Return a moment as people read it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


PARTS = {"create": create, "list": show, "revoke": revoke, "rotate-tickets": rotate_tickets}
