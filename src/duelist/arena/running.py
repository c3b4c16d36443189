"""An arena set up and served: the study beside its file, the links to it, and what happens in it."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from starlette.applications import Starlette

from duelist.arena.app import create_app
from duelist.arena.site import STUDY, Arena
from duelist.arena.visits import Session, seal_session
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
"""What is added to the name of a file, for the database of its votes."""
JUDGED = ".votes.judged.jsonl"
"""The same, for the answers of judges, so that none is paid for twice."""
EVERYWHERE = "0.0.0.0"
LOOK_EVERY = 1.0


def database_beside(path: Path) -> Path:
    """Return where the votes on a file or folder are kept.

    Examples
    --------
    >>> database_beside(Path("answers.jsonl")).name
    'answers.jsonl.votes.db'
    """
    whole = path.resolve()
    return whole.with_name(whole.name + ENDING)


def judged_beside(path: Path) -> Path:
    """Return where the answers of judges on a file or folder are kept."""
    whole = path.resolve()
    return whole.with_name(whole.name + JUDGED)


def open_study(database: Database, material: Material) -> tuple[Study, list[str]]:
    """Return the study of an arena, begun or gone on with, and what has changed in its file since."""
    journal = database.journal(STUDY)
    if STUDY not in database.names():
        # two who begin it at the same moment begin the same
        seed = int.from_bytes(blake2b(repr(material.arms).encode(), digest_size=6).digest())
        return Study(arms=list(material.arms), journal=journal, seed=seed), []
    study, notices = Study.open(journal), []
    if study.answers:
        notices.append(f"Going on with {counted(study.answers, 'vote')}.")
    known = study.state().names
    new = [arm for arm in material.arms if arm not in known]
    retired = [arm for arm in material.arms if arm in known and arm not in study.arms]
    gone = [arm for arm in study.arms if arm not in material.arms]
    if len(gone) == len(study.arms):
        raise FileError(
            f"{database.location} has votes on other arms ({', '.join(study.arms)[:200]}), none of which is "
            "in the file; move it away to begin anew."
        )
    if study.state().closed:
        return study, [*notices, "Voting has ended: the study is closed."]
    if new or gone:
        # whoever serves it now has read the file as it was, and could not show a new arm
        with serving_alone(database.location):
            for arm in new:
                study.add_arm(arm)
            for arm in gone:
                study.retire_arm(arm)
    changes = {
        "joined": new,
        "left, and keep their votes": gone,
        "are retired, until the dashboard adds them again": retired,
    }
    for became, arms in changes.items():
        if arms:
            notices.append(f"Arms that {became}: {', '.join(arms)}.")
    return study, notices


def serve_arena(
    arena: Arena, settings: Settings, voters: int, say: Callable[[str], None], opened: Callable[[str], None]
) -> None:
    """Serve an arena until the process is told to stop.

    Parameters
    ----------
    arena : Arena
        What is compared.
    settings : Settings
        Where it is served, and whether to this machine alone.
    voters : int
        How many personal links to print, where it is shared.
    say : callable
        Is given lines to print.
    opened : callable
        Is given the address at which its owner begins, once it is served.
    """

    async def watch(app: Starlette) -> None:
        await follow(app, arena, say)

    def announce(listening: Listening) -> None:
        if settings.is_open:
            say(f"Vote at {listening.address}/ (Ctrl-C ends it, and the same command goes on).")
            say(f"Results: {listening.address}/leaderboard and {listening.address}/dashboard")
            opened(f"{listening.address}/")
            return
        port = listening.address.rpartition(":")[2]
        with Database(settings.database) as database:
            keys = KeyRing(database.ticket_keys)
            begin = f"http://{reachable_address()}:{port}/enter?link="
            owner = begin + seal_session(Session(role="admin"), keys)
            say("Ctrl-C ends it; the same command goes on, and links that were given out stay good.")
            say("Without TLS: on a network that you do not trust, put a proxy with a certificate before it.")
            say(f"Owner (leaderboard, dashboard; keep it to yourself):\n  {owner}")
            if voters == 0:
                everybody = begin + seal_session(Session(role="play"), keys)
                say(f"Voters (each browser votes for itself):\n  {everybody}")
            for number in range(1, voters + 1):
                link = begin + seal_session(Session(voter=f"voter-{number}", role="play"), keys)
                say(f"Voter {number}:\n  {link}")
        opened(owner)

    run(settings, announce, lambda: create_app(settings, arena, watch))


async def follow(app: Starlette, arena: Arena, say: Callable[[str], None]) -> None:
    """Say how many votes there are as they come, and what they prove once that changes."""
    known: int | None = None
    proven: tuple[Finding, str | None] = ("undecided", None)
    while True:
        with suppress(DuelistError):  # pages say what is wrong, and it may pass
            live = await app.state.live.find(STUDY)
            answers, verdict = await live.work(state_of(live.study, arena.delta))
            said = [] if answers == known or known is None else [counted(answers, "vote")]
            if (verdict.finding, verdict.winner) != proven:
                said.append(str(verdict))
            if said:
                say(". ".join(said))
            known, proven = answers, (verdict.finding, verdict.winner)
        await asyncio.sleep(LOOK_EVERY)


def state_of(study: Study, delta: float) -> Callable[[], tuple[int, Verdict]]:
    """Return what looks at the number of votes and the verdict."""
    return lambda: (study.answers, study.verdict(delta))


def reachable_address() -> str:
    """Return the address by which others on the network reach this machine, as far as it can be told."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
            address: str = probe.getsockname()[0]
        except OSError:
            return socket.gethostname()
    return address


def own_names() -> tuple[str, ...]:
    """Return the names by which others may call this machine."""
    host = socket.gethostname()
    return tuple({reachable_address(), host, f"{host.partition('.')[0]}.local", socket.getfqdn()})
