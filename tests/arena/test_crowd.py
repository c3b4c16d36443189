"""A whole arena: a crowd with a ballot stuffer votes on its pages until the votes prove a winner."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx
import pytest
from arena.visitor import RunningService, Visitor, arena, plain

from duelist import Study
from duelist.arena.page_requests import Session
from duelist.arena.site import STUDY
from duelist.database import Database
from duelist.judging.material import Material, Output

WORTH = {"secret-a": 1, "secret-b": 0, "secret-c": 3, "secret-d": 2}
BEST, STUFFED = "secret-c", "secret-b"
HONEST = [f"honest-{number}" for number in range(15)]
CARELESS = [f"careless-{number}" for number in range(4)]
STUFFER = "stuffer"
ITEMS = 40
BURST = 12


class Clock:
    """The time of votes: the crowd votes faster than people do, whatever the machine."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


class Said(NamedTuple):
    """What somebody said on the page, as an export should have it."""

    voter: str
    item: str
    left: str
    right: str
    outcome: str | None
    status: str = "counted"


class Crowd:
    """The voters, and what they have said."""

    def __init__(self, running: RunningService, clock: Clock, shown_as: dict[str, str]) -> None:
        self._clock, self._shown_as, self._rng = clock, shown_as, Random(3)
        self.said: list[Said] = []
        self._voters: dict[str, tuple[Visitor, httpx.Response]] = {}
        for name in (*HONEST, *CARELESS, STUFFER):
            voter = running.visitor(Session(voter=name, role="play"))
            self._voters[name] = voter, voter.get("/")

    def round(self) -> None:
        """Let everybody vote once, in any order, half a minute or so for each; one votes in bursts."""
        for name in self._rng.sample([*HONEST, *CARELESS], len(HONEST) + len(CARELESS)):
            self.vote(name, 2.0)
        for _ in range(BURST):
            self.vote(STUFFER, 0.5)

    def vote(self, name: str, seconds: float, outcome: str | None = None) -> None:
        """Let somebody look at the duel for some time, and vote as they are wont to."""
        self._clock.now += seconds
        voter, page = self._voters[name]
        left, right = (self._shown_as[text] for text in voter.shown(page))
        outcome = outcome or self._choice(name, left, right)
        assert "secret" not in page.text
        self._voters[name] = voter, voter.vote(outcome, page)
        is_skip = outcome == "skip"
        [item] = re.findall(r'class="item".*?>(.*?)</section>', page.text, re.DOTALL)
        status = "skipped" if is_skip else "counted"
        self.said.append(Said(name, plain(item), left, right, None if is_skip else outcome, status))

    def undo(self) -> None:
        """Let whoever voted last take it back."""
        last = self.said[-1]
        voter, page = self._voters[last.voter]
        self._voters[last.voter] = voter, voter.send(page, "/undo")
        self.said[-1] = last._replace(status="retracted")

    def votes(self) -> Counter[str]:
        """Return how many votes of each voter count."""
        return Counter(said.voter for said in self.said if said.status == "counted")

    def _choice(self, name: str, left: str, right: str) -> str:
        better = "left" if WORTH[left] > WORTH[right] else "right"
        worse = "right" if better == "left" else "left"
        if name in CARELESS:
            return self._rng.choice(("left", "right"))
        if name == STUFFER and STUFFED in (left, right):
            return "left" if left == STUFFED else "right"
        return self._rng.choices((better, worse, "tie", "skip"), (80, 12, 5, 3))[0]


def outputs() -> tuple[Material, dict[str, str]]:
    """Return texts whose last digit is their worth, and the arm that each is of: no text names it."""
    numbers = iter(Random(1).sample(range(100, 1000), ITEMS * len(WORTH)))
    shown_as: dict[str, str] = {}
    texts: dict[str | None, tuple[Output, ...]] = {}
    for item in range(ITEMS):
        row = {f"Text {next(numbers)}{worth}": arm for arm, worth in WORTH.items()}
        texts[f"Question {item}?"] = tuple(map(Output, row))
        shown_as |= row
    prompts = {item: Output(item) for item in texts}
    return Material("Texts", tuple(WORTH), texts, prompts), shown_as


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in ("asking", "recording"):
        monkeypatch.setattr(f"duelist.study.{module}.time", clock)
    return clock


@pytest.fixture
def crowd(tmp_path: Path, clock: Clock) -> Iterator[tuple[RunningService, Crowd]]:
    material, shown_as = outputs()
    with Database(tmp_path / "a.db") as database:
        Study(arms=material.arms, journal=database.journal(STUDY), seed=5)
    with arena(tmp_path / "a.db", material, share=True) as running:
        live = running.app.state.live
        running.wait(live.find(STUDY))
        live.worker = 0  # with the seed, all that luck depends on
        live.forget(STUDY)
        yield running, Crowd(running, clock, shown_as)


def finding_on(page: httpx.Response) -> str:
    return plain(re.findall(r'<p class="finding".*?</p>', page.text)[0])


def marks_on(page: httpx.Response) -> dict[str, list[str]]:
    """Return what the dashboard says of each voter."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page.text, re.DOTALL)
    return {
        plain(name): [plain(mark) for mark in re.findall(r'<span class="mark">(.*?)</span>', cells)]
        for name, cells in rows
        if "marks" in cells
    }


def test_a_crowd_votes_until_the_arena_is_sure(tmp_path: Path, crowd: tuple[RunningService, Crowd]) -> None:
    running, people = crowd
    owner = running.visitor(Session(voter="owner", role="admin"))
    people.vote(HONEST[0], 2.0, "tie")
    people.undo()
    people.vote(HONEST[0], 2.0)
    assert people.said[0][1:4] == people.said[1][1:4]
    rounds = 0
    while "Undecided" in finding_on(owner.get("/leaderboard")):
        people.round()
        rounds += 1
        assert rounds < 30
    board, dashboard, votes = owner.get("/leaderboard"), owner.get("/dashboard"), people.votes()
    assert finding_on(board).startswith(f"{BEST} is the winner: it beats every other arm.")
    assert finding_on(dashboard) == finding_on(board)
    for page in (board, dashboard):
        assert f"{votes.total()} votes by 20 people" in page.text
    first = re.findall(r'<tr><th scope="row">(.*?)</th>', board.text)[0]
    assert plain(first) == BEST

    marks = marks_on(dashboard)
    assert {*marks} == {*votes}
    assert next(iter(marks)) == STUFFER
    fast, one_arm = marks.pop(STUFFER)
    assert fast == "cast 10 votes within 10 seconds"
    assert re.search(rf"{STUFFED} in (\d+) of \1 votes", one_arm)
    assert not any(marks[name] for name in HONEST)

    assert sorted(Counter(said.status for said in people.said)) == ["counted", "retracted", "skipped"]
    lines = [json.loads(line) for line in owner.get("/votes.jsonl").text.splitlines()]
    table = [*csv.DictReader(StringIO(owner.get("/votes.csv").text))]
    assert [tuple(line[field] for field in Said._fields) for line in lines] == people.said
    assert [tuple(row[field] or None for field in Said._fields) for row in table] == people.said
    with Database(tmp_path / "a.db") as database:
        study = Study.open(database.journal(STUDY))
        assert (study.answers, study.verdict().winner) == (votes.total(), BEST)
