"""A program that is run once: given bytes on its standard input, and ended with all that it started."""

import os
import selectors
import signal
from collections.abc import Sequence
from contextlib import suppress
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import IO, NamedTuple

MOST_OUTPUT = 65_536
"""Bytes that a program may write to its standard output."""
MOST_ERRORS = 4_096
"""Bytes of its standard error that are kept, the last ones."""
CHUNK = 65_536
LOOK_EVERY = 0.05
"""Seconds between two looks at whether a program has ended whose pipes are held open by others."""


class Finished(NamedTuple):
    """How a program ended, and what it wrote."""

    code: int | None
    """Its exit status, negative for a signal; None if it was ended from here."""
    fault: str
    """Why it was ended; empty if it ended by itself."""
    output: bytes
    errors: bytes
    """The end of its standard error."""


def run_program(words: Sequence[str], given: bytes, timeout: float) -> Finished:
    """Run a program without a shell and return how it ended; it may ignore what it is given.

    Whatever it has started is ended with it: it leads a session of its own.

    Examples
    --------
    >>> run_program(["tr", "a-z", "A-Z"], b"left", timeout=10.0).output
    b'LEFT'
    """
    process = Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True, bufsize=0)
    conversation = Conversation(process, given, monotonic() + timeout)
    try:
        fault = conversation.hold()
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        conversation.close()
    return Finished(
        None if fault else code, fault, bytes(conversation.output), bytes(conversation.errors[-MOST_ERRORS:])
    )


class Conversation:
    """Writes to a program and reads what it says, neither waiting for the other.

    Parameters
    ----------
    process : Popen
        The program, with pipes.
    given : bytes
        What is written to its standard input.
    deadline : float
        When it has to be done, by the monotonic clock.
    """

    def __init__(self, process: "Popen[bytes]", given: bytes, deadline: float) -> None:
        self._process, self._given, self._deadline = process, memoryview(given), deadline
        self.output, self.errors = bytearray(), bytearray()
        self._waiting = selectors.DefaultSelector()
        for pipe, event in (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        ):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._waiting.register(pipe, event)

    def hold(self) -> str:
        """Return once the program has ended, or why it must be ended."""
        process = self._process
        while self._waiting.get_map():
            left = self._deadline - monotonic()
            if left <= 0.0:
                return "it took too long"
            # a program that it started may hold its pipes open for ever
            ended = process.poll() is not None
            ready = self._waiting.select(0.0 if ended else min(left, LOOK_EVERY))
            readable = [key for key, event in ready if event == selectors.EVENT_READ]
            if ended and not readable:
                break
            for key, _ in ready:
                self._serve(key.fileobj)
            if len(self.output) > MOST_OUTPUT:
                return f"it printed more than {MOST_OUTPUT:,} bytes"
        try:
            process.wait(max(self._deadline - monotonic(), 0.0))
        except TimeoutExpired:
            return "it took too long"
        return ""

    def close(self) -> None:
        """Close all pipes."""
        self._waiting.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _serve(self, pipe: object) -> None:
        process = self._process
        if pipe is process.stdin and process.stdin is not None:
            self._write(process.stdin)
        elif pipe is process.stdout and process.stdout is not None:
            self._read(process.stdout, self.output)
        elif process.stderr is not None:
            self._read(process.stderr, self.errors)
            del self.errors[:-MOST_ERRORS]

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self._given = self._given[os.write(pipe.fileno(), self._given[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._given = self._given[:0]  # it does not want to know more
        if not self._given:
            self._waiting.unregister(pipe)
            pipe.close()

    def _read(self, pipe: IO[bytes], into: bytearray) -> None:
        piece = os.read(pipe.fileno(), CHUNK)
        into += piece
        if not piece:
            self._waiting.unregister(pipe)
