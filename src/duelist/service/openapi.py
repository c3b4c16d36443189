"""The OpenAPI document, derived from the operations and the structs of the wire."""

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any, get_args

import msgspec
from msgspec import Struct

from duelist import __version__, wire
from duelist.journal.protocol import STUDY_NAME
from duelist.service.gate import API
from duelist.service.operations import JSON, Operation

ABOUT = """
Find the best of several options by comparing two at a time, while rarely showing a bad one.

A study has **arms** (or parameters). `ask` returns a **duel** of two of them with a **ticket**; `tell` sends
the ticket back with the preferred side. A status of 200 means that the answer is on disk; sending it again
does not count it twice.
"""
KEY = {"type": "http", "scheme": "bearer", "description": "A key made by `duelist keys create`."}
MEANINGS = {
    200: "Success.",
    201: "Created.",
    204: "Removed.",
    400: "Malformed request: invalid JSON or invalid HTTP.",
    401: "The key is missing, unknown or revoked.",
    403: "The key's role does not allow this, or the request is cross-origin.",
    404: "There is no such study, or the ticket does not belong to it.",
    409: "Conflict with what is on record, or the study is closed.",
    413: "The body is too large.",
    415: "The Content-Type is not JSON, or the body is compressed.",
    422: "A field is missing, unknown or has an invalid value.",
    429: "Too many requests; try again after the number of seconds in Retry-After.",
    500: "Internal server error, or a damaged database.",
    503: "The database cannot be reached or written; try again.",
}
NAME = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The study's name.",
    "schema": {"type": "string", "pattern": f"^{STUDY_NAME.pattern}$", "examples": ["home"]},
}


def describe(operations: Iterable[Operation]) -> dict[str, Any]:
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
    """Return the error statuses of an operation: declared ones, and those that follow from role and path."""
    found = {400, 403, 413, 429, 500, *one.errors}
    if one.role is not None:
        found |= {401, 503}
    if one.path.startswith(API):
        found |= {415, 422}
    return found | {404} if "{name}" in one.path else found


def content_of(answer: Any) -> dict[str, Any]:
    """Return the content of a body: a struct, a union of structs, or texts by media type."""
    if isinstance(answer, dict):
        return {kind: {"schema": {"type": "string"}, "example": text} for kind, text in answer.items()}
    kinds = get_args(answer) or (answer,)
    schemas = [{"$ref": reference(kind)} for kind in kinds]
    return {JSON: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}


def parameters_of(kind: type[Struct]) -> list[dict[str, Any]]:
    """Return the query parameters of a struct."""
    fields = schema_of(kind)["properties"].items()
    return [
        {"name": name, "in": "query", "required": False, "description": about.pop("description")}
        | {"schema": about}
        for name, about in fields
    ]


def schemas_of(operations: list[Operation]) -> dict[str, Any]:
    """Return the schemas of all structs that operations receive and return."""
    kinds: set[Any] = {wire.ErrorAnswer}
    for one in operations:
        for kind in (*one.answers.values(), None if one.method == "GET" else one.sent):
            kinds |= {each for each in get_args(kind) or (kind,) if isinstance(each, type)}
    _, found = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    return {name: schema_of(getattr(wire, name)) for name in sorted(found)}


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """Return the schema of a struct, with the descriptions of its fields."""
    _, found = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    schema: dict[str, Any] = found[kind.__name__]
    names = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
    for base in kind.__mro__:
        for field, note in notes().get(base.__name__, {}).items():
            if field in names:
                schema["properties"][names[field]].setdefault("description", note)
    if issubclass(kind, wire.Sent):
        schema["examples"] = kind.examples
    return schema


def reference(kind: type[Struct]) -> str:
    return f"#/components/schemas/{kind.__name__}"


@cache
def notes() -> dict[str, dict[str, str]]:
    """Return the text below each field of the wire's structs, read from the source."""
    found: dict[str, dict[str, str]] = {}
    for struct in ast.parse(inspect.getsource(wire)).body:
        if isinstance(struct, ast.ClassDef):
            fields = found[struct.name] = {}
            for field, note in pairwise(struct.body):
                if isinstance(field, ast.AnnAssign) and isinstance(note, ast.Expr):
                    fields[ast.unparse(field.target)] = inspect.cleandoc(ast.literal_eval(note.value))
    return found
