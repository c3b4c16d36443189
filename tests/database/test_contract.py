"""Journals in SQLite and PostgreSQL fulfil the contract of journals."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from duelist.checks import JournalChecks
from duelist.database import Database, DatabaseJournal
from duelist.journal import Journal


class DatabaseChecks(JournalChecks):
    each = 25  # each append waits for the disk
    place: str

    @pytest.fixture(autouse=True)
    def databases(self) -> Iterator[None]:
        self.opened: list[Database] = []
        self.numbers = count()
        yield
        for database in self.opened:
            database.close()

    def open(self) -> Database:
        self.opened.append(Database(self.place))
        return self.opened[-1]

    def create(self) -> DatabaseJournal:
        return self.open().journal(f"study-{next(self.numbers)}")

    def reopen(self, journal: Journal) -> DatabaseJournal:
        assert isinstance(journal, DatabaseJournal)
        return self.open().journal(journal.name)


class TestSqliteJournal(DatabaseChecks):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.place = str(tmp_path / "studies.db")


class TestPostgresqlJournal(DatabaseChecks):
    @pytest.fixture(autouse=True)
    def server(self, postgresql: str) -> None:
        self.place = postgresql
