"""Caches of ranking data, mapped into memory the next time.

A file holds a preface, a header in JSON, then labels, offsets and names of queries, then the features. All
but the features, which are only read when they are needed, have checksums. The header names the sources by
their digests: size and time of change do not prove that a file still has the same content.
"""

import hashlib
import json
import os
import struct
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any, BinaryIO

import numpy as np

from duelist.duel import FeatureArray
from duelist.files import DRAFT, drafted, user_cache_folder
from duelist.ranking.reading import Documents

VERSION = 2
PREFACE = struct.Struct("<8sII")  # a mark, the header's length and its sum
MARK = b"duelist\n"
ALIGNMENT = 64
ABANDONED = 86_400.0  # seconds after which a draft is one of a process that was killed
DAMAGES = (OSError, ValueError, struct.error)
"""How reading a cache fails."""


def digest_files(paths: Sequence[Path]) -> list[str]:
    """Return a digest of the content of each file."""
    digests = []
    for path in paths:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    return digests


def cache_place(sources: Sequence[Path], cache: bool | str | os.PathLike[str]) -> Path | None:
    """Return the place of a file's cache in a folder, or None; a second source is its file of group sizes."""
    # a pipe gives other text each time
    if cache is False or not all(path.is_file() for path in sources):
        return None
    try:
        folder = _own_folder() if cache is True else Path(cache)
    except (OSError, RuntimeError):
        return None
    # files of different folders may have the same name
    origin = hashlib.sha256(b"\0".join(os.fsencode(path.resolve()) for path in sources)).hexdigest()[:12]
    return folder / f"{sources[0].name}.{origin}.duelist"


def write_cache(place: Path, sources: Sequence[Path], digests: list[str], documents: Documents) -> None:
    """Write the cache of a file, if its folder can be written to."""
    queries = documents.queries
    tables = b"".join(part.tobytes() for part in (documents.labels, documents.offsets, queries))
    counts = {"documents": len(documents.labels), "features": documents.d, "queries": len(queries)}
    checks = {"characters": queries.dtype.itemsize // 4, "sum": zlib.crc32(tables)}
    paths = {"paths": [str(path.resolve()) for path in sources]}
    text = json.dumps(_expected_header(digests) | counts | checks | paths).encode()
    text += b" " * (-(PREFACE.size + len(text)) % ALIGNMENT)
    try:
        with drafted(place) as file:
            file.write(PREFACE.pack(MARK, len(text), zlib.crc32(text)) + text)
            file.write(tables + bytes(-len(tables) % ALIGNMENT))
            for block in documents.blocks:
                _write_padded(file, block, documents.d)
    except OSError:
        # a folder that cannot be written to, or a full disk: the next load reads the text again
        return


def read_cache(place: Path, digests: list[str]) -> Documents | None:
    """Return the data of a cache, its features mapped into memory, or None if missing, old or damaged."""
    try:
        with place.open("rb") as file:
            header = _read_header(file)
            if any(header.get(key) != value for key, value in _expected_header(digests).items()):
                return None
            n, d, q = header["documents"], header["features"], header["queries"]
            tables = 8 * n + 8 * (q + 1) + 4 * q * header["characters"]
            start = file.tell() + tables + -tables % ALIGNMENT
            kept = file.read(tables)
            size = os.fstat(file.fileno()).st_size
            if size != start + 4 * n * d or zlib.crc32(kept) != header["sum"]:
                return None
            features: FeatureArray = np.memmap(file, np.float32, "c", start, (n, d)).view(np.ndarray)
    except DAMAGES:
        return None
    labels = np.frombuffer(kept, np.int64, n).copy()
    offsets = np.frombuffer(kept, np.int64, q + 1, 8 * n).copy()
    queries = np.frombuffer(kept, f"U{header['characters']}", q, 8 * (n + q + 1)).copy()
    return Documents([features], labels, queries, offsets)


def remove_orphans(folder: Path) -> None:
    """Remove the caches of files that are gone, and drafts of processes that were killed."""
    with suppress(OSError):
        for place in folder.iterdir():
            with suppress(*DAMAGES):
                if _is_abandoned(place) if DRAFT.fullmatch(place.name) else _is_orphan(place):
                    place.unlink()


def _is_abandoned(draft: Path) -> bool:
    return time() - draft.stat().st_mtime > ABANDONED


def _is_orphan(place: Path) -> bool:
    with place.open("rb") as file:
        paths = _read_header(file).get("paths", ())
    return bool(paths) and not all(os.path.exists(path) for path in paths)


def _own_folder() -> Path:
    """Return the folder of caches in the user's caches, made if need be."""
    folder = user_cache_folder() / "rankings"
    # a source may lie where others cannot look
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _expected_header(digests: list[str]) -> dict[str, Any]:
    return {"version": VERSION, "byteorder": sys.byteorder, "sources": digests}


def _read_header(file: BinaryIO) -> dict[str, Any]:
    mark, length, header_sum = PREFACE.unpack(file.read(PREFACE.size))
    text = file.read(min(length, os.fstat(file.fileno()).st_size))
    if mark != MARK or zlib.crc32(text) != header_sum:
        raise ValueError("not the header of a cache")
    header: dict[str, Any] = json.loads(text)
    return header


def _write_padded(file: BinaryIO, block: FeatureArray, width: int) -> None:
    """Write rows with 0 in the columns they lack."""
    if block.shape[1] < width:
        block = np.pad(block, ((0, 0), (0, width - block.shape[1])))
    file.write(block.data)
