"""The service answers as its description says, whatever it is sent; and the description is complete.

`DUELIST_LONG=1` sends fifty times as much.
"""

import csv
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as described
from service.caller import PlainCaller, plainly_serving

from duelist import wire
from duelist.service.app import openapi

EXAMPLES = 600 if os.environ.get("DUELIST_LONG") else 12
API = openapi()
OPERATIONS = [(method, path) for path, methods in API["paths"].items() for method in methods]
SCHEMA = schemathesis.openapi.from_dict(API)
STUDIES: dict[str, dict[str, Any]] = {
    "home": {"arms": ["a", "b", "c"]},
    "contexts": {"arms": ["a", "b"], "learner": {"name": "LogisticDuels"}, "context": [0.0, 0.0]},
    "knobs": {"knobs": {"x": {"low": 0.0, "high": 1.0}}, "learner": {"name": "PreferentialOptimization"}},
}
ASKED: dict[str, dict[str, Any]] = {"home": {}, "contexts": {"context": [0.0, 1.0]}, "knobs": {}}
CHECKS = [
    not_a_server_error,
    described.status_code_conformance,
    described.content_type_conformance,
    described.response_schema_conformance,
]
WORKING: dict[str, dict[str, Any]] = {
    "studies": {"name": "new", "arms": ["a", "b"]},
    "interleave": {"length": 10},
    "clicks": {"clicked": []},
    "arms": {"name": "d"},
    "retire": {"name": "c"},
    "learner": {"learner": {"name": "RUCB"}},
    "best": {},
    "ask": {},
}
"""What is likely to be accepted, by the last part of a path."""
RANKINGS = {"a": ["d1", "d2"], "b": ["d2", "d3"], "c": [1, 2, 3]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainCaller]:
    place = str(tmp_path_factory.mktemp("service") / "studies.db")
    with plainly_serving(place) as client:
        begin(client)
        yield client


def begin(client: PlainCaller) -> None:
    for name, about in STUDIES.items():
        assert client.post("/api/studies", name=name, **about).status_code in (200, 201)


def ticket_of(client: PlainCaller, name: str, lists: bool) -> str:
    """Return the ticket of a duel, or of a list that was made for one."""
    duel = client.post(f"/api/studies/{name}/ask", **ASKED[name]).json()
    if lists and name != "knobs":
        rankings = {side: RANKINGS[side] for side in (duel["left"], duel["right"])}
        body = {"ticket": duel["ticket"], "rankings": rankings}
        duel = client.post(f"/api/studies/{name}/interleave", **body).json()
    return str(duel["ticket"])


def sent_to_home(client: PlainCaller, last: str) -> dict[str, Any]:
    """Return a body that the study of arms accepts, but for an arm that is there already."""
    lists = last in ("interleave", "clicks")
    return WORKING[last] | ({"ticket": ticket_of(client, "home", lists)} if lists else {})


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_answers_are_as_described(method: str, path: str, client: PlainCaller) -> None:
    operation = SCHEMA[path][method]
    fitting = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    checks = [check for check in CHECKS if path != "/readyz" or check is not not_a_server_error]
    count = 3 if path.endswith("/votes-left") else EXAMPLES  # it forecasts for seconds
    answered, last = set(), path.rpartition("/")[2]

    @given(
        case=st.one_of(fitting, wrong) if "{" in path or method == "post" else fitting,
        name=st.sampled_from([*STUDIES, None]),
        ticket=st.sampled_from(["duel", "list", None]),
    )
    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    def send(case: Any, name: str | None, ticket: str | None) -> None:
        if name is not None and "name" in case.path_parameters:
            case.path_parameters["name"] = name
        if name is not None and ticket is not None and isinstance(case.body, dict) and "ticket" in case.body:
            case.body["ticket"] = ticket_of(client, name, ticket == "list")
            if path.endswith("/retract"):
                client.post(f"/api/studies/{name}/tell", ticket=case.body["ticket"], outcome="left")
        if ticket == "list" and isinstance(case.body, dict) and last in WORKING:
            kept = {field: case.body[field] for field in ("ticket", "voter") if field in case.body}
            case.body = kept | WORKING[last]
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1:8321")
        response = client.request(
            sent["method"],
            sent["url"],
            headers=dict(sent["headers"]),
            params=sent.get("params"),
            **({"json": sent["json"]} if "json" in sent else {"content": sent.get("data")}),
        )
        case.validate_response(response, checks=checks)
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "html" not in response.headers.get("content-type", "")
        answered.add(response.status_code)
        if path.endswith("/close") or method == "delete":
            if name is not None:
                client.request("DELETE", f"/api/studies/{name}")
            begin(client)

    send()
    if last in WORKING and method == "post":
        # whatever was drawn, something that works was sent
        answered.add(client.post(path.replace("{name}", "home"), **sent_to_home(client, last)).status_code)
    assert answered & ({200, 503} if path == "/readyz" else {200, 201, 204}), answered


def test_every_field_and_parameter_is_described() -> None:
    for method, path in OPERATIONS:
        about = API["paths"][path][method]
        assert about["description"].endswith("."), (method, path)
        assert about["tags"]
        for parameter in about.get("parameters", []):
            assert parameter.get("description"), (method, path, parameter["name"])
        assert {"400", "403", "413", "429", "500"} <= about["responses"].keys(), (method, path)
        for status, response in about["responses"].items():
            if status >= "400" and path != "/readyz":
                schema = response["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/ErrorAnswer"}
                assert response["description"].endswith("."), (method, path, status)
        if path not in ("/healthz", "/readyz"):
            assert about["security"] == [{"key": []}], (method, path)
            assert "401" in about["responses"]
        if "{name}" in path:
            assert "404" in about["responses"], (method, path)
    for name, model in API["components"]["schemas"].items():
        assert model["description"], name
        for field, schema in model.get("properties", {}).items():
            assert schema.get("description", "").endswith("."), (name, field)
    assert API["components"]["securitySchemes"]["key"]["scheme"] == "bearer"


def test_every_body_has_examples_that_fit() -> None:
    for method, path in OPERATIONS:
        if method != "post":
            continue
        schema = API["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
        [name] = re.findall(r"schemas/(\w+)", json.dumps(schema))
        examples = API["components"]["schemas"][name]["examples"]
        assert examples, (method, path)
        for example in examples:
            msgspec.convert(example, getattr(wire, name))


def test_examples_of_studies_begin_studies(client: PlainCaller) -> None:
    for example in API["components"]["schemas"]["StudySent"]["examples"]:
        answer = client.post("/api/studies", **{**example, "name": f"example-{example['name']}"})
        assert answer.status_code == 201, answer.text


def test_votes_have_the_types_of_their_lines(client: PlainCaller) -> None:
    row = {"left": "a", "right": "b", "outcome": "tie", "voter": 'a "quoted", <b>voter</b>'}
    client.post("/api/studies", name="table", arms=["a", "b"])
    assert client.post("/api/studies/table/votes", votes=[row]).json() == {"new": 1}
    lines = client.get("/api/studies/table/votes")
    assert lines.headers["content-type"] == "application/x-ndjson"
    assert json.loads(lines.text)["voter"] == row["voter"]
    table = client.get("/api/studies/table/votes", format="csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    [read] = csv.DictReader(table.text.splitlines())
    assert (read["voter"], read["outcome"]) == (row["voter"], "tie")
