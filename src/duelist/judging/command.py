"""A judge that is a program: it reads JSON, and prints left, right or tie."""

import json
import os
import selectors
import shlex
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic
from typing import IO, NamedTuple

from duelist.errors import ParameterError, require_positive
from duelist.judging.judge import (
    ANSWERS,
    PREFIX,
    Answer,
    JudgeError,
    JudgeRefusalError,
    Showing,
    excerpt,
)
from duelist.study.choices import as_name

MOST_OUTPUT = 65_536
"""Maximum size of a program's standard output in bytes."""
MOST_ERRORS = 4_096
"""Number of bytes of its standard error to keep, from the end."""
CHUNK = 65_536
LOOK_EVERY = 0.05
"""Seconds between checks whether a program has ended whose pipes other processes hold open."""


class Finished(NamedTuple):
    """How a program ended, and its output."""

    code: int | None
    """Its exit status, negative for a signal; None if it was killed by the caller."""
    fault: str
    """Why it was killed; empty if it ended by itself."""
    output: bytes
    errors: bytes
    """The end of its standard error."""


def run_program(words: Sequence[str], given: bytes, timeout: float) -> Finished:
    """Run a program without a shell and return how it ended; it need not read its input.

    It runs in a new session: all processes that it has started are killed with it.

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
    """Writes a program's input and reads its output at the same time.

    Parameters
    ----------
    process : Popen
        The program, with pipes.
    given : bytes
        The text for its standard input.
    deadline : float
        The time limit, on the monotonic clock.
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
        """Wait until the program has ended; return the reason if it must be killed, else an empty text."""
        process = self._process
        while self._waiting.get_map():
            left = self._deadline - monotonic()
            if left <= 0.0:
                return "it exceeded the time-out"
            # a process that it started may hold its pipes open indefinitely
            ended = process.poll() is not None
            ready = self._waiting.select(0.0 if ended else min(left, LOOK_EVERY))
            readable = [key for key, event in ready if event == selectors.EVENT_READ]
            if ended and not readable:
                break
            for key, _ in ready:
                self._serve(key.fileobj)
            if len(self.output) > MOST_OUTPUT:
                return f"it exceeded the output limit of {MOST_OUTPUT:,} bytes"
        try:
            process.wait(max(self._deadline - monotonic(), 0.0))
        except TimeoutExpired:
            return "it exceeded the time-out"
        return ""

    def close(self) -> None:
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
            self._given = self._given[:0]  # it has closed its input
        if not self._given:
            self._waiting.unregister(pipe)
            pipe.close()

    def _read(self, pipe: IO[bytes], into: bytearray) -> None:
        piece = os.read(pipe.fileno(), CHUNK)
        into += piece
        if not piece:
            self._waiting.unregister(pipe)


LARGEST_SCRIPT = 1 << 20
"""Maximum size in bytes of a file named in a command that counts as the judge's code; larger ones are
data."""


class CommandJudge:
    """A judge that starts a program for every call, without a shell.

    The program reads one JSON object from its standard input, `{"item": ..., "left": ..., "right": ...}`,
    with texts, or null for a missing item. Images and sounds are passed as file paths in `left_path`,
    `right_path` or `item_path`. The first word it prints must be left, right or tie, and it must exit with
    status 0. After the time-out, it is killed with all processes that it has started.

    Parameters
    ----------
    command : str
        The program and its arguments, such as "python judge.py --strict". It becomes the voter's name in the
        journal: do not put secrets into it.
    timeout : float, default 60.0
        Time-out of a call, in seconds.

    Examples
    --------
    >>> from duelist.judging.material import Output
    >>> judge = CommandJudge("echo left")
    >>> judge.name, judge.judge(Showing(None, Output("a"), Output("b")))
    ('judge: echo left', 'left')
    """

    sees_media = True

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        require_positive("timeout", timeout)
        self._words, self._timeout = as_words(command), float(timeout)
        self.name = as_name("judge", PREFIX + shlex.join(self._words))
        self.identity = json.dumps(["command", *self._words, *map(digest_of, scripts_in(self._words))])

    def judge(self, shown: Showing) -> Answer:
        """Return the program's answer. See `Judge.judge`.

        Parameters
        ----------
        shown : Showing
            The two outputs, and the item they were made for.

        Returns
        -------
        str
            "left", "right" or "tie".

        Raises
        ------
        JudgeError
            The program failed, exceeded the time-out, or printed no answer.
        JudgeRefusalError
            The program cannot be started.
        """
        try:
            finished = run_program(self._words, as_message(shown), self._timeout)
        except OSError as error:
            raise JudgeRefusalError(
                f"{self._words[0]} cannot be started ({error.strerror}); a script needs a first line such as "
                "#!/usr/bin/env python3, or its interpreter in the command."
            ) from error
        printed = finished.output.decode("utf-8", "replace")
        answer = ANSWERS.get(next(iter(printed.split()), "").casefold())
        if finished.code != 0 or answer is None:
            raise JudgeError(f"{self._words[0]} {self._fault(finished, printed)}")
        return answer

    def _fault(self, finished: Finished, output: str) -> str:
        errors = finished.errors.decode("utf-8", "replace")
        complaint = f" Its standard error ends: {excerpt(errors)}." if errors.strip() else ""
        if finished.fault:
            return f"was killed: {finished.fault} of {self._timeout:g} seconds.{complaint}"
        if finished.code:
            return f"failed with {status_of(finished.code)}.{complaint}"
        printed = f"printed {excerpt(output)}" if output.strip() else "printed nothing"
        return f"{printed}; the first word must be left, right or tie.{complaint}"


def as_words(command: str) -> list[str]:
    """Return the words of a command; raise ParameterError if its program cannot be run."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ParameterError(
            f"the command {command!r:.200} cannot be parsed ({error}); check its quotes."
        ) from error
    if not words:
        raise ParameterError('the command of the judge is empty; give a program, such as "python judge.py".')
    program = words[0]
    if "\0" in command:
        raise ParameterError("the command of the judge contains a null character; remove it.")
    if shutil.which(program) is None:
        if os.path.isfile(program):
            raise ParameterError(
                f"{program!r} is not executable; run chmod +x {shlex.quote(program)}, or put its interpreter "
                "in front of it."
            )
        raise ParameterError(f"there is no program {program!r}; check its name and the current folder.")
    return words


def scripts_in(words: list[str]) -> list[Path]:
    """Return the files in a command that are small enough to be code: a change may change the answers."""
    return [Path(word) for word in words if os.path.isfile(word) and os.path.getsize(word) <= LARGEST_SCRIPT]


def digest_of(path: Path) -> str:
    try:
        return blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise ParameterError(f"{path}: {error.strerror}; make it readable.") from error


def as_message(shown: Showing) -> bytes:
    """Return the JSON input of the program."""
    message: dict[str, str | None] = {}
    for field, output in shown._asdict().items():
        if output is not None and output.path is not None:
            message[f"{field}_path"] = os.path.abspath(output.path)
        else:
            message[field] = None if output is None else output.text
    # ASCII is readable in every locale
    return json.dumps(message).encode() + b"\n"


def status_of(code: int) -> str:
    """Return a description of an exit status."""
    if code > 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
