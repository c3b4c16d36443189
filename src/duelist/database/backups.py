"""Backups: all studies of a database in one portable file.

A backup is a zip archive. `studies/NAME.jsonl` holds the events of a study as JSON lines, in the format of
saved studies, and `backup.json` is the manifest. Ticket keys and API keys are not included.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from importlib.metadata import version
from time import time
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile
from zlib import error as ZlibError

import msgspec

from duelist.database.connections import Connection
from duelist.database.database import Database
from duelist.errors import FileError, ParameterError
from duelist.files import atomic_writer
from duelist.journal import Created, Event
from duelist.journal.codec import decode
from duelist.journal.protocol import require_study_name
from duelist.text import enumeration

CONTENTS = "backup.json"
FORMAT = 1
DIGEST = 16
AT_ONCE = 1_000

STUDIES = "SELECT id, name FROM studies WHERE last > 0 ORDER BY name"
LINES = "SELECT seq, event FROM events WHERE study = :study AND seq > :since ORDER BY seq LIMIT :most"


class StudyEntry(msgspec.Struct):
    """A study in the manifest of a backup."""

    name: str
    events: int
    digest: str
    """Digest of its lines, to detect damage."""


class Contents(msgspec.Struct):
    """The manifest of a backup."""

    studies: list[StudyEntry]
    time: float
    package: str
    format: int = FORMAT


def write_backup(database: Database, path: str | os.PathLike[str]) -> list[StudyEntry]:
    """Write a consistent backup of all studies to a file, while others write; atomic.

    Parameters
    ----------
    database : Database
        The database to back up.
    path : path
        The file; readable by its owner only, because it holds the names of voters.

    Returns
    -------
    list of StudyEntry
        The studies that were written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist import Study
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/studies.db") as database:
    ...     _ = Study(arms=["tea", "coffee"], journal=database.journal("drinks"))
    ...     _ = write_backup(database, f"{folder}/backup.zip")
    ...     with Database(f"{folder}/other.db") as other:
    ...         print([(study.name, study.events) for study in restore_backup(other, f"{folder}/backup.zip")])
    [('drinks', 1)]
    """
    with (
        atomic_writer(path) as file,
        ZipFile(file, "w", ZIP_DEFLATED) as archive,
        database.connections.reading_at_once() as connection,
    ):
        os.fchmod(file.fileno(), 0o600)
        studies = connection.execute(STUDIES).fetchall()
        entries = [write_study(archive, connection, study, name) for study, name in studies]
        contents = Contents(studies=entries, time=round(time(), 3), package=version("duelist"))
        archive.writestr(CONTENTS, msgspec.json.format(msgspec.json.encode(contents)))
    return entries


def write_study(archive: ZipFile, connection: Connection, study: int, name: str) -> StudyEntry:
    """Write the events of a study to the archive, and return its manifest entry."""
    digest, events, since = blake2b(digest_size=DIGEST), 0, 0
    with archive.open(file_of(name), "w", force_zip64=True) as file:
        while rows := connection.execute(LINES, {"study": study, "since": since, "most": AT_ONCE}).fetchall():
            lines = "".join(f"{line}\n" for _, line in rows).encode()
            digest.update(lines)
            file.write(lines)
            events, since = events + len(rows), rows[-1][0]
    return StudyEntry(name=name, events=events, digest=digest.hexdigest())


def restore_backup(
    database: Database, path: str | os.PathLike[str], *, missing: bool = False
) -> list[StudyEntry]:
    """Restore the studies of a backup into a database, each completely or not at all.

    Parameters
    ----------
    database : Database
        The target; existing studies are never overwritten.
    path : path
        A file written by `write_backup`.
    missing : bool, default False
        Whether to restore only studies that do not exist yet; by default, an existing one is an error.

    Returns
    -------
    list of StudyEntry
        The studies that were restored.

    Raises
    ------
    FileError
        The file is not a backup, or is damaged.
    ParameterError
        A study exists already, and `missing` is False.
    """
    with opened_backup(path) as (archive, contents):
        there = set(database.names()) & {study.name for study in contents.studies}
        if there and not missing:
            raise ParameterError(
                f"{database.location} already has {enumeration(sorted(there), limit=5)}, and existing "
                "studies are not overwritten; restore into an empty database, or only missing studies "
                "(--missing)."
            )
        wanted = [study for study in contents.studies if study.name not in there]
        require_whole_studies(archive, wanted, path)
        for study in wanted:
            database.journal(study.name).append(list(events_of(archive, study, path)))
    return wanted


def require_backup(path: str | os.PathLike[str]) -> None:
    """Raise FileError if a file is not a complete backup."""
    with opened_backup(path) as (archive, contents):
        require_whole_studies(archive, contents.studies, path)


def require_whole_studies(
    archive: ZipFile, studies: Sequence[StudyEntry], path: str | os.PathLike[str]
) -> None:
    """Read studies completely before any of them is used."""
    for study in studies:
        for _ in events_of(archive, study, path):
            pass


@contextmanager
def opened_backup(path: str | os.PathLike[str]) -> Iterator[tuple[ZipFile, Contents]]:
    """Open a backup for the block, and turn what is wrong with the file into a FileError."""
    try:
        with open(path, "rb") as file, ZipFile(file) as archive:
            yield archive, read_contents(archive, path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path of a backup.") from error
    except (BadZipFile, EOFError, ZlibError, NotImplementedError) as error:
        raise FileError(f"{path} is not a backup, or is damaged ({error}); use another backup.") from error


def read_contents(archive: ZipFile, path: str | os.PathLike[str]) -> Contents:
    try:
        contents = msgspec.json.decode(archive.read(CONTENTS), type=Contents)
        for study in contents.studies:
            require_study_name(study.name)
            archive.getinfo(file_of(study.name))
    except (KeyError, msgspec.MsgspecError, ParameterError) as error:
        raise FileError(
            f"{path} is not a backup of duelist, or is damaged ({error}); use another backup."
        ) from error
    if contents.format > FORMAT:
        raise FileError(
            f"{path} was written by a newer version of duelist ({contents.package}); install that version."
        )
    return contents


def events_of(archive: ZipFile, study: StudyEntry, path: str | os.PathLike[str]) -> Iterator[Event]:
    """Yield the events of a study in a backup; raise FileError unless they are complete and undamaged."""
    digest, events = blake2b(digest_size=DIGEST), 0
    with archive.open(file_of(study.name)) as file:
        for line in file:
            digest.update(line)
            events += 1
            try:
                event = decode(line)
            except FileError as error:
                raise FileError(
                    f"{path}, {study.name}, line {events}: {error}. Use another backup."
                ) from error
            if (events == 1) != isinstance(event, Created):
                raise FileError(
                    f"{path}, {study.name}, line {events}: the event 'created' must come first, and once; "
                    "use another backup."
                )
            yield event
    if (events, digest.hexdigest()) != (study.events, study.digest):
        raise FileError(f"{path}, {study.name}: its events do not match their checksum; use another backup.")


def file_of(name: str) -> str:
    return f"studies/{name}.jsonl"
