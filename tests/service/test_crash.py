"""Nothing acknowledged is lost or counted twice: killed, without room, without its database.

`DUELIST_LONG=1` plays it at full length; `make crash` does.
"""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic, sleep

from service.hammering import Voters

from benchmarks.processes import Service
from duelist import Study
from duelist.database import Database

KILLS = 200 if os.environ.get("DUELIST_LONG") else 1
ARMS = ["a", "b", "c", "d"]


def begin(place: str | Path) -> None:
    with Database(place) as database:
        Study(arms=ARMS, journal=database.journal("home"))


def check(place: str | Path, voters: Voters) -> None:
    with Database(place) as database:
        journal = database.journal("home")
        voters.check(journal.read())
        assert Study.open(journal).answers >= len(voters.acknowledged)


def kill_often(place: str | Path, started: Callable[..., Service], *options: str) -> None:
    begin(place)
    service = started(place, "--open", "--quiet", *options)
    rng = Random(0)
    with Voters(service.port) as voters:
        for _ in range(KILLS):
            go_on(voters, 5)
            sleep(rng.uniform(0.0, 0.3))
            service.kill()
            service = started(place, "--open", "--quiet", *options, port=service.port)
        go_on(voters)
        # told to stop, it answers what it has accepted
        assert service.stop() == 0
    check(place, voters)


def test_killed_at_random_moments(tmp_path: Path, started: Callable[..., Service]) -> None:
    kill_often(tmp_path / "studies.db", started)


def test_killed_at_random_moments_on_postgresql(postgresql: str, started: Callable[..., Service]) -> None:
    kill_often(postgresql, started)


def test_a_full_disk_and_room_again(tmp_path: Path, started: Callable[..., Service]) -> None:
    place = tmp_path / "studies.db"
    begin(place)
    service = started(place)
    pid = service.process.pid
    files = [place, Path(f"{place}-wal")]
    with Voters(service.port) as voters:
        go_on(voters)
        full = max(file.stat().st_size for file in files if file.exists())
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        wait_for(lambda: voters.unavailable > 20)
        stuck = len(voters.acknowledged)
        wait_for(lambda: voters.unavailable > 60)
        assert len(voters.acknowledged) == stuck, "it acknowledged what it could not write"
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        go_on(voters)
    assert service.stop() == 0
    check(place, voters)


def go_on(voters: Voters, answers: int = 20) -> None:
    """Wait until more answers have been acknowledged."""
    before = len(voters.acknowledged)
    wait_for(lambda: len(voters.acknowledged) >= before + answers)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something has happened, which it must before long."""
    deadline = monotonic() + 60.0
    while not condition():
        assert monotonic() < deadline
        sleep(0.02)
