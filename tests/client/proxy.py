"""A proxy between client and service that fails in the ways networks do."""

import socket
import threading
from collections import deque
from types import TracebackType
from typing import Literal

Fate = Literal["pass", "refuse", "lose", "stall"]
"""What becomes of a connection: all is passed on; it is closed at once; the answer to its first request is
lost after the service has given it; or that answer does not come, and the connection stays open."""


class Proxy:
    """Listens on a port its own and passes connections on to a service, each by its fate.

    Parameters
    ----------
    port : int
        Where the service listens.
    fates : Fate
        Of the first connections; all further ones pass.
    """

    def __init__(self, port: int, *fates: Fate) -> None:
        self._port, self._fates = port, deque(fates)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = [self._listening]
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.requests: list[bytes] = []
        """The first request of each connection that was passed on."""

    def __enter__(self) -> "Proxy":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in self._sockets:
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            self._sockets.append(near)
            fate = self._fates.popleft() if self._fates else "pass"
            threading.Thread(target=self._serve, args=(near, fate), daemon=True).start()

    def _serve(self, near: socket.socket, fate: Fate) -> None:
        if fate == "refuse":
            near.close()
            return
        far = socket.create_connection(("127.0.0.1", self._port))
        self._sockets.append(far)
        request = whole_request(near)
        self.requests.append(request)
        far.sendall(request)
        answer = far.recv(65536)
        if fate == "lose":
            near.close()
        elif fate == "pass":
            near.sendall(answer)
            threading.Thread(target=pump, args=(near, far), daemon=True).start()
            pump(far, near)


def whole_request(near: socket.socket) -> bytes:
    """Return a request with all of its body."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += near.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += near.recv(65536)
    return head + b"\r\n\r\n" + body


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Pass on all that comes, until one end is closed."""
    try:
        while chunk := source.recv(65536):
            sink.sendall(chunk)
    except OSError:
        pass
    sink.close()
