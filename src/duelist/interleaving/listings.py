"""Interleaved lists as they were shown, each with its query: made from rankings, kept as JSON lines."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.random import default_rng

from duelist.errors import FileError
from duelist.files import read_text, write_whole
from duelist.interleaving.base import Shown
from duelist.interleaving.ranking_files import ONLY

EVERY = ""
"""The name of the impression where all impressions of a query show the same list."""


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
    """Return interleaved lists for every query that both sides rank.

    Parameters
    ----------
    left, right : mapping
        Each query's documents, best first.
    method : Interleaving
        The way of interleaving, such as `TeamDraft()`.
    length : int, optional
        Documents to show; all unless given.
    impressions : int, optional
        Lists to draw for each query, named 1, 2 and so on; unless given, one list for all impressions.
    seed : int, default 0
        Each list is drawn by a generator of its own, and equal seeds give equal lists.

    Examples
    --------
    >>> from duelist.interleaving import TeamDraft
    >>> [one.title for one in interleave_queries({"q1": "ab"}, {"q1": "bc"}, TeamDraft(), impressions=2)]
    ['query q1, impression 1', 'query q1, impression 2']
    """
    names = [EVERY] if impressions is None else [str(number) for number in range(1, impressions + 1)]
    kind = type(method).__name__
    return [
        Listing(
            query,
            name,
            kind,
            method.counting,
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
