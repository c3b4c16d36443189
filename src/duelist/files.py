"""Atomic writing of files, locks, the location of caches, and escaping of CSV cells."""

import codecs
import gzip
import json
import os
import re
import secrets
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from duelist.errors import FileError

TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.draft")  # names of temporary files, unlike those of users' files
CHUNK = 1 << 22
GZIPPED = b"\x1f\x8b"
CACHE_VARIABLE = "DUELIST_CACHE_DIR"
FORMULA = re.compile(r"'*([=+\-@\t\r]|\s|.*\s\Z)", re.DOTALL)
"""Cells that a spreadsheet would evaluate, and cells with spaces around them, after any apostrophes."""


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces the target at the end of the block, unless the block fails."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.draft")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise


def user_cache_folder() -> Path:
    """Return the folder for caches: `DUELIST_CACHE_DIR` if it is set, or a folder in the user's cache.

    The folder need not exist. Without a home folder, this raises a RuntimeError.
    """
    chosen = os.environ.get(CACHE_VARIABLE, "")
    if chosen:
        return Path(chosen)
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        caches = Path(given)
    elif sys.platform == "win32":
        caches = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser()
    else:
        caches = Path("~/Library/Caches" if sys.platform == "darwin" else "~/.cache").expanduser()
    return caches / "duelist"


@contextmanager
def reserved(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Lock a folder exclusively for the block; the lock is released if the process is killed."""
    from filelock import FileLock, Timeout

    Path(folder).mkdir(parents=True, exist_ok=True)
    lock = FileLock(Path(folder) / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise FileError(
            f"another command is writing to {folder}; wait until it ends, or choose another folder."
        ) from None
    try:
        yield
    finally:
        lock.release()


def write_whole(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file atomically: after a crash, it has the old content or the new one."""
    with atomic_writer(path) as file:
        file.write(content)
    return Path(path)


@contextmanager
def opened(path: str | os.PathLike[str], flags: int) -> Iterator[int]:
    """Open a file for the block, without blocking if it is a pipe."""
    file = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def exclusively(file: int) -> Iterator[None]:
    """Lock an open file for the block; the lock is released if the process is killed."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def read_span(file: int, start: int, end: int) -> bytes:
    """Return the bytes of an open file from `start` to `end`, or to the end of the file."""
    pieces = []
    while start < end and (piece := os.pread(file, min(end - start, CHUNK), start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def append_fully(file: int, end: int, content: bytes) -> None:
    """Append to an open file and sync it to disk; after an OSError, nothing has been appended."""
    left, start = memoryview(content), end
    try:
        while left:
            written = os.pwrite(file, left, start)
            left, start = left[written:], start + written
        os.fsync(file)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(file, end)
        raise


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Sync the directory entries of a folder to disk."""
    with opened(folder, os.O_RDONLY) as names:
        os.fsync(names)


def remove_temporary_files(folder: str | os.PathLike[str]) -> None:
    """Remove temporary files that killed processes left in a folder, to which no process may be writing."""
    for path in Path(folder).glob(".*.draft"):
        if TEMPORARY.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)


def inflated(path: str | os.PathLike[str], content: bytes) -> bytes:
    """Return the content of a file, decompressed if it is gzipped."""
    try:
        return gzip.decompress(content) if content.startswith(GZIPPED) else content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"{path}: the gzipped file is damaged ({error}); compress it again.") from error


def decoded(path: str | os.PathLike[str], content: bytes, encoding: str | None = None) -> str:
    """Decode the content of a file by its byte order mark, the named encoding, or as UTF-8.

    Line endings are converted to newlines.
    """
    marks = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
    marked = next((name for mark, name in marks.items() if content.startswith(mark)), None)
    try:
        text = content.decode(marked or encoding or "utf-8")
    except LookupError as error:
        raise FileError(f"unknown encoding {encoding!r}; try utf-8, utf-16 or latin-1.") from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {error.start} is not valid {marked or encoding or 'UTF-8'}; save the file as "
            "UTF-8, or name its encoding, such as latin-1."
        ) from error
    if "\0" in text[:1000]:
        raise FileError(
            f"{path}: not a text file; if it is UTF-16 without a byte order mark, name the encoding "
            "utf-16-le."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, gzipped or not."""
    return decoded(path, inflated(path, Path(path).read_bytes()))


def read_json(path: str | os.PathLike[str], kind: str, form: str, version: int) -> dict[str, Any]:
    """Return the object in a JSON file, after checking its format and version."""
    try:
        content = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path that save() returned.") from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not a {kind}: it is not JSON ({error}); give a saved {kind}.") from error
    if not isinstance(content, dict) or content.get("format") != form:
        raise FileError(f'{path} is not a {kind}: its "format" is not {form!r}; give a saved {kind}.')
    found = content.get("version")
    if found != version:
        raise FileError(f"{path} has version {found!r}; this version of duelist reads {version}.")
    return content


def require_folder(folder: str | os.PathLike[str]) -> None:
    """Raise FileError unless a folder is writable or can be created."""
    from tempfile import TemporaryFile

    nearest = next(path for path in (Path(folder), *Path(folder).absolute().parents) if path.exists())
    try:
        # permissions are not enough: nobody can write to /proc
        TemporaryFile(dir=nearest).close()
    except OSError as error:
        raise FileError(f"{nearest} is not a writable folder; choose another one.") from error


def require_file(path: str | os.PathLike[str]) -> None:
    """Raise FileError unless a file can be written at this path."""
    require_folder(Path(path).parent)
    if Path(path).is_dir():
        raise FileError(f"{path} is a folder; give the path of a file to write.")


def guard(cell: str) -> str:
    """Escape a CSV cell that a spreadsheet could evaluate as a formula, by a leading apostrophe.

    Examples
    --------
    >>> guard("=1+1"), unguard(guard("=1+1")), guard("'-"), guard("a-b"), guard("'n Abend")
    ("'=1+1", '=1+1', "''-", 'a-b', "'n Abend")
    """
    return f"'{cell}" if FORMULA.match(cell) else cell


def unguard(cell: str) -> str:
    """Undo `guard` exactly."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
