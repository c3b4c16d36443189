"""Older schemas are upgraded, all or nothing; by several processes at once, only once."""

from pathlib import Path
from threading import Thread

import pytest
from refusals import refused

from duelist.checks.journals import BEGINNING, answer
from duelist.database import Database, schema
from duelist.database.database import connections_to
from duelist.errors import FileError

REMARKS = """
CREATE TABLE remarks (study integer PRIMARY KEY);
INSERT INTO remarks (study) SELECT {number} FROM studies
"""
NOW = len(schema.STEPS)


@pytest.fixture
def old(place: str) -> str:
    with Database(place) as database:
        database.journal("tea").append([BEGINNING, answer("a")])
        database.journal("cheese").append([BEGINNING])
    return place


def add_version(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    """Let there be one more version of the tables, which an older database does not have."""
    steps = [*schema.STEPS[:NOW], (REMARKS.replace("{number}", number), "")]
    monkeypatch.setattr(schema, "STEPS", steps)


def remarks(database: Database) -> int:
    with database.connections.reading() as connection:
        return len(connection.execute("SELECT study FROM remarks").fetchall())


def test_an_older_database_is_brought_up_to_date_when_it_is_opened(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_version(monkeypatch, "id")
    for versions in ((NOW, NOW + 1), (NOW + 1, NOW + 1)):
        with Database(old) as database:
            assert database.versions == versions
            assert len(database.journal("tea").read()) == remarks(database) == 2
    monkeypatch.undo()
    with refused(FileError, "version 3", "2"):
        Database(old)


def test_an_upgrade_that_fails_changes_nothing(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add_version(monkeypatch, "1")  # the second row with key 1 violates the constraint
    with pytest.raises(FileError):
        Database(old)
    add_version(monkeypatch, "id")
    with Database(old) as database:  # the table of the failed attempt would be in the way
        assert database.versions == (NOW, NOW + 1)


def test_of_those_who_open_an_older_database_one_upgrades_it(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_version(monkeypatch, "id")
    found: list[int] = []

    def work() -> None:
        with Database(old) as database:
            found.append(remarks(database))

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 4


def test_a_database_that_must_be_there_is_not_made(place: str, tmp_path: Path) -> None:
    with refused(FileError, connections_to(place, create=True).location, "duelist db create"):
        Database(place, create=False)
    assert not any(tmp_path.iterdir())
    Database(place).close()
    Database(place, create=False).close()
