"""A real service on its socket: host names, and unusual HTTP."""

import json
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from sockets import Served, on_socket, serving_studies

from duelist.service import Settings, create_app
from duelist.service.serving import TimeoutProtocol

ASK = b"/api/studies/home/ask"


class Wire:
    """Sends bytes as they are, and reads answers one after the other."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30.0)
        self._received = b""

    def send(self, *lines: bytes, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        """Send a request of these lines; return the answer."""
        self.socket.sendall(b"\r\n".join([*lines, b"", b""]) + body)
        return self.read(b"HEAD " in lines[0])

    def read(self, head_only: bool = False) -> tuple[int, dict[str, str], bytes]:
        """Return the next answer: its status, headers and body."""
        head = self._until(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest if line)}
        length = 0 if head_only else int(headers.get("content-length", 0))
        while len(self._received) < length:
            self._receive()
        body, self._received = self._received[:length], self._received[length:]
        return int(first.split()[1]), headers, body

    def is_closed(self) -> bool:
        """Wait until the other side hangs up; return False if it answers instead."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _until(self, end: bytes) -> bytes:
        while end not in self._received:
            self._receive()
        head, _, self._received = self._received.partition(end)
        return head

    def _receive(self) -> None:
        more = self.socket.recv(65_536)
        if not more:
            raise ConnectionError(f"hung up after {self._received!r}")
        self._received += more

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()


def exchange(port: int, *lines: bytes, body: bytes = b"") -> tuple[int, str]:
    """Return the status of an answer and the kind of error, over a new connection."""
    with Wire(port) as wire:
        status, headers, content = wire.send(*lines, body=body)
    is_json = content and headers.get("content-type") == "application/json"
    return status, json.loads(content).get("error", "") if is_json else ""


def test_requests_of_every_form(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving_studies(tmp_path / "studies.db", logs=True) as served:
        send_every_form(served.port)
    log = capfd.readouterr().err
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert len(lines) > 50
    assert not [line for line in lines if line.get("level") == "error" or line.get("status", 0) >= 500]
    assert "Traceback" not in log


def send_every_form(port: int) -> None:
    own = b"Host: 127.0.0.1:%d" % port
    kind = b"Content-Type: application/json"

    def post(path: bytes, *headers: bytes, body: bytes = b"{}") -> tuple[int, str]:
        return exchange(
            port, b"POST " + path + b" HTTP/1.1", *headers, kind, b"Content-Length: %d" % len(body), body=body
        )

    assert post(b"/api/studies", own, body=b'{"name": "home", "arms": ["a", "b"]}') == (201, "")
    names(port)
    origins(post, port)
    forms_of_requests(port, own, kind)
    methods(port, own)


def names(port: int) -> None:
    """Only names of this machine open the service."""
    for host, status in (
        (b"127.0.0.1", 200),
        (b"127.0.0.1:%d" % port, 200),
        (b"LOCALHOST:%d" % port, 200),
        (b"[::1]:%d" % port, 200),
        (b"localhost.", 403),
        (b"localhost.evil.example", 403),
        (b"127.0.0.1.evil.example", 403),
        (b"evil.example", 403),
        (b"evil.example:%d" % port, 403),
        (b"127.0.0.1@evil.example", 403),
        (b"127.1", 403),
        (b"0x7f000001", 403),
        (b"0.0.0.0", 403),
        (b"[::1]evil.example", 403),
        (b"\xff\xfe", 403),
        (b"", 403),
    ):
        assert exchange(port, b"GET /healthz HTTP/1.1", b"Host: " + host)[0] == status, host
    assert exchange(port, b"GET /healthz HTTP/1.1") in ((400, ""), (403, "HostError"))
    assert exchange(port, b"GET /healthz HTTP/1.0")[0] == 403
    for hosts in ((b"Host: evil.example", b"Host: localhost"), (b"Host: localhost", b"Host: evil.example")):
        assert exchange(port, b"GET /healthz HTTP/1.1", *hosts)[0] == 400
    # in the absolute form of a request, what counts is still the Host header
    absolute = b"GET http://evil.example/healthz HTTP/1.1"
    assert exchange(port, absolute, b"Host: evil.example")[0] == 403
    assert exchange(port, absolute, b"Host: localhost")[0] == 200


def origins(post: Callable[..., tuple[int, str]], port: int) -> None:
    """No page of another site writes."""
    own = b"Host: 127.0.0.1:%d" % port
    for origin, status in (
        (b"http://127.0.0.1:%d" % port, 200),
        (b"HTTP://127.0.0.1:%d" % port, 200),
        (b"http://127.0.0.1", 403),
        (b"http://127.0.0.1:%d.evil.example" % port, 403),
        (b"http://evil.example:%d" % port, 403),
        (b"http://evil@127.0.0.1:%d" % port, 403),
        (b"http://localhost:%d" % port, 403),
        (b"file://127.0.0.1:%d" % port, 403),
        (b"null", 403),
        (b"", 403),
        (b"http://[", 403),
        (b"http://[::1", 403),
        (b"\xff", 403),
    ):
        assert post(ASK, own, b"Origin: " + origin)[0] == status, origin


def forms_of_requests(port: int, own: bytes, kind: bytes) -> None:
    """HTTP that few clients speak is answered, or refused."""
    first = b"POST " + ASK + b" HTTP/1.1"
    chunks = (first, own, kind, b"Transfer-Encoding: chunked")
    assert exchange(port, *chunks, body=b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n") == (200, "")
    assert exchange(port, *chunks, body=b"zz\r\n{}\r\n0\r\n\r\n")[0] == 400
    assert exchange(port, *chunks, b"Content-Length: 2", body=b"2\r\n{}\r\n0\r\n\r\n")[0] == 400
    assert exchange(port, first, own, kind, b"Content-Length: -1")[0] == 400
    assert exchange(port, first, own, kind, b"Content-Length: 2", b"Content-Length: 3", body=b"{} ")[0] == 400
    assert exchange(port, first, own, kind, b"Content-Length: 99999999999") == (413, "SizeError")
    assert exchange(port, b"GET /\xff HTTP/1.1", own)[0] in (400, 404)
    assert exchange(port, b"GET /%ff%00%0d%0aX: y HTTP/1.1", own)[0] in (400, 404)
    assert exchange(port, b"GET /" + b"a" * 70_000 + b" HTTP/1.1", own)[0] in (400, 404)
    assert exchange(port, b"GET /healthz HTTP/1.1", own, b"X: " + b"a" * 1_000_000)[0] in (400, 200)
    assert exchange(port, b"NONSENSE")[0] == 400
    upgrade = (b"Upgrade: websocket", b"Connection: Upgrade")
    assert exchange(port, b"GET /healthz HTTP/1.1", own, *upgrade)[0] == 200
    with Wire(port) as wire:
        expecting = (first, own, kind, b"Content-Length: 2", b"Expect: 100-continue")
        assert wire.send(*expecting)[0] == 100
        wire.socket.sendall(b"{}")
        assert wire.read()[0] == 200
        # three requests at once are answered in their order
        one = b"GET /healthz HTTP/1.1\r\n" + own + b"\r\n\r\n"
        wire.socket.sendall(one + one.replace(b"healthz", b"nothing") + one)
        assert [wire.read()[0] for _ in range(3)] == [200, 404, 200]
        status, headers, _ = wire.send(b"GET /healthz HTTP/1.0", own)
        assert (status, headers["connection"]) == (200, "close")
        assert wire.is_closed()


def methods(port: int, own: bytes) -> None:
    """What a path does not know it refuses, whatever the path."""
    studies = (b"/api/studies", b"/api/studies/home", ASK)
    paths = (b"/healthz", b"/metrics", b"/openapi.json", b"/nothing", *studies)
    for method in (b"HEAD", b"OPTIONS", b"PUT", b"PATCH", b"TRACE", b"CONNECT", b"DELETE", b"GET"):
        for path in paths[:4] if method == b"DELETE" else paths:
            status, _ = exchange(port, method + b" " + path + b" HTTP/1.1", own)
            known = method == b"GET" and path not in (ASK, b"/nothing")
            known |= (method, path) == (b"HEAD", b"/openapi.json")
            assert status in ((200,) if known else (400, 404, 405, 415)), (method, path)


class HastyProtocol(TimeoutProtocol):
    """One that does not wait for long."""

    head_timeout = 0.2
    body_timeout = 0.4


def hasty(folder: Path) -> AbstractContextManager[Served]:
    """Serve with a short time-out for the block."""
    app = create_app(Settings(database=str(folder / "studies.db"), is_open=True, logs=False))
    return on_socket(app, http=HastyProtocol, timeout_keep_alive=1)


def test_nobody_keeps_a_connection_without_sending(tmp_path: Path) -> None:
    with hasty(tmp_path) as served:
        head = b"POST /api/studies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        half = head + b"Content-Length: 5\r\n\r\n{"
        beginnings = [b"", b"\r\n", b"G", b"GET / HTTP/1.1\r\nX: ", head, half]
        wires = [Wire(served.port) for _ in range(60)]
        for place, wire in enumerate(wires):
            wire.socket.sendall(beginnings[place % len(beginnings)])
        with Wire(served.port) as wire:
            whole = (b"GET /healthz HTTP/1.1", b"Host: localhost")
            assert wire.send(*whole)[0] == 200, "it serves others meanwhile"
            # after a request too, half of the next one is not waited for
            wire.socket.sendall(b"GET /hea")
            assert wire.is_closed()
        for wire in wires:
            with wire:
                wire.socket.settimeout(30.0)
                assert not wire.socket.recv(10_000) or wire.is_closed()


def test_a_head_without_an_end_is_not_kept(tmp_path: Path) -> None:
    with hasty(tmp_path) as served, Wire(served.port) as wire:
        wire.socket.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000)
        status, _, _ = wire.read()
        assert status == 400
        assert wire.is_closed()
