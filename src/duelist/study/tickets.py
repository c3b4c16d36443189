"""Tickets, sealed texts that carry a duel from `ask` to `tell` and reveal nothing on the way; and their keys.

Journals, exports and saved studies contain no keys: whoever has the votes cannot make tickets.
"""

import os
import secrets
import string
from base64 import b64decode, b64encode
from binascii import a2b_base64, b2a_base64
from time import time
from typing import Any

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from duelist.duel import Duel
from duelist.errors import FileError, OutcomeError, ParameterError, TicketError
from duelist.journal import Clicked, DocumentsClicked, NumberedList, RankedList, Skipped
from duelist.journal.events import Choice
from duelist.journal.protocol import KeyStore
from duelist.shown import Shown
from duelist.study.documents import NO_DUELS
from duelist.study.live_fold import LiveFold

VARIABLE = "DUELIST_TICKET_KEYS"
"""The environment variable for keys, each behind its id, separated by commas."""
NONCE = 12
BLOCK = 16
"""Tickets are padded to a multiple of this many bytes: their length does not distinguish arms."""
WIDEST = 10
PADDINGS = [bytes(length) + bytes([length]) for length in range(BLOCK + WIDEST)]
ALPHABET = (string.ascii_letters + string.digits + "-_").encode()
TO_URL, FROM_URL = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")
LONGEST = 1 << 24
"""The largest number of characters of a ticket; longer texts are rejected unread."""


class KeyRing:
    """Keys by their ids. The last one seals new tickets; the others still open older tickets.

    Parameters
    ----------
    store : KeyStore, optional
        Stores the keys; the first use makes a first key. The environment variable DUELIST_TICKET_KEYS
        takes precedence. Without both, keys last as long as the process.

    Examples
    --------
    >>> ring = KeyRing()
    >>> ring.unseal(ring.seal(b"a against b", os.urandom(12)))
    b'a against b'
    """

    def __init__(self, store: KeyStore | None = None) -> None:
        self._store = store
        self._ciphers: dict[bytes, AESGCM] = {}
        self._current = b""
        given = os.environ.get(VARIABLE)
        if given is not None:
            self._store = None
            self._take(given.replace(",", "\n"), f"the environment variable {VARIABLE}")
        elif store is None:
            self._take(new_key(), "memory")

    def _begin(self) -> None:
        """Read or make the keys, at the first ticket: a process that only reads votes needs none."""
        if self._store is not None:
            self._store.begin(new_key())
            self._take(self._store.read(), str(self._store))

    def seal(self, content: bytes, nonce: bytes) -> bytes:
        """Return content encrypted and authenticated, behind its key's id; a nonce is used only once."""
        if not self._current:
            self._begin()
        return self._current + nonce + self._ciphers[self._current].encrypt(nonce, content, self._current)

    def unseal(self, sealed: bytes) -> bytes:
        """Return the sealed content; raise TicketError if it was not sealed with these keys."""
        if not self._current:
            self._begin()
        key = sealed[:4]
        if key not in self._ciphers and self._store is not None:
            # another process may have made a new key
            self._begin()
        if key not in self._ciphers:
            raise TicketError(
                "the ticket was sealed with a key that this study does not have: it belongs to another "
                "study, was changed, or its key was removed. Ask again for a new ticket."
            )
        try:
            return self._ciphers[key].decrypt(sealed[4 : 4 + NONCE], sealed[4 + NONCE :], key)
        except Exception as error:
            raise TicketError(
                "the ticket was changed, or is not a ticket; ask again for a new one."
            ) from error

    def rotate(self) -> None:
        """Seal new tickets with a new key; the old keys still open older tickets."""
        if not self._current:
            self._begin()
        key = new_key()
        if self._store is not None:
            self._store.add(key)
        self._take(key, "memory")

    def _take(self, text: str, source: str) -> None:
        for number, line in enumerate(filter(None, map(str.strip, text.splitlines())), start=1):
            try:
                name, _, key = line.partition(":")
                identity = bytes.fromhex(name)
                cipher = AESGCM(b64decode(key, validate=True))
                if len(identity) != 4:
                    raise ValueError("a key's id must be 8 hexadecimal digits (0-9 a-f)")
            except ValueError as error:
                # the line itself is secret and is not shown
                raise FileError(f"{source}: key {number} is damaged ({error}); use a backup.") from error
            self._ciphers[identity], self._current = cipher, identity
        if not self._ciphers:
            raise FileError(f"{source} has no key; remove it, and a new one is created.")


def new_key() -> str:
    """Return a line with a new key, behind its id."""
    return f"{secrets.token_hex(4)}:{b64encode(secrets.token_bytes(32)).decode()}\n"


class NamedList(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An interleaved list as a ticket carries it, with the names of its documents."""

    names: tuple[str | int, ...]
    length: int  # of a page
    shown: Shown  # with numbers for documents

    @property
    def documents(self) -> tuple[str | int, ...]:
        """The names of the documents shown so far, from the top."""
        return tuple(self.names[number] for number in self.shown.documents)


class Ticket(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The content of a ticket: the duel as it was shown, and everything that `tell` needs."""

    study: str
    id: str  # 128 random bits, which influence nothing but the drafts of lists
    left: Choice
    right: Choice
    flipped: bool  # whether the sides were exchanged after the learner had chosen them
    learner: int  # how often the learner had been changed before
    time: float
    voter: str | None = None
    propensity: tuple[float, float] | None = None
    round: float | None = None
    note: Any = None
    context: Any = None
    listed: NamedList | None = None  # the list that was made for the duel, if one was
    item: str | None = None

    @property
    def list(self) -> NamedList:
        """The list that was made for the duel; TicketError if there is none."""
        if self.listed is None:
            raise TicketError(
                "the ticket belongs to a duel, not to a list; use the ticket that "
                "study.interleave(duel, rankings) returned."
            )
        return self.listed

    @property
    def documents(self) -> tuple[str | int, ...]:
        """The names of the list's documents, from the top."""
        return self.list.documents

    @property
    def shown(self) -> NumberedList:
        """The list in the form that events write."""
        return NumberedList.of(self.list.shown)

    def clicked(self, places: tuple[int, ...], now: float, answer_timeout: float) -> Clicked:
        return Clicked(**answer_fields(self, now, answer_timeout), shown=self.shown, places=places)

    def unclicked(self, now: float, answer_timeout: float) -> Skipped:
        """Return the event for a list without clicks."""
        return skipped(self)


class ListTicket(msgspec.Struct, frozen=True, gc=False):
    """The content of the ticket of a list that a learner of rankings made."""

    study: str
    id: str  # 128 random bits, which influence nothing
    documents: tuple[str | int, ...]  # their names, from the top
    shown: RankedList
    learner: int  # how often the learner had been changed before
    time: float
    voter: str | None = None

    def clicked(self, places: tuple[int, ...], now: float, answer_timeout: float) -> DocumentsClicked:
        return DocumentsClicked(
            time=round(now, 3),
            ticket=self.id,
            shown=self.shown,
            places=places,
            voter=self.voter,
            learner=self.learner,
            late=now - self.time > answer_timeout,
            final=not places,  # without clicks there are none to wait for
        )

    def unclicked(self, now: float, answer_timeout: float) -> DocumentsClicked:
        """Return the event for a list without clicks: the learner is told so."""
        return self.clicked((), now, answer_timeout)


ANSWERED = ("left", "right", "voter", "flipped", "propensity", "round", "note", "context", "learner", "item")
"""The fields that an answer to a ticket, or clicks on its list, copy from it."""

_encode = msgspec.msgpack.Encoder().encode
_decode_duel = msgspec.msgpack.Decoder(Ticket).decode
_decode_list = msgspec.msgpack.Decoder(ListTicket).decode
MAP = 0x80
"""The first byte, up to the number of fields, of the ticket of a list; that of a duel is an array."""


def width(side: Choice) -> int:
    """Return how many bytes a side of a duel takes; all points of a space take the same number."""
    if not isinstance(side, int):
        return WIDEST // 2
    return 1 if side < 1 << 7 else 2 if side < 1 << 8 else 3 if side < 1 << 16 else 5


def seal(ticket: Ticket | ListTicket, keys: KeyRing) -> str:
    """Return a ticket as sealed text that fits into a URL."""
    content = _encode(ticket)
    hidden, nonce = 0, os.urandom(NONCE)
    if isinstance(ticket, Ticket):
        # an arm's number takes 1, 2, 3 or 5 bytes, which must not show
        hidden = WIDEST - width(ticket.left) - width(ticket.right)
        if ticket.listed is None:
            # an ask's id is drawn for it alone, and so is its first part; lists are sealed under it again
            nonce = bytes.fromhex(ticket.id[: 2 * NONCE])
    padding = hidden + -(len(content) + hidden + 1) % BLOCK
    sealed = keys.seal(content + PADDINGS[padding], nonce)
    text = b2a_base64(sealed, newline=False).translate(TO_URL, b"=").decode()
    if len(text) > LONGEST:
        raise ParameterError(
            f"the ticket would have {len(text)} characters, more than {LONGEST}; shorten the rankings, or "
            "rank "
            "fewer documents."
        )
    return text


def ticket_of(duel: object, live: LiveFold, keys: KeyRing) -> Ticket:
    """Return the ticket of a duel, given by the duel or its sealed text."""
    ticket = unseal(sealed_in(duel), live.fold.created.study, keys)
    if isinstance(ticket, ListTicket):
        raise ParameterError(NO_DUELS)
    if isinstance(duel, Duel):
        require_sides(duel, ticket, live)
    return ticket


def any_ticket_of(asked: object, live: LiveFold, keys: KeyRing) -> Ticket | ListTicket:
    """Return the ticket of a duel or a list, given by the duel or its sealed text."""
    ticket = unseal(sealed_in(asked), live.fold.created.study, keys)
    if isinstance(asked, Duel) and isinstance(ticket, Ticket):
        require_sides(asked, ticket, live)
    return ticket


def require_sides(duel: Duel, ticket: Ticket, live: LiveFold) -> None:
    """Raise TicketError if a ticket is for another duel."""
    # the pair stays sealed: a voter may see the error
    show = live.now().choices.show
    if not (same(duel.left, show(ticket.left)) and same(duel.right, show(ticket.right))):
        raise TicketError(
            f"the ticket does not belong to a duel of left {duel.left!r} and right {duel.right!r}; tell the "
            "duel as ask() returned it."
        )


def answer_fields(ticket: Ticket, now: float, answer_timeout: float) -> dict[str, Any]:
    """Return the fields of the event that answers a ticket now, or clicks on its list."""
    fields = {name: getattr(ticket, name) for name in ANSWERED}
    return {**fields, "time": round(now, 3), "ticket": ticket.id, "late": now - ticket.time > answer_timeout}


def skipped(ticket: Ticket) -> Skipped:
    """Return the event for a duel that was shown and skipped."""
    return Skipped(
        time=round(time(), 3),
        ticket=ticket.id,
        left=ticket.left,
        right=ticket.right,
        voter=ticket.voter,
        item=ticket.item,
    )


def sealed_in(duel: object) -> str:
    """Return the sealed text of a duel that was asked; raise an error if there is none."""
    text = duel.ticket if isinstance(duel, Duel) else duel
    if text is None or not isinstance(duel, Duel | str):
        raise OutcomeError(
            f"give a duel that ask() returned, or its ticket; got {duel!r}. For an answer that was recorded "
            'elsewhere, write Duel("a", "b").'
        )
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST:
        raise TicketError(f"a ticket must be a text that ask() returned; got {str(text)[:40]!r}.")
    return text


def same(given: object, shown: object) -> bool:
    return type(given) is type(shown) and given == shown


def unseal(text: str, study: str, keys: KeyRing) -> Ticket | ListTicket:
    """Return the content of a ticket; raise TicketError if this study did not make it."""
    try:
        ascii_text = text.encode("ascii")
        if ascii_text.translate(None, ALPHABET):
            raise ValueError("invalid characters")
        sealed = a2b_base64(ascii_text.translate(FROM_URL) + b"=" * (-len(text) % 4))
    except (ValueError, UnicodeError) as error:
        raise TicketError(f"{text[:40]!r} is not a ticket that ask() returned.") from error
    try:
        content = keys.unseal(sealed)
        decode = _decode_list if content[0] & 0xF0 == MAP else _decode_duel
        ticket: Ticket | ListTicket = decode(content[: -1 - content[-1]])
    except msgspec.MsgspecError as error:
        raise TicketError(
            "the ticket was made by another version of duelist; ask again for a new one."
        ) from error
    if ticket.study != study:
        raise TicketError("the ticket belongs to another study; tell it there.")
    return ticket
