"""What processes that share a study, or that come to a bad end, do."""

import os
import resource
import signal
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from study.rankers import documents
from study.world import ARMS, answer

from duelist import RUCB, Study
from duelist.errors import FileError


def tell(pipe: "Connection[Any, Any]", path: Path, n: int) -> None:
    """Tell n answers, for ever if n is 0; send the id of every ticket once `tell` has returned."""
    study = Study.open(path, worker=n)
    for _ in count() if n == 0 else range(n):
        duel = study.ask()
        study.tell(duel, answer(duel))
        pipe.send(study.steps._ticket(duel).id)


def click_and_die(pipe: "Connection[Any, Any]", path: Path) -> None:
    """Show a list, report a click on it, and be killed; send what was shown."""
    study = Study.open(path)
    duel = study.ask(voter="ada")
    shown = study.interleave(duel, {duel.left: ["a", "b"], duel.right: ["x", "y"]})
    study.clicks(shown.ticket, shown.documents[:1])
    pipe.send((shown.ticket, shown.documents[0], duel.left))
    os.kill(os.getpid(), signal.SIGKILL)


def fill_the_disk(pipe: "Connection[Any, Any]", path: Path) -> None:
    """Tell, and save, where there is no room; send what is said. Then tell where there is room again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    study = Study(RUCB(), ARMS, journal=path)
    for _ in range(5):
        study.tell(study.ask(), "left")
    duel, log = study.ask(), path.with_name(f"{path.name}-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 40, resource.RLIM_INFINITY))
    try:
        study.tell(duel, "left")
    except FileError as error:
        pipe.send(str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    try:
        study.save(path.with_name("study.json"))
    except FileError as error:
        pipe.send(str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    study.tell(duel, "left")
    pipe.send(study.answers)


def click_on_documents_and_die(pipe: "Connection[Any, Any]", path: Path) -> None:
    """Rank documents, report a click, and be killed; send what was shown."""
    study = Study.open(path)
    shown = study.rank(documents(6), voter="ada")
    study.clicks(shown.ticket, shown.documents[:1])
    pipe.send((shown.ticket, shown.documents[0]))
    os.kill(os.getpid(), signal.SIGKILL)
