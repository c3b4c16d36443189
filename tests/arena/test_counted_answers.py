"""The counter of answers, whichever way they come in."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena.visitor import RunningService, Visitor, arena

API = "/api/studies/arena"
VOTES = "model_a,model_b,winner,voter\nsecret-a,secret-b,model_a,x\nsecret-b,secret-c,tie,y\n"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    with arena(tmp_path / "a.db") as found:
        yield found


def counted(one: Visitor) -> float:
    found = re.search(r"^duelist_answers_total (.*)$", one.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return float(found[1])


def call(service: RunningService, one: Visitor, path: str, **body: Any) -> Any:
    answer = service.wait(one.http.post(f"{API}{path}", json=body))
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_votes_on_the_page_and_by_the_api_are_counted_once(running: RunningService) -> None:
    one = running.visitor()
    page = one.get("/")
    for _ in range(5):
        before, page = page, one.vote("left", page)
    one.vote("left", before)  # sent again
    assert counted(one) == 5
    ticket = call(running, one, "/ask")["ticket"]
    for _ in range(2):
        call(running, one, "/tell", ticket=ticket, outcome="right")
    assert counted(one) == 6


def test_skips_do_not_count_and_retractions_do_not_lower_the_count(running: RunningService) -> None:
    one = running.visitor()
    page = one.vote("tie", one.vote("skip"))
    assert counted(one) == 1
    one.send(page, "/undo")
    ticket = call(running, one, "/ask")["ticket"]
    call(running, one, "/tell", ticket=ticket, outcome="left")
    call(running, one, "/retract", ticket=ticket)
    assert counted(one) == 2


def test_imported_votes_are_counted_when_they_are_new(running: RunningService) -> None:
    one = running.visitor()
    for _ in range(2):
        fields = one.form(one.get("/dashboard"), "/votes")
        assert one.post("/votes", fields, files={"file": ("mine.csv", VOTES)}).status_code == 200
    assert counted(one) == 2
    rows = [{"left": "secret-a", "right": "secret-c", "outcome": "left", "voter": voter} for voter in "pqr"]
    assert [call(running, one, "/votes", votes=rows)["new"] for _ in range(2)] == [3, 0]
    assert counted(one) == 5


def test_clicks_count_once_they_are_settled(running: RunningService) -> None:
    one = running.visitor()
    for final in (True, False):
        duel = call(running, one, "/ask", voter="reader")
        rankings = {duel["left"]: ["x", "y"], duel["right"]: ["p", "q"]}
        shown = call(running, one, "/interleave", ticket=duel["ticket"], rankings=rankings)
        clicks = {"ticket": shown["ticket"], "clicked": ["x"], "final": final}
        for _ in range(2):
            call(running, one, "/clicks", **clicks)
        assert counted(one) == 1
    call(running, one, "/ask", voter="reader")
    assert counted(one) == 2
