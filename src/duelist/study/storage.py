"""Where studies are kept: journals by their paths, and one file to carry away."""

import os
import secrets
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from time import time
from typing import Any

from duelist.errors import FileError, ParameterError
from duelist.files import write_whole
from duelist.journal import Created, Event, Journal, MemoryJournal, Recorded, RepeatedEventError
from duelist.journal.codec import decode, encode
from duelist.journal.events import FORMAT, SETTINGS
from duelist.protocols import AnyLearner
from duelist.study.fold import fold_events
from duelist.study.player import names_learner, write_learner

LINES = ".jsonl"
BEGINNING = b'{"event":"created"'
"""How files of events begin."""
SQLITE = b"SQLite format 3\0"
"""How files of SQLite begin."""
ONLY = "main"
"""The name of a study that is given a database and no name."""
SAME = {name: name for name in (*SETTINGS, "learner")} | {
    "choices": "arms, parameters or features",
    "example": "context",
}
"""What must be the same when a study goes on with a journal, in words."""


class DifferentStudyError(ParameterError):
    """The journal holds a study that began otherwise."""


def as_journal(journal: str | os.PathLike[str] | Journal | None, create: bool = True) -> Journal:
    """Return a journal: the one given, that of the database at a path, or memory."""
    if journal is None:
        return MemoryJournal()
    if isinstance(journal, Journal):
        return journal
    if not isinstance(journal, str | os.PathLike):
        raise ParameterError(f"journal must be a path or a Journal; got {journal!r}.")
    place = os.fspath(require_path(journal))
    if place.endswith(LINES):
        database = f"{place.removesuffix(LINES)}.db"
        raise ParameterError(
            f"{place}: a study is at work in a database, and files of JSON lines carry it from one to "
            f"another: duelist db import {ONLY} {place} --database {database}; and back: "
            f"duelist db export {ONLY} {place} --events --database {database}"
        )
    # imported here, because who only simulates does not need it
    from duelist.database import Database

    return Database(place, create=create).journal(ONLY)


def require_path(path: object) -> str | os.PathLike[str]:
    """Return a path, or refuse what is none."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path) or "\0" in os.fspath(path):
        raise ParameterError(f"give a path as text; got {path!r}.")
    return path


def created_in(journal: Journal) -> Created | None:
    """Return how the study of a journal began; None if it has not begun."""
    found = journal.read(keys=["created"])
    event = found[0].event if found else None
    return event if isinstance(event, Created) else None


def create_in(journal: Journal, learner: AnyLearner, **given: Any) -> Created:
    """Begin a study in a journal, or go on with the one that is there, if it is the same."""
    content = {**given, "learner": write_learner(learner)}
    found = created_in(journal)
    if found is None:
        begun = Created(
            format=FORMAT,
            study=secrets.token_hex(16),
            package=version("duelist"),
            time=round(time(), 3),
            **content,
        )
        # what cannot begin must not be on record
        fold_events([Recorded(1, begun)], [learner])
        try:
            journal.append([begun])
        except RepeatedEventError:
            # another process began it in this moment
            return create_in(journal, learner, **given)
        return begun
    for field, word in SAME.items():
        was = getattr(found, field)
        if not (names_learner(was, learner) if field == "learner" else was == content[field]):
            raise DifferentStudyError(
                f"{journal} holds a study with another {word}: {was!r:.200}, now {content[field]!r:.200}. "
                "Open it as it is by Study.open, or choose another path."
            )
    return found


def require_study(journal: Journal) -> Created:
    """Return how the study of a journal began, or say that there is none."""
    found = created_in(journal)
    if found is None:
        raise FileError(f"{journal} holds no study; Study(learner, arms, journal=path) begins one.")
    return found


def save_journal(journal: Journal, path: str | os.PathLike[str]) -> Path:
    """Write all events to one file, which is whole or not there."""
    lines = [encode(recorded.event) for recorded in journal.read()]
    try:
        if is_database(require_path(path)):
            raise ParameterError(f"{path} is a database, and would be lost; name another path.")
        return write_whole(path, b"".join(lines))
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror}); choose another path.") from error


def is_database(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a database of SQLite."""
    try:
        with open(path, "rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except FileNotFoundError:
        return False


def read_events(path: str | os.PathLike[str]) -> list[Event]:
    """Return the events of a file of JSON lines."""
    try:
        *lines, rest = Path(require_path(path)).read_bytes().split(b"\n")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path that save() returned.") from error
    events: list[Event] = []
    for number, line in enumerate([*lines, *filter(None, [rest])], start=1):
        try:
            events.append(decode(line))
        except FileError as error:
            raise FileError(f"{path}, line {number}: {error}. Use a backup.") from error
    return events


def has_events(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds a study's events, rather than a table of votes."""
    try:
        with open(path, "rb") as file:
            return file.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def add_events(journal: Journal, events: Sequence[Event], path: str | os.PathLike[str]) -> int:
    """Append the events of a file that a journal does not have yet; return how many.

    Refused is another study, and one that went on otherwise.
    """
    known = [recorded.event for recorded in journal.read()]
    common = min(len(known), len(events))
    if known[:common] != list(events[:common]):
        what = "another study" if known[0] != events[0] else "this study, which went on otherwise"
        raise ParameterError(f"{journal} and {path}: there is {what} already; choose another name.")
    new = events[common:]
    try:
        if new:
            journal.append(new)
    except (ParameterError, RepeatedEventError) as error:
        raise FileError(f"{path} is a damaged study: {error} Use a backup.") from error
    return len(new)


def load_journal(path: str | os.PathLike[str]) -> Journal:
    """Return the events of a file in memory, where they can be gone on with and leave the file as it is."""
    journal = MemoryJournal()
    try:
        journal.append(read_events(path))
    except (ParameterError, RepeatedEventError) as error:
        raise FileError(f"{path} is a damaged study: {error} Use a backup.") from error
    return journal
