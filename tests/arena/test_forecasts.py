"""About how many more votes: said as long as it may come true, and never that there are enough when not."""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from arena.visitor import RunningService, Visitor, arena, material_of

ANSWER_TIMEOUT = 600
KNOWN, ENOUGH = "data-votes-left", 'data-votes-left="0-0"'
VOTERS = count()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningService]:
    with arena(tmp_path / "a.db", material_of(("a", "b", "c"))) as service:
        yield service


@pytest.fixture
def owner(running: RunningService) -> Visitor:
    """Who compares two arms alone."""
    one = running.visitor()
    retired = one.send(one.get("/dashboard"), "/arms/retire", arm="2")
    assert retired.status_code == 200
    return one


def give(owner: Visitor, outcomes: list[str]) -> None:
    """Import votes on a and b, each of another voter."""
    rows = "".join(f"a,b,{outcome},v{next(VOTERS)}\n" for outcome in outcomes)
    fields = owner.form(owner.get("/dashboard"), "/votes")
    file = ("votes.csv", f"left,right,outcome,voter\n{rows}")
    assert owner.post("/votes", fields, files={"file": file}).status_code == 200


def wait_for(running: RunningService, owner: Visitor, words: str) -> None:
    """Wait until the voting page says something; forecasts are made behind it."""
    for _ in range(ANSWER_TIMEOUT):
        if words in owner.get("/").text:
            return
        running.wait(asyncio.sleep(0.1))
    raise AssertionError(words)


def test_a_forecast_that_did_not_come_true_is_forgotten(running: RunningService, owner: Visitor) -> None:
    give(owner, 9 * ["left"] + 3 * ["right"])
    wait_for(running, owner, KNOWN)
    give(owner, 120 * ["left", "right"])
    for path in ("/", "/leaderboard"):
        page = owner.get(path).text
        assert ENOUGH not in page
        assert "about 0" not in page
    assert "Not yet" in page


def test_there_are_not_enough_votes_once_they_prove_nothing_any_more(
    running: RunningService, owner: Visitor
) -> None:
    give(owner, 30 * ["left"])
    wait_for(running, owner, ENOUGH)
    give(owner, ["left"])
    assert ENOUGH in owner.get("/").text
    give(owner, 31 * ["right"])
    assert ENOUGH not in owner.get("/").text


def test_an_arm_that_joins_is_not_proven_yet(running: RunningService, owner: Visitor) -> None:
    give(owner, 30 * ["left"])
    wait_for(running, owner, ENOUGH)
    owner.send(owner.get("/dashboard"), "/arms", arm="c")
    assert ENOUGH not in owner.get("/").text
