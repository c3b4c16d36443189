"""Files of rankings: a document a line, `query document`, or a TREC run of six columns."""

from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from duelist.errors import FileError
from duelist.files import read_text
from duelist.text import counted

FORMS = {1: (None, 0), 2: (0, 1), 6: (0, 2)}
"""The columns of the query and the document, by the number of columns; a TREC run has six."""
RUN = ("query", "Q0", "document", "rank", "score", "name")  # the columns of a TREC run
ONLY = ""  # the name of the query in a file that names none
EXPECTED = "a document a line, `query document`, or a TREC run of six columns"


class Entry(NamedTuple):
    """A document of a ranking; the best is the smallest."""

    penalty: float  # the negative of its score
    rank: float
    line: int
    document: str


def read_rankings(path: Path) -> dict[str, list[str]]:
    """Return each query's documents, best first; those of a TREC run sorted by score, then by rank."""
    rankings: dict[str, list[Entry]] = {}
    lines: dict[tuple[str, str], int] = {}
    for number, fields in read_columns(path, FORMS, EXPECTED):
        column, place = FORMS[len(fields)]
        query, document = ONLY if column is None else fields[column], fields[place]
        first = lines.setdefault((query, document), number)
        if first != number:
            of_query = "" if query == ONLY else f" for query {query}"
            again = f"{document!r} is ranked{of_query} again, after line {first}"
            raise FileError(f"{path}, line {number}: {again}; give each document one place.")
        score, rank = 0.0, 0.0
        if len(fields) == len(RUN):
            rank, score = (read_number(path, number, RUN[i], fields[i]) for i in (3, 4))
        rankings.setdefault(query, []).append(Entry(-score, rank, number, document))
    if not rankings:
        raise FileError(f"{path} names no document; give {EXPECTED}.")
    return {query: sort_entries(path, entries) for query, entries in rankings.items()}


def read_number(path: Path, line: int, name: str, text: str) -> float:
    """Return the rank or the score on a line of a TREC run."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        expected = f"the columns of a TREC run are `{' '.join(RUN)}`"
        raise FileError(f"{path}, line {line}: the {name} {text!r} is not a number; {expected}.")
    return value


def sort_entries(path: Path, entries: Sequence[Entry]) -> list[str]:
    """Return the documents by score, then by rank; refuse ranks that contradict the scores."""
    best_first = sorted(entries)
    for better, worse in pairwise(best_first):
        if better.rank > worse.rank:
            low, high = (f"rank {one.rank:.15g} and score {-one.penalty:.15g}" for one in (worse, better))
            fault = f"{low}, but {high} on line {better.line}"
            raise FileError(f"{path}, line {worse.line}: {fault}; give the higher score the lower rank.")
    return [entry.document for entry in best_first]


def read_columns(path: Path, allowed: Container[int], expected: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns, split at tabs or else spaces, of each line; skip # comments."""
    columns = 0
    for number, whole in enumerate(read_text(path).split("\n"), start=1):
        line = whole.strip(" \t")
        if not line or line.startswith("#"):
            continue
        fields = [field.strip(" ") for field in line.split("\t")]
        if "\t" not in line:
            fields = [field for field in line.split(" ") if field]
        columns = columns or len(fields)
        if len(fields) not in allowed or len(fields) != columns:
            found = counted(len(fields), "column")
            raise FileError(f"{path}, line {number}: {found}; give {expected}, the same on every line.")
        if "" in fields:
            raise FileError(f"{path}, line {number}: column {fields.index('') + 1} is empty; fill it.")
        yield number, fields


def read_ranking_pair(left: Path, right: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the rankings of two files, which must have a query in common."""
    lefts, rights = read_rankings(left), read_rankings(right)
    if (ONLY in lefts) != (ONLY in rights):
        raise FileError(f"{left} and {right} must both name queries, or neither.")
    if not lefts.keys() & rights.keys():
        raise FileError(f"{left} and {right} have no query in common; give two rankings of the same queries.")
    return lefts, rights
