"""No key, ticket, password or text of a caller appears in logs or errors."""

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from refusals import names
from service.caller import PlainCaller, plainly_serving
from sockets import serving_studies

from duelist.database import Database
from duelist.errors import DuelistError

VOTER, TEXT = "voter-whose-name-is-private", "a text that is private"


def failing(client: PlainCaller, key: str, ticket: str) -> list[int]:
    """Send secrets in all kinds of requests that fail; return how each was answered."""
    bearer = {"authorization": f"Bearer {key}"}
    kind = {"content-type": "application/json"}
    secrets = {"ticket": ticket, "voter": VOTER, "text": TEXT, "key": key}
    whole = json.dumps(secrets).encode()
    home = "/api/studies/home"
    sent: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", f"{home}/tell", {"json": {"ticket": ticket, "outcome": VOTER}}),
        ("POST", f"{home}/tell", {"json": {"ticket": ticket + "A", "outcome": "left"}}),
        ("POST", f"{home}/tell", {"json": secrets}),
        ("POST", f"{home}/ask", {"json": {"voter": VOTER + "\n"}}),
        ("POST", f"{home}/ask", {"content": whole[:-1], "headers": kind}),
        ("POST", f"{home}/ask", {"content": whole + b"\xff", "headers": kind}),
        ("POST", f"{home}/ask", {"content": whole * 20_000, "headers": kind}),
        ("POST", f"{home}/ask", {"content": whole, "headers": {"content-type": "text/plain"}}),
        ("POST", f"{home}/ask", {"json": {}, "headers": {"origin": f"https://{VOTER}.example"}}),
        ("GET", home, {"headers": {"host": f"{VOTER}.example"}}),
        ("GET", home, {"headers": {"authorization": f"Bearer {key}x"}}),
        ("GET", home, {"headers": {"authorization": f"Basic {key}"}}),
        ("GET", f"/api/studies/{key}", {}),
        ("GET", f"/api/studies/{ticket}", {}),
        ("GET", f"/{key}/{ticket}", {}),
        ("GET", f"{home}/votes", {"params": {"format": ticket, "key": key}}),
        ("DELETE", f"/api/studies/{key}", {}),
        ("POST", f"{home}/arms", {"json": {"name": TEXT, "link": f"javascript:{TEXT}"}}),
        ("POST", f"{home}/learner", {"json": {"learner": {"name": key, "alpha": ticket}}}),
        ("POST", f"{home}/votes", {"json": {"votes": [{"left": TEXT, "right": VOTER, "outcome": "left"}]}}),
        ("POST", f"{home}/clicks", {"json": {"ticket": ticket, "clicked": [TEXT]}}),
        ("POST", "/api/studies", {"json": {"name": "x", "arms": [TEXT, TEXT]}}),
    ]
    answers = []
    for method, path, about in sent:
        headers = {**bearer, **about.pop("headers", {})}
        answers.append(client.request(method, path, headers=headers, **about).status_code)
    return answers


def test_no_secret_is_in_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "studies.db")
    with Database(place) as database:
        key = database.api_keys.create("admin", "admin")
    with plainly_serving(place, is_open=False, logs=True) as client:
        bearer = {"authorization": f"Bearer {key}"}
        arms: dict[str, Any] = {"name": "home", "arms": ["a", {"name": "b", "text": TEXT}]}
        assert client.request("POST", "/api/studies", json=arms, headers=bearer).status_code == 201
        asked = client.request("POST", "/api/studies/home/ask", json={"voter": VOTER}, headers=bearer)
        statuses = failing(client, key, asked.json()["ticket"])
    assert set(statuses) == {400, 401, 403, 404, 413, 415, 422}
    log = capfd.readouterr().err
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["status"] for line in lines[2:] if "status" in line] == statuses
    assert not [line for line in lines if line.get("level") == "error"]
    ticket = asked.json()["ticket"]
    for secret in (key, key.split("_", 2)[2], ticket, ticket[:30], ticket[-30:], VOTER, TEXT, "Traceback"):
        assert secret not in log, secret


def test_a_damaged_database_says_so_without_a_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with plainly_serving(str(tmp_path / "studies.db")) as client:
        client.post("/api/studies", name="home", arms=["a", "b"])
        ticket = client.post("/api/studies/home/ask", voter=VOTER).json()["ticket"]
        client.post("/api/studies/home/tell", ticket=ticket, outcome="left")
        client.app.state.live.forget("home")
        with client.app.state.live.database.connections.writing() as connection:
            connection.execute("UPDATE events SET event = 'torn' WHERE seq = 2")
        answer = client.get("/api/studies/home")
        assert (answer.status_code, answer.json()["error"]) == (500, "FileError")
        assert names(answer.json()["detail"], "home", "backup")
    log = capfd.readouterr().err
    assert "FileError" in log
    assert "Traceback" not in log
    assert VOTER not in log
    assert ticket not in log


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:s3cret@127.0.0.1:1/name",
        "postgresql://user:s3cret@127.0.0.1:1/name?sslpassword=s3cret&password=s3cret",
        "postgresql://user:s3cret@127.0.0.1:port/name",
        "postgresql://user:s3c%ret@127.0.0.1:1/name",
        "postgresql://user:s3cret@host@127.0.0.1:1/name",
        "postgresql+psycopg2://user:s3cret@127.0.0.1:1/name",
        "mysql://user:s3cret@127.0.0.1/name",
    ],
)
def test_a_password_is_in_no_error(address: str) -> None:
    with pytest.raises(DuelistError) as caught:
        Database(address)
    message = str(caught.value)
    assert "s3c" not in message
    assert "\n" not in message


def test_a_password_is_in_no_log_and_no_description(
    postgresql: str, capfd: pytest.CaptureFixture[str]
) -> None:
    # test servers trust this machine, and ignore the password
    url = postgresql.replace("postgres:@", "postgres:s3cret-word@")
    assert "s3cret-word" in url
    with Database(url) as database:
        assert "s3cret" not in database.location  # printed when a service starts
        with pytest.raises(DuelistError) as caught:
            database.remove("nothing")
    assert "s3cret" not in str(caught.value)
    with serving_studies(url, logs=True) as served:
        for path in ("openapi.json", "metrics"):
            with urlopen(f"{served.url}/{path}") as answer:
                assert b"s3cret" not in answer.read()
    log = capfd.readouterr().err
    assert '"route":"/metrics"' in log
    assert "s3cret" not in log
