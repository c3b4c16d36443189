"""One list from the rankings of two arms, drafted such that the same call gives the same list again."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from duelist.errors import DuelistError, ParameterError, require_whole
from duelist.interleaving import Interleaving, Shown
from duelist.kernels.live import without_waiting
from duelist.registry import INTERLEAVINGS
from duelist.study.choices import NamedArms
from duelist.study.live_fold import LiveFold
from duelist.study.player import page_rng
from duelist.study.tickets import KeyRing, NamedList, Ticket, seal, ticket_of

LARGEST = 2**63

Document = str | int
Ranking = tuple[Document, ...]


class ShownList(NamedTuple):
    """A list of documents to show, or one page of it, and the ticket by which clicks on it are told.

    Examples
    --------
    >>> from duelist import Study
    >>> study = Study(arms=["bm25", "dense"])
    >>> shown = study.interleave(study.ask(), {"bm25": ["a", "b"], "dense": ["b", "c"]})
    >>> sorted(shown.documents)
    ['a', 'b', 'c']
    """

    documents: tuple[Document, ...]
    """From the top to the end."""
    ticket: str
    """All that is needed to learn from clicks on the list, sealed."""


class Interleaver:
    """Drafts lists. Nothing is recorded: the list travels in its ticket.

    Parameters
    ----------
    live : LiveFold
        The state of the study.
    keys : KeyRing
        The keys that seal tickets.
    """

    def __init__(self, live: LiveFold, keys: KeyRing) -> None:
        self._live, self._keys = live, keys
        self.method = method_named(live.fold.created.interleaving)

    def ticket(self, duel: object) -> Ticket:
        return ticket_of(duel, self._live, self._keys)

    def interleave(self, ticket: Ticket, rankings: object, length: int, page: int) -> ShownList:
        """Return a page of a ticket's list, given the rankings of its two arms."""
        require_whole("length", length, 1)
        require_whole("page", page, 1)
        begun = ticket.listed
        if begun is not None and begun.length != length:
            raise ParameterError(
                f"length must be {begun.length}, as on the list's other pages; got {length!r}."
            )
        if rankings is None and begun is None:
            raise ParameterError(
                "rankings are missing: give those of the duel's arms, or the ticket of a list."
            )
        if begun is None or rankings is not None:
            named = numbered(*self._rankings(ticket, rankings), int(length))
            if begun is None:
                begun = named
            elif not begun.shown.continues(named.shown) or begun.names != named.names:
                raise ParameterError(
                    "rankings differ from those of the list's first page; give the same ones, or leave "
                    "them out: the ticket has them."
                )
        shown = drafted(self.method, ticket.id, begun.shown, begun.length, int(page))
        listed = replace(begun, shown=shown)
        first = begun.length * (int(page) - 1)
        documents = [begun.names[number] for number in shown.documents[first : first + begun.length]]
        return ShownList(tuple(documents), seal(replace(ticket, listed=listed), self._keys))

    def _rankings(self, ticket: Ticket, rankings: object) -> tuple[Ranking, Ranking, bool]:
        """Return the left and the right arm's ranking, and whether the left arm has the higher number."""
        arms = self._live.now().choices
        if not isinstance(arms, NamedArms) or isinstance(ticket.left, list) or isinstance(ticket.right, list):
            raise ParameterError(
                "a study of parameters has no arms that rank documents; interleave lists in a study of arms."
            )
        found: dict[int, Any] = {}
        try:
            for name, ranking in rankings.items() if isinstance(rankings, Mapping) else ():
                found[arms.find(name)] = ranking
        except DuelistError:
            found = {}
        if found.keys() != {ticket.left, ticket.right}:
            # in the order of the arms: the sides stay sealed
            first, second = (arms.show(arm) for arm in sorted((ticket.left, ticket.right)))
            raise ParameterError(
                f"rankings must have exactly one ranking for each arm of the duel, {first!r} and "
                f"{second!r}; got {list(rankings) if isinstance(rankings, Mapping) else rankings!r:.80}."
            )
        left, right = (as_ranking(arms.show(arm), found[arm]) for arm in (ticket.left, ticket.right))
        return left, right, ticket.left > ticket.right


def method_named(name: str) -> Interleaving:
    """Return an interleaving method for two rankings."""
    method: Interleaving = INTERLEAVINGS[name]()
    method.require_number(2)
    return method


def as_ranking(arm: str, ranking: object) -> Ranking:
    """Return a ranking that a ticket can carry; a repeated document keeps its first place."""
    if not isinstance(ranking, Iterable) or isinstance(ranking, str | bytes | Mapping):
        raise ParameterError(
            f"the ranking of {arm!r} must be a list of documents, best first; got {ranking!r:.80}."
        )
    return tuple(dict.fromkeys(as_document(f"the ranking of {arm!r}", document) for document in ranking))


def as_document(where: str, document: object) -> Document:
    """Return the name of a document as plain text or number."""
    if isinstance(document, str) and not any("\ud800" <= sign <= "\udfff" for sign in document):
        return str(document)
    if isinstance(document, int | np.integer) and type(document) is not bool and abs(int(document)) < LARGEST:
        return int(document)
    raise ParameterError(
        f"documents must be strings or whole numbers of at most 63 bits; {where} has {document!r:.80}."
    )


def numbered(left: Ranking, right: Ranking, swapped: bool, length: int) -> NamedList:
    """Return an empty list of two rankings, whose document numbers say nothing about the sides."""
    names = tuple(dict.fromkeys(chain(right, left) if swapped else chain(left, right)))
    numbers = {name: number for number, name in enumerate(names)}
    in_left, in_right = (tuple(numbers[name] for name in ranking) for ranking in (left, right))
    return NamedList(names, length, Shown((), (), (), (in_left, in_right)))


def drafted(method: Interleaving, ticket: str, shown: Shown, length: int, page: int) -> Shown:
    """Return a list up to a page, or to its end; every page has its own random stream."""
    known = ceil(len(shown.documents) / length)
    for number in range(known + 1, page + 1):
        if len(shown.documents) < (number - 1) * length:
            break  # the end
        draft = partial(method.interleave, shown.rankings, page_rng(ticket, number))
        shown = without_waiting(draft, number * length, shown)
    return shown
