"""The outermost middleware: checks of host, origin and body size, and the log of requests."""

import asyncio
import os
import re
from functools import lru_cache
from time import perf_counter
from traceback import extract_tb
from typing import Any

from duelist.service.failures import Refused, error_response, failure_of
from duelist.service.metrics import Metrics, write_line
from duelist.service.settings import Settings

SAFE = ("GET", "HEAD", "OPTIONS")
IMPORTS = 64
"""Factor by which the body of an import of votes may exceed the limit."""
API = "/api/"
"""Prefix of the API's paths; other paths are pages, whose forms carry CSRF tokens."""
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
TEXTS = ("application/json", "application/x-ndjson", "text/csv")
"""Content types that a cross-origin form cannot send without a preflight request."""
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]]+))(?::[0-9]*)?")
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"x-worker", str(os.getpid()).encode()),
]
"""Headers of every answer; the last identifies the worker."""


class Gate:
    """Middleware that rejects cross-origin requests and oversized bodies, and records every request.

    Pages of other sites can neither read nor write, even on loopback: the Host header must be one of ours (to
    prevent DNS rebinding), a write must not have a foreign Origin, and its content type must be one that
    plain HTML forms cannot send.
    """

    def __init__(self, app: Any, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._hosts = settings.hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, is_begun = perf_counter(), 500, False

        async def send_and_note(message: Any) -> None:
            nonlocal status, is_begun
            if message["type"] == "http.response.start":
                status, is_begun = message["status"], True
                given = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(one for one in HEADERS if one[0] not in given)]
            await send(message)

        scope["state"] = dict(scope.get("state", ()))
        try:
            headers = dict(scope["headers"])
            self._check(scope, headers)
            limited = self._limited(scope, headers, receive)
            await self._app(scope, limited, send_and_note)
        except asyncio.CancelledError:
            # the client disconnected, or the grace period of a shutdown has ended
            return
        except Exception as error:
            failure = failure_of(error)
            if not failure.is_expected:
                write_line(level="error", error=type(error).__name__, place=location_of(error))
            if not is_begun:
                await error_response(failure)(scope, receive, send_and_note)
        finally:
            self._record(scope, status, perf_counter() - started)

    def _check(self, scope: Any, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if len(headers) < len(scope["headers"]) and sum(name == b"host" for name, _ in scope["headers"]) > 1:
            # a proxy in between may have checked the other one
            raise Refused(400, "HostError", "the request has two Host headers; send one.")
        if name_of(host) not in self._hosts and "*" not in self._hosts:
            raise Refused(
                403, "HostError", "Host header not allowed; start the service with --name HOST to allow it."
            )
        method = scope["method"]
        if method not in SAFE:
            origin = headers.get(b"origin")
            own = (f"http://{host}", f"https://{host}")
            if origin is not None and origin.decode("latin-1").lower() not in own:
                raise Refused(403, "OriginError", "cross-origin requests are not allowed.")
            if headers.get(b"sec-fetch-site") == b"cross-site":
                raise Refused(403, "OriginError", "cross-origin requests are not allowed.")
            kind = headers.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()
            is_form = kind in FORMS and not scope["path"].startswith(API)
            if kind not in TEXTS and not is_form and (method != "DELETE" or kind):
                raise Refused(
                    415,
                    "ContentTypeError",
                    f"unsupported Content-Type {kind!r:.80}; send JSON as application/json.",
                )
            if headers.get(b"content-encoding", b"identity").lower() != b"identity":
                raise Refused(
                    415, "ContentTypeError", "unsupported Content-Encoding; send the body uncompressed."
                )

    def _limited(self, scope: Any, headers: dict[bytes, bytes], receive: Any) -> Any:
        most = self._settings.most_bytes
        if scope["path"].endswith("/votes"):
            most *= IMPORTS
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > most:
            raise too_long(most)
        if b"content-length" in headers:
            return receive  # the server enforces the declared length
        received = 0

        async def receive_some() -> Any:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise too_long(most)
            return message

        return receive_some

    def _record(self, scope: Any, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        self._metrics.answered(route, status, seconds)
        if self._settings.logs:
            state, name = scope["state"], scope.get("path_params", {}).get("name")
            # an unknown name may be a key or a ticket that was put into the path by mistake
            known = name in getattr(scope["app"].state, "live", ())
            write_line(
                method=scope["method"],
                route=route,
                status=status,
                ms=round(1e3 * seconds, 2),
                study=name if known else None,
                ticket=state.get("ticket"),
                key=state.get("key"),
            )


def location_of(error: Exception) -> str:
    """Return the innermost frames of an error's traceback, without the values that were sent."""
    return " < ".join(
        f"{frame.filename}:{frame.lineno}" for frame in reversed(extract_tb(error.__traceback__)[-8:])
    )


@lru_cache(maxsize=64)
def name_of(host: str) -> str:
    """Return the name in a Host header without its port; empty if the header is invalid."""
    found = HOST.fullmatch(host)
    return "" if found is None else found[1] or found[2]


def too_long(most: int) -> Refused:
    return Refused(413, "SizeError", f"the body is longer than {most:,} bytes; send less per request.")
