"""Rankings in text files, and lists as they were shown, one JSON object a line."""

import json
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from duelist.errors import FileError
from duelist.files import write_whole
from duelist.interleaving import Shown

FORMS = {1: (None, 0), 2: (0, 1), 6: (0, 2)}
"""By the number of columns: where the query and the document stand. Six are those of a TREC run."""
ONLY = ""
"""What the query is called where a file names none."""
EVERY = ""
"""What the impression is called where all of a query show the same list."""
EXPECTED = "a document a line, `query document`, or a TREC run of six columns, best first"


class Listing(NamedTuple):
    """A list that was shown for a query, and how it was made."""

    query: str
    impression: str
    method: str
    counting: str
    shown: Shown

    @property
    def title(self) -> str:
        """What tells it from other lists, in words."""
        words = [f"query {self.query}"] if self.query != ONLY else []
        words += [f"impression {self.impression}"] if self.impression != EVERY else []
        return ", ".join(words)

    def facts(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        return {name: getattr(self, name) for name in self._fields[:-1]} | self.shown._asdict()


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
    return rankings


def read_columns(path: Path, allowed: Container[int], expected: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the columns of each line that has any, as many on every line."""
    columns = 0
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        fields = [] if line.lstrip().startswith("#") else line.split("\t" if "\t" in line else None)
        if not fields:
            continue
        columns = columns or len(fields)
        if len(fields) not in allowed or len(fields) != columns:
            found = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
            raise FileError(f"{path}, line {number}: {found}; give {expected}, the same on every line.")
        yield number, fields


def read_text(path: Path) -> str:
    """Return what a file says."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text.") from error


def write_listings(path: Path, listings: list[Listing]) -> Path:
    """Write lists as they are shown, to be credited when the clicks are known."""
    lines = (json.dumps(one.facts()) for one in listings)
    return write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def read_listings(path: Path) -> list[Listing]:
    """Return the lists that `write_listings` wrote, or another program did alike."""
    listings: list[Listing] = []
    seen: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        where = f"{path}, line {number}"
        try:
            said = {"impression": EVERY} | json.loads(line)
            shown = Shown(*(tuple(said[field]) for field in Shown._fields))
            query, impression, method, counting = (str(said[field]) for field in Listing._fields[:-1])
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{where} is not a list written by --out: {error!r}.") from error
        one = Listing(query, impression, method, counting, shown)
        if not len(shown.documents) == len(shown.teams) == len(shown.propensities):
            raise FileError(f"{where}: documents, teams and propensities differ in length.")
        for side in ("left", "right"):
            if not getattr(shown, side):
                raise FileError(
                    f"{where}: the {side} ranking of query {one.query!r} is empty, so that nothing was "
                    "compared; remove the line."
                )
        known = seen.setdefault(one.query, set())
        if one.impression in known:
            raise FileError(
                f'{where}: {one.title or "a list"} again; give each list an "impression" of its own.'
            )
        if known and EVERY in known | {one.impression}:
            raise FileError(
                f'{where}: give "impression" to all lists of query {one.query!r}, or keep one list.'
            )
        known.add(one.impression)
        listings.append(one)
    if not listings:
        raise FileError(f"{path} holds no list; write one with duelist interleave LEFT RIGHT --out {path}.")
    return listings
