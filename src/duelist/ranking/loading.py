"""Loading of learning-to-rank files, with caches that are mapped into memory.

A cache has a preface, a JSON header, the labels, the offsets, the names of queries, and the features. All but
the features, which are only read on demand, have checksums. The header identifies the sources by digest,
because equal size and modification time do not prove equal content.
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

from duelist.duel import FeatureArray, IntArray
from duelist.errors import FileError, ParameterError
from duelist.files import TEMPORARY, atomic_writer, user_cache_folder
from duelist.ranking.dataset import RankingData, normalise_queries, stack_offsets, stack_rows
from duelist.ranking.reading import FilePath, RankingFile, read_documents, read_stretches
from duelist.text import counted

Paths = FilePath | Sequence[FilePath]
VERSION = 2
PREFACE = struct.Struct("<8sII")  # the magic bytes, the header's length and its checksum
MAGIC = b"duelist\n"
ALIGNMENT = 64
ABANDONED = 86_400.0  # seconds after which a temporary file must be that of a killed process

DAMAGES = (OSError, ValueError, struct.error)
"""The errors of reading a damaged cache."""


def load_ranking_data(
    paths: Paths, *, groups: Paths | None = None, cache: bool | FilePath = True, normalise: bool = False
) -> RankingData:
    r"""Load files of SVMlight lines, such as those of LETOR and MSLR, plain or gzip.

    Each line is a document: `label qid:Q 1:x 2:x ... # comment`, with a label of at least 0, the query's
    name, and features numbered from 1 in increasing order; omitted features are 0. Blank lines are skipped.

    Parameters
    ----------
    paths : path, or sequence of paths
        The files to join; files with fewer features are padded with columns of 0.
    groups : path, or sequence of paths, optional
        For files without query ids: the number of documents of each query, one per line, as in LightGBM's
        `.group` and `.query` files. The queries are then named "1", "2" and so on, over all files.
    cache : bool or path, default True
        Whether to cache a copy of each source in the user's cache folder, or the folder of the cache. A
        cached copy is mapped into memory as long as its source has the same content; copies in the user's
        folder are deleted once their source is gone.
    normalise : bool, default False
        Whether to scale the features per query, as `RankingData.normalised` does.

    Returns
    -------
    RankingData
        The documents of all files.

    Raises
    ------
    FileError
        If a file cannot be read or a line is malformed; the message gives the line and the column.
    ParameterError
        If there are no paths, or not as many groups.

    Notes
    -----
    The documents of a query must be contiguous in one file. To join files that use the same names for
    different queries, use `RankingData.join`. Values are parsed as by `float`, rounded to single precision,
    and must be finite. Peak memory is that of the features plus 64 MB; a single cached file is only mapped.

    The user's cache folder is `DUELIST_CACHE_DIR` if this environment variable is set; otherwise the folder
    `duelist` in `XDG_CACHE_HOME` or in the system's default cache folder. If it is not writable, nothing is
    cached.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train = Path(folder) / "train.txt"
    ...     _ = train.write_text("2 qid:WT04-1 1:0.5 3:1e-2 # a document\n0 qid:WT04-1 2:1\n1 qid:7 1:3\n")
    ...     data = load_ranking_data(train)
    >>> data, data.features[0].tolist()
    (RankingData(2 queries, 3 documents, 3 features, grades 0-2), [0.5, 0.0, 0.009999999776482582])
    """
    files = _listed(paths)
    group_files: Sequence[Path | None] = [None] * len(files) if groups is None else _listed(groups)
    if not files or len(group_files) != len(files):
        found = f"got {len(files)} and {len(group_files)}"
        raise ParameterError(f"paths must have at least one file, and groups the same number; {found}.")
    parts = [_load_file(path, group, cache) for path, group in zip(files, group_files, strict=True)]
    queries = np.concatenate([part.queries for part in parts])
    if groups is None:
        _refuse_shared_names(files, parts)
    else:
        queries = np.arange(1, len(queries) + 1).astype(np.str_)
    blocks = [block for part in parts for block in part.blocks]
    for part in parts:
        part.blocks.clear()
    labels = np.concatenate([part.labels for part in parts])
    data = RankingData(stack_rows(blocks), labels, queries, stack_offsets([part.offsets for part in parts]))
    if normalise:
        normalise_queries(data.features, data.offsets, data.features)
    return data


def read_group_sizes(path: FilePath) -> IntArray:
    """Read the number of documents of each query, one per line."""
    sizes = []
    lines = (text for buffer in read_stretches(path) for text in buffer.splitlines())
    for line, text in enumerate(lines, start=1):
        found = text.strip().decode(errors="backslashreplace")
        if found and not (found.isascii() and found.isdigit() and int(found) > 0):
            where = f"{path}, line {line}, column {len(text) - len(text.lstrip()) + 1}"
            expected = "expected a query's number of documents, a whole number of at least 1"
            raise FileError(f"{where}: found {found!r}; {expected}.")
        if found:
            sizes.append(int(found))
    return np.array(sizes, np.int64)


def _listed(paths: Paths) -> list[Path]:
    return [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(path) for path in paths]


def _load_file(path: Path, group: Path | None, cache: bool | FilePath) -> RankingFile:
    sources = [path] if group is None else [path, group]
    try:
        place = cache_path(sources, cache)
        if place is None:
            return _read_file(path, group)
        digests = digest_files(sources)
        documents = read_cache(place, digests)
        if documents is None:
            documents = _read_file(path, group)
            # do not cache a file that changed while it was read
            if digest_files(sources) == digests:
                write_cache(place, sources, digests, documents)
                documents = read_cache(place, digests) or documents
            if cache is True:
                remove_orphans(place.parent)
    except OSError as error:
        raise FileError(
            f"{error.filename or path} cannot be read: {error.strerror or error}; give another path."
        ) from error
    return documents


def _read_file(path: Path, group: Path | None) -> RankingFile:
    if group is None:
        return read_documents(path, grouped=False)
    sizes = read_group_sizes(group)
    documents = read_documents(path, grouped=True)
    total, found = int(sizes.sum()), len(documents.labels)
    if total != found:
        held = counted(found, "document")
        raise FileError(
            f"{group}: the numbers sum to {total}, but {path} has {held}; give one number for each query."
        )
    names = np.arange(1, len(sizes) + 1).astype(np.str_)
    return documents._replace(queries=names, offsets=np.concatenate([[0], np.cumsum(sizes)]))


def _refuse_shared_names(files: list[Path], parts: list[RankingFile]) -> None:
    owners: dict[str, Path] = {}
    for path, part in zip(files, parts, strict=True):
        for name in part.queries.tolist():
            # names are distinct within a file
            if owners.setdefault(name, path) is not path:
                fault = f"query {name!r} is in {owners[name]} and in {path}; put its documents into one file"
                raise FileError(f"{fault}, or use RankingData.join if these are different queries.")


def digest_files(paths: Sequence[Path]) -> list[str]:
    digests = []
    for path in paths:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    return digests


def cache_path(sources: Sequence[Path], cache: bool | str | os.PathLike[str]) -> Path | None:
    """Return the path of a file's cache, or None; a second source is its file of group sizes."""
    # a pipe has different content each time
    if cache is False or not all(path.is_file() for path in sources):
        return None
    try:
        folder = _own_folder() if cache is True else Path(cache)
    except (OSError, RuntimeError):
        return None
    # files in different folders may have the same name
    origin = hashlib.sha256(b"\0".join(os.fsencode(path.resolve()) for path in sources)).hexdigest()[:12]
    return folder / f"{sources[0].name}.{origin}.duelist"


def write_cache(place: Path, sources: Sequence[Path], digests: list[str], documents: RankingFile) -> None:
    """Write the cache of a file if its folder is writable."""
    queries = documents.queries
    tables = b"".join(part.tobytes() for part in (documents.labels, documents.offsets, queries))
    counts = {"documents": len(documents.labels), "features": documents.d, "queries": len(queries)}
    checks = {"characters": queries.dtype.itemsize // 4, "sum": zlib.crc32(tables)}
    paths = {"paths": [str(path.resolve()) for path in sources]}
    text = json.dumps(_expected_header(digests) | counts | checks | paths).encode()
    text += b" " * (-(PREFACE.size + len(text)) % ALIGNMENT)
    try:
        with atomic_writer(place) as file:
            file.write(PREFACE.pack(MAGIC, len(text), zlib.crc32(text)) + text)
            file.write(tables + bytes(-len(tables) % ALIGNMENT))
            for block in documents.blocks:
                _write_padded(file, block, documents.d)
    except OSError:
        # the folder is not writable, or the disk is full: the next load reads the text again
        return


def read_cache(place: Path, digests: list[str]) -> RankingFile | None:
    """Return a cache with its features mapped into memory, or None if it is missing, outdated or damaged."""
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
    return RankingFile([features], labels, queries, offsets)


def remove_orphans(folder: Path) -> None:
    """Delete the caches of files that are gone, and the temporary files of killed processes."""
    with suppress(OSError):
        for place in folder.iterdir():
            with suppress(*DAMAGES):
                if _is_abandoned(place) if TEMPORARY.fullmatch(place.name) else _is_orphan(place):
                    place.unlink()


def _is_abandoned(draft: Path) -> bool:
    return time() - draft.stat().st_mtime > ABANDONED


def _is_orphan(place: Path) -> bool:
    with place.open("rb") as file:
        paths = _read_header(file).get("paths", ())
    return bool(paths) and not all(os.path.exists(path) for path in paths)


def _own_folder() -> Path:
    folder = user_cache_folder() / "rankings"
    # a source may be private
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _expected_header(digests: list[str]) -> dict[str, Any]:
    return {"version": VERSION, "byteorder": sys.byteorder, "sources": digests}


def _read_header(file: BinaryIO) -> dict[str, Any]:
    magic, length, header_sum = PREFACE.unpack(file.read(PREFACE.size))
    text = file.read(min(length, os.fstat(file.fileno()).st_size))
    if magic != MAGIC or zlib.crc32(text) != header_sum:
        raise ValueError("not the header of a cache")
    header: dict[str, Any] = json.loads(text)
    return header


def _write_padded(file: BinaryIO, block: FeatureArray, width: int) -> None:
    """Write rows, padded with columns of 0."""
    if block.shape[1] < width:
        block = np.pad(block, ((0, 0), (0, width - block.shape[1])))
    file.write(block.data)
