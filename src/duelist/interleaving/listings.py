"""Files of rankings, of the lists interleaved from them (as JSON lines), and of the clicks on these lists."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.random import default_rng

from duelist.errors import FileError
from duelist.files import read_text, write_whole
from duelist.interleaving.base import Shown
from duelist.text import counted

FORMS = {1: (None, 0), 2: (0, 1), 6: (0, 2)}
"""The columns of the query and the document, by the number of columns; a TREC run has six."""
ONLY = ""
"""The name of the query in a file that names none."""
EXPECTED = "a document a line, `query document`, or a TREC run of six columns, best first"

EVERY = ""
"""The name of the impression where all impressions of a query show the same list."""

NAMED = {2: "query document", 3: "query impression document"}
"""The columns of a file of clicks by their number, where lists have queries."""
NAMELESS = {1: "document", 2: "impression document"}
"""The columns where there is one query and it has no name."""


def read_rankings(path: Path) -> dict[str, list[str]]:
    """Return each query's documents, in the order of a file; comments begin with `#`."""
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


class Listing(NamedTuple):
    """A list that was shown for a query, and how it was made."""

    query: str
    impression: str
    method: str
    counting: str
    shown: Shown

    @property
    def title(self) -> str:
        """The query and the impression, as far as they have names."""
        words = [f"query {self.query}"] if self.query != ONLY else []
        words += [f"impression {self.impression}"] if self.impression != EVERY else []
        return ", ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, as JSON holds them."""
        return {name: getattr(self, name) for name in self._fields[:-1]} | self.shown._asdict()


def interleave_queries(
    left: Mapping[str, Sequence[str]],
    right: Mapping[str, Sequence[str]],
    method: Any,
    length: int | None = None,
    impressions: int | None = None,
    seed: int = 0,
) -> list[Listing]:
    """Return interleaved lists for every query that both sides rank, by a method such as `TeamDraft()`.

    Without a number of impressions, which are named 1, 2 and so on, one list is drawn for all of them. Each
    list is drawn by a generator of its own, and equal seeds give equal lists.
    """
    names = [EVERY] if impressions is None else [str(number) for number in range(1, impressions + 1)]
    made = (type(method).__name__, method.counting)
    return [
        Listing(
            query,
            name,
            *made,
            method.interleave(left[query], right[query], default_rng([seed, place, number]), length),
        )
        for place, query in enumerate(dict.fromkeys([*left, *right]))
        if query in left and query in right
        for number, name in enumerate(names)
    ]


def write_listings(path: Path, listings: Sequence[Listing]) -> Path:
    """Write lists to a file, one JSON object a line, and return its path."""
    lines = (json.dumps(one.to_dict()) for one in listings)
    return write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def read_listings(path: Path) -> list[Listing]:
    """Return the lists that `write_listings`, or another program in the same format, wrote."""
    listings: list[Listing] = []
    seen: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        where = f"{path}, line {number}"
        one = read_listing(where, line)
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


def read_listing(where: str, line: str) -> Listing:
    """Return the list of one line, or raise an error that says what is wrong with it."""
    try:
        said = {"impression": EVERY} | json.loads(line)
        shown = Shown(*(tuple(said[field]) for field in Shown._fields))
        query, impression, method, counting = (str(said[field]) for field in Listing._fields[:-1])
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{where} is not a list written by --out: {error!r}.") from error
    if not len(shown.documents) == len(shown.teams) == len(shown.propensities):
        raise FileError(f"{where}: documents, teams and propensities differ in length.")
    for side in ("left", "right"):
        if not getattr(shown, side):
            raise FileError(
                f"{where}: the {side} ranking of query {query!r} is empty, so that nothing was "
                "compared; remove the line."
            )
    return Listing(query, impression, method, counting, shown)


class ClickedList(NamedTuple):
    """One impression of a list, and the documents that were clicked in it."""

    impression: str
    listing: Listing
    clicked: tuple[str, ...]


def forms_of(listings: Iterable[Listing]) -> dict[int, str]:
    """Return what the columns of clicks on these lists may be, by their number."""
    return NAMED if any(one.query != ONLY for one in listings) else NAMELESS


def read_clicks(path: Path, listings: list[Listing]) -> list[ClickedList]:
    """Return every impression with its clicks, in the order of the lists.

    A list without the name of an impression belongs to all impressions that are clicked for its query; if
    there is none, to one without clicks. A click on a document that was not shown is an error.
    """
    forms = forms_of(listings)
    lists: dict[str, dict[str, Listing]] = {}
    for one in listings:
        lists.setdefault(one.query, {})[one.impression] = one
    clicks: dict[tuple[str, str], dict[str, list[str]]] = {}
    expected = " or ".join(f"`{form}`" for form in forms.values())
    for number, fields in read_columns(path, forms, expected):
        click = dict(zip(forms[len(fields)].split(), fields, strict=True))
        query, name = click.get("query", ONLY), click.get("impression", EVERY)
        listing = find_listing(f"{path}, line {number}", lists, query, name)
        if click["document"] not in listing.shown.documents:
            title = f" for {listing.title}" if listing.title else ""
            raise FileError(
                f"{path}, line {number}: {click['document']!r} was clicked{title}, but not shown."
            )
        seen = name if listing.impression == EVERY else listing.impression
        clicks.setdefault((query, listing.impression), {}).setdefault(seen, []).append(click["document"])
    return [
        ClickedList(name, one, tuple(dict.fromkeys(documents)))
        for one in listings
        for name, documents in clicks.get((one.query, one.impression), {one.impression: []}).items()
    ]


def find_listing(where: str, lists: dict[str, dict[str, Listing]], query: str, name: str) -> Listing:
    """Return the list that was clicked on."""
    held = lists.get(query)
    of_query = f" of query {query}" if query != ONLY else ""
    if held is None:
        raise FileError(f"{where}: a click on a list{of_query}, but none was shown.")
    if name == EVERY:
        if len(held) > 1:
            raise FileError(
                f"{where}: a click on one of {len(held):,} lists{of_query}; say which, by a column before "
                "the document that names the impression."
            )
        return next(iter(held.values()))
    if name not in held and EVERY not in held:
        raise FileError(f"{where}: a click in impression {name}{of_query}, but no list was shown in it.")
    return held[name] if name in held else held[EVERY]
