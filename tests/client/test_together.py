"""Concurrency: tasks and threads share a client, and every vote counts once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from client.proxy import Proxy
from refusals import refused
from sockets import Served

from duelist import RUCB, Arm
from duelist.client import AsyncClient, AsyncStudy, Client
from duelist.errors import ConflictError, ParameterError, UnknownNameError
from duelist.study import Vote


def test_twenty_tasks_vote_at_once(service: Served, client: Client, name: str) -> None:
    async def visit(home: AsyncStudy, number: int) -> set[str]:
        pairs = set()
        for _ in range(3):
            duel = await home.ask(voter=f"visitor-{number}")
            await home.tell(duel, "left" if duel.left < duel.right else "right")
            pairs.add(f"{min(duel[:2])}{max(duel[:2])}")
        return pairs

    async def main() -> list[set[str]]:
        async with AsyncClient(service.url, timeout=60.0) as connected:
            home = await connected.create(name, ["a", "b", "c"])
            return await asyncio.gather(*(visit(home, number) for number in range(20)))

    assert asyncio.run(main()) == [{"ab", "ac", "bc"}] * 20
    study = client.study(name)
    assert (study.answers, study.best(), study.verdict().winner) == (60, "a", "a")


def test_everything_can_be_awaited(service: Served, name: str) -> None:
    async def main() -> None:
        async with AsyncClient(service.url, timeout=60.0) as client:
            assert isinstance(await client.ready(), bool)
            home = await client.create(name, ["a", Arm("b", text="second"), "c"], learner=RUCB(), seed=3)
            assert repr(home) == f"<study {name!r} of {service.url}>"
            assert name in await client.studies()
            first, second, third = await home.ask(n=3)
            await home.tell(first, "left")
            await home.skip(second)
            await home.retract(first)
            with pytest.raises(ConflictError):
                await home.tell(first, "left")
            rankings = {third.left: ["x"], third.right: ["y"]}
            shown = await home.interleave(third, rankings)
            await home.clicks(shown.ticket, ["x"], final=True)
            row = {"left": "a", "right": "b", "outcome": "left", "ticket": "of-another-program"}
            assert (await home.import_votes([row]), await home.import_votes([row])) == (1, 0)
            await home.retract("of-another-program")
            await home.add_arm("d")
            await home.retire_arm("d")
            await home.change_learner(RUCB(alpha=0.6))
            assert (await home.answers(), await home.arms()) == (1, ("a", "b", "c"))
            assert (await home.arm("b"), await home.learner()) == (Arm("b", "second"), RUCB(alpha=0.6))
            assert await home.best() == third.left
            verdict = await home.verdict()
            assert (verdict.finding, verdict.confidence) == ("undecided", await home.confidence())
            assert not await home.done()
            low, high = await home.votes_left()
            assert 0 < low <= high
            [vote] = await home.votes()
            assert type(vote) is Vote
            assert (vote.left, vote.right, vote.outcome) == (third.left, third.right, "left")
            await home.close()
            await client.remove(name)
            with pytest.raises(UnknownNameError):
                await client.study(name).ask()

    asyncio.run(main())


def test_threads_share_a_client(client: Client, name: str) -> None:
    home = client.create(name, ["a", "b"])

    def vote(number: int) -> None:
        for _ in range(5):
            home.tell(home.ask(), "tie")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(vote, range(8)))
    assert home.answers == 40
    assert len({row.ticket for row in home.votes()}) == 40


def test_a_client_without_await_is_used_where_a_loop_runs(service: Served, name: str) -> None:
    async def main() -> int:
        with Client(service.url, timeout=60.0) as client:
            home = client.create(name, ["a", "b"])
            home.tell(home.ask(), "left")
            return home.answers

    assert asyncio.run(main()) == 1


def test_an_interrupt_ends_a_call_that_waits(service: Served) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with Proxy(service.port, "refuse") as proxy, Client(proxy.url, timeout=60.0, sleep=interrupt) as client:
        with pytest.raises(KeyboardInterrupt):
            client.studies()
        assert isinstance(client.studies(), list)


def test_calls_share_a_connection(service: Served) -> None:
    with Proxy(service.port) as proxy, Client(proxy.url, timeout=60.0) as client:
        for _ in range(3):
            client.studies()
        assert len(proxy.requests) == 1


def test_a_client_that_was_closed_sends_nothing(service: Served) -> None:
    with Client(service.url) as client:
        client.studies()
    with refused(ParameterError, "client is closed"):
        client.studies()

    async def main() -> None:
        async with AsyncClient(service.url) as connected:
            await connected.studies()
        with refused(ParameterError, "client is closed"):
            await connected.studies()

    asyncio.run(main())
