"""An endpoint of chat completions on this machine, whose answers are given by a function."""

import json
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from threading import Thread
from typing import Any, NamedTuple

Respond = Callable[[dict[str, Any]], "Response"]


class Response(NamedTuple):
    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    pieces: Iterable[bytes] = ()
    """Sent after the body, one by one, until the client disconnects."""


def reply(text: object, **fields: Any) -> Response:
    """What an endpoint answers whose model replies with a text."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, **fields}
    return Response(body=json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


def fault(status: int, message: str = "no", **headers: str) -> Response:
    return Response(status, json.dumps({"error": {"message": message}}).encode(), (*headers.items(),))


class Endpoint:
    """Serves while the block runs, and keeps what it was sent."""

    def __init__(self, respond: Respond) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.bodies.append(body)
                endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
                endpoint.paths.append(self.path)
                response = respond(body)
                self.close_connection = True
                if response.status == 0:  # closes the connection without an answer
                    return
                self.send_response(response.status)
                for name, value in response.headers:
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                try:
                    for piece in chain([response.body], response.pieces):
                        self.wfile.write(piece)
                except OSError:
                    pass

            def log_message(self, *given: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> "Endpoint":
        self._thread.start()
        return self

    def __exit__(self, *given: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
