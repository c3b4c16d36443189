"""Storage of studies: journals by their paths, and files with all events of a study."""

import os
import secrets
import shlex
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
"""The first bytes of a file of events."""
SQLITE = b"SQLite format 3\0"
"""The first bytes of a file of SQLite."""
ONLY = "main"
"""The name of a study in a database if none is given."""
SAME = {name: name for name in (*SETTINGS, "learner")} | {
    "choices": "arms, parameters or features",
    "example": "context",
}
"""The fields that must be the same when a study resumes a journal, by the names of arguments."""


class DifferentStudyError(ParameterError):
    """The journal holds a study that began with other settings."""


def as_journal(journal: str | os.PathLike[str] | Journal | None, create: bool = True) -> Journal:
    """Return a journal: the given one, that of a database, or one in memory."""
    if journal is None:
        return MemoryJournal()
    if isinstance(journal, Journal):
        return journal
    if not isinstance(journal, str | os.PathLike):
        raise ParameterError(f"journal must be a path or a Journal; got {journal!r}.")
    path = os.fspath(require_path(journal))
    if path.endswith(LINES):
        file, database = map(as_word, (path, f"{path.removesuffix(LINES)}.db"))
        raise ParameterError(
            f"{path}: a study runs in a database; a JSON lines file only transfers it. Import the file with: "
            f"duelist db import {ONLY} {file} --database {database} and export the study with: "
            f"duelist db export {ONLY} {file} --events --database {database}"
        )
    # imported here, because simulations do not need it
    from duelist.database import Database

    return Database(path, create=create).journal(ONLY)


def as_word(path: str) -> str:
    """Return a path as one word of a shell command, which is no option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def require_path(path: object) -> str | os.PathLike[str]:
    if not isinstance(path, str | os.PathLike) or not os.fspath(path) or "\0" in os.fspath(path):
        raise ParameterError(f"path must be a non-empty string without NUL; got {path!r}.")
    return path


def created_in(journal: Journal) -> Created | None:
    """Return the first event of a journal; None if it is empty."""
    found = journal.read(keys=["created"])
    event = found[0].event if found else None
    return event if isinstance(event, Created) else None


def create_in(journal: Journal, learner: AnyLearner, **given: Any) -> Created:
    """Begin a study in a journal, or resume the one that is there if it began the same way."""
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
        # a study that cannot begin must not be recorded
        fold_events([Recorded(1, begun)], [learner])
        try:
            journal.append([begun])
        except RepeatedEventError:
            # another process began it at the same moment
            return create_in(journal, learner, **given)
        return begun
    for field, word in SAME.items():
        was = getattr(found, field)
        if not (names_learner(was, learner) if field == "learner" else was == content[field]):
            raise DifferentStudyError(
                f"{journal} holds a study that began with {word} {was!r:.200}; got {content[field]!r:.200}. "
                "Open it as it is with Study.open, or choose another path."
            )
    return found


def require_study(journal: Journal) -> Created:
    """Return the first event of a journal; raise FileError if there is no study."""
    found = created_in(journal)
    if found is None:
        raise FileError(f"{journal} has no study; begin one with Study(learner, arms, journal=path).")
    return found


def save_journal(journal: Journal, path: str | os.PathLike[str]) -> Path:
    """Write all events to one file, completely or not at all."""
    lines = [encode(recorded.event) for recorded in journal.read()]
    try:
        if is_database(require_path(path)):
            raise ParameterError(f"{path} is a database, which would be overwritten; choose another path.")
        return write_whole(path, b"".join(lines))
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror}); choose another path.") from error


def is_database(path: str | os.PathLike[str]) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except FileNotFoundError:
        return False


def read_events(path: str | os.PathLike[str]) -> list[Event]:
    try:
        *lines, rest = Path(require_path(path)).read_bytes().split(b"\n")
    except OSError as error:
        raise FileError(
            f"{path} cannot be read ({error.strerror}); give the path that save() returned."
        ) from error
    events: list[Event] = []
    for number, line in enumerate([*lines, *filter(None, [rest])], start=1):
        try:
            events.append(decode(line))
        except FileError as error:
            raise FileError(f"{path}, line {number}: {error}. Use a backup.") from error
    return events


def has_events(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds the events of a study rather than a table of votes."""
    try:
        with open(path, "rb") as file:
            return file.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def add_events(journal: Journal, events: Sequence[Event], path: str | os.PathLike[str]) -> int:
    """Append the events of a file that a journal does not have yet; return their number.

    Raise ParameterError if the journal has another study, or different later events of this one.
    """
    known = [recorded.event for recorded in journal.read()]
    common = min(len(known), len(events))
    if known[:common] != list(events[:common]):
        later = f"this study, but with other later events than {path}"
        what = f"a different study from {path}" if known[0] != events[0] else later
        raise ParameterError(f"{journal} already has {what}; choose another name.")
    new = events[common:]
    try:
        if new:
            journal.append(new)
    except (ParameterError, RepeatedEventError) as error:
        raise FileError(f"{path} is a damaged study: {error} Use a backup.") from error
    return len(new)


def load_journal(path: str | os.PathLike[str]) -> Journal:
    """Load a saved study into an in-memory journal; the file stays as it is."""
    journal = MemoryJournal()
    try:
        journal.append(read_events(path))
    except (ParameterError, RepeatedEventError) as error:
        raise FileError(f"{path} is a damaged study: {error} Use a backup.") from error
    return journal
