"""Calls of a judge: in both orders, within a budget, again where they fail, and never twice."""

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
    """A line of the file."""

    key: str
    """A digest of the judge and of all that it was shown."""
    judge: str
    answer: Answer


class AnswerCache:
    """What judges answered, in a file of JSON lines; in memory alone without a path.

    An answer that was added is on disk. A line that is damaged, such as the last one of a process that was
    killed, is passed over. Several threads and processes may share a file.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The file; it is made when the first answer is added.

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
        """Return what was answered; None if it was not asked."""
        return self._answers.get(key)

    def add(self, key: str, judge: str, answer: Answer) -> None:
        """Keep an answer, durably; what was first stands."""
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
    """Return what an output says: its text, or a digest of its file."""
    if output is None or output.path is None:
        return [None if output is None else output.text]
    try:
        with output.path.open("rb") as file:
            return [output.media_type, file_digest(file, "blake2b").hexdigest()]
    except OSError as error:
        raise FileError(f"{output.path}: {error.strerror}; it is needed to be judged.") from error


def read_answers(path: Path) -> dict[str, Answer]:
    """Return the answers of a file by key, none if it is not there; or refuse a file of something else."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; name a file for the answers of judges.") from error
    if not is_beginning(content):
        raise FileError(f"{path} holds something else than the answers of judges; name another file.")
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
    """Write an answer at the end of a file, to the disk."""
    line = msgspec.json.encode(kept) + b"\n"
    try:
        with opened(path, os.O_RDWR | os.O_CREAT) as file, exclusively(file):
            end = os.fstat(file).st_size
            if not is_beginning(read_span(file, 0, len(HEADER))):
                raise FileError(f"{path} was replaced by something else; name another file.")
            if end < len(HEADER):
                sync_folder(path.absolute().parent)
                append_fully(file, 0, HEADER + line)
            else:
                # what a killed process left of a line becomes a line of its own, which is passed over
                whole = read_span(file, end - 1, end) == b"\n"
                append_fully(file, end, line if whole else b"\n" + line)
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror}; an answer could not be kept. Make room, or name another file."
        ) from error


def is_beginning(content: bytes) -> bool:
    """Return whether a file begins as it should, or is what a killed process left of its first line."""
    return content.startswith(HEADER) or HEADER.startswith(content)


LONGEST_WAIT = 60.0
"""Seconds before a call is sent again, at most; each wait is twice as long as the one before."""


class UnfinishedError(Exception):
    """The run ended, or its budget, before both answers were there; its cause is a call that failed."""


class Comparison(NamedTuple):
    """What a judge said of two outputs, shown in both orders.

    Examples
    --------
    >>> Comparison("left", "right").outcome, Comparison("left", "left").outcome
    ('left', 'tie')
    """

    first: Answer
    second: Answer
    """With the outputs swapped."""

    @property
    def favoured(self) -> Answer | None:
        """The side for which the answer changed with the order; None if it stayed."""
        if self.first == OTHER_SIDE[self.second]:
            return None
        return self.second if self.first == "tie" else self.first

    @property
    def outcome(self) -> Answer:
        """What counts: an answer that changes with the order is a tie."""
        return self.first if self.favoured is None else "tie"


class Budget:
    """How many calls may still be made, by all threads together."""

    def __init__(self, calls: int) -> None:
        self._left, self._lock = calls, Lock()

    def reserve(self, calls: int) -> bool:
        """Take calls out of the budget, or none and return False if there are not as many."""
        with self._lock:
            enough = self._left >= calls
            self._left -= calls if enough else 0
            return enough

    def give_back(self, calls: int) -> None:
        """Put back calls that were not made."""
        with self._lock:
            self._left += calls


class Caller:
    """Asks a judge; used by many threads at once.

    Parameters
    ----------
    judge : Judge
        Who is asked.
    cache : AnswerCache
        What it has answered before.
    budget : int
        How many calls may be made, with all that are made again.
    retries : int
        How often a call that fails is made again.
    """

    def __init__(self, judge: Judge, cache: AnswerCache, budget: int, retries: int) -> None:
        self._judge, self._cache, self._retries = judge, cache, retries
        self.budget, self.calls, self.failures = Budget(budget), 0, 0
        self._lock, self._ending = Lock(), Event()

    def end(self) -> None:
        """Begin no further call; those under way go on to their answers."""
        self._ending.set()

    def unanswered(self, shown: Showing) -> list[Showing]:
        """Return the orders of two outputs that the judge has not answered before."""
        return [order for order in (shown, shown.swapped()) if self._cache.find(self._key(order)) is None]

    def compare(self, shown: Showing, orders: list[Showing]) -> Comparison:
        """Return what the judge says in both orders; calls for those unanswered must be reserved.

        Raises
        ------
        JudgeError, JudgeRefusalError
            It gave no answer, however often it was asked.
        UnfinishedError
            The run ended, or its budget.
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
        """Return an answer that is paid for, after as many calls as it takes."""
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
