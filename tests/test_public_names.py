"""Public names say what they take, return and raise, with an example that runs.

Public are the names in `duelist.__all__` and in the `__all__` of the modules among them. What a learner, a
problem or a menu must have is described once, in the protocols and bases, and not again by each of them.
"""

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

import duelist
from duelist.errors import DuelistError
from duelist.protocols import Estimator, Learner, Problem

DESCRIBED_BY_PROTOCOLS = {
    name for kind in (Estimator, Learner, Problem) for name in vars(kind) if not name.startswith("_")
} | {"menu", "play"}


def public() -> Iterator[tuple[str, Any]]:
    """Yield public functions and classes by their names, each once."""
    seen = set()
    for name in duelist.__all__:
        found = getattr(duelist, name)
        inside = (
            {f"{name}.{one}": getattr(found, one) for one in getattr(found, "__all__", ())}
            if isinstance(found, ModuleType)
            else {name: found}
        )
        for path, thing in inside.items():
            is_described = inspect.isclass(thing) or inspect.isfunction(inspect.unwrap(thing))
            if is_described and id(thing) not in seen:
                seen.add(id(thing))
                yield path, thing


PUBLIC = dict(public())
CLASSES = {
    name: kind
    for name, kind in PUBLIC.items()
    if inspect.isclass(kind) and not issubclass(kind, BaseException | Enum)
}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if not inspect.isclass(thing)}


def methods() -> Iterator[tuple[str, Any]]:
    """Yield the methods that public classes do not take from a base which describes them."""
    for name, kind in CLASSES.items():
        is_learner = hasattr(kind, "card")
        for method, member in vars(kind).items():
            function = inspect.unwrap(getattr(member, "__func__", member))
            described = method in DESCRIBED_BY_PROTOCOLS or any(
                hasattr(base, method) for base in kind.__mro__[1:]
            )
            if inspect.isfunction(function) and not method.startswith("_") and not (is_learner or described):
                yield f"{name}.{method}", function


METHODS = dict(methods())


SECTIONS = ("Parameters", "Returns", "Yields", "Raises", "Notes", "References", "Examples")
RAISING = (
    "AsyncClient",
    "Client",
    "MatrixProblem",
    "Study",
    "analyze",
    "load_duels",
    "load_votes",
    "replay",
    "simulate",
)
"""What people begin with, and what reads their data: the errors arise further inside."""


def has_section(thing: Any, title: str) -> bool:
    """Return whether a docstring has a section."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return any(line == title and rule == "-" * len(title) for line, rule in itertools.pairwise(lines))


def takes_something(function: Any) -> bool:
    """Return whether a function has parameters besides the object that it belongs to."""
    return any(name not in ("self", "cls") for name in inspect.signature(function).parameters)


def returns_something(function: Any) -> bool:
    """Return whether a function returns anything but None."""
    returned = inspect.signature(function).return_annotation
    return returned not in (None, "None", inspect.Signature.empty)


def raised_by(function: Any) -> set[type[DuelistError]]:
    """Return the errors of the package that the body of a function raises."""
    plain = inspect.unwrap(function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    made = (
        node.exc.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
    )
    kinds = (plain.__globals__.get(one.id) for one in made if isinstance(one, ast.Name))
    return {kind for kind in kinds if inspect.isclass(kind) and issubclass(kind, DuelistError)}


def checks_arguments(function: Any) -> bool:
    """Return whether a function calls one of the checks that raise errors of the package."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(one, ast.Name) and one.id.startswith("require_") for one in called)


def errors_named(thing: Any) -> set[str]:
    """Return the errors that the section Raises of a docstring names."""
    _, _, rest = (inspect.getdoc(thing) or "").partition("\nRaises\n------\n")
    section = re.split(r"\n\n\w+\n-+\n", rest)[0]
    return {
        name for line in section.splitlines() if not line.startswith(" ") for name in line.split(", ") if name
    }


def assert_names_errors(thing: Any, function: Any) -> None:
    """Expect that a docstring names every error that a function raises, or a base of it."""
    named = errors_named(thing)
    assert named or not checks_arguments(function)
    for kind in raised_by(function):
        assert named & {base.__name__ for base in kind.__mro__[:-1]}, f"{kind.__name__} is not under Raises"


def fields_described(kind: Any) -> set[str]:
    """Return the fields of a class below which a text stands."""
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind)))
    [made] = tree.body
    assert isinstance(made, ast.ClassDef)
    body = made.body
    return {
        field.target.id
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_take_and_return(name: str) -> None:
    function = FUNCTIONS[name]
    assert has_section(function, "Parameters") or not takes_something(function)
    assert (
        has_section(function, "Returns") or has_section(function, "Yields") or not returns_something(function)
    )
    assert ">>> " in (inspect.getdoc(function) or "")


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_what_they_are_made_of(name: str) -> None:
    kind = CLASSES[name]
    assert inspect.getdoc(kind)
    annotated = {field for field in vars(kind).get("__annotations__", {}) if not field.startswith("_")}
    if not has_section(kind, "Parameters") and (annotated or takes_something(kind)):
        assert annotated
        assert annotated <= fields_described(kind)


@pytest.mark.parametrize("name", METHODS)
def test_methods_say_what_they_take_and_return(name: str) -> None:
    method = METHODS[name]
    text = inspect.getdoc(method) or ""
    assert text
    assert has_section(method, "Parameters") or not takes_something(method)
    says = has_section(method, "Returns") or text.startswith(("Return", "Iterate", "Yield"))
    assert says or not returns_something(method)


@pytest.mark.parametrize("name", RAISING)
def test_the_main_names_say_what_they_raise(name: str) -> None:
    known = {kind.__name__ for kind in vars(duelist.errors).values() if inspect.isclass(kind)}
    named = errors_named(PUBLIC[name])
    assert named
    assert named <= known


@pytest.mark.parametrize("name", FUNCTIONS | METHODS)
def test_functions_name_the_errors_that_they_raise(name: str) -> None:
    function = (FUNCTIONS | METHODS)[name]
    assert_names_errors(function, function)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_name_the_errors_that_they_raise(name: str) -> None:
    kind = CLASSES[name]
    if hasattr(kind, "card"):
        return  # every learner raises ParameterError for an invalid hyperparameter
    for method in ("__init__", "__post_init__"):
        if (
            inspect.isfunction(vars(kind).get(method))
            and "<string>" not in vars(kind)[method].__code__.co_filename
        ):
            assert_names_errors(kind, vars(kind)[method])


@pytest.mark.parametrize("name", PUBLIC | METHODS)
def test_sections_are_sections_and_examples_run(name: str) -> None:
    thing = (PUBLIC | METHODS)[name]
    text = inspect.getdoc(thing) or ""
    assert not re.search(rf"\b({'|'.join(SECTIONS)}) -{{3,}}", text)
    if has_section(thing, "Examples"):
        assert ">>> " in text.partition("\nExamples\n--------\n")[2]
