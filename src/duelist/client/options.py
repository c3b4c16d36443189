"""How a client connects: the service's URL, the key and the time to wait."""

import os
from typing import Any

import httpx

from duelist import __version__
from duelist.errors import ParameterError, require_positive

VARIABLE = "DUELIST_KEY"
"""The environment variable that holds the key, where none is given."""


def as_options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    """Return how httpx connects to a service, or say what is wrong with its URL or key."""
    require_positive("timeout", timeout)
    try:
        base = httpx.URL(url)
    except (TypeError, httpx.InvalidURL) as error:
        raise ParameterError(f"{url!r} is not a URL ({error}); give http://127.0.0.1:8321.") from error
    if base.scheme not in ("http", "https") or not base.host:
        raise ParameterError(f"url must begin with http:// or https:// and name a host; got {url!r}.")
    if base.userinfo or base.query or base.fragment:
        raise ParameterError("url must have no user, no query and no fragment; give a key by key=.")
    headers = {"content-type": "application/json", "user-agent": f"duelist/{__version__}"}
    secret = os.environ.get(VARIABLE) if key is None else key
    if secret:
        if not (isinstance(secret, str) and secret.isascii() and secret.isprintable()):
            raise ParameterError("a key is a text such as duelist_...; got one with other characters.")
        headers["authorization"] = f"Bearer {secret}"
    return {"base_url": base, "headers": headers, "timeout": float(timeout)}
