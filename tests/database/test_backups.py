"""Backups: one consistent file, readable by every kind of database, rejected when damaged."""

import errno
import json
import os
import stat
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from refusals import refused
from study.world import ARMS, answer_some, known, same_folds

from duelist import RUCB, Study
from duelist.checks.databases import check_database
from duelist.checks.journals import BEGINNING, ONE_OF_EACH, answer
from duelist.database import Database, backups
from duelist.database.backups import restore_backup, write_backup
from duelist.errors import DuelistError, FileError, ParameterError, TicketError


@pytest.fixture
def database(place: str) -> Iterator[Database]:
    with Database(place) as database:
        yield database


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "other.db") as other:
        yield other


def test_what_was_saved_is_restored_event_by_event(
    database: Database, other: Database, tmp_path: Path
) -> None:
    study = Study(RUCB(), ARMS, journal=database.journal("tea"), seed=3)
    answer_some(study, 30, voter="Ann")
    open_ticket = study.ask(voter="Ben")
    study.retract(study.votes()[4].ticket)
    database.journal("all.kinds_-1").append(ONE_OF_EACH)
    secret = database.api_keys.create("kiosk", "play")
    path = tmp_path / "backup.zip"
    saved = write_backup(database, path)
    assert [(one.name, one.events) for one in saved] == [("all.kinds_-1", len(ONE_OF_EACH)), ("tea", 32)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert restore_backup(other, path) == saved
    for name in database.names():
        assert other.journal(name).read() == database.journal(name).read()
    again = Study.open(other.journal("tea"))
    assert same_folds(known(again), known(study))
    # it contains neither ticket keys nor API keys
    with pytest.raises(TicketError):
        again.tell(open_ticket, "left")
    assert other.api_keys.find(secret) is None
    content = b"".join(zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist())
    for key in [secret[21:], *database.ticket_keys.read().split(":")[1:]]:
        assert key.strip().encode() not in content
    # any unzip can read it
    lines = zipfile.ZipFile(path).read("studies/tea.jsonl").splitlines()
    assert [json.loads(line)["event"] for line in lines][:2] == ["created", "answered"]


def test_restore_never_writes_over_and_adds_what_is_missing(
    database: Database, other: Database, tmp_path: Path
) -> None:
    for name in ("cheese", "tea"):
        other.journal(name).append([BEGINNING, answer(f"saved {name}".replace(" ", "-"))])
    write_backup(other, tmp_path / "backup.zip")
    database.journal("tea").append([BEGINNING, answer("own")])
    with refused(ParameterError, "tea", "--missing"):
        restore_backup(database, tmp_path / "backup.zip")
    assert database.names() == ["tea"]
    restored = restore_backup(database, tmp_path / "backup.zip", missing=True)
    assert [study.name for study in restored] == ["cheese"]
    assert [one.event.key for one in database.journal("tea").read()] == ["created", "own"]
    assert [one.event.key for one in database.journal("cheese").read()] == ["created", "saved-cheese"]
    assert restore_backup(database, tmp_path / "backup.zip", missing=True) == []


def test_a_backup_is_of_one_moment_while_others_write(
    place: str, database: Database, other: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the first study is written, both gain an event: neither of them is in the backup."""
    for name in ("a", "z"):
        database.journal(name).append([BEGINNING])
    written, more = Event(), Event()
    write_study = backups.write_study

    def write_while_others_write(*given: Any) -> backups.StudyEntry:
        more.set()
        assert written.wait(20)
        return write_study(*given)

    monkeypatch.setattr(backups, "write_study", write_while_others_write)

    def work() -> None:
        assert more.wait(20)
        with Database(place) as own:
            for name in ("z", "a"):
                own.journal(name).append([answer("late")])
        written.set()

    thread = Thread(target=work)
    thread.start()
    saved = write_backup(database, tmp_path / "backup.zip")
    thread.join()
    assert [(one.name, one.events) for one in saved] == [("a", 1), ("z", 1)]
    assert len(database.journal("z").read()) == 2
    restore_backup(other, tmp_path / "backup.zip")
    assert [found.events for found in check_database(other)] == [1, 1]


@pytest.fixture
def saved(other: Database, tmp_path: Path) -> Path:
    other.journal("tea").append([BEGINNING, *(answer(f"t{number}") for number in range(200))])
    write_backup(other, tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


def rewritten(path: Path, changes: dict[str, bytes | None]) -> Path:
    """Return a copy of an archive with other files in it, or without some."""
    changed = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(changed, "w") as copy:
        for name in archive.namelist():
            content = changes.get(name, archive.read(name))
            if content is not None:
                copy.writestr(name, content)
    return changed


def test_damaged_backups_are_refused_before_anything_is_written(
    saved: Path, tmp_path: Path, other: Database
) -> None:
    lines = zipfile.ZipFile(saved).read("studies/tea.jsonl").splitlines(keepends=True)
    contents = zipfile.ZipFile(saved).read("backup.json")
    poem = tmp_path / "poem.zip"
    poem.write_text("no archive at all")
    whole = saved.read_bytes()
    cut, bent = tmp_path / "cut.zip", tmp_path / "bent.zip"
    cut.write_bytes(whole[: len(whole) // 2])
    bent.write_bytes(whole[:200] + bytes([whole[200] ^ 255]) + whole[201:])
    study = "studies/tea.jsonl"
    cases = {
        poem: (),
        cut: (),
        bent: (),
        tmp_path / "none.zip": (os.strerror(errno.ENOENT),),
        tmp_path: (os.strerror(errno.EISDIR),),
    }
    for path, facts in cases.items():
        not_restored(path, facts, tmp_path)
    for changes, wrong in (
        ({study: b"".join(lines[:-1])}, ("tea", "checksum")),
        ({study: b"".join([*lines, lines[-1]])}, ("tea", "checksum")),
        ({study: b"".join(lines[1:])}, ("tea", "line 1", "'created'")),
        ({study: b"".join([lines[0], b"{}\n", *lines[2:]])}, ("tea", "line 2")),
        ({study: None}, (study,)),
        ({"backup.json": None}, ("backup.json",)),
        ({"backup.json": b"[]"}, ("duelist",)),
        ({"backup.json": contents.replace(b'"tea"', b'"../tea"')}, ("duelist", "'../tea'")),
        (
            {"backup.json": contents.replace(b'"format": 1', b'"format": 2')},
            ("newer version", metadata.version("duelist")),
        ),
    ):
        not_restored(rewritten(saved, dict(changes)), wrong, tmp_path)


def not_restored(path: Path, facts: tuple[str, ...], folder: Path) -> None:
    with Database(folder / "target.db") as target:
        with refused(FileError, str(path), *facts):
            restore_backup(target, path)
        assert target.names() == []


def test_a_backup_is_whole_or_not_there(
    saved: Path, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((OSError, DuelistError)) as caught:
        write_backup(other, saved)
    assert os.strerror(errno.ENOSPC) in str(caught.value)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.glob("*.draft")] == []
