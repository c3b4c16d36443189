"""Processes for tests, forked from one that has imported the package and does nothing else.

They are as separate as any others and may be killed at any time, but they begin at once. Their kernels stay
interpreted: to load machine code would take longer than all that they do.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from typing import Any

from duelist.kernels.live import BACKGROUND

CONTEXT = get_context("forkserver")
# pytest too, because processes import the program that started them
CONTEXT.set_forkserver_preload(["duelist.database", "duelist.study.study", "psycopg", "pytest"])


def begin(function: Callable[..., None], *arguments: object) -> None:
    """Do what a process is for."""
    BACKGROUND.is_lost = True
    function(*arguments)


class Forked:
    """A process that calls a function of an importable module with its end of a pipe and more arguments."""

    def __init__(self, function: Callable[..., None], *arguments: object) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=begin, args=(function, theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()

    def sent(self) -> Iterator[Any]:
        """Yield all that it has sent and still sends, until it ends."""
        with suppress(EOFError):
            while True:
                yield self.pipe.recv()

    def end(self) -> int | None:
        """Wait for its end; return its exit status, which is negative where it was killed."""
        self.process.join()
        return self.process.exitcode
