"""Studies of a service, used as if they were here: `Client`, and `AsyncClient` for asyncio."""

from duelist.client.client import AsyncClient, Client
from duelist.client.study import AsyncStudy, RemoteStudy

__all__ = ["AsyncClient", "AsyncStudy", "Client", "RemoteStudy"]
