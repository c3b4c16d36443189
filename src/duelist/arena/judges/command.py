"""A judge that is a program: it reads JSON, and prints left, right or tie."""

import json
import os
import shlex
import shutil
import signal
from hashlib import blake2b
from pathlib import Path

from duelist.arena.judges.judge import (
    ANSWERS,
    PREFIX,
    Answer,
    JudgeError,
    JudgeRefusalError,
    Showing,
    excerpt,
)
from duelist.arena.judges.program import Finished, run_program
from duelist.errors import ParameterError, require_positive
from duelist.study.choices import as_name

LARGEST_SCRIPT = 1 << 20
"""Bytes of a file named in a command that count as the judge's own code; larger ones are data."""


class CommandJudge:
    """A program that is run anew for every call, without a shell.

    It reads one JSON object from its standard input, `{"item": ..., "left": ..., "right": ...}`: texts, and
    null for an item that has none. An image or a sound comes as the path of its file, under `left_path`,
    `right_path` or `item_path`. The first word it prints must be left, right or tie, and it must exit with
    status 0. When it takes too long, it is ended with everything that it has started.

    Parameters
    ----------
    command : str
        The program and its arguments, such as "python judge.py --strict". It is the voter's name in the
        journal: put no secret into it.
    timeout : float, default 60.0
        Seconds that a call may take.

    Examples
    --------
    >>> from duelist.arena.content.material import Output
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
        """Return what the program says. See `Judge.judge`."""
        try:
            finished = run_program(self._words, as_message(shown), self._timeout)
        except OSError as error:
            raise JudgeRefusalError(
                f"{self._words[0]} cannot be started ({error.strerror}); a script needs a first line such as "
                "#!/usr/bin/env python3, or its interpreter in the command."
            ) from error
        said = finished.output.decode("utf-8", "replace")
        answer = ANSWERS.get(next(iter(said.split()), "").casefold())
        if finished.code != 0 or answer is None:
            raise JudgeError(f"{self._words[0]} {self._fault(finished, said)}")
        return answer

    def _fault(self, finished: Finished, said: str) -> str:
        errors = finished.errors.decode("utf-8", "replace")
        complaint = f" Its standard error ends: {excerpt(errors)}." if errors.strip() else ""
        if finished.fault:
            return f"was ended: {finished.fault}. It may take {self._timeout:g} seconds a call.{complaint}"
        if finished.code:
            return f"failed with {status_of(finished.code)}.{complaint}"
        printed = f"printed {excerpt(said)}" if said.strip() else "printed nothing"
        return f"{printed}; the first word must be left, right or tie.{complaint}"


def as_words(command: str) -> list[str]:
    """Return the words of a command whose program can be run, or say why it cannot."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ParameterError(f"the command {command!r:.200} cannot be split into words: {error}.") from error
    if not words:
        raise ParameterError('the command of a judge is empty; name a program, such as "python judge.py".')
    program = words[0]
    if "\0" in command:
        raise ParameterError("the command of a judge holds a zero character; remove it.")
    if shutil.which(program) is None:
        if os.path.isfile(program):
            raise ParameterError(
                f"{program!r} may not be run as a program; allow it (chmod +x {shlex.quote(program)}), "
                "or put its interpreter before it."
            )
        raise ParameterError(f"there is no program {program!r}; check the name and the folder.")
    return words


def scripts_in(words: list[str]) -> list[Path]:
    """Return the files named in a command that are small enough to be its code: with them answers change."""
    return [Path(word) for word in words if os.path.isfile(word) and os.path.getsize(word) <= LARGEST_SCRIPT]


def digest_of(path: Path) -> str:
    """Return a digest of a file."""
    try:
        return blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise ParameterError(f"{path}: {error.strerror}; make it readable.") from error


def as_message(shown: Showing) -> bytes:
    """Return what a program reads."""
    message: dict[str, str | None] = {}
    for field, output in shown._asdict().items():
        if output is not None and output.path is not None:
            message[f"{field}_path"] = os.path.abspath(output.path)
        else:
            message[field] = None if output is None else output.text
    # in ASCII, so that a program reads it whatever its locale
    return json.dumps(message).encode() + b"\n"


def status_of(code: int) -> str:
    """Return an exit status in words."""
    if code > 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
