"""Lists that a learner of rankings makes from a query's documents."""

import os
from collections.abc import Iterable, Mapping
from time import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelist.errors import ClosedError, ParameterError
from duelist.menus import Documents, Impression
from duelist.study.choices import require_documents
from duelist.study.documents import listed
from duelist.study.drafting import Document, ShownList, as_document
from duelist.study.live_fold import LiveFold
from duelist.study.tickets import KeyRing, ListTicket, seal
from duelist.text import counted


class Ranker:
    """Lets the learner make lists. Nothing is recorded: what it must remember travels in the ticket.

    Parameters
    ----------
    live : LiveFold
        The state of the study.
    keys : KeyRing
        The keys that seal tickets.
    """

    def __init__(self, live: LiveFold, keys: KeyRing) -> None:
        self._live, self._keys = live, keys

    def menu(self, features: ArrayLike) -> Documents:
        """Return a query's documents, given a row of features for each."""
        known = require_documents(self._live.fold.choices).features
        menu = Documents(features)
        if menu.d != known:
            raise ParameterError(
                f"features must have {counted(known, 'column')}, as the study began with; got {menu.d}."
            )
        return menu

    def rank(self, menu: Documents, names: tuple[Document, ...], voter: str | None) -> ShownList:
        """Return the list to show, by the documents' names."""
        with self._live.lock:
            fold = self._live.current()
            if fold.closed:
                raise ClosedError(
                    "the study is closed, so ask() is no longer possible; read the results, or begin a new "
                    "study."
                )
            asked = fold.player.ask(menu, self._live.rng(voter))
            if fold.player.is_plug_in:
                asked = require_impression(fold.learner, asked, menu)
            ticket = ListTicket(
                study=fold.created.study,
                id=os.urandom(16).hex(),
                documents=tuple(names[row] for row in asked.documents),
                shown=listed(fold.learner, asked),
                learner=fold.learner_number,
                time=time(),
                voter=voter,
            )
        return ShownList(ticket.documents, seal(ticket, self._keys))


def as_names(documents: object, n: int) -> tuple[Document, ...]:
    """Return the names of n documents; by default, the numbers of their rows."""
    if documents is None:
        return tuple(range(n))
    if not isinstance(documents, Iterable) or isinstance(documents, str | bytes | Mapping):
        raise ParameterError(
            f"documents must be a list of names, one for each row of features; got {documents!r:.80}."
        )
    names = tuple(as_document("the list of documents", document) for document in documents)
    if len(names) != n:
        raise ParameterError(
            f"documents must be {counted(n, 'name')}, one for each row of features; got {len(names)}."
        )
    if len({*names}) < n:
        repeated = next(name for index, name in enumerate(names) if name in names[:index])
        raise ParameterError(f"documents must all differ; {repeated!r} occurs twice.")
    return names


def require_impression(learner: object, asked: Any, menu: Documents) -> Impression:
    """Return a plug-in's list in plain numbers; raise ParameterError if it cannot be shown or stored."""
    name = f"{type(learner).__name__}.ask"
    if not isinstance(asked, Impression):
        raise ParameterError(f"{name} must return an Impression; got {asked!r:.80}.")
    rows = asked.documents
    if not (
        isinstance(rows, tuple | list | np.ndarray)
        and all(isinstance(row, int | np.integer) and 0 <= row < len(menu) for row in rows)
        and len({*rows}) == len(rows) > 0
    ):
        raise ParameterError(
            f"{name} must show rows of {menu!r}, numbered from 0, at least one and each once; got "
            f"{rows!r:.80}."
        )
    for field, kept in (("page", asked.page), ("note", asked.note)):
        require_unnamed(f"the {field} of {name}", kept)
    return Impression(tuple(int(row) for row in rows), menu, asked.page, asked.note)


def require_unnamed(what: str, kept: Any) -> None:
    """Raise ParameterError if a value holds a NamedTuple, whose field names would be lost."""
    if hasattr(kept, "_fields"):
        raise ParameterError(
            f"{what} must be None, numbers, texts, arrays, or lists and mappings of them; got the NamedTuple "
            f"{type(kept).__name__}."
        )
    if isinstance(kept, tuple | list):
        for one in kept:
            require_unnamed(what, one)
    elif isinstance(kept, Mapping):
        for one in kept.values():
            require_unnamed(what, one)
