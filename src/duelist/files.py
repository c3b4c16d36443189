"""Files that are either whole or not there; where caches are; what all CSV files have in common."""

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

DRAFT = re.compile(r"\..+\.[0-9a-f]{8}\.draft")  # what drafts are called, and nobody's own files are
CHUNK = 1 << 22
GZIPPED = b"\x1f\x8b"
CACHE_VARIABLE = "DUELIST_CACHE_DIR"
FORMULA = re.compile(r"'*([=+\-@\t\r]|\s|.*\s\Z)", re.DOTALL)
"""Cells that a spreadsheet would compute, and those with spaces around them, apostrophes aside."""


@contextmanager
def drafted(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a draft, which becomes the file at the end of the block unless something goes wrong."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.draft")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException as error:
        draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(draft)):
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise


def user_cache_folder() -> Path:
    """Return the folder of this package's caches: that of `DUELIST_CACHE_DIR`, or one in the user's caches.

    It need not exist. Without a home folder there is none, which is a RuntimeError.
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
    """Let nobody else reserve a folder while the block runs; a process that is killed lets go of it."""
    from filelock import FileLock, Timeout

    Path(folder).mkdir(parents=True, exist_ok=True)
    lock = FileLock(Path(folder) / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise FileError(f"another command is writing to {folder}; wait, or name another folder.") from None
    try:
        yield
    finally:
        lock.release()


def write_whole(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file so that a crash leaves the old content or the new one, never a part."""
    with drafted(path) as file:
        file.write(content)
    return Path(path)


@contextmanager
def opened(path: str | os.PathLike[str], flags: int) -> Iterator[int]:
    """Open a file for the block, without waiting where it is a pipe."""
    file = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def exclusively(file: int) -> Iterator[None]:
    """Lock an open file for the block; a process that is killed lets go."""
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
    """Return the bytes of an open file from start to end, or to its end."""
    pieces = []
    while start < end and (piece := os.pread(file, min(end - start, CHUNK), start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def append_fully(file: int, end: int, content: bytes) -> None:
    """Write at the end of an open file, to the disk: all of it, or nothing and an OSError."""
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
    """Bring the names of a folder's files to the disk."""
    with opened(folder, os.O_RDONLY) as names:
        os.fsync(names)


def remove_drafts(folder: str | os.PathLike[str]) -> None:
    """Remove the drafts in a folder that killed processes left behind; none may be writing there."""
    for path in Path(folder).glob(".*.draft"):
        if DRAFT.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)


def inflated(path: str | os.PathLike[str], content: bytes) -> bytes:
    """Return the content of a file, inflated where it is gzipped."""
    try:
        return gzip.decompress(content) if content.startswith(GZIPPED) else content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"{path}: the gzipped file is damaged ({error}); compress it again.") from error


def decoded(path: str | os.PathLike[str], content: bytes, encoding: str | None = None) -> str:
    """Return the text of a file: UTF-8, what its byte order mark says, or an encoding by name.

    Lines end in a newline alone.
    """
    marks = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
    marked = next((name for mark, name in marks.items() if content.startswith(mark)), None)
    try:
        text = content.decode(marked or encoding or "utf-8")
    except LookupError as error:
        raise FileError(f"no encoding is called {encoding!r}; try utf-8, utf-16 or latin-1.") from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {error.start} is not {marked or encoding or 'UTF-8'}; save the file as UTF-8, or "
            "name its encoding, such as latin-1."
        ) from error
    if "\0" in text[:1000]:
        raise FileError(
            f"{path}: this is not a text; if it is UTF-16 without a byte order mark, name its encoding, "
            "utf-16-le."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, gzipped or not."""
    return decoded(path, inflated(path, Path(path).read_bytes()))


def read_json(path: str | os.PathLike[str], kind: str, form: str, version: int) -> dict[str, Any]:
    """Return the object of a JSON file, or refuse one that is not in a format and version."""
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
    """Refuse a folder that could not be written to; it need not be there yet."""
    from tempfile import TemporaryFile

    nearest = next(place for place in (Path(folder), *Path(folder).absolute().parents) if place.exists())
    try:
        # rights alone do not tell: nobody can write to /proc
        TemporaryFile(dir=nearest).close()
    except OSError as error:
        raise FileError(f"{nearest} is not a folder that can be written to; choose another.") from error


def require_file(path: str | os.PathLike[str]) -> None:
    """Refuse a path that could not be written to as a file."""
    require_folder(Path(path).parent)
    if Path(path).is_dir():
        raise FileError(f"{path} is a folder; name a file to write.")


def guard(cell: str) -> str:
    """Return a cell of CSV that no spreadsheet takes for a formula: an apostrophe goes before it.

    Examples
    --------
    >>> guard("=1+1"), unguard(guard("=1+1")), guard("'-"), guard("a-b"), guard("'n Abend")
    ("'=1+1", '=1+1', "''-", 'a-b', "'n Abend")
    """
    return f"'{cell}" if FORMULA.match(cell) else cell


def unguard(cell: str) -> str:
    """Return what was guarded, exactly as it was."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
