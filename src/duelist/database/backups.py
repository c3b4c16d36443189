"""Backups: all studies of a database in one file, which every version and kind of database can read.

A backup is a zip archive: `studies/NAME.jsonl` holds the events of a study as lines of JSON, as a journal of
files has them, and `backup.json` says what there must be. The keys of tickets and of the API are not in it.
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
from duelist.journal.fields import require_study_name
from duelist.text import enumeration

CONTENTS = "backup.json"
FORMAT = 1
DIGEST = 16
AT_ONCE = 1_000

STUDIES = "SELECT id, name FROM studies WHERE last > 0 ORDER BY name"
LINES = "SELECT seq, event FROM events WHERE study = :study AND seq > :since ORDER BY seq LIMIT :most"


class StudyEntry(msgspec.Struct):
    """A study in a backup."""

    name: str
    events: int
    digest: str
    """Of its lines, so that a damaged file is known."""


class Contents(msgspec.Struct):
    """What a backup holds."""

    studies: list[StudyEntry]
    time: float
    package: str
    format: int = FORMAT


def write_backup(database: Database, path: str | os.PathLike[str]) -> list[StudyEntry]:
    """Write all studies to a file, as they are at one moment, while others go on; it is whole or not there.

    Parameters
    ----------
    database : Database
        What is saved.
    path : path
        The file, of which only its owner can read the names of voters.

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
    """Write the events of a study, and return what was written."""
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
    """Write the studies of a backup into a database, each whole or not at all; return them.

    Parameters
    ----------
    database : Database
        Where they go. What is there is never written over.
    path : path
        The file that `write_backup` wrote.
    missing : bool, default False
        Whether to leave out studies that are there already; else nothing is restored if one is.
    """
    with opened_backup(path) as (archive, contents):
        there = set(database.names()) & {study.name for study in contents.studies}
        if there and not missing:
            raise ParameterError(
                f"{database.place} has {enumeration(sorted(there), limit=5)} already, and nothing is "
                "written over; restore into an empty database, or only what is missing (--missing)."
            )
        wanted = [study for study in contents.studies if study.name not in there]
        require_whole_studies(archive, wanted, path)
        for study in wanted:
            database.journal(study.name).append(list(events_of(archive, study, path)))
    return wanted


def require_backup(path: str | os.PathLike[str]) -> None:
    """Refuse a file that is not a whole backup."""
    with opened_backup(path) as (archive, contents):
        require_whole_studies(archive, contents.studies, path)


def require_whole_studies(
    archive: ZipFile, studies: Sequence[StudyEntry], path: str | os.PathLike[str]
) -> None:
    """Read studies to their ends, before anything of them is used."""
    for study in studies:
        for _ in events_of(archive, study, path):
            pass


@contextmanager
def opened_backup(path: str | os.PathLike[str]) -> Iterator[tuple[ZipFile, Contents]]:
    """Open a backup for the block; what is wrong with the file is said in a sentence."""
    try:
        with open(path, "rb") as file, ZipFile(file) as archive:
            yield archive, read_contents(archive, path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path of a backup.") from error
    except (BadZipFile, EOFError, ZlibError, NotImplementedError) as error:
        raise FileError(f"{path} is not a backup, or is damaged ({error}); use another.") from error


def read_contents(archive: ZipFile, path: str | os.PathLike[str]) -> Contents:
    """Return what a backup says that it holds."""
    try:
        contents = msgspec.json.decode(archive.read(CONTENTS), type=Contents)
        for study in contents.studies:
            require_study_name(study.name)
            archive.getinfo(file_of(study.name))
    except (KeyError, msgspec.MsgspecError, ParameterError) as error:
        raise FileError(
            f"{path} is not a backup of duelist, or is damaged ({error}); use another."
        ) from error
    if contents.format > FORMAT:
        raise FileError(f"{path} was written by a newer version of duelist ({contents.package}); install it.")
    return contents


def events_of(archive: ZipFile, study: StudyEntry, path: str | os.PathLike[str]) -> Iterator[Event]:
    """Yield the events of a study in a backup, and refuse what is not all of them."""
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
                raise FileError(f"{path}, {study.name}, line {events}: a study begins with 'created', once.")
            yield event
    if (events, digest.hexdigest()) != (study.events, study.digest):
        raise FileError(f"{path}, {study.name}: its lines are not those that were saved; use another backup.")


def file_of(name: str) -> str:
    """Return where the archive has a study."""
    return f"studies/{name}.jsonl"
