"""What an owner does on the dashboard, and what the page says when it cannot be."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena.visitor import RunningService, arena, material_of, service
from refusals import names, refused

from duelist import Study
from duelist.arena.running import open_study
from duelist.database import Database
from duelist.errors import FileError
from duelist.service.serving import serving_alone

VOTES = "model_a,model_b,winner\nsecret-a,secret-b,model_a\nsecret-b,secret-c,tie\n"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    with arena(tmp_path / "a.db") as found:
        yield found


def test_who_is_thanked_is_not_asked_for_votes(running: RunningService) -> None:
    one = running.visitor()
    page = one.get("/")
    while "<form" in page.text:
        page = one.vote("skip", page)
    assert "first vote" not in page.text
    fields = one.form(one.get("/dashboard"), "/votes")
    rows = "".join(f"secret-a,secret-b,left,v{place}\n" for place in range(6))
    one.post("/votes", fields, files={"file": ("mine.csv", f"left,right,outcome,voter\n{rows}")})
    for _ in range(600):
        if "data-votes-left" in one.get("/").text:
            break
        running.wait(asyncio.sleep(0.1))
    else:
        raise AssertionError("there is no forecast")
    one.send(one.get("/dashboard"), "/close", sure="yes")
    closed = one.get("/").text
    assert "6 votes" in closed
    assert "data-votes-left" not in closed


def test_votes_in_and_out(running: RunningService) -> None:
    owner = running.visitor()
    for expected in (2, 2):  # twice counts once
        page = owner.get("/dashboard")
        fields = owner.form(page, "/votes")
        answer = owner.post("/votes", fields, files={"file": ("mine.csv", VOTES.encode())})
        assert answer.status_code == 200
        assert len(owner.votes()) == expected
    rows = owner.votes()
    assert [(row["left"], row["right"], row["outcome"]) for row in rows] == [
        ("secret-a", "secret-b", "left"),
        ("secret-b", "secret-c", "tie"),
    ]
    table = owner.get("/votes.csv")
    assert table.headers["content-disposition"] == 'attachment; filename="arena-votes.csv"'
    assert len(table.text.splitlines()) == 3


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("mine.csv", b"model_a,model_b,winner\nsecret-a,nobody,model_a\n", "nobody"),
        ("mine.csv", b"a,b\n1,2\n", "mine.csv"),
        ("mine.jsonl", b"{broken\n", "mine.jsonl"),
        ("<b>.csv", b"\xff\xfe\x00", "&lt;b&gt;.csv"),
        ("mine.csv", b"", "CSV"),
    ],
)
def test_files_that_cannot_be_imported(running: RunningService, name: str, content: bytes, said: str) -> None:
    owner = running.visitor()
    fields = owner.form(owner.get("/dashboard"), "/votes")
    answer = owner.post("/votes", fields, files={"file": (name, content)})
    assert answer.status_code == 422
    assert said.lower() in answer.text.lower()
    assert "/tmp" not in answer.text
    assert owner.votes() == []


def test_retire_bring_back_retract_and_close(running: RunningService) -> None:
    owner = running.visitor()
    owner.vote("left")
    [row] = owner.votes()
    owner.send(owner.get("/dashboard"), "/retract", ticket=row["ticket"])
    assert [one["status"] for one in owner.votes()] == ["retracted"]
    owner.vote("left")
    assert owner.send(owner.get("/dashboard"), "/retract", ticket="nothing").status_code == 404
    owner.send(owner.get("/dashboard"), "/arms/retire", arm="2")
    assert "retired" in owner.get("/leaderboard").text
    assert owner.send(owner.get("/dashboard"), "/arms/retire", arm="7").status_code == 422
    assert owner.send(owner.get("/dashboard"), "/arms/retire", arm="-1").status_code == 422
    owner.send(owner.get("/dashboard"), "/arms", arm="secret-c")
    assert "retired" not in owner.get("/leaderboard").text
    answer = owner.send(owner.get("/dashboard"), "/arms", arm="newcomer")
    assert answer.status_code == 422
    assert "newcomer" in answer.text
    owner.send(owner.get("/dashboard"), "/close", sure="yes")
    assert "<form" not in owner.get("/").text


def test_an_arm_joins_a_study_of_a_service(tmp_path: Path) -> None:
    with Database(tmp_path / "s.db") as database:
        Study(arms=["a", "b"], journal=database.journal("home"))
    with service(tmp_path / "s.db") as running:
        owner = running.visitor()
        page = owner.get("/studies/home/dashboard")
        hostile = '<script>alert("x")</script>'
        owner.send(page, "/studies/home/arms", arm=hostile, text="*new*")
        board = owner.get("/studies/home/leaderboard").text
        assert hostile not in board
        assert "&lt;script&gt;" in board
        assert hostile not in owner.get("/studies/home/").text
        assert owner.get("/studies/home").url.path == "/studies/home/"
        listed = owner.get("/").text
        assert 'href="/studies/home/leaderboard"' in listed


def test_studies_that_are_not_about_arms_have_no_pages(tmp_path: Path) -> None:
    from duelist import PairwiseGradientRanker, PreferentialOptimization
    from duelist.study import Parameter

    with Database(tmp_path / "s.db") as database:
        Study(
            PreferentialOptimization(),
            parameters={"x": Parameter(0.0, 1.0)},
            journal=database.journal("knobs"),
        )
        Study(PairwiseGradientRanker(), features=[[0.0, 0.0]], journal=database.journal("search"))
    with service(tmp_path / "s.db") as running:
        owner = running.visitor()
        for name in ("knobs", "search"):
            assert f"/api/studies/{name}" in owner.get("/studies").text
            for page in ("", "leaderboard", "dashboard"):
                assert owner.get(f"/studies/{name}/{page}").status_code == 404


def test_a_browser_is_told_in_words_that_no_page_is_there(running: RunningService) -> None:
    visitor = running.visitor()
    answer = visitor.get("/leaderbord", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 404
    assert "/leaderbord" in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for path, accept in (("/leaderbord", "*/*"), ("/api/nowhere", "text/html")):
        assert visitor.get(path, headers={"accept": accept}).json()["error"] == "RequestError"


def test_events_are_sent_as_they_happen(running: RunningService) -> None:
    owner = running.visitor()
    owner.vote("left")

    async def first_lines(since: str | None) -> list[str]:
        headers = {} if since is None else {"last-event-id": since}
        scope_app = running.app
        lines: list[bytes] = []
        done = False

        async def receive() -> dict[str, object]:
            nonlocal done
            while not done:
                await asyncio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            nonlocal done
            body = message.get("body", b"")
            assert isinstance(body, bytes)
            lines.append(body)
            done = done or b"data:" in body or b"still" in body

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/events",
            "query_string": b"",
            "headers": [
                (b"host", b"127.0.0.1:8322"),
                *((name.encode(), value.encode()) for name, value in headers.items()),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8322),
            "scheme": "http",
            "http_version": "1.1",
            "root_path": "",
            "raw_path": b"/events",
        }
        await scope_app(scope, receive, send)
        return b"".join(lines).decode().splitlines()

    lines = running.wait(first_lines(None))
    assert 'data: {"answers":1}' in lines
    [identity] = [line.removeprefix("id: ") for line in lines if line.startswith("id: ")]
    assert len(running.app.state.streams) == 0
    running.app.state.streams.stop()
    # told to stop, it ends at once, and takes nobody new
    assert owner.get("/events", headers={"last-event-id": identity}).status_code == 503


def test_what_changed_in_the_file_since(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as database:
        study, said = open_study(database, material_of(("a", "b", "c")))
        assert said == []
        study.tell(study.ask(), "left")
        study, said = open_study(database, material_of(("b", "c", "d")))
        assert [names(line, fact) for line, fact in zip(said, ("1", "d", "a"), strict=True)] == 3 * [True]
        assert study.arms == ("b", "c", "d")
        study, said = open_study(database, material_of(("a", "b", "c", "d")))
        assert [names(line, fact) for line, fact in zip(said, ("1", "a"), strict=True)] == 2 * [True]
        assert study.arms == ("b", "c", "d")
        with refused(FileError, str(database.location), "b, c, d"):
            open_study(database, material_of(("x", "y")))


def test_a_file_that_is_served_gets_no_other_arms(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as database:
        open_study(database, material_of(("a", "b", "c")))
        with serving_alone(database.location):
            for arms in (("a", "b"), ("a", "b", "c", "d")):
                with refused(FileError, "a.db"):
                    open_study(database, material_of(arms))
            study, said = open_study(database, material_of(("a", "b", "c")))
        assert study.arms == ("a", "b", "c")
        assert said == []


def test_a_study_that_was_closed_can_be_looked_at_whatever_the_file_has_now(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as database:
        study, _ = open_study(database, material_of(("a", "b")))
        study.tell(study.ask(), "left")
        study.close()
        study, said = open_study(database, material_of(("a", "b", "c")))
        assert [names(line, fact) for line, fact in zip(said, ("1", "closed"), strict=True)] == 2 * [True]
        assert study.arms == ("a", "b")
