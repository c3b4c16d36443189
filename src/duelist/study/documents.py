"""Documents that a learner of rankings makes lists of: what a study knows of them, and lists as bytes.

The documents are new for every query; a study knows only how many features they have. All that `tell` needs
of a list is packed when the list is shown, travels in its ticket, and is on record with the clicks.
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
"""The type of msgpack's extension for arrays."""
KINDS = "biufcSU"
"""The kinds of NumPy's arrays that can be packed."""
NO_DUELS = (
    "a study of documents has neither arms nor duels: rank(features) shows a list, and "
    "clicks(ticket, documents) tells what was clicked on it."
)
"""What to do in a study of documents instead of something that needs duels."""


@dataclass(frozen=True)
class DocumentChoices:
    """The documents of any query, each with so many features."""

    features: int
    kind: ClassVar[str] = "documents"
    names: ClassVar[tuple[str, ...]] = ()
    """The names of arms, as `NamedArms` has them: there are none, shown or retired."""
    shown: ClassVar[tuple[str, ...]] = ()
    retired: ClassVar[frozenset[int]] = frozenset()

    @property
    def menu(self) -> Documents:
        """Documents as an example: the learner looks at the number of features."""
        return Documents(np.zeros((1, self.features)))

    def show(self, ranker: Any) -> Any:
        """Return a ranker as it is shown: as it is."""
        return ranker

    def find(self, shown: object) -> Any:
        """Raise ParameterError: there is no side of a duel to find."""
        raise ParameterError(NO_DUELS)

    def as_json(self) -> dict[str, Any]:
        """Return the choices as a journal has them."""
        return {"documents": {"features": self.features}}


def read_documents(content: Any) -> DocumentChoices:
    """Return the choices that `as_json` wrote."""
    features = content.get("features") if isinstance(content, Mapping) and len(content) == 1 else None
    if type(features) is not int or features < 1:
        raise FileError(f"documents has features, how many there are, at least 1; got {content!r:.80}.")
    return DocumentChoices(features)


def listed(learner: object, impression: Impression) -> RankedList:
    """Return a list as events write it."""
    kept = impression.menu.features, impression.page, impression.note
    try:
        return RankedList(impression.documents, pack(kept))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ParameterError(
            f"the page and note of {type(learner).__name__}.ask must be None, numbers, texts, arrays, or "
            f"lists and mappings of them: {error}."
        ) from error


def impression_of(ticket: str, shown: RankedList, features: int, own: bool) -> Impression:
    """Return a list as a learner is reminded of it: page and note are for the learner that made it."""
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
    """Return an array as msgpack writes it."""
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        content = value.dtype.str, value.shape, value.tobytes()
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode(content))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"got {value!r:.80}, {type(value).__name__}")


def unpack(content: bytes) -> Any:
    """Return what `pack` wrote, tuples as lists; ValueError if it wrote something else."""
    try:
        return msgspec.msgpack.decode(zlib.decompress(content), ext_hook=as_array)
    except (zlib.error, msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"{error}") from error


def as_array(code: int, content: memoryview) -> Any:
    """Return the array that msgpack wrote."""
    if code != ARRAY:
        raise ValueError(f"extension {code} is unknown")
    kind, shape, values = msgspec.msgpack.decode(content, type=tuple[str, tuple[int, ...], bytes])
    return np.frombuffer(values, np.dtype(kind)).reshape(shape).copy()
