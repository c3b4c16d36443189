"""Methods made of calls, so that both clients share every name, argument and docstring."""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, TypeVar, get_args

F = TypeVar("F", bound=Callable[..., Any])
Own = TypeVar("Own", covariant=True)
Line = TypeVar("Line", covariant=True)


class Sending(Generic[Own, Line]):
    """What has calls, and a connection to send them by."""

    def __init__(self, calls: Own, connection: Line) -> None:
        self._calls, self._connection = calls, connection


def described_by(make: Callable[..., Any]) -> Callable[[F], F]:
    """Return a decorator that gives a method the name, docstring and arguments of what makes its call.

    What the method returns is what the call answers.
    """
    signature = inspect.signature(make)
    [answer] = get_args(signature.return_annotation)
    returned = None if answer is type(None) else answer

    def describe(method: F) -> F:
        update_wrapper(method, make)
        vars(method)["__signature__"] = signature.replace(return_annotation=returned)
        return method

    return describe
