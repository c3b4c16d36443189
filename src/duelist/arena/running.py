"""Set up and serve an arena: its study, the links to it, and progress on the terminal."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from starlette.applications import Starlette

from duelist.arena.app import create_app
from duelist.arena.page_requests import Session, seal_session
from duelist.arena.site import STUDY, Arena
from duelist.database import Database
from duelist.errors import DuelistError, FileError
from duelist.judging.material import Material
from duelist.service.serving import Listening, run, serving_alone
from duelist.service.settings import Settings
from duelist.stopping import Verdict
from duelist.stopping.verdict import Finding
from duelist.study import Study
from duelist.study.tickets import KeyRing
from duelist.text import counted

ENDING = ".votes.db"
"""Suffix of a file's database of votes."""
JUDGED = ".votes.judged.jsonl"
"""Suffix of the cache of judges' answers, which avoids paying twice for one answer."""
EVERYWHERE = "0.0.0.0"
LOOK_EVERY = 1.0


def votes_path(path: Path) -> Path:
    """Return the path of the database of votes on a file or folder.

    Examples
    --------
    >>> votes_path(Path("answers.jsonl")).name
    'answers.jsonl.votes.db'
    """
    whole = path.resolve()
    return whole.with_name(whole.name + ENDING)


def judged_path(path: Path) -> Path:
    """Return the path of the cache of judges' answers on a file or folder."""
    whole = path.resolve()
    return whole.with_name(whole.name + JUDGED)


def open_study(database: Database, material: Material) -> tuple[Study, list[str]]:
    """Create or resume the study of an arena; return it with notices about changes of its file."""
    journal = database.journal(STUDY)
    if STUDY not in database.names():
        # two processes that create it at the same moment create the same study
        seed = int.from_bytes(blake2b(repr(material.arms).encode(), digest_size=6).digest())
        return Study(arms=list(material.arms), journal=journal, seed=seed), []
    study, notices = Study.open(journal), []
    if study.answers:
        notices.append(f"Resuming with {counted(study.answers, 'vote')}.")
    known = study.state().names
    new = [arm for arm in material.arms if arm not in known]
    retired = [arm for arm in material.arms if arm in known and arm not in study.arms]
    gone = [arm for arm in study.arms if arm not in material.arms]
    if len(gone) == len(study.arms):
        raise FileError(
            f"{database.location} has votes on other arms ({', '.join(study.arms)[:200]}), none of which is "
            "in the file; move that database away to start a new arena."
        )
    if study.state().closed:
        return study, [*notices, "Voting has ended: the study is closed."]
    if new or gone:
        # a process that serves it now has read the old file, and could not show a new arm
        with serving_alone(database.location):
            for arm in new:
                study.add_arm(arm)
            for arm in gone:
                study.retire_arm(arm)
    changes = {
        "New arms": new,
        "Arms retired because the file no longer has them; their votes are kept": gone,
        "Arms that stay retired until the dashboard adds them again": retired,
    }
    for change, arms in changes.items():
        if arms:
            notices.append(f"{change}: {', '.join(arms)}.")
    return study, notices


def serve_arena(
    arena: Arena, settings: Settings, voters: int, say: Callable[[str], None], opened: Callable[[str], None]
) -> None:
    """Serve an arena until the process is asked to stop.

    Parameters
    ----------
    arena : Arena
        The arena to serve.
    settings : Settings
        Host, port and database, and whether only this machine has access.
    voters : int
        Number of personal links to print for a shared arena.
    say : callable
        Called with each line to print.
    opened : callable
        Called with the owner's address once the arena is served.
    """

    async def watch(app: Starlette) -> None:
        await follow(app, arena, say)

    def announce(listening: Listening) -> None:
        if settings.is_open:
            say(f"Vote at {listening.address}/ (Ctrl-C stops it, the same command resumes it).")
            say(f"Results: {listening.address}/leaderboard and {listening.address}/dashboard")
            opened(f"{listening.address}/")
            return
        port = listening.address.rpartition(":")[2]
        with Database(settings.database) as database:
            keys = KeyRing(database.ticket_keys)
            begin = f"http://{reachable_address()}:{port}/enter?link="
            owner = begin + seal_session(Session(role="admin"), keys)
            say("Ctrl-C stops it; the same command resumes it, and the links stay valid.")
            say("Connections are not encrypted: on an untrusted network, put a TLS proxy in front of it.")
            say(f"Owner (leaderboard, dashboard; keep this link private):\n  {owner}")
            if voters == 0:
                everybody = begin + seal_session(Session(role="play"), keys)
                say(f"Voters (each browser counts as one voter):\n  {everybody}")
            for number in range(1, voters + 1):
                link = begin + seal_session(Session(voter=f"voter-{number}", role="play"), keys)
                say(f"Voter {number}:\n  {link}")
        opened(owner)

    run(settings, announce, lambda: create_app(settings, arena, watch))


async def follow(app: Starlette, arena: Arena, say: Callable[[str], None]) -> None:
    """Report the number of votes as they arrive, and the verdict whenever it changes."""
    known: int | None = None
    proven: tuple[Finding, str | None] = ("undecided", None)
    while True:
        with suppress(DuelistError):  # pages report the error, which may be temporary
            live = await app.state.live.find(STUDY)
            answers, verdict = await live.work(state_of(live.study, arena.delta))
            news = [] if answers == known or known is None else [counted(answers, "vote")]
            if (verdict.finding, verdict.winner) != proven:
                news.append(str(verdict))
            if news:
                say(". ".join(news))
            known, proven = answers, (verdict.finding, verdict.winner)
        await asyncio.sleep(LOOK_EVERY)


def state_of(study: Study, delta: float) -> Callable[[], tuple[int, Verdict]]:
    return lambda: (study.answers, study.verdict(delta))


def reachable_address() -> str:
    """Return the address of this machine on its network, or its host name if it has no route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
            address: str = probe.getsockname()[0]
        except OSError:
            return socket.gethostname()
    return address


def own_names() -> tuple[str, ...]:
    """Return the host names and addresses that requests to this machine may use."""
    host = socket.gethostname()
    return tuple({reachable_address(), host, f"{host.partition('.')[0]}.local", socket.getfqdn()})
