"""The service: studies over HTTP, for many voters and worker processes."""

from duelist.service.app import create_app
from duelist.service.settings import Settings

__all__ = ["Settings", "create_app"]
