"""Lines at the end of a file: appended all or none, and read only when they are whole.

A line counts once its newline is there. Where several lines are appended together, the first byte of the
first is a mark until all of them are on disk; it is replaced last, so that a process that is killed leaves
either all lines or a tail that nobody reads and that is cut before the next line is written.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

MARK = b"#"
"""Stands for the first byte of lines that are not all written yet."""
UNFINISHED = MARK + b'"event":'
"""How they begin. A line that a person commented out begins with the mark and a brace."""
FIRST = b'{"event":"created"'
"""How a journal begins."""
CHUNK = 1 << 22
HEAD = 256


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """Open a file for the block; what is no plain file is opened without waiting."""
    file = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def exclusively(path: Path) -> Iterator[None]:
    """Lock a file itself for the block, if it is there: a file beside it may be removed by anybody."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    if not path.is_file():
        yield
        return
    with opened(path, os.O_RDONLY) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_beginning(file: int) -> bool:
    """Return whether a file without a whole line is empty or what a killed process left of a first line."""
    head = read_span(file, 0, len(FIRST)).strip(b"\0")  # zeros are left where the power failed
    return FIRST.startswith(head) or (MARK + FIRST[1:]).startswith(head)


def read_span(file: int, start: int, end: int) -> bytes:
    """Return the bytes from start to end, or to the end of the file."""
    pieces = []
    while start < end and (piece := os.pread(file, min(end - start, CHUNK), start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def whole_lines(file: int, start: int, end: int) -> Iterator[bytes]:
    """Yield all whole lines from start on, many at a time; what begins with the mark is not written yet."""
    rest = b""
    while start < end and (piece := os.pread(file, min(end - start, CHUNK), start)):
        start += len(piece)
        rest += piece
        if rest.startswith(UNFINISHED):
            return
        length = rest.rfind(b"\n") + 1
        unfinished = rest.find(b"\n" + UNFINISHED) + 1
        if length:
            yield rest[: unfinished or length]
        if unfinished:
            return
        rest = rest[length:]


def append_lines(file: int, end: int, lines: Sequence[bytes]) -> None:
    """Write lines at the end of a file, to the disk: all of them, or none and an OSError."""
    content = b"".join(lines)
    try:
        if len(lines) == 1:
            write_fully(file, content, end)
        else:
            write_fully(file, MARK + content[1:], end)
            os.fsync(file)
            write_fully(file, content[:1], end)
        os.fsync(file)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(file, end)
        raise


def cut_tail(file: int, end: int, size: int, aside: Path) -> None:
    """Cut what a killed process left after the last whole line, and keep it in a file of its own.

    It was never acknowledged; but where an editor removed the last newline, a person may want it back.
    """
    tail = read_span(file, end, size)
    with suppress(OSError), aside.open("ab") as kept:
        kept.write(tail + b"\n")
    os.ftruncate(file, end)


def write_fully(file: int, content: bytes, start: int) -> None:
    """Write all of it, in as many pieces as it takes."""
    left = memoryview(content)
    while left:
        written = os.pwrite(file, left, start)
        start += written
        left = left[written:]


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder's files to the disk."""
    with opened(folder, os.O_RDONLY) as names:
        os.fsync(names)


def digest_of(file: int, start: int, end: int) -> bytes:
    """Return a digest of the line from start to end, and of the head of the file, which names the study."""
    return blake2b(read_span(file, 0, min(HEAD, end)) + read_span(file, start, end), digest_size=16).digest()
