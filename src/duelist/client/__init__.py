"""Client for studies on a service: `Client` for threads, `AsyncClient` for asyncio."""

from duelist.errors import MissingExtraError

try:
    from duelist.client.client import AsyncClient, Client
    from duelist.client.study import AsyncStudy, RemoteStudy
except ModuleNotFoundError as error:
    if error.name != "httpx":
        raise
    raise MissingExtraError("duelist.client", "client") from error

__all__ = ["AsyncClient", "AsyncStudy", "Client", "RemoteStudy"]
