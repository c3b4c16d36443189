"""What travels between processes: jobs, tasks, what was made of them, and errors, all as bytes."""

import pickle
from collections.abc import Callable, Mapping
from traceback import format_exception
from typing import Any

from duelist.errors import ParameterError, WorkersError

PROTOCOL = 5
"""The first that keeps read-only arrays read-only; compiled code tells the two kinds apart."""


def pack(value: object, dumps: Callable[..., bytes] = pickle.dumps) -> bytes:
    """Return a job or a task as bytes, or refuse what cannot be pickled."""
    try:
        return dumps(value, protocol=PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ParameterError(
            f"what is to be done cannot be sent to another process: {error}. Define functions and classes in "
            "a module, neither in another function nor as a lambda; or use threads, without an executor."
        ) from error


def perform(job: bytes, task: bytes) -> bytes:
    """Call a packed job with a packed task, and return what it makes, or its error, packed."""
    try:
        return pickle.dumps((pickle.loads(job)(pickle.loads(task)), None), PROTOCOL)
    except Exception as error:
        error.add_note(f"In a worker:\n{''.join(format_exception(error))}")
        return packed_error(error)


def packed_error(error: Exception) -> bytes:
    """Return an error as bytes, in parts, because it need not have a constructor that takes its message."""
    try:
        return pickle.dumps((None, error.__reduce__()), PROTOCOL)
    except Exception:
        return packed_error(WorkersError(f"a job failed: {error!r}"))


def unpack(made: bytes) -> Any:
    """Return what a job made, or raise its error."""
    content, error = pickle.loads(made)
    if error is not None:
        raise revived(*error)
    return content


def revived(
    maker: Callable[..., Exception], arguments: tuple[Any, ...], state: Mapping[str, Any] | None = None
) -> Exception:
    """Return an error made of its parts, without calling the constructor of its class."""
    error = maker.__new__(maker, *arguments) if isinstance(maker, type) else maker(*arguments)
    vars(error).update(state or {})
    return error
