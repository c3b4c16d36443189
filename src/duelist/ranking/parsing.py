"""Kernels that parse SVMlight lines, `label qid:Q 1:x 2:x ... # comment`.

Numbers equal `float(text)` rounded to single precision, to the last bit. Eighteen digits and a power of ten,
multiplied in double precision, are off by less than a margin; where its ends round to different numbers, the
number is in doubt and left for Python to read.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FeatureArray, IntArray
from duelist.kernels.compile import compiled

ByteArray = NDArray[np.uint8]
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


class Lines(NamedTuple):
    """Room for the content of lines."""

    features: FeatureArray
    labels: IntArray
    queries: IntArray  # for each query: its first document, its line, where its name starts and stops
    doubts: IntArray  # for each number in doubt: its document, its feature, where it starts and stops


class Progress(NamedTuple):
    """How far a call came, and what it found."""

    at: int  # the first byte not read, or the byte at fault
    lines: int
    documents: int
    queries: int
    doubts: int
    widest: int  # the highest feature; those beyond the room were not kept
    fault: int


@compiled
def ends_token(byte: int) -> bool:
    """Return whether a byte is white space or starts a comment."""
    return byte in (BLANK, HASH) or 9 <= byte <= 13


@compiled
def skip_blanks(text: ByteArray, at: int) -> int:
    """Return where the next token, comment or end of line is."""
    while text[at] == BLANK or (9 <= text[at] <= 13 and text[at] != NEWLINE):
        at += 1
    return at


@compiled
def read_digits(text: ByteArray, at: int, number: int) -> tuple[int, int]:
    """Return a number with digits appended, right up to eighteen of them, and where they end."""
    digit = int(text[at]) - ZERO
    while 0 <= digit <= 9:
        number = 10 * number + digit
        at += 1
        digit = int(text[at]) - ZERO
    return number, at


@compiled
def read_long_mantissa(text: ByteArray, at: int, stop: int) -> tuple[int, int]:
    """Return the first eighteen significant digits, and the power of ten of the others."""
    mantissa, power, kept, fraction = 0, 0, 0, False
    for place in range(at, stop):
        if text[place] == POINT:
            fraction = True
        elif kept < DIGITS:
            mantissa = 10 * mantissa + int(text[place]) - ZERO
            kept += mantissa > 0
            power -= fraction
        else:
            power += not fraction
    return mantissa, power


@compiled
def read_number(text: ByteArray, at: int) -> tuple[float, int, bool]:
    """Return a number, where it ends (where it starts, if there is none), and whether it is in doubt."""
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
        # both factors are exact, so that one rounding, as in `float`, is all that happens
        if power < 0:
            return sign * (mantissa / POWERS[-power - LOWEST_POWER]), at, False
        return sign * (mantissa * POWERS[power - LOWEST_POWER]), at, False
    value = mantissa * POWERS[power - LOWEST_POWER]
    in_doubt = np.float32(value * (1.0 - MARGIN)) != np.float32(value * (1.0 + MARGIN))
    return sign * value, at, in_doubt


@compiled
def read_query(text: ByteArray, at: int, grouped: bool) -> tuple[int, int, int]:
    """Return where a query's name starts and stops, and the fault if there is none, or one too many."""
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
    """Write a line's features; return where they end, the highest, the numbers in doubt, and the fault."""
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
    """Return whether two texts are the same."""
    same = len(text) == len(other)
    for i in range(len(other) if same else 0):
        same = same and text[i] == other[i]
    return same


@compiled
def parse_lines(text: ByteArray, at: int, name: ByteArray, grouped: bool, lines: Lines) -> Progress:
    """Read whole lines while there is room; `name` is the query of the line before."""
    # the last line ends with a newline, too: no reader goes beyond one, and so none beyond the text
    room, width = lines.features.shape
    queries_room, doubts_room = len(lines.queries), len(lines.doubts) - width
    count, documents, queries, doubtful, widest = 0, 0, 0, 0, 0
    fault = NO_FAULT
    while at < len(text) and documents < room and queries < queries_room and doubtful <= doubts_room:
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
