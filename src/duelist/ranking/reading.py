"""Files of SVMlight lines, plain or gzip, read in chunks; errors name the line and the column."""

import gzip
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FeatureArray, IntArray
from duelist.errors import FileError
from duelist.files import GZIPPED
from duelist.ranking import parsing

CHUNK_BYTES = 1 << 20
CALL_ROWS = 1 << 14
BLOCK_BYTES = 1 << 26  # large enough that the system gets the memory of a block back as soon as it is dropped
OVERFLOW = (2.0 - 2.0**-24) * 2.0**127  # from here on, a number is rounded to infinity in single precision
EXPECTED = {
    parsing.BAD_LABEL: "a label, a whole number of at least 0",
    parsing.NO_QUERY: "a query id such as qid:7; for a file without query ids, give groups=",
    parsing.NO_QUERY_NAME: "a query's name after qid:",
    parsing.SECOND_GROUPING: "no query id, because groups= says where queries begin; leave one of them out",
    parsing.BAD_FEATURE: f"a feature such as 3:0.5, with a number from 1 to {parsing.MOST_FEATURES}",
    parsing.BAD_ORDER: "a higher feature number than the one before: each once, in growing order",
    parsing.BAD_VALUE: "a value, a finite number such as 0.5 or -3e-2 in the range of single precision",
}
FilePath = str | os.PathLike[str]


class Documents(NamedTuple):
    """The content of a file; its features in blocks of rows, which may differ in width."""

    blocks: list[FeatureArray]
    labels: IntArray
    queries: NDArray[np.str_]
    offsets: IntArray

    @property
    def d(self) -> int:
        """The number of features."""
        return max(int(block.shape[1]) for block in self.blocks)


def read_stretches(path: FilePath) -> Iterator[bytes]:
    """Yield a file's text in chunks of whole lines; the last line always gets a newline."""
    with open(path, "rb") as plain:
        file = gzip.GzipFile(fileobj=plain) if plain.peek(2).startswith(GZIPPED) else plain
        try:
            while text := file.read(CHUNK_BYTES) + file.readline():
                yield text if text.endswith(b"\n") else text + b"\n"
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FileError(f"{path} is a gzip file that is cut short or damaged: {error}") from error


class Reader:
    """Collects the documents of one file, chunk by chunk."""

    def __init__(self, path: FilePath, grouped: bool) -> None:
        self.path, self.grouped = path, grouped
        self.blocks: list[FeatureArray] = []
        self.labels: list[IntArray] = []
        self.starts: list[int] = []
        self.first_lines: dict[bytes, int] = {}
        self.name = b""
        self.lines, self.documents, self.filled = 0, 0, 0
        self.grades = np.empty(CALL_ROWS, np.int64)
        self.queries = np.empty((CALL_ROWS, 4), np.int64)
        self._make_room(0)

    def take(self, buffer: bytes) -> None:
        """Read a chunk of whole lines."""
        text, at = np.frombuffer(buffer, np.uint8), 0
        while at < len(buffer):
            free = self.block[self.filled : self.filled + len(self.grades)]
            room = parsing.Lines(free, self.grades, self.queries, self.doubts)
            name = np.frombuffer(self.name, np.uint8)
            progress = parsing.parse_lines(text, at, name, self.grouped, room)
            if progress.fault == parsing.NO_FAULT and progress.widest > self.block.shape[1]:
                self._make_room(progress.widest)
                continue
            self._name_queries(buffer, progress)
            if progress.fault != parsing.NO_FAULT:
                self._refuse(buffer, progress.at, self.lines + progress.lines, EXPECTED[progress.fault])
            self._settle(buffer, at, room, progress)
            at = progress.at
            self.labels.append(self.grades[: progress.documents].copy())
            self.filled += progress.documents
            self.documents += progress.documents
            self.lines += progress.lines
            if self.filled == len(self.block):
                self._make_room(self.block.shape[1])

    def finish(self) -> Documents:
        """Return everything that was read."""
        self._keep_block()
        if not self.documents or self.block.shape[1] == 0:
            fault = "has no features" if self.documents else "is empty"
            raise FileError(f"{self.path} {fault}; expected lines such as: 2 qid:7 1:0.5 2:0.1")
        names = [name.decode(errors="backslashreplace") for name in self.first_lines]
        offsets = np.array([*self.starts, self.documents], np.int64)
        return Documents(self.blocks, np.concatenate(self.labels), np.array(names, np.str_), offsets)

    def _make_room(self, width: int) -> None:
        self._keep_block()
        rows = max(1, BLOCK_BYTES // (4 * max(1, width)))
        self.block: FeatureArray = np.empty((rows, width), np.float32)
        self.filled = 0
        self.doubts = np.empty((2 * width + 1024, 4), np.int64)

    def _keep_block(self) -> None:
        if self.filled:
            self.blocks.append(self.block[: self.filled])

    def _settle(self, buffer: bytes, at: int, room: parsing.Lines, progress: parsing.Progress) -> None:
        """Read the numbers in doubt."""
        for document, feature, start, stop in room.doubts[: progress.doubts].tolist():
            value = float(buffer[start:stop])
            if abs(value) >= OVERFLOW:
                line = self.lines + buffer.count(b"\n", at, start)
                self._refuse(buffer, start, line, EXPECTED[parsing.BAD_VALUE])
            room.features[document, feature] = value

    def _name_queries(self, buffer: bytes, progress: parsing.Progress) -> None:
        for document, line, start, stop in self.queries[: progress.queries].tolist():
            self.name = buffer[start:stop]
            if self.name in self.first_lines:
                first = self.first_lines[self.name]
                expected = f"a new query, because this one began at line {first}: keep its documents together"
                self._refuse(buffer, start, self.lines + line, expected)
            self.first_lines[self.name] = self.lines + line + 1
            self.starts.append(self.documents + document)

    def _refuse(self, buffer: bytes, place: int, lines_before: int, expected: str) -> NoReturn:
        column = place - buffer.rfind(b"\n", 0, place)
        tokens = buffer[place : buffer.index(b"\n", place)].split(b"#")[0].split(maxsplit=1)
        found = "the end of the line"
        if tokens:
            token = tokens[0].decode(errors="backslashreplace")
            found = repr(token if len(token) <= 40 else token[:40] + "...")
        where = f"{self.path}, line {lines_before + 1}, column {column}"
        raise FileError(f"{where}: found {found}; expected {expected}.")


def read_documents(path: FilePath, grouped: bool) -> Documents:
    """Read a file of SVMlight lines; if `grouped`, they have no queries' names."""
    reader = Reader(path, grouped)
    for text in read_stretches(path):
        if not reader.lines and text.startswith(BOM_UTF8):
            text = text.replace(BOM_UTF8, b" " * len(BOM_UTF8), 1)
        reader.take(text)
    return reader.finish()
