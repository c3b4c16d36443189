"""Errors asserted by class, field and value; their wording is reviewed in `docs/messages.md`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

E = TypeVar("E", bound=BaseException)


def names(message: str, *facts: object) -> bool:
    """Return whether a message names every fact: a field, a value, a file, a line or a command.

    A fact that is a text is looked for as a whole word; any other as it is printed in code.
    """
    texts = [fact if isinstance(fact, str) else repr(fact) for fact in facts]
    return all(re.search(rf"(?<![\w.-]){re.escape(text)}(?!\w)", message) for text in texts)


@contextmanager
def refused(kind: type[E], *facts: object) -> Iterator[pytest.ExceptionInfo[E]]:
    """Expect an error of exactly this class, whose message names every fact."""
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.type is kind, f"{caught.type.__name__}, not {kind.__name__}: {caught.value}"
    assert names(str(caught.value), *facts), f"{facts} not all in: {caught.value}"


@contextmanager
def warned(kind: type[Warning], *facts: object) -> Iterator[None]:
    """Expect a warning of this class, whose message names every fact."""
    with pytest.warns(kind) as caught:
        yield
    messages = [str(one.message) for one in caught]
    assert any(names(one, *facts) for one in messages), f"{facts} not all in one of: {messages}"
