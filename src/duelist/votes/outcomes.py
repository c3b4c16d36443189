"""Interpret outcomes given as names, words, numbers, flags or scores; ambiguous ones raise an error."""

import re
from collections.abc import Sequence
from functools import partial
from math import nan

import numpy as np

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, BoolArray, FloatArray, IntArray
from duelist.errors import PreferenceError
from duelist.tables.table import Column, Table, fold
from duelist.text import enumeration
from duelist.votes import formats
from duelist.votes.fields import Faults, as_number, as_word, has_decimal_commas, name_of, numbers_of
from duelist.votes.formats import Format
from duelist.votes.table import STATUSES

CODES = (-1.0, 2.0)
"""The range of numbers that encode a side or a tie, differently from table to table."""
NUMBERED = re.compile(".*1")
"""The name of the left column in tables that encode the first arm as 1 and the second as 2."""
FLAGS = {"true": 1.0, "false": 0.0}


def outcomes_of(
    table: Table, format: Format, names: Sequence[str], left: IntArray, right: IntArray, faults: Faults
) -> FloatArray:
    """Return the outcome of every row, from 0 (right won) to 1 (left won); NaN for skipped duels.

    Parameters
    ----------
    table : Table
        The rows.
    format : Format
        The role of each column.
    names : sequence of str
        The names of the arms.
    left, right : array of shape (rows,)
        The number of each row's arms; -1 if unknown.
    faults : Faults
        Collects the rows without a valid outcome.
    """
    skipped = _is_skipped(table, format)
    if format.flags:
        return _by_flags(table, format, skipped, faults)
    if format.scores:
        return _by_scores(table, format, skipped, faults)
    if not format.outcome:
        return np.full(table.size, LEFT_WINS)
    column = table.columns[format.outcome]
    word = np.array([*_meanings(column, format, names), nan])[column.codes]
    texts = [name_of(value) for value in column.values]
    named = _by_name(texts, column.codes, names, left, right)
    first, second = (named, word) if format.by_name else (word, named)
    outcomes = np.where(np.isnan(first), second, first)
    if format.by_name or "status" not in format.also:
        # in a study's export words are always sides, whatever its arms are named; elsewhere they may be arms
        folded = [text.casefold() for text in texts]
        alike = _by_name(folded, column.codes, [name.casefold() for name in names], left, right)
        arm = np.where(np.isnan(named), alike, named)
        number = np.array([*(as_number(value, True) is not None for value in column.values), False])
        degree = number[column.codes] & format.by_degree
        faults.add(
            ~np.isnan(arm) & ~np.isnan(word) & (arm != word) & ~degree,
            format.outcome,
            lambda row: (
                f"{column.row(row)!r:.60} is ambiguous: the name of an arm, and a word for another outcome; "
                "rename the arm."
            ),
        )

    def remedy(row: int) -> str:
        arms = [f"{names[side[row]]!r:.60}, " for side in (left, right) if side[row] >= 0]
        numbers = ", or a number from 0 (right won) to 1 (left won)" if format.by_degree else ""
        return f"give {''.join(arms)}{fold(format.left):.60}, {fold(format.right):.60} or tie{numbers}."

    missing = (column.codes < 0) & ~skipped
    faults.add(missing, format.outcome, lambda row: f"the outcome is missing; {remedy(row)}")
    faults.add(
        np.isnan(outcomes) & ~skipped,
        format.outcome,
        lambda row: f"{column.row(row)!r:.60} is not a valid outcome; {remedy(row)}",
    )
    return outcomes


def _by_name(
    texts: Sequence[str], codes: IntArray, names: Sequence[str], left: IntArray, right: IntArray
) -> FloatArray:
    """Return the outcomes of rows whose text is the name of one of their arms; NaN for others."""
    numbers: dict[str, int] = {}
    arms = np.array([*(numbers.setdefault(name, len(numbers)) for name in names), -1])
    winner = np.array([*(numbers.get(text, -2) for text in texts), -2])[codes]
    return np.where(winner == arms[left], LEFT_WINS, np.where(winner == arms[right], RIGHT_WINS, nan))


def _meanings(column: Column, format: Format, names: Sequence[str]) -> list[float]:
    """Return the outcome that each distinct value stands for regardless of its row; NaN if none."""
    own = {fold(format.left): LEFT_WINS, fold(format.right): RIGHT_WINS}
    texts, words = [name_of(value) for value in column.values], [as_word(value) for value in column.values]
    meanings = [
        own.get(fold(text), formats.WORDS.get(word, nan)) for text, word in zip(texts, words, strict=True)
    ]
    commas = has_decimal_commas(column.values)
    numbers = [as_number(value, commas) for value in column.values]
    known = set(names)
    # a score of 1/2 is always a tie, and then 1 is a win
    by_degree = format.by_degree or (fold(format.outcome) == "result" and 0.5 in numbers)
    sides = False
    if by_degree:
        given = [code for code, number in enumerate(numbers) if number is not None]
        outside = {code for code in given if not 0.0 <= (numbers[code] or 0.0) <= 1.0}
        if any(texts[code] in known or numbers[code] in CODES for code in outside):
            raise _either_side(column, format, given)
        meanings = [
            one if number is None or code in outside else number
            for code, (one, number) in enumerate(zip(meanings, numbers, strict=True))
        ]
    else:
        sides = _are_sides(column, format, words, numbers, known)
    unread = [one != one and (number is None or sides) for one, number in zip(meanings, numbers, strict=True)]
    rest = {
        word
        for word, text, unknown in zip(words, texts, unread, strict=True)
        if unknown and not (format.by_name and text in known)
    }
    try:
        spelling = formats.find_spelling(rest, format.left)
    except PreferenceError as error:
        raise PreferenceError(f'column "{format.outcome:.60}": {error}') from None
    return [
        spelling.get(word, nan) if unknown else one
        for word, one, unknown in zip(words, meanings, unread, strict=True)
    ]


def _are_sides(
    column: Column, format: Format, words: Sequence[str], numbers: Sequence[float | None], known: set[str]
) -> bool:
    """Return whether 1 and 2 stand for the first and the second arm; raise for ambiguous numbers."""
    numeric = [code for code, number in enumerate(numbers) if number is not None]
    arms = {code for code, value in enumerate(column.values) if name_of(value) in known}
    codes = {number for number in numbers if number is not None}
    if not codes or not all(CODES[0] <= code <= CODES[1] for code in codes) or (format.by_name and arms):
        return False
    if codes <= {1.0, 2.0} and not arms and ("x" in words or NUMBERED.fullmatch(fold(format.left))):
        return True
    raise _either_side(column, format, numeric)


def _either_side(column: Column, format: Format, numeric: Sequence[int]) -> PreferenceError:
    values = enumeration([f"{column.values[code]!r:.20}" for code in numeric], 4)
    name, left, right = (f"{one:.60}" for one in (format.outcome, fold(format.left), fold(format.right)))
    remedy = f"write {left}, {right} or tie"
    if not format.by_name:
        remedy += f"; if they are names of arms, use --columns winner={name}"
    numbers = [as_number(column.values[code], True) or 0.0 for code in numeric]
    if not format.by_degree and all(0.0 <= number <= 1.0 for number in numbers):
        remedy += f"; if 1 means that {left} won and 0 that {right} won, use --columns outcome={name}"
    return PreferenceError(
        f'column "{name}": ambiguous values {values}: they can mean either side; {remedy}.'
    )


def _by_flags(table: Table, format: Format, skipped: BoolArray, faults: Faults) -> FloatArray:
    """Return the outcomes of one-hot columns: exactly one of them must be 1 or true."""
    columns = [table.columns[name] for name in format.flags]
    given = [Column([FLAGS.get(as_word(value), value) for value in one.values], one.codes) for one in columns]
    flags = np.stack([numbers_of(column) for column in given])
    wrong = ((flags != 0.0) & (flags != 1.0)).any(axis=0) | (flags.sum(axis=0) != 1.0)
    fault = f"the outcome is not clear; write 1 in one of {', '.join(format.flags)} and 0 in the others."
    faults.add(wrong & ~skipped, format.flags[0], lambda row: fault)
    values = np.array([LEFT_WINS, RIGHT_WINS, TIE][: len(flags)])
    return np.asarray((flags * values[:, None]).sum(axis=0))


def _by_scores(table: Table, format: Format, skipped: BoolArray, faults: Faults) -> FloatArray:
    """Return the outcomes of two scores: the higher one wins."""
    one, other = (numbers_of(table.columns[name]) for name in format.scores)
    for name, scores in zip(format.scores, (one, other), strict=True):
        faults.add(np.isnan(scores) & ~skipped, name, partial(_no_score, table.columns[name]))
    return np.where(one > other, LEFT_WINS, np.where(one < other, RIGHT_WINS, TIE))


def _no_score(column: Column, row: int) -> str:
    return f"{column.row(row)!r:.60} is not a score; give a number."


def _is_skipped(table: Table, format: Format) -> BoolArray:
    statuses = table.columns.get(format.also.get("status", ""))
    if statuses is None:
        return np.zeros(table.size, np.bool_)
    return np.array([*(as_word(one) == STATUSES[2] for one in statuses.values), False])[statuses.codes]
