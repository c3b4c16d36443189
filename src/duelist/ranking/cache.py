"""A cache of ranking data beside its file, mapped into memory the next time.

A file holds a preface, a header in JSON, then labels, offsets and names of queries, then the features. All
but the features, which are only read when they are needed, have checksums.
"""

import hashlib
import json
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from duelist.duel import FeatureArray
from duelist.files import drafted
from duelist.ranking.reading import Documents

VERSION = 1
PREFACE = struct.Struct("<8sII")  # a mark, the header's length and its sum
MARK = b"duelist\n"
ALIGNMENT = 64
Stamp = list[list[int]]


def stamp_files(paths: list[Path]) -> Stamp:
    """Return the size and the time of change of each file."""
    return [[status.st_size, status.st_mtime_ns] for status in map(os.stat, paths)]


def cache_place(path: Path, cache: bool | str | os.PathLike[str]) -> Path | None:
    """Return where the cache of a file is: beside it, in another folder, or nowhere."""
    # a pipe gives other text each time
    if cache is False or not path.is_file():
        return None
    if cache is True:
        return path.with_name(f"{path.name}.duelist")
    # files of different folders may have the same name
    origin = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]
    return Path(cache) / f"{path.name}.{origin}.duelist"


def write_cache(place: Path, stamp: Stamp, documents: Documents) -> None:
    """Write the cache of a file, if its folder can be written to."""
    queries = documents.queries
    tables = b"".join(part.tobytes() for part in (documents.labels, documents.offsets, queries))
    counts = {"documents": len(documents.labels), "features": documents.d, "queries": len(queries)}
    checks = {"characters": queries.dtype.itemsize // 4, "sum": zlib.crc32(tables)}
    text = json.dumps(_expected_header(stamp) | counts | checks).encode()
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


def read_cache(place: Path, stamp: Stamp) -> Documents | None:
    """Return the data of a cache, its features mapped into memory, or None if missing, old or damaged."""
    try:
        with place.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            mark, length, header_sum = PREFACE.unpack(file.read(PREFACE.size))
            text = file.read(min(length, size))
            if mark != MARK or zlib.crc32(text) != header_sum:
                return None
            header = json.loads(text)
            if any(header.get(key) != value for key, value in _expected_header(stamp).items()):
                return None
            n, d, q = header["documents"], header["features"], header["queries"]
            tables = 8 * n + 8 * (q + 1) + 4 * q * header["characters"]
            start = PREFACE.size + length + tables + -tables % ALIGNMENT
            kept = file.read(tables)
            if size != start + 4 * n * d or zlib.crc32(kept) != header["sum"]:
                return None
            features: FeatureArray = np.memmap(file, np.float32, "c", start, (n, d)).view(np.ndarray)
    except (OSError, ValueError, struct.error):
        return None
    labels = np.frombuffer(kept, np.int64, n).copy()
    offsets = np.frombuffer(kept, np.int64, q + 1, 8 * n).copy()
    queries = np.frombuffer(kept, f"U{header['characters']}", q, 8 * (n + q + 1)).copy()
    return Documents([features], labels, queries, offsets)


def _expected_header(stamp: Stamp) -> dict[str, Any]:
    return {"version": VERSION, "byteorder": sys.byteorder, "sources": stamp}


def _write_padded(file: Any, block: FeatureArray, width: int) -> None:
    """Write rows with 0 in the columns they lack."""
    if block.shape[1] < width:
        block = np.pad(block, ((0, 0), (0, width - block.shape[1])))
    file.write(block.data)
