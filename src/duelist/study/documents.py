"""Choices of a study of documents, and the lists that a learner of rankings made, as bytes.

The documents are new for every query; a study only fixes their number of features. Everything that `tell`
needs of a list is packed when the list is shown, travels in its ticket, and is recorded with the clicks.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
import numpy as np

from duelist.errors import FileError, ParameterError
from duelist.journal import RankedList
from duelist.menus import Documents, Impression
from duelist.text import counted

ARRAY = 1
"""The msgpack extension type of arrays."""
KINDS = "biufcSU"
"""The kinds of NumPy arrays that can be packed."""
NO_DUELS = (
    "a study of documents has neither arms nor duels; use rank(features) to get a list, and "
    "clicks(ticket, documents) to tell what was clicked."
)
"""What to do in a study of documents instead."""


@dataclass(frozen=True)
class DocumentChoices:
    """The choices of a study of documents: those of any query, with a fixed number of features."""

    features: int
    kind: ClassVar[str] = "documents"
    names: ClassVar[tuple[str, ...]] = ()
    """The names of arms, as in `NamedArms`: none."""
    shown: ClassVar[tuple[str, ...]] = ()
    retired: ClassVar[frozenset[int]] = frozenset()

    @property
    def menu(self) -> Documents:
        """An example document: learners only look at the number of features."""
        return Documents(np.zeros((1, self.features)))

    def show(self, ranker: Any) -> Any:
        return ranker

    def find(self, shown: object) -> Any:
        """Raise ParameterError: documents have no duels with sides."""
        raise ParameterError(NO_DUELS)

    def as_json(self) -> dict[str, Any]:
        """Return the choices as a journal stores them."""
        return {"documents": {"features": self.features}}


def read_documents(content: Any) -> DocumentChoices:
    features = content.get("features") if isinstance(content, Mapping) and len(content) == 1 else None
    if type(features) is not int or features < 1:
        raise FileError(f"documents.features must be a whole number, at least 1; got {content!r:.80}.")
    return DocumentChoices(features)


def listed(learner: object, impression: Impression) -> RankedList:
    """Return a list in the form that events write."""
    kept = impression.menu.features, impression.page, impression.note
    try:
        return RankedList(impression.documents, pack(kept))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ParameterError(
            f"the page and note of {type(learner).__name__}.ask must be None, numbers, texts, arrays, or "
            f"lists and mappings of them: {error}."
        ) from error


def impression_of(ticket: str, shown: RankedList, features: int, own: bool) -> Impression:
    """Return a stored list as `tell` takes it, with page and note only for the learner that made it."""
    try:
        rows, page, note = unpack(shown.content)
        menu = Documents(rows)
    except (ParameterError, TypeError, ValueError) as error:
        raise FileError(f"the list of ticket {ticket} is damaged ({error}); use a backup.") from error
    if menu.d != features or max(shown.documents, default=0) >= len(menu):
        raise FileError(
            f"the list of ticket {ticket} is damaged: its {menu!r} are not {counted(features, 'feature')} of "
            f"the documents {shown.documents}; use a backup."
        )
    return Impression(shown.documents, menu, page, note) if own else Impression(shown.documents, menu)


def pack(value: Any) -> bytes:
    """Return numbers, texts, arrays, and lists and mappings of them as bytes.

    Examples
    --------
    >>> unpack(pack([0.1, np.arange(3, dtype=np.float32), None]))
    [0.1, array([0., 1., 2.], dtype=float32), None]
    """
    return zlib.compress(msgspec.msgpack.encode(value, enc_hook=as_extension), 1)


def as_extension(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        content = value.dtype.str, value.shape, value.tobytes()
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode(content))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"got {value!r:.80}, {type(value).__name__}")


def unpack(content: bytes) -> Any:
    """Return what `pack` wrote, with tuples as lists; raise ValueError if the bytes are damaged."""
    try:
        return msgspec.msgpack.decode(zlib.decompress(content), ext_hook=as_array)
    except (zlib.error, msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"{error}") from error


def as_array(code: int, content: memoryview) -> Any:
    if code != ARRAY:
        raise ValueError(f"extension {code} is unknown")
    kind, shape, values = msgspec.msgpack.decode(content, type=tuple[str, tuple[int, ...], bytes])
    return np.frombuffer(values, np.dtype(kind)).reshape(shape).copy()
