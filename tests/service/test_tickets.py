"""Forged and garbled tickets: none is accepted, nothing is written."""

import string
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from service.caller import PlainCaller, plainly_serving

HOME = "/api/studies/home"
ARMS = [f"arm {number}" for number in range(300)]
RANKINGS = {name: ["d1", "d2", f"d of {name}"] for name in ARMS}
ROUTES: dict[str, dict[str, Any]] = {
    "tell": {"outcome": "left"},
    "skip": {},
    "retract": {},
    "clicks": {"clicked": ["d1"]},
    "interleave": {"rankings": {"arm 0": ["d1"], "arm 1": ["d2"]}},
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainCaller]:
    with plainly_serving(str(tmp_path_factory.mktemp("service") / "studies.db")) as client:
        for name in ("home", "other"):
            begun = client.post("/api/studies", name=name, arms=ARMS, learner={"name": "Uniform"})
            assert begun.status_code == 201
        yield client


@pytest.fixture(scope="module")
def duel(client: PlainCaller) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(f"{HOME}/ask").json()
    return answer


def listed(client: PlainCaller, duel: dict[str, Any]) -> dict[str, Any]:
    """Return a list that was made for a duel."""
    rankings = {side: RANKINGS[side] for side in (duel["left"], duel["right"])}
    answer: dict[str, Any] = client.post(
        f"{HOME}/interleave", ticket=duel["ticket"], rankings=rankings
    ).json()
    return answer


def recorded(client: PlainCaller) -> str:
    """Return all that is on record."""
    return client.get(f"{HOME}/votes", all=True).text


def flipped(text: str, bit: int) -> str:
    """Return a ticket with one bit of what it carries flipped."""
    sealed = bytearray(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    sealed[bit // 8] ^= 1 << bit % 8
    return urlsafe_b64encode(sealed).decode().rstrip("=")


def forgeries(ticket: str) -> Iterator[str]:
    """Yield texts that look like tickets."""
    size = len(ticket) * 6 // 8 * 8
    yield from (flipped(ticket, bit) for bit in Random(0).sample(range(size), 150))
    yield from (flipped(ticket, bit) for bit in range(48))  # the key's id, and the first bits of the nonce
    yield from (ticket[:length] for length in (1, 4, 5, 6, 21, 22, 38, 43, 65, 100, len(ticket) - 1))
    yield from (ticket + more for more in ("A", "AA", "AAAA", "=", "==", "\n", " ", "\0", ticket))
    yield from (f" {ticket}", ticket.swapcase(), ticket[::-1], ticket[4:], ticket[4:] + ticket[:4])
    yield from (
        "é" * len(ticket),
        "\uff11" * 32,
        "\u202e" + ticket,
        "🎲",
        "%00",
        "../../etc/passwd",
        "' OR 1=1 --",
    )
    yield b64encode(urlsafe_b64decode(ticket + "=" * (-len(ticket) % 4))).decode() + "="
    rng = Random(1)
    for length in (16, 65, len(ticket), 1000):
        yield "".join(rng.choices(string.ascii_letters + string.digits + "-_", k=length))


def test_no_forgery_is_accepted_and_nothing_is_written(client: PlainCaller, duel: dict[str, Any]) -> None:
    before = recorded(client)
    kept = client.app.state.live.database.journal("home").read()
    tickets = [duel["ticket"], listed(client, duel)["ticket"]]
    for place, forged in enumerate(text for ticket in tickets for text in forgeries(ticket)):
        route = list(ROUTES)[place % len(ROUTES)]
        answer = client.post(f"{HOME}/{route}", ticket=forged, **ROUTES[route])
        assert (answer.status_code, answer.json()["error"]) == (404, "TicketError"), (route, forged)
    assert recorded(client) == before
    assert client.app.state.live.database.journal("home").read() == kept


def test_every_route_refuses_what_is_not_its_own(client: PlainCaller, tmp_path: Path) -> None:
    before = recorded(client)
    foreign = client.post("/api/studies/other/ask").json()["ticket"]
    with plainly_serving(str(tmp_path / "elsewhere.db")) as elsewhere:
        elsewhere.post("/api/studies", name="home", arms=["a", "b"])
        foreign_key = elsewhere.post(f"{HOME}/ask").json()["ticket"]
    for route, body in ROUTES.items():
        for ticket in (foreign, foreign_key):
            answer = client.post(f"{HOME}/{route}", ticket=ticket, **body)
            assert (answer.status_code, answer.json()["error"]) == (404, "TicketError"), route
        for ticket, status in (("", 422), ("x" * 400_001, 422), ("x" * 10_000_000, 413)):
            assert client.post(f"{HOME}/{route}", ticket=ticket, **body).status_code == status
        for wrong in (None, 7, [foreign], {"ticket": foreign}, True):
            assert client.post(f"{HOME}/{route}", ticket=wrong, **body).status_code == 422
        assert client.post(f"{HOME}/{route}", **body).status_code == 422
        lone = b'{"ticket": "\\ud800", "outcome": "left", "clicked": []}'
        assert client.send(f"{HOME}/{route}", lone).status_code == 422
    assert recorded(client) == before


def test_a_duel_is_not_clicked_and_a_list_is_told_as_its_duel(client: PlainCaller) -> None:
    duel = client.post(f"{HOME}/ask").json()
    page = listed(client, duel)
    clicked = client.post(f"{HOME}/clicks", ticket=duel["ticket"], clicked=["d1"])
    assert (clicked.status_code, clicked.json()["error"]) == (404, "TicketError")
    unseen = client.post(f"{HOME}/clicks", ticket=page["ticket"], clicked=["not there"])
    assert (unseen.status_code, unseen.json()["error"]) == (422, "OutcomeError")
    # both carry the same duel, which is answered once, by whichever comes first
    assert client.post(f"{HOME}/tell", ticket=page["ticket"], outcome="left").status_code == 200
    assert client.post(f"{HOME}/tell", ticket=duel["ticket"], outcome="left").status_code == 200
    assert client.post(f"{HOME}/tell", ticket=duel["ticket"], outcome="right").status_code == 409
    late = client.post(f"{HOME}/clicks", ticket=page["ticket"], clicked=["d1"], final=True)
    assert (late.status_code, late.json()["error"]) == (409, "ConflictError")
    assert client.get(HOME).json()["answers"] == 1


def test_a_ticket_tells_nothing_about_its_arms(client: PlainCaller) -> None:
    duels: list[dict[str, Any]] = []
    for _ in range(20):
        duels += client.post(f"{HOME}/ask", n=100).json()["duels"]
    # numbers below 128, 256 and above take 1, 2 and 3 bytes
    sides = [ARMS.index(duel[side]) for duel in duels for side in ("left", "right")]
    assert min(Counter((side > 127) + (side > 255) for side in sides).values()) > 100
    tickets = [duel["ticket"] for duel in duels]
    assert len({len(ticket) for ticket in tickets}) == 1
    assert len(set(tickets)) == len(tickets)
    # behind the key's id, every character is uniformly distributed: of 2,000 tickets, a
    # letter is at a given index 31 times, and 8 standard deviations are 45
    first = len(tickets[0]) - len(tickets[0]) % 4 - 4
    for place in range(6, first):
        letters = Counter(ticket[place] for ticket in tickets)
        assert max(letters.values()) < 31 + 45, (place, letters.most_common(3))
    # and does not depend on which arm is on the left
    low = [ticket for ticket, duel in zip(tickets, duels, strict=True) if ARMS.index(duel["left"]) < 150]
    for place in range(6, first):
        share = sum(ticket[place] in string.ascii_uppercase for ticket in low) / len(low)
        assert abs(share - 26 / 64) < 0.1, place
