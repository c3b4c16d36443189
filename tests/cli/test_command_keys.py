"""`duelist keys`: made, listed and revoked from the command line."""

from pathlib import Path

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist import Study
from duelist.cli.main import app
from duelist.database import Database


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DUELIST_TICKET_KEYS", raising=False)
    Database("studies.db").close()
    return CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "DUELIST_DATABASE": None})


def test_a_key_is_made_listed_and_revoked(runner: CliRunner) -> None:
    assert names(runner.invoke(app, ["keys", "list"]).stdout, "duelist keys create NAME")
    made = runner.invoke(app, ["keys", "create", "kiosk in the hall", "--role", "admin"])
    assert made.exit_code == 0
    secret = made.stdout.strip()  # alone on its stream, for a pipe
    assert names(made.stderr, "note", "admin")
    with Database("studies.db") as database:
        key = database.api_keys.find(secret)
        assert key is not None
        assert (key.name, key.role) == ("kiosk in the hall", "admin")
        listed = runner.invoke(app, ["keys", "list"]).stdout
        assert key.id in listed
        assert "kiosk in the hall" in listed
        assert secret[21:] not in listed
        assert names(runner.invoke(app, ["keys", "revoke", key.id]).stdout, key.id)
        assert database.api_keys.find(secret) is None
    assert runner.invoke(app, ["keys", "list"]).stdout.count("UTC") == 2


def test_by_default_a_key_may_play(runner: CliRunner) -> None:
    secret = runner.invoke(app, ["keys", "create", "website"]).stdout.strip()
    with Database("studies.db") as database:
        key = database.api_keys.find(secret)
    assert key is not None
    assert key.role == "play"


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        (["create", ""], ["name", "200", "''"]),
        (["create", "kiosk", "--role", "king"], ["--role", "read, play, admin", "'king'"]),
        (["create"], ["NAME"]),
        (["revoke", "nobody"], ["key", "'nobody'"]),
        (["nothing"], ["nothing", "duelist keys --help"]),
        (["list", "--database", "none.db"], ["database", "duelist db create"]),
    ],
)
def test_errors_are_one_line(runner: CliRunner, line: list[str], facts: list[str]) -> None:
    outcome = runner.invoke(app, ["keys", *line])
    assert outcome.exit_code == 2
    assert names(outcome.stderr, *facts), outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_tickets_are_sealed_with_a_new_key_and_old_ones_stay_valid(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database("studies.db") as database:
        study = Study(arms=["tea", "milk"], journal=database.journal("home"))
        old = study.ask(voter="Ann")
        assert runner.invoke(app, ["keys", "rotate-tickets"]).exit_code == 0
        assert len(database.ticket_keys.read().splitlines()) == 2
        again = Study.open(database.journal("home"))
        new = again.ask(voter="Ben")
        assert (old.ticket or "")[:5] != (new.ticket or "")[:5]
        again.tell(old, "left")
        study.tell(new, "left")  # by a worker that was started before
        monkeypatch.setenv("DUELIST_TICKET_KEYS", "0a0a0a0a:" + "A" * 43 + "=")
        refused = runner.invoke(app, ["keys", "rotate-tickets"])
        assert refused.exit_code == 2
        assert names(refused.stderr, "DUELIST_TICKET_KEYS")
        assert len(database.ticket_keys.read().splitlines()) == 2
