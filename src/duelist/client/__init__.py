"""Client for studies on a service: `Client` for threads, `AsyncClient` for asyncio."""

from duelist.client.client import AsyncClient, Client
from duelist.client.study import AsyncStudy, RemoteStudy

__all__ = ["AsyncClient", "AsyncStudy", "Client", "RemoteStudy"]
