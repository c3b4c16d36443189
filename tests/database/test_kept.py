"""Data of earlier versions is read unchanged: votes, verdicts, next duels, tickets, keys."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from duelist import Study
from duelist.checks.databases import check_database
from duelist.database import Database
from duelist.database.schema import STEPS
from duelist.errors import TicketError
from duelist.study.storage import add_events, read_events

KEPT = Path(__file__).parent / "kept"
EXPECTED: dict[str, Any] = json.loads((KEPT / "expected.json").read_text())
"""What the version that wrote them reported of them."""
TABLES = ("alembic_version", "studies", "events", "snapshots", "ticket_keys", "api_keys")


@pytest.fixture
def opened(place: str) -> Iterator[Database]:
    """A copy of the first database, whose tables were made by alembic, as a file or on a server."""
    if "://" in place:
        fill_server(place)
    else:
        shutil.copy(KEPT / "alembic-0001.db", place)
    with Database(place, create=False) as database:
        yield database


def fill_server(place: str) -> None:
    """Make the tables as they were on a server, with the rows of the file."""
    with closing(sqlite3.connect(KEPT / "alembic-0001.db")) as file, psycopg.connect(place) as server:
        server.execute((KEPT / "alembic-0001.postgresql.sql").read_bytes())
        for table in TABLES:
            rows = file.execute(f"SELECT * FROM {table}").fetchall()
            values = ", ".join(["%s"] * len(rows[0]))
            server.cursor().executemany(f"INSERT INTO {table} VALUES ({values})".encode(), rows)
        [(last,)] = file.execute("SELECT seq FROM sqlite_sequence WHERE name = 'studies'").fetchall()
        server.execute("SELECT setval('studies_id_seq', %s)", (last,))


def reported(study: Study, expected: dict[str, Any]) -> dict[str, Any]:
    """Return the events, votes and answers of a study, and its verdict and duels where they are expected."""
    votes = study.votes(all=True)
    found: dict[str, Any] = {
        "events": len(study._journal.read()),
        "votes": [[v.left, v.right, v.outcome, v.voter, v.item, v.ticket, v.status] for v in votes],
        "verdict": None,
        "answers": study.answers,
    }
    if expected["verdict"] is not None:
        verdict = study.verdict()
        found["verdict"] = {name: getattr(verdict, name) for name in expected["verdict"]}
    if "asks" in expected:
        duels = [study.ask(voter=f"asker {number}") for number in range(len(expected["asks"]))]
        found["asks"] = [[duel.left, duel.right, duel.propensity] for duel in duels]
    return found


@pytest.mark.parametrize("name", sorted(EXPECTED["studies"]))
def test_studies_are_as_they_were(opened: Database, name: str) -> None:
    expected = EXPECTED["studies"][name]
    assert reported(Study.open(opened.journal(name)), expected) == expected


def test_nothing_is_missing_and_the_tables_are_of_today(place: str, opened: Database) -> None:
    assert opened.versions == (1, len(STEPS))
    assert opened.names() == sorted(EXPECTED["studies"])
    assert {found.name: found.fault for found in check_database(opened)} == dict.fromkeys(opened.names(), "")
    with opened.connections.reading() as connection:
        assert "alembic_version" not in opened.connections.tables(connection)
    with Database(place) as again:
        assert again.versions == (len(STEPS), len(STEPS))
    # the number of a removed study is not reused
    new = Study(arms=["a", "b"], journal=opened.journal("new"))
    new.tell(new.ask(), "left")
    with opened.connections.reading() as connection:
        [(number,)] = connection.execute("SELECT id FROM studies WHERE name = 'new'").fetchall()
    assert number == 8


def test_tickets_and_keys_of_the_api_are_good(opened: Database) -> None:
    for name, tickets in EXPECTED["tickets"].items():
        if name in EXPECTED["studies"]:
            study = Study.open(opened.journal(name))
            before = study.answers
            for ticket in tickets:
                study.tell(ticket, "left")
            assert study.answers == before + len(tickets)
            assert study.votes()[-1].voter == "Cem"
    live, revoked = EXPECTED["api keys"]["live"], EXPECTED["api keys"]["revoked"]
    key = opened.api_keys.find(live)
    assert key is not None
    assert (key.name, key.role) == ("kiosk", "play")
    assert opened.api_keys.find(revoked) is None
    assert [key.revoked is None for key in opened.api_keys.list()] == [True, False]


def test_clicks_that_waited_are_settled_and_tickets_of_lists_of_the_older_form_refused(
    opened: Database,
) -> None:
    study, shown = Study.open(opened.journal("lists")), EXPECTED["lists"]
    assert study.answers == 3
    study.ask()
    assert study.answers == 4
    with pytest.raises(TicketError):
        study.clicks(shown["ticket"], shown["documents"][:1], final=True)
    assert study.answers == 4


def test_a_journal_of_lines_is_imported_with_its_key(tmp_path: Path) -> None:
    expected = EXPECTED["votes.jsonl"]
    with Database(tmp_path / "votes.db") as database:
        journal, path = database.journal("main"), KEPT / "votes.jsonl"
        assert add_events(journal, read_events(path), path) == expected["events"]
        database.ticket_keys.bring((KEPT / "votes.jsonl.key").read_text())
    study = Study.open(tmp_path / "votes.db")
    assert reported(study, expected) == expected
    study.tell(EXPECTED["tickets"]["votes.jsonl"][0], "left")
    assert study.answers == expected["answers"] + 1
    assert study.save(tmp_path / "saved.jsonl").read_bytes().startswith(path.read_bytes())


def test_a_saved_study_is_loaded() -> None:
    expected = {**EXPECTED["studies"]["tea"]}
    assert reported(Study.load(KEPT / "saved.jsonl"), expected) == expected
