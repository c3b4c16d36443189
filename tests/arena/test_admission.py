"""Who may see and do what: links, sessions, tokens of forms, and what other sites cannot do."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from arena.visitor import HOME, OWNER, VOTER, RunningService, arena, service
from refusals import refused

from duelist.arena.page_requests import Session, form_token, is_form_token, open_session, seal_session
from duelist.database import Database
from duelist.errors import ParameterError
from duelist.service.settings import Settings
from duelist.study.tickets import KeyRing

RESULTS = ("/leaderboard", "/dashboard", "/events", "/votes.csv", "/votes.jsonl")
CHANGES = ("/arms", "/arms/retire", "/retract", "/close", "/votes")


def test_without_a_link_nothing_is_seen(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", share=True) as running:
        stranger = running.visitor()
        for path in ("/", "/media/x", *RESULTS):
            answer = stranger.get(path)
            assert answer.status_code == 401, path
            assert "invitation" in answer.text
        for path in ("/vote", "/undo", *CHANGES):
            assert stranger.post(path, {"token": "x"}).status_code == 401, path
        assert stranger.get("/api/studies").status_code == 401


def test_voters_vote_and_see_no_results(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", share=True) as running:
        voter = running.visitor(VOTER)
        page = voter.get("/")
        assert "Leaderboard" not in page.text
        assert voter.vote("left", page).status_code == 200
        for path in RESULTS:
            assert voter.get(path).status_code == 403, path
        token = voter.form(voter.get("/"), "/undo")["token"]
        for path in CHANGES:
            assert voter.post(path, {"token": token, "arm": "0", "ticket": "x"}).status_code == 403, path
        assert voter.get("/api/studies/arena").status_code == 401
        owner = running.visitor(OWNER)
        assert "1 vote by 1 person" in owner.get("/leaderboard").text
        assert owner.get("/dashboard").text.count("<form") > 3
        reader = running.visitor(Session(role="read"))
        assert reader.get("/leaderboard").status_code == 200
        assert "<form" not in reader.get("/dashboard").text
        assert reader.get("/").status_code == 403


def test_links_that_are_not_ours(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", share=True) as running, arena(tmp_path / "b.db", share=True) as other:
        link = running.link(OWNER)
        for forged in ("", "x", link[:-2], link[::-1], other.link(OWNER), "duelist_0123456789ab_" + "x" * 43):
            stranger = running.visitor()
            assert stranger.get("/enter", params={"link": forged}).status_code == 401
            assert stranger.get("/dashboard").status_code == 401
        # a ticket and a form's token are sealed with the same keys, and let nobody in
        form = running.visitor(VOTER)
        for name, text in form.form(form.get("/"), "/vote").items():
            assert running.visitor().get("/enter", params={"link": text}).status_code == 401, name


def test_personal_links_are_one_voter_each(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", share=True) as running:
        named = Session(voter="voter-1", role="play")
        one, same, other = running.visitor(named), running.visitor(named), running.visitor(VOTER)
        assert one.form(one.get("/"), "/vote")["ticket"] == same.form(same.get("/"), "/vote")["ticket"]
        assert other.form(other.get("/"), "/vote")["ticket"] != one.form(one.get("/"), "/vote")["ticket"]
        one.vote("left")
        rows = running.visitor(OWNER).get("/votes.jsonl").text
        assert '"voter":"voter-1"' in rows
        # a link for all keeps the name under which somebody has voted before
        one.get("/enter", params={"link": running.link(VOTER)})
        one.vote("left")
        assert running.visitor(OWNER).get("/votes.jsonl").text.count('"voter":"voter-1"') == 2


def test_a_key_of_the_api_opens_pages_until_it_is_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.service.access.REMEMBERED", 0.0)
    with Database(tmp_path / "s.db") as database:
        secret = database.api_keys.create("me", "admin")
        with service(tmp_path / "s.db", is_open=False) as running:
            one = running.visitor()
            assert one.get("/enter", params={"link": secret}).status_code == 200
            assert one.get("/studies").status_code == 200
            database.api_keys.revoke(database.api_keys.list()[0].id)
            assert one.get("/studies").status_code == 401
            assert running.visitor().get("/enter", params={"link": secret}).status_code == 401


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    with arena(tmp_path / "a.db") as service:
        yield service


def test_forms_carry_the_token_of_their_voter(running: RunningService) -> None:
    one, other = running.visitor(), running.visitor()
    one.get("/")
    other.get("/")
    fields = one.form(one.get("/dashboard"), "/close")
    token = other.form(other.get("/dashboard"), "/close")["token"]
    ticket = one.form(one.get("/"), "/vote")["ticket"]
    for wrong in ("", "x", token, ticket, fields["token"][:-1]):
        answer = one.post("/close", {"token": wrong})
        assert answer.status_code == 403, wrong
    assert one.post("/close", {"sure": "yes"}).status_code == 403
    assert one.vote("left").status_code == 200
    assert one.post("/close", fields).status_code == 200
    assert "<form" not in one.get("/").text


def test_nobody_undoes_for_somebody_else(running: RunningService) -> None:
    one, other = running.visitor(), running.visitor()
    ticket = one.form(one.get("/"), "/vote")["ticket"]
    one.vote("left")
    other.vote("left")
    token = other.form(other.get("/"), "/undo")["token"]
    answer = other.post("/undo", {"ticket": ticket, "token": token})
    assert answer.status_code == 404
    assert one.get("/votes.jsonl").text.count("counted") == 2


def test_to_undo_twice_shows_the_duel_once(running: RunningService) -> None:
    one = running.visitor()
    first = one.shown(one.get("/"))
    page = one.vote("left")
    assert one.shown(one.send(page, "/undo")) == first
    assert one.send(page, "/undo").status_code == 200
    one.vote("right")
    assert one.shown(one.get("/")) == one.shown(page)


def test_to_undo_many_times_at_once_shows_the_duel_once(running: RunningService) -> None:
    one = running.visitor()
    page = one.vote("left")
    fields = one.form(page, "/undo")

    async def undo() -> list[httpx.Response]:
        return await asyncio.gather(*(one.http.post("/undo", data=fields) for _ in range(20)))

    assert {answer.status_code for answer in running.wait(undo())} == {200}
    one.vote("right")
    assert one.shown(one.get("/")) == one.shown(page)
    # nor does it come back after it was answered again
    assert one.shown(one.post("/undo", fields)) == one.shown(page)


def test_a_browser_without_cookies_votes(running: RunningService) -> None:
    one, other = running.visitor(), running.visitor()
    ticket = one.form(one.get("/"), "/vote")["ticket"]
    assert other.post("/vote", {"ticket": ticket, "outcome": "left"}).status_code == 200
    rows = one.votes()
    assert len(rows) == 1
    # it is the vote of whom the ticket was given to
    one.vote("left")
    assert [row["voter"] for row in rows] == [row["voter"] for row in one.votes()][1:]


def test_other_sites_can_neither_send_nor_read(running: RunningService) -> None:
    one = running.visitor()
    page = one.get("/")
    fields = {**one.form(page, "/vote"), "outcome": "left"}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert one.post("/vote", fields, headers=headers).status_code == 403
    assert one.get("/", headers={"host": "evil.example"}).status_code == 403
    assert one.post("/vote", fields, headers={"origin": HOME}).status_code == 200
    # a form never reaches the API, and JSON never a page
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert one.post("/api/studies/arena/ask", {"voter": "x"}, headers=form).status_code == 415
    assert running.wait(one.http.post("/vote", json=fields)).status_code in (403, 415)
    assert "access-control-allow-origin" not in page.headers
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
    cookie = page.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


@pytest.mark.parametrize(
    "fields",
    [
        {"outcome": "both"},
        {"outcome": ""},
        {"ticket": ""},
        {"ticket": "garbage"},
        {"ticket": "x" * 5000},
        {"outcome": "left" * 100},
        {"ticket": "\0", "outcome": "é"},
    ],
)
def test_forms_that_were_tampered_with(running: RunningService, fields: dict[str, str]) -> None:
    one = running.visitor()
    answer = one.send(one.get("/"), "/vote", **{"outcome": "left", **fields})
    assert answer.status_code in (404, 422)
    assert "<h1" in answer.text
    assert one.votes() == []


def test_bodies_that_are_no_forms(running: RunningService) -> None:
    one = running.visitor()
    one.get("/")
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x", "text/plain", "application/json"):
        answer = running.wait(one.http.post("/vote", content=b"\xff\0--x", headers={"content-type": kind}))
        assert answer.status_code in (400, 403, 415), kind


def test_an_arena_open_to_the_network_without_links_is_refused() -> None:
    with refused(ParameterError, "--open"):
        Settings(database="a.db", host="0.0.0.0", is_open=True)


def test_a_forms_token_is_no_cookie_and_a_cookie_no_forms_token() -> None:
    keys, session = KeyRing(), Session(voter="visitor-1", role="admin")
    cookie, token = seal_session(session, keys), form_token(session, keys)
    assert open_session(cookie, keys) == session
    assert open_session(token, keys) is None
    assert is_form_token(token, session, keys)
    assert not is_form_token(cookie, session, keys)
    assert not is_form_token(token, Session(voter="visitor-2"), keys)
