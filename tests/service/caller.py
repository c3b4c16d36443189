"""The service in the tests' own process, called by its real routes without a network."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
