"""The description of the API, made of its operations and of the structs that go over the wire."""

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any, get_args

import msgspec
from msgspec import Struct

from duelist import __version__, wire
from duelist.journal.fields import STUDY_NAME
from duelist.service.gate import API
from duelist.service.operations import JSON, Operation

ABOUT = """
Show two options, see which is preferred, find the best while rarely showing a bad one.

A study has **arms** (or parameters). `ask` returns a **duel** of two of them with a **ticket**; `tell` sends
the ticket back with the side that was preferred. What was answered with 200 is on disk, and is counted once
however often it is sent.
"""
KEY = {"type": "http", "scheme": "bearer", "description": "A key that `duelist keys create` made."}
MEANINGS = {
    200: "What was asked for.",
    201: "It was made.",
    204: "It is gone.",
    400: "The request cannot be read: it is not JSON, or not HTTP as it should be.",
    401: "There is no key, or it is not known.",
    403: "The key may not do this, or the request comes from another site.",
    404: "There is no such study, or the ticket is not one of it.",
    409: "It contradicts what is on record, or the study is closed.",
    413: "The body is too long.",
    415: "The body is not said to be JSON.",
    422: "A field is missing, is not known, or has a value that cannot work.",
    429: "Too many requests; try again after the seconds that Retry-After says.",
    500: "A fault of the service, or a damaged database.",
    503: "The database cannot be reached or written to now; try again.",
}
NAME = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The study's name.",
    "schema": {"type": "string", "pattern": f"^{STUDY_NAME.pattern}$", "examples": ["home"]},
}


def describe(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the description of operations, as OpenAPI has it."""
    listed = list(operations)
    paths: dict[str, dict[str, Any]] = {}
    for one in listed:
        paths.setdefault(one.path, {})[one.method.lower()] = described(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "duelist", "description": ABOUT, "version": __version__},
        "paths": paths,
        "components": {"schemas": schemas_of(listed), "securitySchemes": {"key": KEY}},
    }


def described(one: Operation) -> dict[str, Any]:
    """Return the description of an operation."""
    about: dict[str, Any] = {
        "tags": [one.tag],
        "operationId": f"{one.handler.__name__}_{one.method.lower()}",
        "description": inspect.getdoc(one.handler),
        "parameters": [NAME] if "{name}" in one.path else [],
        "responses": {},
    }
    if one.sent is not None and one.method == "GET":
        about["parameters"] = [*about["parameters"], *parameters_of(one.sent)]
    elif one.sent is not None:
        about["requestBody"] = {"required": not one.is_optional, "content": content_of(one.sent)}
    errors: dict[int, Any] = dict.fromkeys(errors_of(one), wire.ErrorAnswer)
    for status, answered in sorted((errors | one.answers).items()):
        body = {} if answered is None else {"content": content_of(answered)}
        about["responses"][str(status)] = {"description": MEANINGS[status], **body}
    if one.role is not None:
        about |= {"x-role": one.role, "security": [{"key": []}]}
    return about


def errors_of(one: Operation) -> set[int]:
    """Return the statuses of the errors with which an operation may answer."""
    found = {400, 403, 413, 429, 500, *one.errors}
    if one.role is not None:
        found |= {401, 503}
    if one.path.startswith(API):
        found |= {415, 422}
    return found | {404} if "{name}" in one.path else found


def content_of(answer: Any) -> dict[str, Any]:
    """Return what a body holds: a struct, one of several, or texts by media type."""
    if isinstance(answer, dict):
        return {kind: {"schema": {"type": "string"}, "example": text} for kind, text in answer.items()}
    kinds = get_args(answer) or (answer,)
    schemas = [{"$ref": reference(kind)} for kind in kinds]
    return {JSON: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}


def parameters_of(kind: type[Struct]) -> list[dict[str, Any]]:
    """Return the parameters of a query."""
    fields = schema_of(kind)["properties"].items()
    return [
        {"name": name, "in": "query", "required": False, "description": about.pop("description")}
        | {"schema": about}
        for name, about in fields
    ]


def schemas_of(operations: list[Operation]) -> dict[str, Any]:
    """Return the schemas of all structs that operations take and give."""
    kinds: set[Any] = {wire.ErrorAnswer}
    for one in operations:
        for kind in (*one.answers.values(), None if one.method == "GET" else one.sent):
            kinds |= {each for each in get_args(kind) or (kind,) if isinstance(each, type)}
    _, found = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    return {name: schema_of(getattr(wire, name)) for name in sorted(found)}


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """Return the schema of a struct, with what is said of each field."""
    _, found = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    schema: dict[str, Any] = found[kind.__name__]
    names = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
    for base in kind.__mro__:
        for field, said in notes().get(base.__name__, {}).items():
            if field in names:
                schema["properties"][names[field]].setdefault("description", said)
    if issubclass(kind, wire.Sent):
        schema["examples"] = kind.examples
    return schema


def reference(kind: type[Struct]) -> str:
    """Return where the schema of a struct is."""
    return f"#/components/schemas/{kind.__name__}"


@cache
def notes() -> dict[str, dict[str, str]]:
    """Return what the source says below each field of the structs of the wire."""
    found: dict[str, dict[str, str]] = {}
    for struct in ast.parse(inspect.getsource(wire)).body:
        if isinstance(struct, ast.ClassDef):
            said = found[struct.name] = {}
            for field, note in pairwise(struct.body):
                if isinstance(field, ast.AnnAssign) and isinstance(note, ast.Expr):
                    said[ast.unparse(field.target)] = inspect.cleandoc(ast.literal_eval(note.value))
    return found
