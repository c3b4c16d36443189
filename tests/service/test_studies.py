"""Studies over HTTP: with arms, contexts and parameters; created, changed, read, imported into and closed."""

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from refusals import names
from service.caller import Caller, serving

from duelist import Study
from duelist.database import Database

ARMS = ["a", "b", "c"]


def run(work: Callable[[Caller], Awaitable[None]], folder: Path, **settings: Any) -> None:
    async def main() -> None:
        async with serving(str(folder / "studies.db"), **settings) as caller:
            await work(caller)

    asyncio.run(main())


def test_a_study_is_begun_once(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        learner = {"name": "RUCB", "alpha": 0.51}
        made = await caller.post("/api/studies", name="home", arms=ARMS, learner=learner)
        assert made.status_code == 201
        assert made.json()["learner"]["parameters"]["alpha"] == 0.51
        again = await caller.post("/api/studies", name="home", arms=ARMS, learner=learner)
        assert (again.status_code, again.json()) == (200, made.json())
        other = await caller.post("/api/studies", name="home", arms=[*ARMS, "d"], learner=learner)
        assert (other.status_code, other.json()["error"]) == (409, "ConflictError")
        assert str(tmp_path) not in other.text
        assert (await caller.get("/api/studies")).json() == {"studies": ["home"]}
        assert (await caller.get("/api/studies/nowhere")).status_code == 404
        for wrong in ("", "a b", "../x", "é", "x" * 101, ".hidden"):
            refused = await caller.post("/api/studies", name=wrong, arms=ARMS)
            assert refused.status_code == 422, wrong
        unknown = await caller.post("/api/studies", name="u", arms=ARMS, learner={"name": "os:system"})
        assert unknown.status_code == 422
        alpha = await caller.post("/api/studies", name="u", arms=ARMS, learner={"name": "RUCB", "alpha": -1})
        assert (alpha.status_code, "alpha" in alpha.text) == (422, True)
        assert (await caller.get("/api/studies")).json() == {"studies": ["home"]}

    run(work, tmp_path)


def test_two_who_begin_the_same_study_at_once_begin_one(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        made = await asyncio.gather(*(caller.post("/api/studies", name="home", arms=ARMS) for _ in range(8)))
        assert {one.status_code for one in made} <= {200, 201}
        duel = (await caller.post("/api/studies/home/ask")).json()
        told = await caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome="left")
        assert told.status_code == 200
        assert (await caller.get("/api/studies/home")).json()["answers"] == 1

    run(work, tmp_path)
    with Database(tmp_path / "studies.db") as database:
        assert [one.seq for one in database.journal("home").read()] == [1, 2]


def test_arms_come_and_go_and_the_learner_changes(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        first = {"name": "a", "text": "<b>bold</b>", "link": "https://example.org/a"}
        made = await caller.post("/api/studies", name="home", arms=[first, "b", "c"])
        assert made.json()["arms"][0] == {**first, "image": None, "retired": False}
        added = await caller.post("/api/studies/home/arms", name="d", image="https://example.org/d.png")
        assert [arm["name"] for arm in added.json()["arms"]] == ["a", "b", "c", "d"]
        retired = await caller.post("/api/studies/home/arms/retire", name="a")
        assert [arm["retired"] for arm in retired.json()["arms"]] == [True, False, False, False]
        for _ in range(20):
            duel = (await caller.post("/api/studies/home/ask")).json()
            assert "a" not in (duel["left"], duel["right"])
            await caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome="left")
        changed = await caller.post("/api/studies/home/learner", learner={"name": "Uniform"})
        assert changed.json()["learner"]["name"] == "Uniform"
        assert changed.json()["answers"] == 20
        for body in ({"name": "b"}, {"name": "e", "link": "javascript:alert(1)"}, {"name": "e\nf"}):
            assert (await caller.post("/api/studies/home/arms", **body)).status_code == 422, body
        assert (await caller.post("/api/studies/home/arms/retire", name="z")).status_code == 422
        many = await caller.post("/api/studies", name="many", arms=[str(number) for number in range(6)])
        assert (many.status_code, names(many.json()["detail"], 5, 6)) == (422, True)

    run(work, tmp_path, most_arms=5)


def test_a_study_in_contexts(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        learner = {"name": "LogisticDuels"}
        made = await caller.post(
            "/api/studies", name="home", arms=["a", "b"], learner=learner, context=[0.0, 0.0]
        )
        assert made.status_code == 201, made.text
        assert made.json()["leader"] is None
        for number in range(40):
            context = [1.0, 0.0] if number % 2 else [0.0, 1.0]
            duel = (await caller.post("/api/studies/home/ask", context=context)).json()
            better = "a" if number % 2 else "b"
            outcome = "left" if duel["left"] == better else "right"
            await caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome=outcome)
        for context, better in (([1.0, 0.0], "a"), ([0.0, 1.0], "b")):
            best = await caller.post("/api/studies/home/best", context=context)
            assert best.json() == {"best": better}
        assert (await caller.post("/api/studies/home/ask")).status_code == 422
        assert (await caller.get("/api/studies/home/verdict")).status_code == 422
        report = (await caller.get("/api/studies/home/report")).json()
        assert (report["answers"], report["verdict"]) == (40, None)

    run(work, tmp_path)


def test_a_study_of_knobs(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        made = await caller.post(
            "/api/studies",
            name="home",
            knobs={"x": {"low": 0, "high": 1}, "n": {"low": 1, "high": 8, "whole": True}},
            learner={"name": "PreferentialOptimization"},
        )
        assert made.status_code == 201, made.text
        for _ in range(6):
            duel = (await caller.post("/api/studies/home/ask", voter="v")).json()
            assert duel["left"].keys() == {"x", "n"}
            outcome = "left" if duel["left"]["x"] > duel["right"]["x"] else "right"
            told = await caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome=outcome)
            assert told.status_code == 200
        study = (await caller.get("/api/studies/home")).json()
        assert study["answers"] == 6
        assert study["leader"].keys() == {"x", "n"}
        assert (await caller.get("/api/studies/home/votes", format="csv")).text.count("\n") == 7
        wrong = {"low": 1, "high": 0}
        assert (await caller.post("/api/studies", name="w", knobs={"x": wrong})).status_code == 422

    run(work, tmp_path)


def test_votes_in_and_votes_out(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        await caller.post("/api/studies", name="home", arms=ARMS)
        rows: list[dict[str, Any]] = [
            {"left": "a", "right": "b", "outcome": "left", "voter": "Ann"},
            {"left": "c", "right": "b", "outcome": "tie", "time": "2026-11-01T10:00:00Z"},
            {"left": "c", "right": "b", "outcome": 0.25, "ticket": "mine"},
        ]
        assert (await caller.post("/api/studies/home/votes", votes=rows)).json() == {"new": 3}
        assert (await caller.post("/api/studies/home/votes", votes=rows)).json() == {"new": 0}
        lines = (await caller.get("/api/studies/home/votes")).text.splitlines()
        exported = [json.loads(line) for line in lines]
        assert [row["outcome"] for row in exported] == ["left", "tie", 0.25]
        await caller.post("/api/studies", name="copy", arms=ARMS)
        assert (await caller.post("/api/studies/copy/votes", votes=exported)).json() == {"new": 3}
        table = (await caller.get("/api/studies/home/votes", format="csv")).text
        [header, *fields] = csv.reader(io.StringIO(table))
        assert header == ["time", "voter", "left", "right", "outcome", "ticket", "status", "item"]
        assert [row[4] for row in fields] == ["left", "tie", "0.25"]
        broken: list[dict[str, Any]] = [{"left": "a"}, {"left": "a", "right": "z", "outcome": "left"}, {}]
        for wrong in broken:
            assert (await caller.post("/api/studies/home/votes", votes=[wrong])).status_code == 422
        conflict = [{**rows[2], "outcome": "left"}]
        assert (await caller.post("/api/studies/home/votes", votes=conflict)).status_code == 409
        assert (await caller.get("/api/studies/home")).json()["answers"] == 3

    run(work, tmp_path)


def test_what_a_report_says_is_what_the_library_says(tmp_path: Path) -> None:
    rows = [{"left": "a", "right": "b", "outcome": "left"}] * 30
    rows += [
        {"left": "b", "right": "c", "outcome": "left"},
        {"left": "c", "right": "a", "outcome": "right"},
    ] * 30

    async def work(caller: Caller) -> None:
        await caller.post("/api/studies", name="home", arms=ARMS)
        await caller.post("/api/studies/home/votes", votes=rows)
        report = (await caller.get("/api/studies/home/report")).json()
        assert report["wins"] == [[0, 30, 30], [0, 0, 30], [0, 0, 0]]
        assert report["verdict"]["winner"] == "a"
        assert report["votes_left"] == {"low": 0, "high": 0}
        assert report["traffic"][0] == {"arm": "a", "shown": 60, "share": pytest.approx(1 / 3), "won": 1.0}
        assert report["findings"]["winners"]["condorcet"] == "a"
        [first, *_] = report["findings"]["pairs"]
        assert 0.5 < first["lower"] < first["upper"] <= 1.0
        verdict = (await caller.get("/api/studies/home/verdict", delta=0.01)).json()
        assert verdict["text"] == str(study.verdict(delta=0.01))
        summary = (await caller.get("/api/studies/home")).json()
        assert (summary["done"], summary["leader"], summary["answers"]) == (True, "a", 90)
        assert summary["confidence"] == study.confidence()
        empty = await caller.post("/api/studies", name="empty", arms=ARMS)
        assert empty.status_code == 201
        assert (await caller.get("/api/studies/empty/report")).json()["findings"] is None

    study = Study(arms=ARMS)
    study.import_votes(rows)
    run(work, tmp_path)


def test_after_one_vote_its_winner_leads(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        arms = [f"p{number}" for number in range(1, 6)]
        for number in range(4):
            await caller.post("/api/studies", name=f"s{number}", arms=arms, seed=number)
            duel = (await caller.post(f"/api/studies/s{number}/ask")).json()
            await caller.post(f"/api/studies/s{number}/tell", ticket=duel["ticket"], outcome="left")
            best = (await caller.post(f"/api/studies/s{number}/best")).json()["best"]
            assert (await caller.get(f"/api/studies/s{number}")).json()["leader"] == best == duel["left"]

    run(work, tmp_path)


def test_many_arms_are_asked_and_told_but_not_forecast(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        await caller.post("/api/studies", name="big", arms=[str(number) for number in range(101)])
        await caller.post("/api/studies/big/votes", votes=[{"left": "1", "right": "2", "outcome": "left"}])
        assert (await caller.get("/api/studies/big/votes-left")).status_code == 422
        report = (await caller.get("/api/studies/big/report")).json()
        assert (report["votes_left"], report["findings"], report["answers"]) == (None, None, 1)

    run(work, tmp_path)


def test_lists_and_clicks(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        await caller.post("/api/studies", name="home", arms=["a", "b"], interleaving="balanced")
        duel = (await caller.post("/api/studies/home/ask", voter="v")).json()
        rankings = {duel["left"]: ["x", "y", "z"], duel["right"]: ["p", "q"]}
        sent = {"ticket": duel["ticket"], "rankings": rankings, "length": 2}
        first = (await caller.post("/api/studies/home/interleave", **sent)).json()
        assert (await caller.post("/api/studies/home/interleave", **sent)).json()["documents"] == first[
            "documents"
        ]
        more = (
            await caller.post("/api/studies/home/interleave", ticket=first["ticket"], length=2, page=2)
        ).json()
        assert len({*first["documents"], *more["documents"]}) == 4
        click = {"ticket": more["ticket"], "clicked": more["documents"][:1]}
        for _ in range(2):
            assert (await caller.post("/api/studies/home/clicks", **click)).status_code == 200
        assert (await caller.get("/api/studies/home")).json()["answers"] == 0
        # the same visitor asks again, which credits their clicks
        await caller.post("/api/studies/home/ask", voter="v")
        assert (await caller.get("/api/studies/home")).json()["answers"] == 1
        assert (await caller.post("/api/studies/home/clicks", **click)).status_code == 200
        late = await caller.post(
            "/api/studies/home/clicks", ticket=more["ticket"], clicked=first["documents"]
        )
        assert late.status_code == 409
        stray = await caller.post("/api/studies/home/clicks", ticket=more["ticket"], clicked=["nothing"])
        assert stray.status_code == 422

    run(work, tmp_path)


def test_clicks_are_settled_after_ten_minutes_and_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def click(caller: Caller) -> None:
        await caller.post("/api/studies", name="home", arms=["a", "b"])
        duel = (await caller.post("/api/studies/home/ask", voter="v")).json()
        rankings = {duel["left"]: ["x", "y"], duel["right"]: ["p", "q"]}
        shown = await caller.post("/api/studies/home/interleave", ticket=duel["ticket"], rankings=rankings)
        body = {"ticket": shown.json()["ticket"], "clicked": ["x"]}
        assert (await caller.post("/api/studies/home/clicks", **body)).status_code == 200

    async def wait(caller: Caller) -> None:
        for _ in range(200):
            if (await caller.get("/api/studies/home")).json()["answers"] == 1:
                return
            await asyncio.sleep(0.02)
        raise AssertionError("nothing was settled")

    run(click, tmp_path)
    monkeypatch.setattr("duelist.study.clicking.SETTLE_AFTER", 0.0)
    monkeypatch.setattr("duelist.service.app.SETTLE_EVERY", 0.02)
    run(wait, tmp_path)


def test_ready_when_studies_are_open_and_learners_compiled(tmp_path: Path) -> None:
    async def work(caller: Caller) -> None:
        assert (await caller.get("/healthz")).json() == {"status": "ok"}
        for _ in range(600):
            ready = await caller.get("/readyz")
            assert ready.status_code == (200 if ready.json()["ready"] else 503)
            if ready.status_code == 200:
                break
            await asyncio.sleep(0.1)
        assert ready.json() == {"ready": True, "journal": True, "studies": True, "kernels": True}
        await caller.post("/api/studies", name="home", arms=ARMS)
        counts = (await caller.get("/metrics")).text
        assert 'duelist_requests_total{route="/api/studies",status="201"} 1.0' in counts
        assert "duelist_studies 1.0" in counts

    run(work, tmp_path)
