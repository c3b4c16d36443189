"""Files of an interleaving experiment: rankings, the lists drawn from them, and the clicks on these.

A ranking file has one document per line (`query document`), or is a TREC run with six columns. A file of
lists has one JSON object per line.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

from numpy.random import default_rng

from duelist.errors import FileError
from duelist.files import decoded, write_whole
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import NOBODY
from duelist.registry import INTERLEAVINGS, build
from duelist.shown import Shown
from duelist.tables import Table, read_lines
from duelist.tables.files import read_bytes

RUN = "query Q0 document rank score name"  # the columns of a TREC run
FORMS = ("document", "query document", RUN)
ONLY = ""  # the query in a file without queries
EVERY = ""  # the impression of a list that all impressions of its query show
SIDES = ("left", "right")  # the names of the rankings if their files are unknown
CLICKS = {2: "query document", 3: "query impression document", 4: "query impression document user"}
"""The columns of a click file, by their number, for lists with queries."""
SERVED = {1: "query", 2: "query impression", 3: "query impression user"}
"""The columns of a file of served lists, by their number, for lists with queries."""


class Entry(NamedTuple):
    """A ranked document; entries sort best first."""

    penalty: float  # the negative of its score
    rank: float
    row: int
    document: str


def read_rankings(path: Path) -> dict[str, list[str]]:
    """Return each query's documents, best first; those of a TREC run are sorted by score, then by rank."""
    table = read_lines(path, FORMS)
    if not table.size:
        raise table.error("the file has no documents; give one document per line, or a TREC run.")
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
            raise table.error(f"{again}; list each document once.", row)
        rankings.setdefault(query, []).append(Entry(-scores[row], ranks[row], row, document))
    return {query: sort_entries(table, entries) for query, entries in rankings.items()}


def read_numbers(table: Table, name: str) -> list[float]:
    """Return the ranks or scores of a TREC run."""
    texts = table.columns[name].tolist()
    numbers = list(map(as_number, texts))
    for row, number in enumerate(numbers):
        if not isfinite(number):
            fault = f"the {name} {texts[row]!r} is not a number; the columns of a TREC run are `{RUN}`."
            raise table.error(fault, row)
    return numbers


def as_number(text: str) -> float:
    """Return the number; NaN if the text is not one."""
    try:
        return float(text)
    except ValueError:
        return nan


def sort_entries(table: Table, entries: Sequence[Entry]) -> list[str]:
    """Return the documents by score, then by rank; raise FileError if ranks contradict scores."""
    best_first = sorted(entries)
    for better, worse in pairwise(best_first):
        if better.rank > worse.rank:
            low, high = (f"rank {one.rank:.15g} and score {-one.penalty:.15g}" for one in (worse, better))
            fault = f"{low}, but {high} on {table.where(better.row)}"
            raise table.error(f"{fault}; give the higher score the lower rank.", worse.row)
    return [entry.document for entry in best_first]


def read_ranking_pair(left: Path, right: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the rankings of two files, which must share a query."""
    lefts, rights = read_rankings(left), read_rankings(right)
    if (ONLY in lefts) != (ONLY in rights):
        raise FileError(
            f"only one of {left} and {right} has queries; give both files a query column, or neither."
        )
    if not lefts.keys() & rights.keys():
        raise FileError(f"{left} and {right} have no query in common; give rankings of the same queries.")
    return lefts, rights


class Listing(NamedTuple):
    """A list drawn for a query, with the method that drew it."""

    query: str
    impression: str
    method: str
    counting: str
    shown: Shown
    files: tuple[str, str] = SIDES  # the files of the left and the right ranking

    @property
    def title(self) -> str:
        """The query and the impression, if they have names."""
        words = [f"query {self.query}"] if self.query != ONLY else []
        words += [f"impression {self.impression}"] if self.impression != EVERY else []
        return ", ".join(words)

    def to_dict(self) -> dict[str, Any]:
        fields = self._asdict()
        del fields["shown"]
        shown = self.shown._asdict()
        return fields | shown | dict(zip(SIDES, shown.pop("rankings"), strict=True))


def interleave_queries(
    left: Mapping[str, Sequence[str]],
    right: Mapping[str, Sequence[str]],
    method: Interleaving,
    length: int | None = None,
    impressions: int | None = None,
    seed: int = 0,
    files: tuple[str, str] = SIDES,
) -> list[Listing]:
    """Return interleaved lists for every query that both sides rank.

    Impressions are named 1, 2 and so on. Without a number of impressions, each query gets one list for all of
    them.
    """
    names = [EVERY] if impressions is None else [str(number) for number in range(1, impressions + 1)]
    known = INTERLEAVINGS.name_of(type(method)) or type(method).__name__
    counting = getattr(method, "counting", "all")
    listings = []
    for index, query in enumerate(dict.fromkeys([*left, *right])):
        for number, name in enumerate(names if query in left and query in right else ()):
            rng = default_rng([seed, index, number])
            shown = method.interleave((left[query], right[query]), rng, length)
            listings.append(Listing(query, name, known, counting, shown, files))
    return listings


def write_listings(path: Path, listings: Sequence[Listing], force: bool = False) -> Path:
    """Write lists to a file and return its path; overwrite an existing file only with `force`."""
    if path.exists() and not force:
        reason = "already exists, and clicks on its lists cannot be credited without it"
        raise FileError(f"{path} {reason}; choose another file, or overwrite it with --force.")
    lines = (json.dumps(one.to_dict()) for one in listings)
    return write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def read_listings(path: Path) -> list[Listing]:
    """Return the lists of a file by `write_listings` or by another program in the same format."""
    listings: list[Listing] = []
    seen: dict[str, set[str]] = {}
    for number, line in enumerate(decoded(path, read_bytes(path)).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        one = read_listing(where, line)
        known = seen.setdefault(one.query, set())
        if one.impression in known:
            again = f"{one.title or 'the list'} is repeated"
            raise FileError(f'{where}: {again}; give each list its own "impression".')
        if known and EVERY in known | {one.impression}:
            raise FileError(
                f'{where}: give all lists of query {one.query!r} an "impression", or keep one list.'
            )
        known.add(one.impression)
        listings.append(one)
    if not listings:
        raise FileError(f"{path} has no lists; write some with duelist interleave LEFT RIGHT --save {path}.")
    return listings


def read_listing(where: str, line: str) -> Listing:
    try:
        given = {"impression": EVERY, "files": SIDES} | json.loads(line)
        query, impression, method, counting = (str(given[field]) for field in Listing._fields[:4])
        left_file, right_file = map(str, given["files"])
        documents, left, right = (read_documents(field, given[field]) for field in ("documents", *SIDES))
        teams, propensities = tuple(given["teams"]), tuple(map(float, given["propensities"]))
        if not len(documents) == len(teams) == len(propensities):
            raise ValueError("documents, teams and propensities differ in length")
        if not set(teams) <= {0, 1, NOBODY}:
            raise ValueError("teams must be 0 (left), 1 (right) or -1 (nobody)")
        if not (left and right):
            raise ValueError(f"the {'right' if left else 'left'} ranking is empty; delete the line")
        if strays := set(documents).difference(left, right):
            raise ValueError(f"document {min(strays)!r} is in neither ranking")
    except KeyError as error:
        raise FileError(
            f"{where} is not a list: {error} is missing; give a file that --save wrote."
        ) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise FileError(f"{where} is not a list: {error}; give a file that --save wrote.") from error
    shown = Shown(documents, teams, propensities, (left, right))
    # files of earlier versions have the class name
    known = {kind: name for name, kind in INTERLEAVINGS.attributes.items()}.get(method, method)
    return Listing(query, impression, known, counting, shown, (left_file, right_file))


def method_of(name: str, counting: str) -> Interleaving:
    """Return the interleaving method of a list, by its name and counting."""
    kind = INTERLEAVINGS[name]
    kind.require_number(2)
    method: Interleaving = build(name, kind, {"counting": counting})
    return method


def read_documents(field: str, value: object) -> tuple[str, ...]:
    """Return the documents of a field as text, because clicks refer to them as text."""
    if not isinstance(value, list) or not all(isinstance(one, str | int) for one in value):
        raise ValueError(f"{field} must be a list of documents")
    documents = tuple(map(str, value))
    if len(set(documents)) < len(documents):
        raise ValueError(f"{field} has a repeated document")
    return documents


class ClickedList(NamedTuple):
    """One impression of a list, with its clicked documents and the user who saw it."""

    impression: str
    listing: Listing
    clicked: tuple[str, ...]
    user: str = ""


class Line(NamedTuple):
    """A line of a file, and the list it refers to."""

    where: str
    key: tuple[str, str]  # the query and the impression
    listing: Listing
    user: str
    document: str


def forms_of(forms: Mapping[int, str], listings: Iterable[Listing]) -> dict[int, str]:
    """Return the columns by their number, without the query column if the lists have no queries."""
    if any(one.query != ONLY for one in listings):
        return dict(forms)
    return {number - 1: form.removeprefix("query ") for number, form in forms.items() if number > 1}


def read_impressions(clicks: Path, listings: list[Listing], served: Path | None = None) -> list[ClickedList]:
    """Return the served impressions with their clicks; without a `served` file, those with a click."""
    seen: dict[tuple[str, str], Line] = {}
    for line in () if served is None else lines_of(served, SERVED, listings):
        require_user(line, seen.setdefault(line.key, line).user)
    if served is not None and not seen:
        raise FileError(f"{served} has no lines; give one for each list that was served.")
    clicked: dict[tuple[str, str], dict[str, None]] = {key: {} for key in seen}
    for line in lines_of(clicks, CLICKS, listings):
        if served is not None and line.key not in seen:
            click = f"a click on {describe(*line.key)}, which is not in {served}"
            raise FileError(f"{line.where}: {click}; add a line for each list that was served.")
        first = seen.setdefault(line.key, line)
        if line.user or served is None:
            require_user(line, first.user)
        clicked.setdefault(line.key, {})[line.document] = None
    if not seen:
        remedy = "give the served lists with --served to count those without clicks as ties"
        raise FileError(f"{clicks} has no clicks to credit; {remedy}.")
    return [ClickedList(key[1], line.listing, tuple(clicked[key]), line.user) for key, line in seen.items()]


def lines_of(path: Path, forms: Mapping[int, str], listings: list[Listing]) -> Iterator[Line]:
    """Yield the lines of a file with the lists they refer to."""
    lists: dict[str, dict[str, Listing]] = {}
    for one in listings:
        lists.setdefault(one.query, {})[one.impression] = one
    table = read_lines(path, forms_of(forms, listings).values())
    columns = {name: column.tolist() for name, column in table.columns.items()}
    for row in range(table.size):
        given = {name: column[row] for name, column in columns.items()}
        query, name = given.get("query", ONLY), given.get("impression", EVERY)
        where = f"{path}, {table.where(row)}"
        listing = find_listing(where, lists, query, name)
        document = given.get("document", "")
        if "document" in given and document not in listing.shown.documents:
            title = f" for {listing.title}" if listing.title else ""
            raise FileError(f"{where}: document {document!r} was clicked{title}, but not shown.")
        impression = name if listing.impression == EVERY else listing.impression
        yield Line(where, (query, impression), listing, given.get("user", ""), document)


def describe(query: str, impression: str) -> str:
    words = f"impression {impression}" if impression != EVERY else "a list"
    return f"{words} of query {query}" if query != ONLY else words


def require_user(line: Line, user: str) -> None:
    """Raise FileError if the impression had another user before."""
    if line.user != user:
        before = f"user {user} before" if user else "no user in the file of served lists"
        fault = f"{describe(*line.key)} has user {line.user}, but {before}"
        raise FileError(f"{line.where}: {fault}; give each impression one user.")


def find_listing(where: str, lists: dict[str, dict[str, Listing]], query: str, name: str) -> Listing:
    """Return the list that a line refers to."""
    held = lists.get(query)
    of_query = f" of query {query}" if query != ONLY else ""
    if held is None:
        raise FileError(f"{where}: no list{of_query} was drawn.")
    if name == EVERY and len(held) > 1:
        raise FileError(f"{where}: {len(held):,} lists{of_query} were drawn; add the impression.")
    if name == EVERY:
        return next(iter(held.values()))
    if name not in held and EVERY not in held:
        raise FileError(f"{where}: no list was drawn for impression {name}{of_query}.")
    return held[name] if name in held else held[EVERY]
