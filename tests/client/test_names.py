"""The client has the methods of `Study`, with the exceptions listed here."""

import inspect
from typing import Any, get_type_hints

import pytest

from duelist.client import AsyncClient, AsyncStudy, Client, RemoteStudy
from duelist.study import Study

EXCEPTIONS = {
    "open": "a study of a service is opened by client.study(name)",
    "load": "a file is loaded where it is, by Study.load",
    "to_frame": "votes().to_frame() is the same",
    "state": "a view of the fold in memory; a client has `arms`, `answers`, `learner` and `verdict()`",
    "steps": "a service commits by itself",
    "import_clicks": "files are read where they are",
    "preference": "the clicks on lists are in the journal, and the service gives out votes",
    "rank": "a service has studies of duels alone",
    "save": "the file has every event, and the service gives out votes, not events",
}
"""What a study has and its client has not, and why."""
SHARED = sorted({name for name in dir(Study) if not name.startswith("_")} - EXCEPTIONS.keys())
PROPERTIES = ["answers", "arms", "learner"]


def public(kind: type[object]) -> list[str]:
    return sorted(name for name in dir(kind) if not name.startswith("_"))


def of_property(member: Any) -> Any:
    return get_type_hints(member.fget)["return"]


def test_all_names_are_there_and_no_others() -> None:
    assert public(RemoteStudy) == public(AsyncStudy) == SHARED
    assert public(Client) == public(AsyncClient)
    assert [name for name in SHARED if isinstance(getattr(Study, name), property)] == PROPERTIES


@pytest.mark.parametrize("name", SHARED)
def test_arguments_and_results_are_the_same(name: str) -> None:
    here, there, awaited = (getattr(kind, name) for kind in (Study, RemoteStudy, AsyncStudy))
    assert inspect.iscoroutinefunction(awaited)
    assert inspect.getdoc(there)
    assert inspect.getdoc(awaited)
    if name in PROPERTIES:
        assert of_property(here) == of_property(there) == inspect.signature(awaited).return_annotation
        assert list(inspect.signature(awaited).parameters) == ["self"]
    elif name == "run":
        # its functions may be coroutine functions where all is awaited
        assert [(one.name, one.kind, one.default) for one in inspect.signature(here).parameters.values()] == [
            (one.name, one.kind, one.default) for one in inspect.signature(awaited).parameters.values()
        ]
        assert inspect.signature(there) == inspect.signature(awaited)
    else:
        assert inspect.signature(here) == inspect.signature(there) == inspect.signature(awaited)


@pytest.mark.parametrize("name", [name for name in public(Client) if name not in ("close", "study")])
def test_both_clients_take_the_same_arguments(name: str) -> None:
    here, awaited = getattr(Client, name), getattr(AsyncClient, name)
    assert inspect.signature(here) == inspect.signature(awaited)
    assert inspect.getdoc(here) == inspect.getdoc(awaited)
    assert inspect.iscoroutinefunction(awaited)
