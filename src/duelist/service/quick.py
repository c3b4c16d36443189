"""Voting without detours: the framework takes longer to find a route than a study to choose a duel."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, get_type_hints

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.routing import BaseRoute

from duelist.service.access import FIELD, GuardedRoute, Role, authorize
from duelist.service.bodies import read_json
from duelist.service.failures import answer_to, failure_of

START = ["", "api", "studies"]
PREFIX = "/".join([*START, "{name}", ""])
"""What the paths of quick routes begin with; a word follows."""


class QuickRoute(GuardedRoute):
    """A route whose function takes the request, the study's name and what was sent, and returns a response.

    The framework knows it for the description of the service alone; `Shortcut` leads to it.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which reads and checks the body itself."""
        role: Role = (self.openapi_extra or {})[FIELD]
        endpoint: Any = self.endpoint
        *_, model = [hint for name, hint in get_type_hints(endpoint).items() if name != "return"]

        async def handle(request: Request) -> Response:
            await authorize(request, role)
            try:
                sent = model.model_validate(read_json(await request.body()))
            except ValidationError as error:
                raise RequestValidationError(error.errors(include_url=False)) from error
            answer: Response = await endpoint(request, request.path_params["name"], sent)
            return answer

        return handle


class Shortcut:
    """Leads requests to quick routes, and all others to the framework.

    Parameters
    ----------
    otherwise : callable
        The framework's own way.
    routes : iterable of BaseRoute
        All routes.
    """

    def __init__(self, otherwise: Any, routes: Iterable[BaseRoute]) -> None:
        self._otherwise = otherwise
        self._routes = {
            route.path.removeprefix(PREFIX): (route, route.get_route_handler())
            for route in routes
            if isinstance(route, QuickRoute)
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        path = scope["path"].split("/") if scope["type"] == "http" else []
        is_one = len(path) == 5 and path[:3] == START and scope["method"] == "POST"
        found = self._routes.get(path[4]) if is_one else None
        if found is None:
            await self._otherwise(scope, receive, send)
            return
        scope["route"], handle = found
        scope["path_params"] = {"name": path[3]}
        request = Request(scope, receive)
        try:
            response = await handle(request)
        except Exception as error:
            if not failure_of(error).is_expected:
                raise
            response = await answer_to(request, error)
        await response(scope, receive, send)
