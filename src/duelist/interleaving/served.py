"""Files of interleaved lists that were served, and of the clicks on them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from duelist.errors import FileError
from duelist.interleaving.listings import EVERY, Listing
from duelist.interleaving.rankings import ONLY
from duelist.tables import read_lines

CLICKS = {2: "query document", 3: "query impression document", 4: "query impression document user"}
"""The columns of a file of clicks by their number, where lists have queries."""
SERVED = {1: "query", 2: "query impression", 3: "query impression user"}
"""The columns of a file of the lists that were served, likewise."""


class ClickedList(NamedTuple):
    """One impression of a list, the documents that were clicked, and who saw it."""

    impression: str
    listing: Listing
    clicked: tuple[str, ...]
    user: str = ""


class Line(NamedTuple):
    """A line of a file, and the list that it is about."""

    where: str
    key: tuple[str, str]  # the query and the impression
    listing: Listing
    user: str
    document: str


def forms_of(forms: Mapping[int, str], listings: Iterable[Listing]) -> dict[int, str]:
    """Return the columns by their number, without the query if the lists have none."""
    if any(one.query != ONLY for one in listings):
        return dict(forms)
    return {number - 1: form.removeprefix("query ") for number, form in forms.items() if number > 1}


def read_impressions(clicks: Path, listings: list[Listing], served: Path | None = None) -> list[ClickedList]:
    """Return the served impressions with their clicks; without a file of them, those with a click."""
    seen: dict[tuple[str, str], Line] = {}
    for line in () if served is None else lines_of(served, SERVED, listings):
        require_user(line, seen.setdefault(line.key, line).user)
    if served is not None and not seen:
        raise FileError(f"{served} names no list; give a line for each list that was served.")
    clicked: dict[tuple[str, str], dict[str, None]] = {key: {} for key in seen}
    for line in lines_of(clicks, CLICKS, listings):
        if served is not None and line.key not in seen:
            click = f"a click in {describe(*line.key)}, which {served} does not name"
            raise FileError(f"{line.where}: {click}; add each list that was served.")
        first = seen.setdefault(line.key, line)
        if line.user or served is None:
            require_user(line, first.user)
        clicked.setdefault(line.key, {})[line.document] = None
    if not seen:
        remedy = "name the lists that were served with --served, to count those without clicks as ties"
        raise FileError(f"{clicks} has no clicks, so that nothing can be credited; {remedy}.")
    return [ClickedList(key[1], line.listing, tuple(clicked[key]), line.user) for key, line in seen.items()]


def lines_of(path: Path, forms: Mapping[int, str], listings: list[Listing]) -> Iterator[Line]:
    """Yield the lines of a file with the lists they are about."""
    lists: dict[str, dict[str, Listing]] = {}
    for one in listings:
        lists.setdefault(one.query, {})[one.impression] = one
    table = read_lines(path, forms_of(forms, listings).values())
    columns = {name: column.tolist() for name, column in table.columns.items()}
    for row in range(table.size):
        said = {name: column[row] for name, column in columns.items()}
        query, name = said.get("query", ONLY), said.get("impression", EVERY)
        where = f"{path}, {table.where(row)}"
        listing = find_listing(where, lists, query, name)
        document = said.get("document", "")
        if "document" in said and document not in listing.shown.documents:
            title = f" for {listing.title}" if listing.title else ""
            raise FileError(f"{where}: {document!r} was clicked{title}, but not shown.")
        impression = name if listing.impression == EVERY else listing.impression
        yield Line(where, (query, impression), listing, said.get("user", ""), document)


def describe(query: str, impression: str) -> str:
    """Return the names of an impression in words."""
    words = f"impression {impression}" if impression != EVERY else "a list"
    return f"{words} of query {query}" if query != ONLY else words


def require_user(line: Line, user: str) -> None:
    """Refuse an impression with another user than before."""
    if line.user != user:
        before = f"user {user} before" if user else "no user in the file of lists served"
        fault = f"{describe(*line.key)} has user {line.user}, but {before}"
        raise FileError(f"{line.where}: {fault}; give each impression one user.")


def find_listing(where: str, lists: dict[str, dict[str, Listing]], query: str, name: str) -> Listing:
    """Return the list that a line is about."""
    held = lists.get(query)
    of_query = f" of query {query}" if query != ONLY else ""
    if held is None:
        raise FileError(f"{where}: a list{of_query}, but none was drawn.")
    if name == EVERY and len(held) > 1:
        raise FileError(f"{where}: one of {len(held):,} lists{of_query}; say which, by its impression.")
    if name == EVERY:
        return next(iter(held.values()))
    if name not in held and EVERY not in held:
        raise FileError(f"{where}: impression {name}{of_query}, but no list was drawn for it.")
    return held[name] if name in held else held[EVERY]
