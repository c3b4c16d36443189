"""Requests sent as fast as they are answered, over a few connections."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from time import perf_counter
from typing import NamedTuple


class Load(NamedTuple):
    """What came of many requests."""

    rate: float
    """Answers a second."""
    median: float
    """Seconds until an answer."""
    slowest: float
    """Seconds that one in a hundred took longer than."""
    refused: int
    """Answers that were not 200."""
    bodies: list[bytes]


class Sender(asyncio.Protocol):
    """One connection: sends a request, waits for its answer, sends the next."""

    def __init__(self, requests: Iterator[bytes], done: "asyncio.Future[None]") -> None:
        self._requests, self._done = requests, done
        self._received, self._sent = b"", 0.0
        self.seconds: list[float] = []
        self.refused = 0
        self.bodies: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def _send(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            self._done.set_result(None)
            return
        self._sent = perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        place = head.lower().find(b"content-length: ")
        length = int(head[place + 16 :].split(b"\r", 1)[0])
        if len(body) < length:
            return
        self.seconds.append(perf_counter() - self._sent)
        self.refused += not head.startswith(b"HTTP/1.1 200")
        self.bodies.append(body)
        self._received = b""
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(error or ConnectionError("the service hung up"))


def post(path: str, body: bytes = b"{}") -> bytes:
    """Return a request as it is sent."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def hammer(port: int, requests: Sequence[bytes], connections: int = 16, times: int = 1) -> Load:
    """Send all requests, each `times` times, over so many connections at once."""

    async def send() -> tuple[float, list[Sender]]:
        loop = asyncio.get_running_loop()
        waiting = islice(cycle(requests), times * len(requests))
        senders, ends = [], []
        started = perf_counter()
        for _ in range(connections):
            done = loop.create_future()
            make = partial(Sender, waiting, done)
            _, sender = await loop.create_connection(make, "127.0.0.1", port)
            senders.append(sender)
            ends.append(done)
        await asyncio.gather(*ends)
        return perf_counter() - started, senders

    took, senders = asyncio.run(send())
    seconds = sorted(one for sender in senders for one in sender.seconds)
    return Load(
        len(seconds) / took,
        seconds[len(seconds) // 2],
        seconds[int(0.99 * len(seconds))],
        sum(sender.refused for sender in senders),
        [body for sender in senders for body in sender.bodies],
    )
