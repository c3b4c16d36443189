"""`duelist serve`: studies over HTTP."""

from typing import Annotated

from duelist.cli.options import DatabasePlace, option
from duelist.cli.terminal import examples, say
from duelist.errors import needing_extra

EXAMPLES = examples(
    "duelist serve --database studies.db --port 8321 --open",
    "duelist serve --database postgresql://duelist@localhost/duelist --workers 4",
    "duelist keys create website --role play   # a key for those who ask and tell",
)


def serve(
    database: DatabasePlace = "studies.db",
    host: Annotated[str, option("--host ADDRESS", "Where to listen.")] = "127.0.0.1",
    port: Annotated[int, option("--port", "Where to listen; 0 for any that is free.")] = 8321,
    is_open: Annotated[
        bool, option("--open", "Ask for no key: only where nobody but this machine can connect.")
    ] = False,
    workers: Annotated[int, option("--workers", "Processes that answer; above 1 they need PostgreSQL.")] = 1,
    name: Annotated[
        list[str] | None,
        option("--name HOST", "A name by which it may be called, such as votes.example.org; * for any."),
    ] = None,
    rate: Annotated[
        float, option("--rate", "Requests a second that one key or address may make; 0 for no limit.")
    ] = 0.0,
    most_arms: Annotated[int, option("--most-arms", "The largest number of arms of a study.")] = 1_000,
    most_bytes: Annotated[int, option("--most-bytes", "The largest body of a request.")] = 1_000_000,
    quiet: Annotated[bool, option("--quiet", "Write no line for each request.")] = False,
) -> None:
    """Serve studies over HTTP: ask for duels, tell what was preferred, read who wins.

    What is answered with 200 is on disk, and counts once however often it is sent. Whoever asks needs a key,
    unless the service is `--open` to this machine alone. `/openapi.json` describes all routes;
    `duelist.client` speaks to them from Python. People vote, and see who leads, on the pages of each study,
    /studies/NAME/; with keys, a browser is let in by /enter?link=KEY.
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
        most_arms=most_arms,
        most_bytes=most_bytes,
        logs=not quiet,
    )

    def announce(listening: Listening) -> None:
        say(f"Serving {listening.location} on {listening.address} (Ctrl-C ends it).")
        if settings.is_open:
            say(f"Pages of all studies: {listening.address}/studies")
        elif not listening.has_keys:
            say("Nobody can use it yet: make a key with `duelist keys create NAME --role admin`.")

    run(settings, announce, FACTORY)
