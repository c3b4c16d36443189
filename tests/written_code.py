"""A check of Python that documents write in passing: names exist, arguments fit, what is complete runs."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from documents import ROOT

import duelist

TREES = (ROOT / "src", ROOT / "reproductions" / "src", ROOT / "tests")
"""Folders whose functions and classes documents may name without saying where they are."""
FILES = {
    "css",
    "csv",
    "db",
    "html",
    "index",
    "js",
    "json",
    "jsonl",
    "md",
    "py",
    "sources",
    "svg",
    "toml",
    "txt",
    "zip",
}
"""Ends of file names, which look like attributes."""
PLAIN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


class Open(NamedTuple):
    """A value that the text leaves open, perhaps an object of a class that is known."""

    kind: type[Any] | None = None


class Function(NamedTuple):
    """A function that is known by its sources alone."""

    name: str
    signature: inspect.Signature


class Checker:
    """Checks pieces of Python against the package.

    A name may be of the package, of `samples`, or of a function or class anywhere in the repository. A
    function may be a method, called without its object. Calls are bound to signatures. A call all of whose
    arguments are known is made: that finds arguments of a wrong type too.

    Parameters
    ----------
    samples : mapping
        What names such as `study` and `path` stand for.
    foreign : collection of str
        Names that are of the reader, or of other libraries.
    """

    def __init__(self, samples: Mapping[str, Any], foreign: frozenset[str]) -> None:
        self.samples, self.foreign = samples, foreign

    def check(self, text: str) -> bool:
        """Check a piece of code; return whether it was Python that could be checked."""
        tree = parsed(text)
        if tree is None:
            return False
        match tree:
            case ast.Import() | ast.ImportFrom():
                exec(text, {})
                return True
            case ast.Assign(value=value) | ast.Expr(value=value) if any(
                isinstance(node, ast.Call) for node in ast.walk(value)
            ):
                self.value(value)
                return True
            case ast.Expr(value=ast.Attribute() as value) if PLAIN.fullmatch(text):
                root, *parts = text.split(".")
                is_known = root in self.samples or next(found(root), None) is not None
                if not FILES & {*parts} and (is_known or root[0].isupper()):
                    assert is_known, f"{root} is not the name of a class"
                    self.value(value)
                    return True
        return False

    def value(self, node: ast.expr) -> Any:
        """Return what an expression is; Open where that cannot be known."""
        match node:
            case ast.Constant(value=value):
                return Open() if value is ... or (isinstance(value, str) and "…" in value) else value
            case ast.Name(id=name):
                if name in self.samples:
                    return self.samples[name]
                return next(found(name), Open())
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base not in self.samples:
                return first_attribute(base, name)
            case ast.Attribute(value=base, attr=name):
                return attribute(self.value(base), name)
            case ast.Call():
                return self.called(node)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                values = [self.value(part) for part in parts]
                return Open() if any(isinstance(one, Open) for one in values) else values
            case ast.Dict(keys=keys, values=parts):
                names, values = ([self.value(one) for one in some if one] for some in (keys, parts))
                is_open = any(isinstance(one, Open) for one in (*names, *values))
                return Open() if is_open else dict(zip(names, values, strict=True))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self.value(operand)
                return value if isinstance(value, Open) else -value
        return Open()

    def called(self, node: ast.Call) -> Any:
        """Check a call, and make it if nothing in it is open."""
        given = [self.value(one) for one in node.args]
        named = {str(one.arg): self.value(one.value) for one in node.keywords if one.arg is not None}
        candidates = list(self.functions(node.func))
        if not candidates:
            return Open()
        whatever = [ast.unparse(one) for one in (*node.args, *node.keywords)] == ["..."]
        fits = [one for one in candidates if whatever or is_bound(one, given, named)]
        assert fits, f"{ast.unparse(node)}: {signatures(candidates)}"
        function = fits[0]
        if (
            whatever
            or isinstance(function, Function)
            or any(isinstance(one, Open) for one in (*given, *named.values()))
        ):
            return Open(function if isinstance(function, type) else None)
        return function(*given, **named)

    def functions(self, node: ast.expr) -> Iterator[Callable[..., Any] | Function]:
        """Yield what a call may mean, the most likely first; nothing if that is open."""
        if not isinstance(node, ast.Name):
            function = self.value(node)
            if not isinstance(function, Open):
                assert callable(function), f"{ast.unparse(node)} is not a function"
                yield function
            return
        name = node.id
        if name in self.foreign:
            return
        exported = [one for one in found(name) if callable(one)]
        method = getattr(self.samples["study"], name, None)
        others = [*([method] if callable(method) else []), *exported, *written(name)]
        assert others, f"{name} is not the name of a function or a class"
        yield from exported[:1] if name in duelist.__all__ else others


def parsed(text: str) -> ast.stmt | None:
    """Return the one statement that a text is, or None."""
    try:
        statements = ast.parse(re.sub(r"…(?=[\s,)\]}]|$)", "...", text).lstrip("@")).body
    except SyntaxError:
        return None
    return statements[0] if len(statements) == 1 else None


def first_attribute(base: str, name: str) -> Any:
    """Return an attribute of the first module or class of a name that has it; modules may be called alike."""
    candidates = [*found(base)]
    for one in candidates:
        with suppress(AssertionError):
            return attribute(one, name)
    assert not candidates, f"{base} has no {name}"
    return Open()


def attribute(value: Any, name: str) -> Any:
    """Return an attribute; a module may have to import it, and objects may have what their class has not."""
    if isinstance(value, ModuleType) and not hasattr(value, name):
        with suppress(ModuleNotFoundError):
            return import_module(f"{value.__name__}.{name}")
    kind = value.kind if isinstance(value, Open) else value
    if kind is None or (isinstance(kind, type) and not hasattr(kind, name) and assigns(kind, name)):
        return Open()
    assert hasattr(kind, name), f"{kind} has no {name}"
    return Open() if isinstance(value, Open) else getattr(value, name)


def assigns(kind: type[Any], name: str) -> bool:
    """Return whether objects of a class get an attribute that the class itself has not."""
    lines = "\n".join(inspect.getsource(one) for one in kind.__mro__ if one.__module__.startswith("duelist"))
    return re.search(rf"\bself\.{name}\b|^    {name}:", lines, re.MULTILINE) is not None


def is_bound(function: Callable[..., Any] | Function, given: list[Any], named: dict[str, Any]) -> bool:
    """Return whether a function takes these arguments."""
    signature = function.signature if isinstance(function, Function) else inspect.signature(function)
    try:
        signature.bind(*given, **named)
    except TypeError:
        return False
    return True


def signatures(functions: list[Callable[..., Any] | Function]) -> str:
    """Return how functions may be called."""
    return "; ".join(
        f"{one.name}{one.signature}"
        if isinstance(one, Function)
        else f"{one.__name__}{inspect.signature(one)}"
        for one in functions
    )


@cache
def index() -> tuple[dict[str, list[str]], dict[str, list[Function]]]:
    """Return the modules that define each name or are called so, and all functions with their signatures."""
    modules: dict[str, list[str]] = {}
    functions: dict[str, list[Function]] = {}
    for tree in TREES:
        for path in sorted(tree.rglob("*.py")):
            parts = path.relative_to(tree).with_suffix("").parts
            module = ".".join(part for part in parts if part != "__init__")
            modules.setdefault(module.rpartition(".")[2], []).append(module)
            content = ast.parse(path.read_text("utf-8"))
            for one in content.body:
                if isinstance(one, ast.ClassDef):
                    modules.setdefault(one.name, []).append(f"{module}:{one.name}")
            for node in ast.walk(content):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    functions.setdefault(node.name, []).append(Function(node.name, signature_of(node)))
    return modules, functions


def found(name: str) -> Iterator[Any]:
    """Yield what a name may mean in the package: an export, or modules and classes of any part."""
    if name == "duelist":
        yield duelist
    if name in duelist.__all__:
        yield getattr(duelist, name)
        return
    for place in index()[0].get(name, ()):
        module, _, attribute = place.partition(":")
        if module.startswith("duelist"):
            yield getattr(import_module(module), attribute) if attribute else import_module(module)


def written(name: str) -> list[Function]:
    """Return the functions and methods of a name, wherever they are."""
    return index()[1].get(name, [])


def signature_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> inspect.Signature:
    """Return the signature of a function as it is written; a method's without its object."""
    given = function.args
    kinds = [
        (given.posonlyargs, inspect.Parameter.POSITIONAL_ONLY),
        (given.args, inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ([given.vararg] if given.vararg else [], inspect.Parameter.VAR_POSITIONAL),
        (given.kwonlyargs, inspect.Parameter.KEYWORD_ONLY),
        ([given.kwarg] if given.kwarg else [], inspect.Parameter.VAR_KEYWORD),
    ]
    positional = [*given.posonlyargs, *given.args]
    optional = {one.arg for one in positional[len(positional) - len(given.defaults) :]}
    optional |= {one.arg for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default}
    return inspect.Signature(
        [
            inspect.Parameter(one.arg, kind, default=None if one.arg in optional else inspect.Parameter.empty)
            for arguments, kind in kinds
            for one in arguments
            if one.arg not in ("self", "cls")
        ]
    )
