"""Errors from the service's gate, and errors raised before anything is sent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest
from refusals import refused
from sockets import Served, serving_studies

from duelist import RUCB, Arm, Duel
from duelist.client import Client
from duelist.client.connection import in_place
from duelist.database import Database
from duelist.errors import ConflictError, ParameterError, ServiceError, UnknownNameError
from duelist.journal.protocol import STUDY_NAME
from duelist.wire import Readiness, StudySent

Connect = Callable[..., Client]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """Return a service that needs keys, with one request per two seconds and key, and its database."""
    path = tmp_path_factory.mktemp("guarded") / "studies.db"
    with Database(path) as database:
        database.api_keys.create("first", "read")
    with serving_studies(path, is_open=False, rate=0.5, most_bytes=2000) as served:
        yield served, path


@pytest.fixture
def connect(guarded: tuple[Served, Path]) -> Iterator[Connect]:
    """Return a factory of clients, each with a new key of a role."""
    service, path = guarded
    made: list[Client] = []

    def with_new_key(role: str, **options: Any) -> Client:
        with Database(path) as database:
            key = database.api_keys.create("one of the tests", role)
        made.append(Client(service.url, key, timeout=60.0, **options))
        return made[-1]

    yield with_new_key
    for client in made:
        client.close()


def refused_by_gate(use: Callable[[], object], status: int, *facts: object) -> None:
    with refused(ServiceError, *facts) as caught:
        use()
    assert caught.value.status == status


def test_roles(connect: Connect) -> None:
    home = connect("admin").create("home", ["a", "b"])
    assert repr(home).startswith("<study 'home' of http://127.0.0.1:")
    refused_by_gate(connect("read").study("home").ask, 403, "RoleError", "read", "play")
    refused_by_gate(lambda: connect("play").remove("home"), 403, "RoleError", "play", "admin")
    duel = connect("play").study("home").ask()
    connect("play").study("home").tell(duel, "left")
    elsewhere = Duel("a", "b")
    refused_by_gate(lambda: connect("play").study("home").tell(elsewhere, "left"), 403, "RoleError", "admin")
    [vote] = connect("read").study("home").votes()
    refused_by_gate(
        lambda: connect("play").study("home").retract(vote.ticket), 403, "RoleError", "admin", "id"
    )
    connect("play").study("home").retract(duel)
    assert connect("read").study("home").answers == 0


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Return the URL of a service that needs keys, and a read key."""
    with Database(tmp_path / "studies.db") as database:
        key = database.api_keys.create("reader", "read")
    with serving_studies(tmp_path / "studies.db", is_open=False) as served:
        yield served.url, key


def test_keys(locked: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    url, key = locked
    monkeypatch.delenv("DUELIST_KEY", raising=False)
    with Client(url) as client:
        refused_by_gate(client.studies, 401, "KeyError", "Client(url, key=...)", "DUELIST_KEY")
    with Client(url, "duelist_000000000000_wrong") as client:
        refused_by_gate(client.studies, 401, "KeyError", "revoked")
    monkeypatch.setenv("DUELIST_KEY", "duelist_000000000000_of_the_environment")
    with Client(url) as client:
        refused_by_gate(client.studies, 401, "KeyError", "revoked")
    with Client(url, key) as client:
        assert client.studies() == []


def test_rates_and_sizes(connect: Connect) -> None:
    large: list[str | Arm] = [Arm("a", text="x" * 3000), "b"]
    refused_by_gate(lambda: connect("admin").create("large", large), 413, "SizeError", "2,000 bytes")
    waits: list[float] = []
    busy = connect("read", sleep=waits.append, jitter=lambda: 1.0)
    busy.studies()
    refused_by_gate(busy.studies, 429, "RateError", "0.5 requests")
    # the service asks for one second
    assert waits == [1.0, 1.0, 1.0, 1.6, 3.2]


def test_hosts_and_paths(service: Served) -> None:
    with Client(f"http://127.1:{urlsplit(service.url).port}") as client:
        refused_by_gate(client.studies, 403, "HostError", "--name")
    with Client(f"{service.url}/votes") as client:
        refused_by_gate(client.studies, 404, "RequestError")


@contextmanager
def answering(status: int, body: bytes) -> Iterator[Client]:
    """Return a client of a server that gives the same answer to every request."""
    with Client("http://127.0.0.1:8321") as client:
        transport = httpx.MockTransport(lambda _: httpx.Response(status, content=body))
        with httpx.Client(transport=transport, base_url="http://127.0.0.1:8321") as http:
            client._connection._request = in_place(http.request)
            yield client


def test_what_is_no_service_of_duelist() -> None:
    for body in (b"<html>welcome</html>", b'{"studies": [3]}', b"[]", b"\xff"):
        with answering(200, body) as client, refused(ServiceError, "status 200", "URL"):
            client.studies()
    for status, body in ((301, b""), (404, b"[]"), (502, b"<h1>Bad\n gateway</h1>")):
        with answering(status, body) as client, refused(ServiceError, f"status {status}", "URL") as caught:
            client.studies()
        assert caught.value.status == status


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.study("home").tell("ticket", "left"),
        lambda client: client.study("home").tell(Duel("a", "b"), "left"),
        lambda client: client.study("home").skip("ticket"),
        lambda client: client.study("home").retract("ticket"),
        lambda client: client.study("home").clicks("ticket", ["d"]),
        lambda client: client.study("home").add_arm("c"),
        lambda client: client.study("home").retire_arm("c"),
        lambda client: client.study("home").change_learner(RUCB()),
        lambda client: client.study("home").close(),
        lambda client: client.create("home", arms=["a", "b"]),
        lambda client: client.remove("home"),
    ],
)
def test_nothing_is_taken_as_done_by_what_is_no_service(call: Callable[[Client], object]) -> None:
    for body in (b"<html>please log in</html>", b"", b"null", b"{}", b'{"recorded": false}'):
        with answering(200, body) as client, refused(ServiceError, "status 200", "URL"):
            call(client)


def test_whether_it_is_ready(client: Client) -> None:
    for status, ready in ((200, True), (503, False)):
        found = Readiness(ready=ready, journal=True, studies=True, kernels=ready)
        with answering(status, msgspec.json.encode(found)) as answered:
            assert answered.ready() is ready
    assert isinstance(client.ready(), bool)


def test_studies_that_are_not_there_or_are_others(client: Client, name: str) -> None:
    for use in (lambda: client.study("nowhere").ask(), lambda: client.remove("nowhere")):
        with refused(UnknownNameError, "'nowhere'"):
            use()
    home = client.create(name, ["a", "b"], learner={"name": "RUCB", "alpha": 0.6}, seed=3)
    same = client.create(name, ["a", "b"], learner={"name": "RUCB", "alpha": 0.6}, seed=3)
    home.tell(home.ask(), "left")
    assert same.answers == 1
    with refused(ConflictError, name):
        client.create(name, ["a", "b"], learner="RUCB", seed=3)
    client.remove(name)
    with pytest.raises(UnknownNameError):
        home.ask()


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda client: client.create("new"), ParameterError),
        (lambda client: client.create("new", ["a"]), ParameterError),
        (lambda client: client.create("new", ["a", "a"]), ParameterError),
        (lambda client: client.create("../votes", ["a", "b"]), ParameterError),
        (lambda client: client.create("new", ["a", "b"], seed=-1), ParameterError),
        (lambda client: client.create("new", ["a", "b"], answer_timeout=0.0), ParameterError),
        (lambda client: client.create("new", ["a", "b"], learner="RUBC"), UnknownNameError),
        (
            lambda client: client.create("new", ["a", "b"], learner={"name": "RUCB", "a": 1}),
            UnknownNameError,
        ),
        (lambda client: client.create("new", ["a", "b"], interleaving="draft"), UnknownNameError),
        (lambda client: client.create("new", ["a", "b"], context=[1.0]), ParameterError),
        (
            lambda client: client.create("new", learner="PairwiseGradientRanker", features=[[0.0]]),
            ParameterError,
        ),
        (lambda client: client.create("new", ["a", "b"], learner="PairwiseGradientRanker"), ParameterError),
        (lambda client: client.study("."), ParameterError),
        (lambda client: client.study(""), ParameterError),
        (lambda client: client.remove("a/b"), ParameterError),
        (lambda client: client.study("new").import_votes([{"left": object()}]), ParameterError),
        (lambda client: client.study("new").import_votes([{"left": "\ud800"}]), ParameterError),
    ],
)
def test_what_cannot_be_begun(
    wrong: Callable[[Client], object], kind: type[Exception], client: Client
) -> None:
    with pytest.raises(kind):
        wrong(client)
    assert "new" not in client.studies()


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"url": "127.0.0.1:8321"}, ["url", "http://", "'127.0.0.1:8321'"]),
        ({"url": "ftp://127.0.0.1"}, ["url", "http://", "'ftp://127.0.0.1'"]),
        ({"url": "http://"}, ["url", "host", "'http://'"]),
        ({"url": 8321}, ["8321", "URL"]),
        ({"url": "http://[::1"}, ["'http://[::1'", "URL"]),
        ({"url": "http://user:secret@127.0.0.1"}, ["url", "user", "key="]),
        ({"url": "http://127.0.0.1/?study=home"}, ["url", "query"]),
        ({"key": "two\nlines"}, ["key", "ASCII"]),
        ({"key": "schlüssel"}, ["key", "ASCII"]),
        ({"timeout": 0}, ["timeout", "0"]),
        ({"retries": -1}, ["retries", "-1"]),
    ],
)
def test_what_no_client_can_be_made_of(given: dict[str, Any], facts: list[str]) -> None:
    with refused(ParameterError, *facts) as caught:
        Client(**{"url": "http://127.0.0.1:8321", **given})
    assert "secret" not in str(caught.value)


def test_names_are_those_of_the_service() -> None:
    schema = msgspec.json.schema(StudySent)["$defs"]["StudySent"]
    assert schema["properties"]["name"]["pattern"] == f"^{STUDY_NAME.pattern}$"
