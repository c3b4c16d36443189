"""Rankings in text files: a document a line, with or without queries, or TREC runs."""

from collections.abc import Container, Iterator
from pathlib import Path

from duelist.errors import FileError
from duelist.files import read_text
from duelist.text import counted

FORMS = {1: (None, 0), 2: (0, 1), 6: (0, 2)}
"""The columns of the query and the document, by the number of columns; a TREC run has six."""
ONLY = ""
"""The name of the query in a file that names none."""
EXPECTED = "a document a line, `query document`, or a TREC run of six columns, best first"


def read_rankings(path: Path) -> dict[str, list[str]]:
    r"""Return each query's documents, in the order of a file; comments begin with `#`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "run.txt"
    ...     _ = file.write_text("q1 bandits\nq1 duels\nq2 svm\n")
    ...     read_rankings(file)
    {'q1': ['bandits', 'duels'], 'q2': ['svm']}
    """
    rankings: dict[str, list[str]] = {}
    for _, fields in read_columns(path, FORMS, EXPECTED):
        query, document = FORMS[len(fields)]
        rankings.setdefault(ONLY if query is None else fields[query], []).append(fields[document])
    if not rankings:
        raise FileError(f"{path} names no document; give {EXPECTED}.")
    return rankings


def read_columns(path: Path, allowed: Container[int], expected: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of each line that is not empty; all lines have equally many."""
    columns = 0
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        fields = [] if line.lstrip().startswith("#") else line.split("\t" if "\t" in line else None)
        if not fields:
            continue
        columns = columns or len(fields)
        if len(fields) not in allowed or len(fields) != columns:
            found = counted(len(fields), "column")
            raise FileError(f"{path}, line {number}: {found}; give {expected}, the same on every line.")
        yield number, fields


def read_ranking_pair(left: Path, right: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the rankings of two files, which must have a query in common."""
    lefts, rights = read_rankings(left), read_rankings(right)
    if (ONLY in lefts) != (ONLY in rights):
        raise FileError(f"{left} and {right} must both name queries, or neither.")
    if not lefts.keys() & rights.keys():
        raise FileError(f"{left} and {right} have no query in common; give two rankings of the same queries.")
    return lefts, rights
