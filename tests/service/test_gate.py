"""The gate: hosts, origins, types and sizes of bodies, rates, keys and roles."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from refusals import refused
from service.caller import Caller, serving
from starlette.responses import Response

from duelist.database import Database
from duelist.errors import ParameterError
from duelist.service import Settings, create_app
from duelist.service.app import openapi
from duelist.service.failures import FAULT


def run(work: Callable[[Caller], Awaitable[None]], folder: Path, **settings: Any) -> None:
    async def main() -> None:
        async with serving(str(folder / "studies.db"), **settings) as caller:
            await work(caller)

    asyncio.run(main())


def test_a_page_of_another_site_can_neither_read_nor_write(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        body = {"name": "home", "arms": ["a", "b"]}
        assert (await caller.http.post("/api/studies", json=body)).status_code == 201
        rebound = await caller.http.get("/api/studies", headers={"host": "evil.example:8321"})
        assert (rebound.status_code, rebound.json()["error"]) == (403, "HostError")
        for origin in (
            "http://evil.example",
            "null",
            "http://127.0.0.1:9999",
            "https://127.0.0.1.evil.example",
        ):
            foreign = await caller.http.post("/api/studies/home/ask", json={}, headers={"origin": origin})
            assert (foreign.status_code, foreign.json()["error"]) == (403, "OriginError"), origin
        hidden = await caller.http.post(
            "/api/studies/home/ask", json={}, headers={"sec-fetch-site": "cross-site"}
        )
        assert hidden.status_code == 403
        own = await caller.http.post(
            "/api/studies/home/ask", json={}, headers={"origin": "http://127.0.0.1:8321"}
        )
        assert own.status_code == 200
        # what a plain HTML form of any site can send without a preflight request
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            form = await caller.http.post(
                "/api/studies/home/ask", content=b"{}", headers={"content-type": kind}
            )
            assert (form.status_code, form.json()["error"]) == (415, "ContentTypeError"), kind
        bare = await caller.http.post("/api/studies/home/ask", content=b"{}")
        assert bare.status_code == 415
        read = await caller.http.get("/api/studies", headers={"origin": "http://evil.example"})
        assert not any(name.startswith("access-control") for name in read.headers)

    run(work, tmp_path)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:8321", "[::1]:8321", "votes.example.org", "VOTES.example.org:80"]
)
def test_names_by_which_it_may_be_called(host: str, tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        assert (await caller.http.get("/healthz", headers={"host": host})).status_code == 200

    run(work, tmp_path, names=("votes.example.org",))


def test_a_body_that_is_too_long(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        answer = await caller.http.post("/api/studies", json={"name": "home", "arms": ["a" * 3000, "b"]})
        assert (answer.status_code, answer.json()["error"]) == (413, "SizeError")

        async def chunks() -> Any:
            for _ in range(100):
                yield b" " * 100

        answer = await caller.http.post(
            "/api/studies", content=chunks(), headers={"content-type": "application/json"}
        )
        assert (answer.status_code, answer.json()["error"]) == (413, "SizeError")

    run(work, tmp_path, most_bytes=2000)


def test_too_many_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("duelist.service.access.perf_counter", lambda: now)

    async def work(caller: Caller) -> None:
        nonlocal now
        statuses = [(await caller.http.get("/api/studies")).status_code for _ in range(6)]
        assert statuses == [200] * 4 + [429] * 2
        late = await caller.http.get("/api/studies")
        assert late.headers["retry-after"] == "1"
        now += 0.5
        assert [(await caller.http.get("/api/studies")).status_code for _ in range(2)] == [200, 429]
        now += 3600.0  # unused requests do not accumulate
        assert [(await caller.http.get("/api/studies")).status_code for _ in range(5)] == [200] * 4 + [429]

    run(work, tmp_path, rate=2.0)


def test_guesses_of_keys_count_against_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.service.access.perf_counter", lambda: 100.0)
    with Database(tmp_path / "studies.db") as database:
        key = database.api_keys.create("reader", "read")

    async def work(caller: Caller) -> None:
        known = await caller.get("/api/studies", key)
        guesses = [
            (await caller.get("/api/studies", f"duelist_0123456789ab_{n}")).status_code for n in range(6)
        ]
        assert (known.status_code, guesses) == (200, [401] * 4 + [429] * 2)
        # a valid key works although others guess keys from the same address
        assert (await caller.get("/api/studies", key)).status_code == 200

    run(work, tmp_path, is_open=False, rate=2.0)


def test_open_is_for_this_machine_alone() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.7", "votes.example.org"):
        with refused(ParameterError, "--open", host, "--host 127.0.0.1"):
            Settings(database="x.db", is_open=True, host=host)
    for host in ("127.0.0.1", "::1", "localhost", "127.8.8.8"):
        assert Settings(database="x.db", is_open=True, host=host).is_open
    for place in ("x.db", "sqlite:///x.db"):
        with refused(ParameterError, "--workers", "PostgreSQL", "--database"):
            Settings(database=place, workers=2)
    with refused(ParameterError, "--rate", -1.0):
        Settings(database="x.db", rate=-1.0)


def routes() -> list[tuple[str, str, str]]:
    """Return the method, path and role of every route that needs a key."""
    found = []
    for path, methods in openapi()["paths"].items():
        for method, about in methods.items():
            if path not in ("/healthz", "/readyz"):
                found.append((method, path, about["x-role"]))
    return found


def test_every_route_names_its_role() -> None:
    named = routes()
    assert len(named) >= 20
    assert {role for _, _, role in named} == {"read", "play", "admin"}
    writes = {path.rpartition("/")[2]: role for method, path, role in named if method != "get"}
    assert writes["ask"] == writes["tell"] == writes["skip"] == writes["clicks"] == "play"
    assert writes["arms"] == writes["close"] == writes["votes"] == writes["learner"] == "admin"
    assert all(role == "read" for method, _, role in named if method == "get")


def test_each_role_may_do_what_it_may_on_every_route(tmp_path: Path) -> None:
    with Database(tmp_path / "studies.db") as database:
        keys = {role: database.api_keys.create(f"{role}er", role) for role in ("read", "play", "admin")}
        revoked = database.api_keys.create("gone", "admin")
        database.api_keys.revoke(revoked.split("_")[1])

    async def work(caller: Caller) -> None:
        begun = await caller.post("/api/studies", keys["admin"], name="home", arms=["a", "b"])
        assert begun.status_code == 201
        order = ["read", "play", "admin"]
        for method, path, needed in routes():
            where = path.replace("{name}", "home")
            for role, key in keys.items():
                if method == "delete" and role == "admin":
                    continue
                answer = await caller.http.request(
                    method, where, json={}, headers={"authorization": f"Bearer {key}"}
                )
                refused = (answer.status_code, "RoleError") == (
                    403,
                    answer.json()["error"] if answer.status_code == 403 else "",
                )
                assert refused == (order.index(role) < order.index(needed)), (method, path, role)
            for wrong in (
                None,
                "Bearer",
                "Bearer nonsense",
                f"Basic {keys['admin']}",
                f"Bearer {revoked}",
                f"Bearer {keys['admin']}x",
                f"Bearer {keys['admin'][:-1]}",
            ):
                headers = {} if wrong is None else {"authorization": wrong}
                answer = await caller.http.request(method, where, json={}, headers=headers)
                assert answer.status_code == 401, (method, path, wrong)

    run(work, tmp_path, is_open=False)


def test_a_voter_retracts_by_ticket_and_only_an_admin_by_id(tmp_path: Path) -> None:
    with Database(tmp_path / "studies.db") as database:
        play, admin = (database.api_keys.create(role, role) for role in ("play", "admin"))

    async def work(caller: Caller) -> None:
        await caller.post("/api/studies", admin, name="home", arms=["a", "b"])
        for key, by_id, status in ((play, False, 200), (play, True, 403), (admin, True, 200)):
            duel = (await caller.post("/api/studies/home/ask", play)).json()
            await caller.post("/api/studies/home/tell", play, ticket=duel["ticket"], outcome="left")
            last = (await caller.get("/api/studies/home/votes", admin)).text.splitlines()[-1]
            ticket = json.loads(last)["ticket"] if by_id else duel["ticket"]
            answer = await caller.post("/api/studies/home/retract", key, ticket=ticket)
            assert answer.status_code == status

    run(work, tmp_path, is_open=False)


def test_keys_and_tickets_are_in_no_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Database(tmp_path / "studies.db") as database:
        key = database.api_keys.create("admin", "admin")

    async def work(caller: Caller) -> None:
        await caller.post("/api/studies", key, name="home", arms=["a", "b"])
        duel = (await caller.post("/api/studies/home/ask", key)).json()
        await caller.post("/api/studies/home/tell", key, ticket=duel["ticket"], outcome="left")
        await caller.post("/api/studies/home/tell", key, ticket=duel["ticket"], outcome="right")
        await caller.post("/api/studies/home/tell", key + "x", ticket=duel["ticket"], outcome="left")
        await caller.post("/api/studies/home/tell", key, ticket=duel["ticket"] + "A", outcome="left")
        told.append(duel["ticket"])

    told: list[str] = []
    run(work, tmp_path, is_open=False, logs=True)
    log = capfd.readouterr().err
    lines = [json.loads(line) for line in log.splitlines()]
    statuses = [line["status"] for line in lines if line.get("route", "").endswith("/tell")]
    assert statuses == [200, 409, 401, 404]
    assert all(line["study"] == "home" for line in lines if line.get("route", "").endswith("/tell"))
    assert [len(line["ticket"]) for line in lines if "ticket" in line] == [32]
    assert key not in log
    assert key.split("_", 2)[2] not in log
    assert told[0] not in log
    assert told[0][:30] not in log


@pytest.mark.parametrize("is_quick", [False, True])
def test_a_fault_inside_says_nothing_outside(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    is_quick: bool,
) -> None:
    app = create_app(Settings(database=str(tmp_path / "studies.db"), is_open=True))

    async def broken(*_: object) -> Response:
        raise RuntimeError("secret")

    app.add_route("/broken", broken)

    monkeypatch.setattr("duelist.service.routes.voting.named", broken)

    async def main() -> None:
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as http,
        ):
            answer = await (http.post("/api/studies/a/ask", json={}) if is_quick else http.get("/broken"))
            assert answer.status_code == 500
            assert answer.json() == {
                "error": "InternalError",
                "detail": FAULT.detail,
            }

    asyncio.run(main())
    log = capfd.readouterr().err
    assert "RuntimeError" in log
    assert "test_gate.py" in log
    assert "secret" not in log
