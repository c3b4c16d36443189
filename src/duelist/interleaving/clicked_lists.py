"""Files of clicks, matched with the lists that were clicked on."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from duelist.errors import FileError
from duelist.interleaving.listings import EVERY, Listing
from duelist.interleaving.ranking_files import ONLY, read_columns

NAMED = {2: "query document", 3: "query impression document"}
"""The columns of a file of clicks by their number, where lists have queries."""
NAMELESS = {1: "document", 2: "impression document"}
"""The columns where there is one query and it has no name."""


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
