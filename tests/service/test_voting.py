"""Asking and telling over HTTP: the guarantees about tickets, and the answer in each case."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from service.caller import Caller, serving

ARMS = ["a", "b", "c"]


def run(work: Callable[[Caller], Awaitable[None]], place: str, **settings: Any) -> None:
    async def main() -> None:
        async with serving(place, **settings) as caller:
            created = await caller.post("/api/studies", name="home", arms=ARMS)
            assert created.status_code == 201, created.text
            await work(caller)

    asyncio.run(main())


def test_a_vote_from_ask_to_leader(place: str) -> None:
    async def work(caller: Caller) -> None:
        duel = (await caller.post("/api/studies/home/ask", voter="visitor-17")).json()
        assert duel.keys() == {"left", "right", "ticket", "propensity", "item"}
        assert {duel["left"], duel["right"]} < set(ARMS)
        told = await caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome="left")
        assert (told.status_code, told.json()) == (200, {"recorded": True, "late": False})
        study = (await caller.get("/api/studies/home")).json()
        assert (study["answers"], study["leader"], study["done"]) == (1, duel["left"], False)
        [line] = (await caller.get("/api/studies/home/votes")).text.splitlines()
        assert f'"left":"{duel["left"]}"' in line
        assert duel["ticket"] not in line

    run(work, place)


def test_many_duels_at_once(place: str) -> None:
    async def work(caller: Caller) -> None:
        # a named voter sees a pair once; without a name, the learner may repeat one
        answer = (await caller.post("/api/studies/home/ask", n=3, voter="v")).json()
        assert answer.keys() == {"duels"}
        pairs = {frozenset((duel["left"], duel["right"])) for duel in answer["duels"]}
        assert len(pairs) == 3

    run(work, place)


def test_a_voter_gets_the_same_duel_until_it_is_answered(place: str) -> None:
    async def work(caller: Caller) -> None:
        first = (await caller.post("/api/studies/home/ask", voter="v")).json()
        assert (await caller.post("/api/studies/home/ask", voter="v")).json() == first
        await caller.post("/api/studies/home/tell", ticket=first["ticket"], outcome="tie")
        second = (await caller.post("/api/studies/home/ask", voter="v")).json()
        assert {second["left"], second["right"]} != {first["left"], first["right"]}
        assert (await caller.post("/api/studies/home/skip", ticket=second["ticket"])).status_code == 200
        third = (await caller.post("/api/studies/home/ask", voter="v")).json()
        assert {third["left"], third["right"]} not in (
            {first["left"], first["right"]},
            {second["left"], second["right"]},
        )

    run(work, place)


def test_what_each_case_answers(place: str) -> None:
    async def work(caller: Caller) -> None:
        async def tell(ticket: str, outcome: Any) -> tuple[int, str]:
            answer = await caller.post("/api/studies/home/tell", ticket=ticket, outcome=outcome)
            return answer.status_code, answer.json().get("error", "")

        async def send(route: str, ticket: str) -> tuple[int, str]:
            answer = await caller.post(f"/api/studies/home/{route}", ticket=ticket)
            return answer.status_code, answer.json().get("error", "")

        async def answers() -> int:
            return int((await caller.get("/api/studies/home")).json()["answers"])

        one, two, three = (await caller.post("/api/studies/home/ask", n=3)).json()["duels"]
        assert await tell(one["ticket"], "left") == (200, "")
        assert await tell(one["ticket"], "left") == (200, "")
        assert await tell(one["ticket"], "right") == (409, "ConflictError")
        assert await send("skip", one["ticket"]) == (409, "ConflictError")
        assert await answers() == 1
        assert await tell("forged", "left") == (404, "TicketError")
        assert await tell(one["ticket"][:-4] + "AAAA", "left") == (404, "TicketError")
        assert await tell("ö" * 40, "left") == (404, "TicketError")
        assert await tell(two["ticket"], "both") == (422, "ParameterError")
        assert await tell(two["ticket"], 1.5) == (422, "ParameterError")
        assert await send("retract", two["ticket"]) == (404, "TicketError")
        wrong_pair = {"left": two["right"], "right": two["left"]}
        for route, body in (("tell", {"outcome": "left"}), ("skip", {}), ("retract", {})):
            answer = await caller.post(
                f"/api/studies/home/{route}", ticket=two["ticket"], **wrong_pair, **body
            )
            assert (answer.status_code, answer.json()["error"]) == (404, "TicketError"), route
        assert await answers() == 1
        assert await send("skip", two["ticket"]) == (200, "")
        assert await send("skip", two["ticket"]) == (200, "")
        assert await tell(two["ticket"], "left") == (409, "ConflictError")
        assert await send("retract", one["ticket"]) == (200, "")
        assert await send("retract", one["ticket"]) == (200, "")
        assert await tell(one["ticket"], "left") == (409, "ConflictError")
        assert await answers() == 0
        assert await tell(three["ticket"], 0.25) == (200, "")
        assert await answers() == 1
        other = await caller.post("/api/studies", name="other", arms=ARMS)
        assert other.status_code == 201
        foreign = (await caller.post("/api/studies/other/ask")).json()
        assert await tell(foreign["ticket"], "left") == (404, "TicketError")
        assert (await caller.post("/api/studies/home/close")).status_code == 200
        assert await tell(three["ticket"], 0.25) == (200, "")
        assert (await caller.post("/api/studies/home/ask")).status_code == 409

    run(work, place)


def test_a_study_made_again_under_its_name_accepts_no_old_ticket(place: str) -> None:
    async def work(caller: Caller) -> None:
        old = (await caller.post("/api/studies/home/ask")).json()
        assert (await caller.http.delete("/api/studies/home")).status_code == 204
        assert (await caller.get("/api/studies/home")).status_code == 404
        assert (await caller.post("/api/studies", name="home", arms=ARMS)).status_code == 201
        told = await caller.post("/api/studies/home/tell", ticket=old["ticket"], outcome="left")
        assert (told.status_code, told.json()["error"]) == (404, "TicketError")
        assert (await caller.get("/api/studies/home")).json()["answers"] == 0

    run(work, place)


def test_a_request_that_is_cancelled_takes_nothing_back(place: str) -> None:
    async def work(caller: Caller) -> None:
        duels = (await caller.post("/api/studies/home/ask", n=20)).json()["duels"]
        tells = [
            asyncio.ensure_future(
                caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome="left")
            )
            for duel in duels
        ]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for task in tells[::2]:
            task.cancel()
        answers = await asyncio.gather(*tells, return_exceptions=True)
        kept = [one.status_code for one in answers if not isinstance(one, BaseException)]
        assert kept == [200] * 10
        # the cancelled caller tells again: the same answer, counted once
        for duel in duels:
            told = await caller.post("/api/studies/home/tell", ticket=duel["ticket"], outcome="left")
            assert told.status_code == 200
        assert (await caller.get("/api/studies/home")).json()["answers"] == 20

    run(work, place)
