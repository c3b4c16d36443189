"""Calls of a judge: both orders, a budget, retries, and a cache of answers."""

import json
import os
from hashlib import blake2b, file_digest
from pathlib import Path
from threading import Event, Lock
from typing import NamedTuple

import msgspec

from duelist.errors import FileError, StorageError
from duelist.files import append_fully, exclusively, opened, read_span, sync_folder
from duelist.judging.judge import OTHER_SIDE, Answer, Judge, JudgeError, JudgeRefusalError, Showing
from duelist.judging.material import Output

HEADER = b'{"format":"duelist judge answers","version":1}\n'


class KeptAnswer(msgspec.Struct):
    """A line of the cache file."""

    key: str
    """Digest of the judge and of everything it was shown."""
    judge: str
    answer: Answer


class AnswerCache:
    """Cache of judges' answers, in a file of JSON lines; in memory only if there is no path.

    Added answers are on disk. Damaged lines, such as the last one of a killed process, are skipped. Threads
    and processes may share a file.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The file; it is created when the first answer is added.

    Examples
    --------
    >>> cache = AnswerCache()
    >>> cache.add("5f0c", "judge: ./judge.py", "left")
    >>> cache.find("5f0c"), cache.find("77aa")
    ('left', None)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._lock = Lock()
        self._answers = {} if self._path is None else read_answers(self._path)

    def find(self, key: str) -> Answer | None:
        """Return the cached answer; None if there is none."""
        return self._answers.get(key)

    def add(self, key: str, judge: str, answer: Answer) -> None:
        """Store an answer durably; the first answer for a key is kept."""
        with self._lock:
            if key in self._answers:
                return
            if self._path is not None:
                append_answer(self._path, KeptAnswer(key, judge, answer))
            self._answers[key] = answer


def key_of(identity: str, shown: Showing) -> str:
    """Return a digest of a judge and of what it is shown, by content and in this order.

    Examples
    --------
    >>> shown = Showing(None, Output("a"), Output("b"))
    >>> key_of("judge", shown) == key_of("judge", shown.swapped())
    False
    """
    content = json.dumps([identity, *map(content_of, shown)])
    return blake2b(content.encode(), digest_size=16).hexdigest()


def content_of(output: Output | None) -> list[str | None]:
    """Return the content of an output: its text, or a digest of its file."""
    if output is None or output.path is None:
        return [None if output is None else output.text]
    try:
        with output.path.open("rb") as file:
            return [output.media_type, file_digest(file, "blake2b").hexdigest()]
    except OSError as error:
        raise FileError(
            f"{output.path}: {error.strerror}; make this output readable for the judge."
        ) from error


def read_answers(path: Path) -> dict[str, Answer]:
    """Return the answers of a file by key, empty if it is missing; raise FileError if it is another file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give another file for the judges' answers.") from error
    if not is_beginning(content):
        raise FileError(f"{path} is not a file of judges' answers; give another file.")
    answers: dict[str, Answer] = {}
    read = msgspec.json.Decoder(KeptAnswer).decode
    for line in content[len(HEADER) :].split(b"\n"):
        try:
            kept = read(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        answers.setdefault(kept.key, kept.answer)
    return answers


def append_answer(path: Path, kept: KeptAnswer) -> None:
    """Append an answer to a file, durably."""
    line = msgspec.json.encode(kept) + b"\n"
    try:
        with opened(path, os.O_RDWR | os.O_CREAT) as file, exclusively(file):
            end = os.fstat(file).st_size
            if not is_beginning(read_span(file, 0, len(HEADER))):
                raise FileError(f"{path} was replaced by another kind of file; give another file.")
            if end < len(HEADER):
                sync_folder(path.absolute().parent)
                append_fully(file, 0, HEADER + line)
            else:
                # terminate the partial line of a killed process; readers skip it
                whole = read_span(file, end - 1, end) == b"\n"
                append_fully(file, end, line if whole else b"\n" + line)
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror}; an answer could not be stored. Free disk space, or specify another "
            "file."
        ) from error


def is_beginning(content: bytes) -> bool:
    """Return whether a file starts with the header, or with what a killed process left of it."""
    return content.startswith(HEADER) or HEADER.startswith(content)


LONGEST_WAIT = 60.0
"""Maximum wait in seconds before a retry; each wait is twice as long as the one before."""


class UnfinishedError(Exception):
    """The run or its budget ended before both answers were there; the cause is a failed call, if any."""


class Comparison(NamedTuple):
    """A judge's answers on two outputs, shown in both orders.

    Examples
    --------
    >>> Comparison("left", "right").outcome, Comparison("left", "left").outcome
    ('left', 'tie')
    """

    first: Answer
    second: Answer
    """The answer with the outputs swapped."""

    @property
    def favoured(self) -> Answer | None:
        """The side that the judge favoured when its answer changed with the order; None if it did not."""
        if self.first == OTHER_SIDE[self.second]:
            return None
        return self.second if self.first == "tie" else self.first

    @property
    def outcome(self) -> Answer:
        """The vote: an answer that changes with the order is a tie."""
        return self.first if self.favoured is None else "tie"


class Budget:
    """The remaining number of calls, shared by all threads."""

    def __init__(self, calls: int) -> None:
        self._left, self._lock = calls, Lock()

    def reserve(self, calls: int) -> bool:
        """Take calls from the budget; return False and take none if there are too few."""
        with self._lock:
            enough = self._left >= calls
            self._left -= calls if enough else 0
            return enough

    def give_back(self, calls: int) -> None:
        """Return calls that were not made."""
        with self._lock:
            self._left += calls


class Caller:
    """Calls a judge from many threads.

    Parameters
    ----------
    judge : Judge
        The judge to call.
    cache : AnswerCache
        Its earlier answers.
    budget : int
        Maximum number of calls, including retries.
    retries : int
        Maximum number of retries of a failed call.
    """

    def __init__(self, judge: Judge, cache: AnswerCache, budget: int, retries: int) -> None:
        self._judge, self._cache, self._retries = judge, cache, retries
        self.budget, self.calls, self.failures = Budget(budget), 0, 0
        self._lock, self._ending = Lock(), Event()

    def end(self) -> None:
        """Start no further calls; calls under way are finished."""
        self._ending.set()

    def unanswered(self, shown: Showing) -> list[Showing]:
        """Return the orders of two outputs that the judge has not answered yet."""
        return [order for order in (shown, shown.swapped()) if self._cache.find(self._key(order)) is None]

    def compare(self, shown: Showing, orders: list[Showing]) -> Comparison:
        """Return the judge's answers in both orders; calls for the unanswered ones must be reserved.

        Raises
        ------
        JudgeError, JudgeRefusalError
            It gave no answer, even after all retries.
        UnfinishedError
            The run or its budget ended.
        """
        reserved = len(orders)
        try:
            for order in orders:
                reserved -= 1
                self._cache.add(self._key(order), self._judge.name, self._ask(order))
        finally:
            self.budget.give_back(reserved)
        return Comparison(self._known(shown), self._known(shown.swapped()))

    def _ask(self, shown: Showing) -> Answer:
        """Return an answer to a reserved call, after retries if needed."""
        retried = 0
        while True:
            if self._ending.is_set():
                raise UnfinishedError
            with self._lock:
                self.calls += 1
            try:
                return self._judge.judge(shown)
            except (JudgeError, JudgeRefusalError) as error:
                with self._lock:
                    self.failures += 1
                if isinstance(error, JudgeRefusalError) or error.wait is None or retried == self._retries:
                    raise
                if not self.budget.reserve(1):
                    raise UnfinishedError from error
                self._ending.wait(min(error.wait * 2.0**retried, LONGEST_WAIT))
                retried += 1

    def _key(self, shown: Showing) -> str:
        return key_of(self._judge.identity, shown)

    def _known(self, shown: Showing) -> Answer:
        answer = self._cache.find(self._key(shown))
        if answer is None:
            raise UnfinishedError
        return answer
