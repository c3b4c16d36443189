"""`duelist serve`: studies over HTTP."""

from typing import Annotated

from duelist.cli.options import DatabaseAddress, HostNames, Port, option
from duelist.cli.terminal import say
from duelist.errors import needing_extra

EXAMPLES = (
    "duelist serve --database studies.db --port 8321 --open",
    "duelist serve --name votes.example.org --rate 20",
    "duelist serve --database postgresql://duelist@localhost/duelist --workers 4",
)


def serve(
    database: DatabaseAddress = "studies.db",
    host: Annotated[str, option("--host ADDRESS", "IP address or host name to listen on.")] = "127.0.0.1",
    port: Port = 8321,
    is_open: Annotated[
        bool,
        option("--open", "Require no API key; allowed only if --host is an address of this machine alone."),
    ] = False,
    workers: Annotated[
        int, option("--workers N", "Number of server processes; more than one needs PostgreSQL.")
    ] = 1,
    name: HostNames = None,
    rate: Annotated[
        float, option("--rate N", "Requests per second allowed for each key or address; 0 for no limit.")
    ] = 0.0,
    max_arms: Annotated[int, option("--max-arms N", "Maximum number of arms in a study.")] = 1_000,
    max_bytes: Annotated[
        int, option("--max-bytes N", "Maximum size of a request body, in bytes.")
    ] = 1_000_000,
    quiet: Annotated[bool, option("--quiet", "Do not log requests.")] = False,
) -> None:
    """Serve studies over HTTP: ask for duels, tell their outcomes, read the results.

    Once a request is answered with status 200, it is saved to disk; a repeated request counts once. Requests
    need an API key, from `duelist keys create NAME`, unless the service is `--open` to this machine alone.
    `/openapi.json` describes all routes, and `duelist.client` calls them from Python. Each study has pages
    for votes and results, /studies/NAME/; with keys, open /enter?link=KEY in the browser first.
    """
    with needing_extra("duelist serve", "serve"):
        from duelist.arena.app import FACTORY
        from duelist.service.serving import Listening, run
        from duelist.service.settings import Settings
    settings = Settings(
        database=database,
        host=host,
        port=port,
        is_open=is_open,
        workers=workers,
        names=tuple(name or ()),
        rate=rate,
        most_arms=max_arms,
        most_bytes=max_bytes,
        logs=not quiet,
    )

    def announce(listening: Listening) -> None:
        say(f"Serving {listening.location} on {listening.address} (Ctrl-C stops it).")
        if settings.is_open:
            say(f"Pages of all studies: {listening.address}/studies")
        elif not listening.has_keys:
            say("No API keys yet; create one with: duelist keys create NAME --role admin")

    run(settings, announce, FACTORY)
