"""`duelist keys`: API keys, and the ticket key."""

import os
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer
from rich.text import Text

from duelist.cli.databases import opened, show_help
from duelist.cli.options import DatabaseAddress, Json, option
from duelist.cli.terminal import console, print_json, say, table
from duelist.errors import ParameterError

EXAMPLES = (
    "duelist keys create 'kiosk in the hall' --role play",
    "duelist keys list",
    "duelist keys revoke 3f2a90c4d1b7",
    "duelist keys rotate-tickets",
)


def keys(context: typer.Context) -> None:
    """Manage API keys, and rotate the ticket key.

    Programs send an **API key** to the service with every request. The role of a key says what it allows:
    **read** reads results, **play** also asks and tells, **admin** does everything. The database stores only
    digests.

    The service seals **tickets** with its own keys, which stay in the database.
    """
    show_help(context)


def create(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the program or person that uses the key.")
    ],
    role: Annotated[
        Literal["read", "play", "admin"],
        option(
            "--role read|play|admin",
            "What the key allows: read reads results, play also asks and tells, admin does everything.",
        ),
    ] = "play",
    database: DatabaseAddress = "studies.db",
) -> None:
    """Create an API key, and print its secret, which cannot be shown again."""
    with opened(database) as kept:
        secret = kept.api_keys.create(name, role)
    say(secret)
    say(f"note: store this secret; it is shown only once, and grants the role {role}.", stderr=True)


def show(database: DatabaseAddress = "studies.db", as_json: Json = False) -> None:
    """List the API keys, without their secrets."""
    with opened(database) as kept:
        found = kept.api_keys.list()
    if as_json:
        print_json(
            [
                {
                    "id": key.id,
                    "name": key.name,
                    "role": key.role,
                    "created": moment(key.created),
                    "revoked": None if key.revoked is None else moment(key.revoked),
                }
                for key in found
            ]
        )
        return
    if not found:
        say("There are no keys; create one with: duelist keys create NAME")
        return
    listing = table("id", "name", "role", "created", "revoked")
    for key in found:
        revoked = "" if key.revoked is None else day(key.revoked)
        style = "" if key.revoked is None else "dim"
        listing.add_row(Text(key.id), Text(key.name), key.role, day(key.created), revoked, style=style)
    console().print(listing)


def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="ID of the key, from `duelist keys list`.")],
    database: DatabaseAddress = "studies.db",
) -> None:
    """Revoke an API key permanently; revoking it again changes nothing."""
    with opened(database) as kept:
        kept.api_keys.revoke(id)
    say(f"Key {id} is revoked.")


def rotate_tickets(database: DatabaseAddress = "studies.db") -> None:
    """Rotate the ticket key: seal new tickets with a new key; open tickets stay valid.

    A running service uses the new key after a restart.
    """
    with opened(database) as kept:
        from duelist.study.tickets import VARIABLE, KeyRing

        if VARIABLE in os.environ:
            raise ParameterError(
                f"the ticket keys come from {VARIABLE}, not from the database; append a new key to that "
                "variable."
            )
        KeyRing(kept.ticket_keys).rotate()
    say("The ticket key is rotated; restart the service to use the new one.")


def day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def moment(seconds: float) -> str:
    """Return a time as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


PARTS = {"create": create, "list": show, "revoke": revoke, "rotate-tickets": rotate_tickets}
