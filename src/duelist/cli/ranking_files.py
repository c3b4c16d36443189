"""Rankings and clicks in text files, and lists as they were shown, one JSON object a line."""

import json
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from duelist.errors import FileError
from duelist.files import write_whole
from duelist.interleaving import Shown

FORMS = {1: (None, 0), 2: (0, 1), 6: (0, 2)}
"""By the number of columns: where the query and the document stand. Six are those of a TREC run."""
ONLY = ""
"""What the query is called where a file names none."""
EXPECTED = "a document a line, `query document`, or a TREC run of six columns, best first"


class Listing(NamedTuple):
    """A list that was shown for a query, and how it was made."""

    query: str
    method: str
    counting: str
    shown: Shown

    def facts(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        made = {"query": self.query, "method": self.method, "counting": self.counting}
        return made | self.shown._asdict()


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
    columns = 0
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        fields = [] if line.lstrip().startswith("#") else line.split("\t" if "\t" in line else None)
        if not fields:
            continue
        columns = columns or len(fields)
        if len(fields) not in FORMS or len(fields) != columns:
            raise FileError(
                f"{path}, line {number}: {len(fields)} columns; give {EXPECTED}, the same on every line."
            )
        query, document = FORMS[columns]
        rankings.setdefault(ONLY if query is None else fields[query], []).append(fields[document])
    return rankings


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
    """Return the lists that `write_listings` wrote."""
    listings: list[Listing] = []
    seen: set[str] = set()
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        try:
            said = json.loads(line)
            shown = Shown(*(tuple(said[field]) for field in Shown._fields))
            one = Listing(str(said["query"]), str(said["method"]), str(said["counting"]), shown)
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{path}, line {number} is not a list written by --out: {error!r}.") from error
        if not len(shown.documents) == len(shown.teams) == len(shown.propensities):
            raise FileError(f"{path}, line {number}: documents, teams and propensities differ in length.")
        if one.query in seen:
            raise FileError(f"{path}, line {number}: query {one.query!r} again; keep one list each.")
        seen.add(one.query)
        listings.append(one)
    if not listings:
        raise FileError(f"{path} holds no list; write one with duelist interleave LEFT RIGHT --out {path}.")
    return listings


def clicks_of(path: Path, listings: list[Listing], clicks: Mapping[str, list[str]]) -> list[list[Hashable]]:
    """Return the clicks on each list, or say which click is on none."""
    shown: dict[str, Any] = {one.query: one.shown.documents for one in listings}
    for query, documents in clicks.items():
        if query not in shown:
            raise FileError(f"{path}: query {query!r} was clicked on, but no list was shown for it.")
        for document in documents:
            if document not in shown[query]:
                raise FileError(f"{path}: {document!r} was clicked for query {query!r}, but not shown.")
    return [list(clicks.get(one.query, [])) for one in listings]
