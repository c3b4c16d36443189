"""The service in the process of the tests, called through its real routes without a network."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx

from duelist.service import Settings, create_app

JSON = {"content-type": "application/json"}


class Caller:
    """Calls the routes of a service."""

    def __init__(self, app: Any, http: httpx.AsyncClient) -> None:
        self.app, self.http = app, http

    async def post(self, path: str, /, _key: str | None = None, **body: Any) -> httpx.Response:
        headers = {} if _key is None else {"authorization": f"Bearer {_key}"}
        return await self.http.post(path, json=body, headers=headers)

    async def get(self, path: str, _key: str | None = None, **query: Any) -> httpx.Response:
        headers = {} if _key is None else {"authorization": f"Bearer {_key}"}
        return await self.http.get(path, params=query, headers=headers)


@asynccontextmanager
async def serving(database: str, **settings: Any) -> AsyncIterator[Caller]:
    """Run a service for the block; by default it is open to this machine."""
    app = create_app(Settings(**{"database": database, "is_open": True, "logs": False, **settings}))
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as http,
    ):
        yield Caller(app, http)


class PlainCaller:
    """Calls the routes of a service from tests that wait for each answer."""

    def __init__(self, runner: asyncio.Runner, caller: Caller) -> None:
        self._runner, self._caller = runner, caller
        self.app = caller.app

    def request(self, method: str, path: str, **sent: Any) -> httpx.Response:
        return self._runner.run(self._caller.http.request(method, path, **sent))

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.request("POST", path, json=body)

    def send(self, path: str, body: bytes, **headers: str) -> httpx.Response:
        """Post bytes as they are."""
        return self.request("POST", path, content=body, headers={**JSON, **headers})

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.request("GET", path, params=query)


@contextmanager
def plainly_serving(database: str, **settings: Any) -> Iterator[PlainCaller]:
    """Run a service for the block, which is at work while it is called."""
    with asyncio.Runner() as runner:
        service = serving(database, **settings)
        caller = runner.run(service.__aenter__())
        try:
            yield PlainCaller(runner, caller)
        finally:
            runner.run(service.__aexit__(None, None, None))
