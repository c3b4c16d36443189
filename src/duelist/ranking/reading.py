"""Parsing of SVMlight files, `label qid:Q 1:x 2:x ... # comment`, plain or gzip.

Files are read in chunks and parsed by kernels. Numbers equal `float(text)` rounded to single precision, to
the last bit. Eighteen digits times a power of ten, in double precision, are off by less than a margin; if the
ends of the margin round to different numbers, the number is in doubt and Python parses it.
"""

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
from duelist.kernels.compile import compiled

FilePath = str | os.PathLike[str]
ByteArray = NDArray[np.uint8]
CHUNK_BYTES = 1 << 20
CALL_ROWS = 1 << 14
BLOCK_BYTES = 1 << 26  # large enough for the system to reclaim a block's memory once it is dropped
OVERFLOW = (2.0 - 2.0**-24) * 2.0**127  # the smallest number that rounds to infinity in single precision
MOST_FEATURES = 100_000
HIGHEST_LABEL = 2**31 - 1
NO_FAULT, BAD_LABEL, NO_QUERY, NO_QUERY_NAME, SECOND_GROUPING, BAD_FEATURE, BAD_ORDER, BAD_VALUE = range(8)
NEWLINE, BLANK, HASH, PLUS, MINUS, POINT, COLON = (ord(character) for character in "\n #+-.:")
ZERO, SMALL_E, SMALL_Q, SMALL_I, SMALL_D = (ord(character) for character in "0eqid")
DIGITS = 18
LOWEST_POWER, HIGHEST_POWER = -65, 39
POWERS = np.array([float(f"1e{power}") for power in range(LOWEST_POWER, HIGHEST_POWER + 1)])
EXACT_MANTISSA, EXACT_POWER = 2**53, 22
MARGIN = 2.0**-50
HIGHEST_VALUE = float(np.finfo(np.float32).max)
EXPECTED = {
    BAD_LABEL: "a label, a whole number of at least 0",
    NO_QUERY: "a query id such as qid:7; for a file without query ids, give groups=",
    NO_QUERY_NAME: "a query's name after qid:",
    SECOND_GROUPING: "no query id, because groups= defines the queries; omit one of them",
    BAD_FEATURE: f"a feature such as 3:0.5, with a number from 1 to {MOST_FEATURES}",
    BAD_ORDER: "a higher feature number than the previous one",
    BAD_VALUE: "a value, a finite number such as 0.5 or -3e-2 in the range of single precision",
}


class RankingFile(NamedTuple):
    """The content of a file; its features are in blocks of rows, which may differ in width."""

    blocks: list[FeatureArray]
    labels: IntArray
    queries: NDArray[np.str_]
    offsets: IntArray

    @property
    def d(self) -> int:
        """The number of features."""
        return max(int(block.shape[1]) for block in self.blocks)


class Lines(NamedTuple):
    """Buffers for the content of lines."""

    features: FeatureArray
    labels: IntArray
    queries: IntArray  # [query]: its first document, its line, the start and the end of its name
    doubts: IntArray  # [number in doubt]: its document, its feature, its start and its end


class Progress(NamedTuple):
    """How far a call came, and what it found."""

    at: int  # the first byte not read, or the faulty byte
    lines: int
    documents: int
    queries: int
    doubts: int
    widest: int  # the highest feature; features beyond the buffer were dropped
    fault: int


def read_stretches(path: FilePath) -> Iterator[bytes]:
    """Yield a file's text in chunks of whole lines, ending with a newline."""
    with open(path, "rb") as plain:
        file = gzip.GzipFile(fileobj=plain) if plain.peek(2).startswith(GZIPPED) else plain
        try:
            while text := file.read(CHUNK_BYTES) + file.readline():
                yield text if text.endswith(b"\n") else text + b"\n"
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FileError(f"{path} is a truncated or damaged gzip file: {error}") from error


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
        self._allocate(0)

    def take(self, buffer: bytes) -> None:
        """Parse a chunk of whole lines."""
        text, at = np.frombuffer(buffer, np.uint8), 0
        while at < len(buffer):
            free = self.block[self.filled : self.filled + len(self.grades)]
            lines = Lines(free, self.grades, self.queries, self.doubts)
            name = np.frombuffer(self.name, np.uint8)
            progress = parse_lines(text, at, name, self.grouped, lines)
            if progress.fault == NO_FAULT and progress.widest > self.block.shape[1]:
                self._allocate(progress.widest)
                continue
            self._name_queries(buffer, progress)
            if progress.fault != NO_FAULT:
                self._refuse(buffer, progress.at, self.lines + progress.lines, EXPECTED[progress.fault])
            self._parse_doubts(buffer, at, lines, progress)
            at = progress.at
            self.labels.append(self.grades[: progress.documents].copy())
            self.filled += progress.documents
            self.documents += progress.documents
            self.lines += progress.lines
            if self.filled == len(self.block):
                self._allocate(self.block.shape[1])

    def finish(self) -> RankingFile:
        self._keep_block()
        if not self.documents or self.block.shape[1] == 0:
            fault = "has no features" if self.documents else "is empty"
            raise FileError(f"{self.path} {fault}; expected lines such as: 2 qid:7 1:0.5 2:0.1")
        names = [name.decode(errors="backslashreplace") for name in self.first_lines]
        offsets = np.array([*self.starts, self.documents], np.int64)
        return RankingFile(self.blocks, np.concatenate(self.labels), np.array(names, np.str_), offsets)

    def _allocate(self, width: int) -> None:
        self._keep_block()
        rows = max(1, BLOCK_BYTES // (4 * max(1, width)))
        self.block: FeatureArray = np.empty((rows, width), np.float32)
        self.filled = 0
        self.doubts = np.empty((2 * width + 1024, 4), np.int64)

    def _keep_block(self) -> None:
        if self.filled:
            self.blocks.append(self.block[: self.filled])

    def _parse_doubts(self, buffer: bytes, at: int, lines: Lines, progress: Progress) -> None:
        """Parse the numbers in doubt with Python's `float`."""
        for document, feature, start, stop in lines.doubts[: progress.doubts].tolist():
            value = float(buffer[start:stop])
            if abs(value) >= OVERFLOW:
                line = self.lines + buffer.count(b"\n", at, start)
                self._refuse(buffer, start, line, EXPECTED[BAD_VALUE])
            lines.features[document, feature] = value

    def _name_queries(self, buffer: bytes, progress: Progress) -> None:
        for document, line, start, stop in self.queries[: progress.queries].tolist():
            self.name = buffer[start:stop]
            if self.name in self.first_lines:
                first = self.first_lines[self.name]
                expected = f"a new query, because this one began at line {first}; keep its documents together"
                self._refuse(buffer, start, self.lines + line, expected)
            self.first_lines[self.name] = self.lines + line + 1
            self.starts.append(self.documents + document)

    def _refuse(self, buffer: bytes, at: int, lines_before: int, expected: str) -> NoReturn:
        column = at - buffer.rfind(b"\n", 0, at)
        tokens = buffer[at : buffer.index(b"\n", at)].split(b"#")[0].split(maxsplit=1)
        found = "the end of the line"
        if tokens:
            token = tokens[0].decode(errors="backslashreplace")
            found = repr(token if len(token) <= 40 else token[:40] + "...")
        where = f"{self.path}, line {lines_before + 1}, column {column}"
        raise FileError(f"{where}: found {found}; expected {expected}.")


def read_documents(path: FilePath, grouped: bool) -> RankingFile:
    """Read a file of SVMlight lines; if `grouped`, they have no query names."""
    reader = Reader(path, grouped)
    for text in read_stretches(path):
        if not reader.lines and text.startswith(BOM_UTF8):
            text = text.replace(BOM_UTF8, b" " * len(BOM_UTF8), 1)
        reader.take(text)
    return reader.finish()


@compiled
def ends_token(byte: int) -> bool:
    """Return whether a byte is white space or starts a comment."""
    return byte in (BLANK, HASH) or 9 <= byte <= 13


@compiled
def skip_blanks(text: ByteArray, at: int) -> int:
    """Return the start of the next token, comment or end of line."""
    while text[at] == BLANK or (9 <= text[at] <= 13 and text[at] != NEWLINE):
        at += 1
    return at


@compiled
def read_digits(text: ByteArray, at: int, number: int) -> tuple[int, int]:
    """Return a number with digits appended, exact up to eighteen of them, and their end."""
    digit = int(text[at]) - ZERO
    while 0 <= digit <= 9:
        number = 10 * number + digit
        at += 1
        digit = int(text[at]) - ZERO
    return number, at


@compiled
def read_long_mantissa(text: ByteArray, at: int, stop: int) -> tuple[int, int]:
    """Return the first eighteen significant digits, and the power of ten for the others."""
    mantissa, power, kept, fraction = 0, 0, 0, False
    for i in range(at, stop):
        if text[i] == POINT:
            fraction = True
        elif kept < DIGITS:
            mantissa = 10 * mantissa + int(text[i]) - ZERO
            kept += mantissa > 0
            power -= fraction
        else:
            power += not fraction
    return mantissa, power


@compiled
def read_number(text: ByteArray, at: int) -> tuple[float, int, bool]:
    """Return a number, its end (its start if there is no number), and whether it is in doubt."""
    start = at
    sign = -1.0 if text[at] == MINUS else 1.0
    if text[at] == MINUS or text[at] == PLUS:
        at += 1
    first = at
    mantissa, at = read_digits(text, at, 0)
    digits = at - first
    power = 0
    if text[at] == POINT:
        point = at
        mantissa, at = read_digits(text, point + 1, mantissa)
        power = point + 1 - at
        digits -= power
    if digits == 0:
        return 0.0, start, False
    if digits > DIGITS:
        mantissa, power = read_long_mantissa(text, first, at)
    if text[at] | 32 == SMALL_E:
        at += 1
        below = text[at] == MINUS
        first = at + 1 if below or text[at] == PLUS else at
        exponent, at = read_digits(text, first, 0)
        if at == first:
            return 0.0, start, False
        if at - first > DIGITS:
            exponent, _ = read_long_mantissa(text, first, at)
        power += -exponent if below else exponent
    if mantissa == 0 or power < LOWEST_POWER:
        return sign * 0.0, at, False
    if power > HIGHEST_POWER:
        return np.inf, at, False
    if mantissa < EXACT_MANTISSA and -EXACT_POWER <= power <= EXACT_POWER:
        # both factors are exact, so there is one rounding, as in `float`
        if power < 0:
            return sign * (mantissa / POWERS[-power - LOWEST_POWER]), at, False
        return sign * (mantissa * POWERS[power - LOWEST_POWER]), at, False
    value = mantissa * POWERS[power - LOWEST_POWER]
    in_doubt = np.float32(value * (1.0 - MARGIN)) != np.float32(value * (1.0 + MARGIN))
    return sign * value, at, in_doubt


@compiled
def read_query(text: ByteArray, at: int, grouped: bool) -> tuple[int, int, int]:
    """Return the start and the end of a query's name, and the fault if it is missing or unexpected."""
    named = text[at] == SMALL_Q and text[at + 1] == SMALL_I and text[at + 2] == SMALL_D
    named = named and text[at + 3] == COLON
    if grouped:
        return at, at, SECOND_GROUPING if named else NO_FAULT
    if not named:
        return at, at, NO_QUERY
    start = stop = at + 4
    while not ends_token(text[stop]):
        stop += 1
    return start, stop, NO_QUERY_NAME if stop == start else NO_FAULT


@compiled
def read_features(
    text: ByteArray, at: int, row: FeatureArray, document: int, doubts: IntArray, doubtful: int
) -> tuple[int, int, int, int]:
    """Write a line's features; return their end, the highest one, the numbers in doubt, and the fault."""
    width, last, fault = len(row), 0, NO_FAULT
    at = skip_blanks(text, at)
    while text[at] != NEWLINE and text[at] != HASH:
        index, colon = read_digits(text, at, 0)
        if colon == at or colon - at > DIGITS or text[colon] != COLON or not 0 < index <= MOST_FEATURES:
            fault = BAD_FEATURE
            break
        if index <= last:
            fault = BAD_ORDER
            break
        start = colon + 1
        value, stop, in_doubt = read_number(text, start)
        single = np.float32(value)
        if stop == start or not ends_token(text[stop]) or not (in_doubt or abs(single) <= HIGHEST_VALUE):
            at, fault = start, BAD_VALUE
            break
        if index <= width:
            for missing in range(last, index - 1):
                row[missing] = 0.0
            row[index - 1] = single
            if in_doubt:
                doubts[doubtful] = (document, index - 1, start, stop)
                doubtful += 1
        last = index
        at = skip_blanks(text, stop)
    row[last:] = 0.0
    return at, last, doubtful, fault


@compiled
def same_bytes(text: ByteArray, other: ByteArray) -> bool:
    same = len(text) == len(other)
    for i in range(len(other) if same else 0):
        same = same and text[i] == other[i]
    return same


@compiled
def parse_lines(text: ByteArray, at: int, name: ByteArray, grouped: bool, lines: Lines) -> Progress:
    """Parse whole lines while the buffers have space; `name` is the query of the previous line."""
    # every line ends with a newline, at which all readers stop, so none runs beyond the text
    lines_capacity, width = lines.features.shape
    queries_capacity, doubts_capacity = len(lines.queries), len(lines.doubts) - width
    count, documents, queries, doubtful, widest = 0, 0, 0, 0, 0
    fault = NO_FAULT
    while (
        at < len(text)
        and documents < lines_capacity
        and queries < queries_capacity
        and doubtful <= doubts_capacity
    ):
        at = skip_blanks(text, at)
        if text[at] != NEWLINE and text[at] != HASH:
            label, end, _ = read_number(text, at)
            is_grade = 0.0 <= label <= HIGHEST_LABEL and label % 1.0 == 0.0
            if end == at or not ends_token(text[end]) or not is_grade:
                fault = BAD_LABEL
                break
            start, at, fault = read_query(text, skip_blanks(text, end), grouped)
            if fault != NO_FAULT:
                break
            end = at
            row = lines.features[documents]
            at, last, doubtful, fault = read_features(text, end, row, documents, lines.doubts, doubtful)
            if fault != NO_FAULT:
                break
            widest = max(widest, last)
            if not grouped and not same_bytes(text[start:end], name):
                name = text[start:end]
                lines.queries[queries] = (documents, count, start, end)
                queries += 1
            lines.labels[documents] = int(label)
            documents += 1
        while text[at] != NEWLINE:
            at += 1
        at += 1
        count += 1
    return Progress(at, count, documents, queries, doubtful, widest, fault)
