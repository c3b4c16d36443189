"""Errors at startup, and what cannot be shared."""

from pathlib import Path

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.database import Database
from duelist.service.serving import serving_alone


def refusal_of(database: str | Path) -> str:
    """Return all that `duelist serve` says where it cannot serve."""
    outcome = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["serve", "--database", str(database), "--port", "0"]
    )
    assert outcome.exit_code == 2, outcome.output
    assert outcome.stderr.startswith("error: ")
    return outcome.output


def test_sqlite_serves_one(tmp_path: Path) -> None:
    place = tmp_path / "studies.db"
    with Database(place) as database, serving_alone(database.location):
        assert names(refusal_of(place), database.location)


def test_keys_of_tickets_that_are_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUELIST_TICKET_KEYS", "garbage")
    assert names(refusal_of(tmp_path / "studies.db"), "DUELIST_TICKET_KEYS", "key 1")


def test_an_error_says_no_password() -> None:
    message = refusal_of("postgresql://user:s3cret@127.0.0.1:1/name")
    assert "127.0.0.1:1" in message
    assert "s3cret" not in message
