"""Locations of databases: which are valid, whose they are, and what messages must not show."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from refusals import refused

from duelist import RUCB, Study
from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database, sqlite
from duelist.database.database import connections_to
from duelist.database.schema import STEPS
from duelist.database.sqlite import network_kind
from duelist.errors import (
    FileError,
    ParameterError,
    RemovedError,
    StorageError,
    TicketError,
    UnknownNameError,
)


def change(place: str, *statements: str) -> None:
    """Change a database as some other program would."""
    if "://" in place:
        with psycopg.connect(place) as owner:
            for statement in statements:
                owner.execute(statement.encode())
        return
    with closing(sqlite3.connect(place)) as other, other:
        for statement in statements:
            other.execute(statement)


@pytest.mark.parametrize(
    ("kind", "is_refused"),
    [("nfs4", True), ("cifs", True), ("fuse.sshfs", True), ("ext4", False), ("tmpfs", False)],
)
def test_a_network_drive_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, is_refused: bool
) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"/dev/sda1 / ext4 rw 0 0\nnas:/votes {os.path.realpath(tmp_path)} {kind} rw 0 0\n")
    monkeypatch.setattr(sqlite, "MOUNTS", table)
    path = tmp_path / "studies.db"
    if is_refused:
        with refused(FileError, str(path), kind, "PostgreSQL"):
            Database(path)
    else:
        Database(path).close()
    assert path.exists() is not is_refused


def test_mounts_are_found_by_their_deepest_point() -> None:
    table = "\n".join(
        [
            "/dev/sda1 / nfs rw 0 0",
            "/dev/sda2 /srv ext4 rw 0 0",
            "nas:/a /srv/two\\040words nfs4 rw 0 0",
            "tmpfs /over tmpfs rw 0 0",
            "nas:/b /over smb3 rw 0 0",
            "damaged",
        ]
    )
    kinds = {
        place: network_kind(place, table)
        for place in ("/x", "/srv/x", "/srvx", "/srv/two words/deep/x", "/over/x")
    }
    assert kinds == {
        "/x": "nfs",
        "/srv/x": None,
        "/srvx": "nfs",
        "/srv/two words/deep/x": "nfs4",
        "/over/x": "smb3",
    }


def test_where_mounts_are_not_known_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MOUNTS", Path("/no/such/file"))
    assert network_kind("/anywhere") is None


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:geheim@127.0.0.1:1/votes",
        "postgresql+psycopg://ann:geheim@127.0.0.1:1/votes",
        "postgresql://ann@127.0.0.1:1/votes?password=geheim&sslpassword=geheim",
    ],
)
def test_a_password_is_never_shown(address: str) -> None:
    assert connections_to(address, create=True).location == "postgresql://ann@127.0.0.1:1/votes"
    with refused(StorageError, "postgresql://ann@127.0.0.1:1/votes") as caught:
        Database(address)
    error: BaseException | None = caught.value
    while error is not None:
        assert "geheim" not in str(error)
        error = error.__cause__


@pytest.mark.parametrize(
    ("address", "facts"),
    [
        ("postgresql://ann:ge@heim@host/votes", ["@", "%40"]),
        ("postgresql://ann:geheim@host:port/votes", ["URL", "%25"]),
        ("mysql://ann:geheim@host/votes", ["mysql://", "postgresql://"]),
        ("sqlite://", ["sqlite://", "postgresql://"]),
        ("", ["path", "''"]),
        ("a\0b", ["path", repr("a\0b")]),
    ],
)
def test_addresses_that_are_none_are_refused(address: str, facts: list[str]) -> None:
    with refused(ParameterError, *facts) as caught:
        Database(address)
    assert "heim" not in str(caught.value)


def test_its_owner_alone_can_read_the_files(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Database(tmp_path / "studies.db") as database:
            database.journal("tea").append([BEGINNING])
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"studies.db": 0o600, "studies.db-wal": 0o600, "studies.db-shm": 0o600}


def test_paths_where_no_file_can_be(tmp_path: Path) -> None:
    with refused(FileError, str(tmp_path / "none" / "studies.db"), str(tmp_path / "none")):
        Database(tmp_path / "none" / "studies.db")
    with refused(FileError, str(tmp_path), str(tmp_path / "studies.db")):
        Database(tmp_path)
    (tmp_path / "poem.db").write_text("no database at all\n" * 100)
    with refused(FileError, str(tmp_path / "poem.db"), "restore", "backup"):
        Database(tmp_path / "poem.db")


@pytest.mark.parametrize("table", ["alembic_version", "invoices"])
def test_other_peoples_databases_are_refused_and_left_as_they_are(place: str, table: str) -> None:
    change(place, f"CREATE TABLE {table} (version_num text)", f"INSERT INTO {table} VALUES ('0001')")
    before = b"" if "://" in place else Path(place).read_bytes()
    with refused(FileError, connections_to(place, create=True).location, "other tables"):
        Database(place)
    if before:
        assert Path(place).read_bytes() == before
    else:
        change(place, f"DROP TABLE {table}")
        Database(place).close()


def test_a_newer_version_is_refused_with_what_to_do(place: str) -> None:
    Database(place).close()
    change(place, "UPDATE schema_version SET number = 9999")
    with refused(FileError, "version 9999", len(STEPS)):
        Database(place)
    change(place, f"UPDATE schema_version SET number = {len(STEPS)}")
    Database(place).close()


def test_a_study_made_again_accepts_no_old_ticket_and_no_old_worker(place: str) -> None:
    with Database(place) as database, Database(place) as other:
        old = Study(RUCB(), ["a", "b", "c"], journal=database.journal("tea"))
        duel, late = old.ask(voter="Ann"), old.ask(voter="Ben")
        old.tell(duel, "left")
        journal = other.journal("tea")
        assert len(journal.read()) == 2
        other.remove("tea")
        with refused(RemovedError, "'tea'"):
            old.ask()
        with refused(RemovedError, "'tea'"):
            journal.read()
        new = Study(RUCB(), ["a", "b", "c"], journal=other.journal("tea"))
        for ticket in (duel, late):
            with pytest.raises(TicketError):
                new.tell(ticket, "left")
            with refused(RemovedError, "'tea'"):
                old.tell(ticket, "left")
        with refused(RemovedError, "'tea'"):
            journal.append([answer("raw")])
        new.tell(new.ask(), "left")
        assert Study.open(database.journal("tea")).answers == 1


def test_a_journal_that_began_a_study_writes_to_no_other(place: str) -> None:
    with Database(place) as database:
        journal = database.journal("tea")
        journal.append([BEGINNING])  # not read before the study is removed
        database.remove("tea")
        database.journal("tea").append([BEGINNING])
        with refused(RemovedError, "'tea'"):
            journal.append([answer("a")])


def test_only_what_is_there_can_be_removed(place: str) -> None:
    with Database(place) as database:
        database.journal("tea").append([BEGINNING])
        with refused(UnknownNameError, "study", "'te'", "'tea'"):
            database.remove("te")
        database.remove("tea")
        assert database.names() == []


@pytest.mark.parametrize("name", ["", "-a", "a/b", "a b", "ä", "a" * 101, None, ".hidden", "a\n"])
def test_names_of_studies_fit_into_a_url(tmp_path: Path, name: Any) -> None:
    with (
        Database(tmp_path / "studies.db") as database,
        refused(ParameterError, "name", "study"),
    ):
        database.journal(name)


def test_a_line_that_is_damaged_is_named(place: str) -> None:
    with Database(place) as database:
        database.journal("tea").append([BEGINNING, answer("a")])
        change(place, 'UPDATE events SET event = \'{"event":"renamed"}\' WHERE seq = 2')
        with refused(FileError, "tea", "'renamed'", "backup"):
            database.journal("tea").read()


def test_a_file_of_sqlite_is_written_ahead(tmp_path: Path) -> None:
    Database(tmp_path / "studies.db").close()
    with closing(sqlite3.connect(tmp_path / "studies.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
