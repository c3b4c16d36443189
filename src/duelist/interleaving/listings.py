"""Lists interleaved from rankings, query by query, and their files: a JSON object a line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.random import default_rng

from duelist.errors import FileError
from duelist.files import read_text, write_whole
from duelist.interleaving.base import Shown
from duelist.interleaving.page import LEFT, NOBODY, RIGHT
from duelist.interleaving.rankings import ONLY

EVERY = ""  # the name of the impression where all impressions of a query show the same list
SIDES = ("left", "right")  # the names of the rankings where their files are not known


class Listing(NamedTuple):
    """A list that was drawn for a query, and how it was made."""

    query: str
    impression: str
    method: str
    counting: str
    shown: Shown
    files: tuple[str, str] = SIDES  # the files of the left and the right ranking

    @property
    def title(self) -> str:
        """The query and the impression, as far as they have names."""
        words = [f"query {self.query}"] if self.query != ONLY else []
        words += [f"impression {self.impression}"] if self.impression != EVERY else []
        return ", ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        fields = self._asdict()
        del fields["shown"]
        return fields | self.shown._asdict()


def interleave_queries(
    left: Mapping[str, Sequence[str]],
    right: Mapping[str, Sequence[str]],
    method: Any,
    length: int | None = None,
    impressions: int | None = None,
    seed: int = 0,
    files: tuple[str, str] = SIDES,
) -> list[Listing]:
    """Return interleaved lists for every query that both sides rank, by a method such as `TeamDraft()`.

    Impressions are named 1, 2 and so on; if their number is not given, one list is drawn for all of them.
    """
    names = [EVERY] if impressions is None else [str(number) for number in range(1, impressions + 1)]
    listings = []
    for place, query in enumerate(dict.fromkeys([*left, *right])):
        for number, name in enumerate(names if query in left and query in right else ()):
            rng = default_rng([seed, place, number])
            shown = method.interleave(left[query], right[query], rng, length)
            listings.append(Listing(query, name, type(method).__name__, method.counting, shown, files))
    return listings


def write_listings(path: Path, listings: Sequence[Listing], force: bool = False) -> Path:
    """Write lists to a file and return its path; overwrite a file only with `force`."""
    if path.exists() and not force:
        reason = "is there already, and clicks on its lists cannot be credited without it"
        raise FileError(f"{path} {reason}; name another file, or overwrite it with --force.")
    lines = (json.dumps(one.to_dict()) for one in listings)
    return write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def read_listings(path: Path) -> list[Listing]:
    """Return the lists that `write_listings`, or another program in the same format, wrote."""
    listings: list[Listing] = []
    seen: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        one = read_listing(where, line)
        known = seen.setdefault(one.query, set())
        if one.impression in known:
            again = f"{one.title or 'a list'} again"
            raise FileError(f'{where}: {again}; give each list an "impression" of its own.')
        if known and EVERY in known | {one.impression}:
            raise FileError(f'{where}: give "impression" to all lists of {one.query!r}, or keep one list.')
        known.add(one.impression)
        listings.append(one)
    if not listings:
        raise FileError(f"{path} holds no list; write one with duelist interleave LEFT RIGHT --out {path}.")
    return listings


def read_listing(where: str, line: str) -> Listing:
    """Return the list of one line."""
    try:
        said = {"impression": EVERY, "files": SIDES} | json.loads(line)
        query, impression, method, counting = (str(said[field]) for field in Listing._fields[:4])
        left_file, right_file = map(str, said["files"])
        documents, left, right = (read_documents(field, said[field]) for field in ("documents", *SIDES))
        teams, propensities = tuple(said["teams"]), tuple(map(float, said["propensities"]))
        if not len(documents) == len(teams) == len(propensities):
            raise ValueError("documents, teams and propensities differ in length")
        if not set(teams) <= {LEFT, RIGHT, NOBODY}:
            raise ValueError("teams must be 0 (left), 1 (right) or -1 (nobody)")
        if not (left and right):
            raise ValueError(f"the {'right' if left else 'left'} ranking is empty; remove the line")
        if strays := set(documents).difference(left, right):
            raise ValueError(f"document {min(strays)!r} is in neither ranking")
    except KeyError as error:
        raise FileError(f"{where} is not a list written by --out: it has no {error}.") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise FileError(f"{where} is not a list written by --out: {error}.") from error
    shown = Shown(documents, teams, propensities, left, right)
    return Listing(query, impression, method, counting, shown, (left_file, right_file))


def read_documents(field: str, value: object) -> tuple[str, ...]:
    """Return the documents of a field, as text, because clicks name them as text."""
    if not isinstance(value, list) or not all(isinstance(one, str | int) for one in value):
        raise ValueError(f"{field} must be a list of documents")
    documents = tuple(map(str, value))
    if len(set(documents)) < len(documents):
        raise ValueError(f"{field} has a document twice")
    return documents
