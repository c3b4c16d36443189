"""Files of rankings: a document a line, `query document`, or a TREC run of six columns."""

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite, nan
from pathlib import Path
from typing import NamedTuple

from duelist.errors import FileError
from duelist.tables import Table, read_lines

RUN = "query Q0 document rank score name"  # the columns of a TREC run
FORMS = ("document", "query document", RUN)
ONLY = ""  # the name of the query in a file that names none


class Entry(NamedTuple):
    """A document of a ranking; the best is the smallest."""

    penalty: float  # the negative of its score
    rank: float
    row: int
    document: str


def read_rankings(path: Path) -> dict[str, list[str]]:
    """Return each query's documents, best first; those of a TREC run sorted by score, then by rank."""
    table = read_lines(path, FORMS)
    if not table.size:
        raise table.error("the file names no document; give a document a line, or a TREC run.")
    nothing = [0.0] * table.size
    ranks, scores = (
        read_numbers(table, name) if name in table.names else nothing for name in ("rank", "score")
    )
    queries = table.columns["query"].tolist() if "query" in table.names else [ONLY] * table.size
    rankings: dict[str, list[Entry]] = {}
    rows: dict[tuple[str, str], int] = {}
    for row, document in enumerate(table.columns["document"].tolist()):
        query = queries[row]
        first = rows.setdefault((query, document), row)
        if first != row:
            of_query = "" if query == ONLY else f" for query {query}"
            again = f"{document!r} is ranked{of_query} again, after {table.where(first)}"
            raise table.error(f"{again}; give each document one place.", row)
        rankings.setdefault(query, []).append(Entry(-scores[row], ranks[row], row, document))
    return {query: sort_entries(table, entries) for query, entries in rankings.items()}


def read_numbers(table: Table, name: str) -> list[float]:
    """Return the ranks or the scores of a TREC run."""
    texts = table.columns[name].tolist()
    numbers = list(map(as_number, texts))
    for row, number in enumerate(numbers):
        if not isfinite(number):
            fault = f"the {name} {texts[row]!r} is not a number; the columns of a TREC run are `{RUN}`."
            raise table.error(fault, row)
    return numbers


def as_number(text: str) -> float:
    """Return a number; nan for what is none."""
    try:
        return float(text)
    except ValueError:
        return nan


def sort_entries(table: Table, entries: Sequence[Entry]) -> list[str]:
    """Return the documents by score, then by rank; refuse ranks that contradict the scores."""
    best_first = sorted(entries)
    for better, worse in pairwise(best_first):
        if better.rank > worse.rank:
            low, high = (f"rank {one.rank:.15g} and score {-one.penalty:.15g}" for one in (worse, better))
            fault = f"{low}, but {high} on {table.where(better.row)}"
            raise table.error(f"{fault}; give the higher score the lower rank.", worse.row)
    return [entry.document for entry in best_first]


def read_ranking_pair(left: Path, right: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the rankings of two files, which must have a query in common."""
    lefts, rights = read_rankings(left), read_rankings(right)
    if (ONLY in lefts) != (ONLY in rights):
        raise FileError(f"{left} and {right} must both name queries, or neither.")
    if not lefts.keys() & rights.keys():
        raise FileError(f"{left} and {right} have no query in common; give two rankings of the same queries.")
    return lefts, rights
