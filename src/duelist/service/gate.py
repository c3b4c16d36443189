"""What every request passes: where it may come from, how large it may be, and the record of it."""

import asyncio
import os
import re
from functools import lru_cache
from time import perf_counter
from traceback import extract_tb
from typing import Any

from duelist.service.failures import Refused, failure_of, said
from duelist.service.metrics import Metrics, write_line
from duelist.service.settings import Settings

SAFE = ("GET", "HEAD", "OPTIONS")
IMPORTS = 64
"""How many times larger the body of an import of votes may be."""
API = "/api/"
"""What the paths of the API begin with; others are pages, whose forms carry tokens of their own."""
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
TEXTS = ("application/json", "application/x-ndjson", "text/csv")
"""Kinds of bodies that a form of another site cannot send without asking first."""
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]]+))(?::[0-9]*)?")
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"x-worker", str(os.getpid()).encode()),
]
"""Of every answer; the last tells workers apart."""


class Gate:
    """The outermost part of the service.

    A page of another site can neither read nor write here, even on loopback: the Host that a request names
    must be ours (a foreign name may have been pointed to this machine), a write must not come from another
    Origin, and its body must be of a kind that plain forms cannot send.
    """

    def __init__(self, app: Any, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._hosts = settings.hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let a request in, or answer why not."""
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
            # the caller has left, or the service was told to stop and has waited long enough
            return
        except Exception as error:
            failure = failure_of(error)
            if not failure.is_expected:
                write_line(level="error", error=type(error).__name__, place=place_of(error))
            if not is_begun:
                await said(failure)(scope, receive, send_and_note)
        finally:
            self._record(scope, status, perf_counter() - started)

    def _check(self, scope: Any, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if len(headers) < len(scope["headers"]) and sum(name == b"host" for name, _ in scope["headers"]) > 1:
            # whoever stands between may have looked at the other one
            raise Refused(400, "HostError", "the request names two hosts; send one Host header.")
        if name_of(host) not in self._hosts and "*" not in self._hosts:
            raise Refused(
                403, "HostError", "the service is not called by this name; start it with --name to allow one."
            )
        method = scope["method"]
        if method not in SAFE:
            origin = headers.get(b"origin")
            own = (f"http://{host}", f"https://{host}")
            if origin is not None and origin.decode("latin-1").lower() not in own:
                raise Refused(403, "OriginError", "pages of other sites may not write here.")
            if headers.get(b"sec-fetch-site") == b"cross-site":
                raise Refused(403, "OriginError", "pages of other sites may not write here.")
            kind = headers.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()
            is_form = kind in FORMS and not scope["path"].startswith(API)
            if kind not in TEXTS and not is_form and (method != "DELETE" or kind):
                raise Refused(
                    415, "ContentTypeError", "send JSON, and say so: Content-Type: application/json."
                )
            if headers.get(b"content-encoding", b"identity").lower() != b"identity":
                raise Refused(415, "ContentTypeError", "send the body as it is, without Content-Encoding.")

    def _limited(self, scope: Any, headers: dict[bytes, bytes], receive: Any) -> Any:
        """Return what receives a body that is not too long."""
        most = self._settings.most_bytes
        if scope["path"].endswith("/votes"):
            most *= IMPORTS
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > most:
            raise too_long(most)
        if b"content-length" in headers:
            return receive  # the server hands over no more than was declared
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
            # what is no study may be a key or a ticket, written into the path by mistake
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


def place_of(error: Exception) -> str:
    """Return where an error was raised, without what was sent."""
    return " < ".join(
        f"{frame.filename}:{frame.lineno}" for frame in reversed(extract_tb(error.__traceback__)[-8:])
    )


@lru_cache(maxsize=64)
def name_of(host: str) -> str:
    """Return the name in a Host header, without its port; nothing for what is no host."""
    found = HOST.fullmatch(host)
    return "" if found is None else found[1] or found[2]


def too_long(most: int) -> Refused:
    """Return the refusal of a body that is too long."""
    return Refused(413, "SizeError", f"the body is longer than {most:,} bytes; send less at once.")
