"""Checking a database finds missing and damaged events, and ones that cannot be replayed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from refusals import names, refused
from study.world import ARMS, answer_some

from duelist import RUCB, Study
from duelist.checks.databases import check_database
from duelist.database import Database
from duelist.errors import FileError


def fill(database: Database) -> None:
    answer_some(Study(RUCB(), ARMS, journal=database.journal("tea")), 8)
    answer_some(Study(RUCB(), ARMS, journal=database.journal("whole")), 3)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "studies.db") as database:
        fill(database)
        yield database


def faults(database: Database) -> dict[str, str]:
    return {found.name: found.fault for found in check_database(database)}


def test_nothing_is_wrong(place: str) -> None:
    with Database(place) as database:
        fill(database)
        found = [(one.name, one.events, one.answers, one.fault) for one in check_database(database)]
    assert found == [("tea", 9, 8, ""), ("whole", 4, 3, "")]


@pytest.mark.parametrize(
    ("damage", "facts"),
    [
        ("DELETE FROM events WHERE seq = 5", ["event 5"]),
        ("DELETE FROM events WHERE seq = 1", ["event 1"]),
        ("DELETE FROM events WHERE seq = 9", [9, 8]),
        ("UPDATE studies SET last = 8 WHERE name = 'tea'", [8, 9]),
        ("UPDATE events SET key = 'other' WHERE seq = 5", ["event 5", "other"]),
        ("UPDATE events SET event = '{' WHERE seq = 6", ["event 6", "JSON"]),
        (
            'UPDATE events SET event = replace(event, \'"outcome"\', \'"left":77,"outcome"\') WHERE seq = 6',
            ["event 6", "arm 77"],
        ),
    ],
)
def test_what_is_wrong_is_named(database: Database, damage: str, facts: list[object]) -> None:
    study = "" if "studies" in damage else " AND study = (SELECT id FROM studies WHERE name = 'tea')"
    with database.connections.writing() as connection:
        connection.execute(damage + study)
    found = faults(database)
    assert names(found["tea"], *facts)
    assert found["whole"] == ""


def test_damaged_pages_are_found(tmp_path: Path) -> None:
    path = tmp_path / "studies.db"
    with Database(path) as database:
        answer_some(Study(RUCB(), ARMS, journal=database.journal("tea")), 60)
    content = bytearray(path.read_bytes())
    # damage the header of the last page, which holds events
    content[-4096:-4000] = bytes(96)
    path.write_bytes(content)
    with Database(path) as database, refused(FileError, str(path), "restore"):
        list(check_database(database))
