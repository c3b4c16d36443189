"""Tickets: sealed texts that carry a duel from `ask` to `tell` and show nothing on the way; and their keys.

A key never stands in a journal, an export or a saved study: who has the votes cannot make tickets.
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
from duelist.journal.fields import Choice
from duelist.journal.protocol import KeyStore
from duelist.shown import Shown
from duelist.study.documents import NO_DUELS
from duelist.study.live_fold import LiveFold

VARIABLE = "DUELIST_TICKET_KEYS"
"""The environment variable for keys, each behind its id, with commas between."""
NONCE = 12
BLOCK = 16
"""Tickets are padded to a multiple of this many bytes, so that their length does not tell arms apart."""
WIDEST = 10
PADDINGS = [bytes(length) + bytes([length]) for length in range(BLOCK + WIDEST)]
ALPHABET = (string.ascii_letters + string.digits + "-_").encode()
TO_URL, FROM_URL = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")
LONGEST = 1 << 24
"""Characters of a ticket; what is longer is not looked at."""


class KeyRing:
    """Keys by their ids. New tickets are sealed with the last one; the others still open older tickets.

    Parameters
    ----------
    store : KeyStore, optional
        Where keys are kept; a first one is made at first use. Without it keys come from the environment
        variable DUELIST_TICKET_KEYS, which goes before a store, or last as long as the process.

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
        """Read or make the keys; not before there is a ticket, because who only reads needs none."""
        if self._store is not None:
            self._store.begin(new_key())
            self._take(self._store.read(), str(self._store))

    def seal(self, content: bytes, nonce: bytes) -> bytes:
        """Return content encrypted and authenticated, behind its key's id; 12 bytes are used only once."""
        if not self._current:
            self._begin()
        return self._current + nonce + self._ciphers[self._current].encrypt(nonce, content, self._current)

    def unseal(self, sealed: bytes) -> bytes:
        """Return what was sealed, or say that it was not sealed with these keys."""
        if not self._current:
            self._begin()
        key = sealed[:4]
        if key not in self._ciphers and self._store is not None:
            # another process may have made a new key
            self._begin()
        if key not in self._ciphers:
            raise TicketError(
                "the ticket was sealed with a key that is not here: it is not of this study, or was changed, "
                "or its key is gone. Ask anew."
            )
        try:
            return self._ciphers[key].decrypt(sealed[4 : 4 + NONCE], sealed[4 + NONCE :], key)
        except Exception as error:
            raise TicketError("the ticket was changed on its way, or is not a ticket; ask anew.") from error

    def rotate(self) -> None:
        """Seal with a new key from now on; older tickets are still read."""
        if not self._current:
            self._begin()
        key = new_key()
        if self._store is not None:
            self._store.add(key)
        self._take(key, "memory")

    def _take(self, text: str, place: str) -> None:
        for number, line in enumerate(filter(None, map(str.strip, text.splitlines())), start=1):
            try:
                name, _, key = line.partition(":")
                identity = bytes.fromhex(name)
                cipher = AESGCM(b64decode(key, validate=True))
                if len(identity) != 4:
                    raise ValueError("a key's id is 8 digits of 0-9 a-f")
            except ValueError as error:
                # the line itself is a secret and is not shown
                raise FileError(f"{place}: key {number} is damaged ({error}); use a backup.") from error
            self._ciphers[identity], self._current = cipher, identity
        if not self._ciphers:
            raise FileError(f"{place} holds no key; remove it, and a new one is made.")


def new_key() -> str:
    """Return a new key behind its id, as a line."""
    return f"{secrets.token_hex(4)}:{b64encode(secrets.token_bytes(32)).decode()}\n"


class NamedList(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An interleaved list as a ticket carries it: with the names of its documents."""

    names: tuple[str | int, ...]
    length: int  # of a page
    shown: Shown  # with numbers for documents

    @property
    def documents(self) -> tuple[str | int, ...]:
        """The names of the documents shown so far, from the top."""
        return tuple(self.names[number] for number in self.shown.documents)


class Ticket(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a ticket carries: the duel as it was shown, and all that `tell` will need."""

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
        """The list that was made for the duel; TicketError if none was."""
        if self.listed is None:
            raise TicketError(
                "the ticket is of a duel and not of a list; click with the ticket that "
                "study.interleave(duel, rankings) returned."
            )
        return self.listed

    @property
    def documents(self) -> tuple[str | int, ...]:
        """The names of the list's documents, from the top."""
        return self.list.documents

    @property
    def shown(self) -> NumberedList:
        """The list as events write it."""
        return NumberedList.of(self.list.shown)

    def clicked(self, places: tuple[int, ...], now: float, answer_timeout: float) -> Clicked:
        """Return the event of clicks on the list."""
        return Clicked(**answer_fields(self, now, answer_timeout), shown=self.shown, places=places)

    def unclicked(self, now: float, answer_timeout: float) -> Skipped:
        """Return the event of a list that was looked at and not clicked."""
        return skipped(self)


class ListTicket(msgspec.Struct, frozen=True, gc=False):
    """What the ticket of a list carries that a learner of rankings made."""

    study: str
    id: str  # 128 random bits, which influence nothing
    documents: tuple[str | int, ...]  # their names, from the top
    shown: RankedList
    learner: int  # how often the learner had been changed before
    time: float
    voter: str | None = None

    def clicked(self, places: tuple[int, ...], now: float, answer_timeout: float) -> DocumentsClicked:
        """Return the event of clicks on the list."""
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
        """Return the event of a list that was looked at and not clicked: the learner is told so."""
        return self.clicked((), now, answer_timeout)


ANSWERED = ("left", "right", "voter", "flipped", "propensity", "round", "note", "context", "learner", "item")
"""What an answer to a ticket, or clicks on its list, have of it under the same name."""

_encode = msgspec.msgpack.Encoder().encode
_decode_duel = msgspec.msgpack.Decoder(Ticket).decode
_decode_list = msgspec.msgpack.Decoder(ListTicket).decode
MAP = 0x80
"""The first byte, up to the number of fields, of the ticket of a list; that of a duel is an array."""


def width(side: Choice) -> int:
    """Return how many bytes a side of a duel takes; points of a space all take as many."""
    if not isinstance(side, int):
        return WIDEST // 2
    return 1 if side < 1 << 7 else 2 if side < 1 << 8 else 3 if side < 1 << 16 else 5


def seal(ticket: Ticket | ListTicket, keys: KeyRing) -> str:
    """Return a ticket as a text that fits into a URL."""
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
            f"the ticket would have {len(text)} characters, more than {LONGEST}; cut the rankings, or rank "
            "fewer documents."
        )
    return text


def ticket_of(duel: object, live: LiveFold, keys: KeyRing) -> Ticket:
    """Return the ticket of a duel that was asked, given by the duel or by its sealed text."""
    ticket = unseal(sealed_in(duel), live.fold.created.study, keys)
    if isinstance(ticket, ListTicket):
        raise ParameterError(NO_DUELS)
    if isinstance(duel, Duel):
        require_sides(duel, ticket, live)
    return ticket


def any_ticket_of(asked: object, live: LiveFold, keys: KeyRing) -> Ticket | ListTicket:
    """Return the ticket of a duel or a list, given by the duel or by its sealed text."""
    ticket = unseal(sealed_in(asked), live.fold.created.study, keys)
    if isinstance(asked, Duel) and isinstance(ticket, Ticket):
        require_sides(asked, ticket, live)
    return ticket


def require_sides(duel: Duel, ticket: Ticket, live: LiveFold) -> None:
    """Raise TicketError if a ticket is for another duel."""
    # which pair it is for stays sealed: an error text may be shown to a voter
    show = live.now().choices.show
    if not (same(duel.left, show(ticket.left)) and same(duel.right, show(ticket.right))):
        raise TicketError(
            f"the ticket is not for {duel.left!r} on the left and {duel.right!r} on the right; tell "
            "the duel as ask() returned it."
        )


def answer_fields(ticket: Ticket, now: float, answer_timeout: float) -> dict[str, Any]:
    """Return the fields of an event by which a ticket is answered now, or its list clicked on."""
    fields = {name: getattr(ticket, name) for name in ANSWERED}
    return {**fields, "time": round(now, 3), "ticket": ticket.id, "late": now - ticket.time > answer_timeout}


def skipped(ticket: Ticket) -> Skipped:
    """Return that the duel of a ticket was seen and not answered."""
    return Skipped(
        time=round(time(), 3),
        ticket=ticket.id,
        left=ticket.left,
        right=ticket.right,
        voter=ticket.voter,
        item=ticket.item,
    )


def sealed_in(duel: object) -> str:
    """Return the sealed text of a duel that was asked, or refuse what has none."""
    text = duel.ticket if isinstance(duel, Duel) else duel
    if text is None or not isinstance(duel, Duel | str):
        raise OutcomeError(
            f"give a duel that ask() returned, or its ticket; got {duel!r}. To tell an answer that was "
            'recorded elsewhere write Duel("a", "b").'
        )
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST:
        raise TicketError(f"a ticket is a text that ask() gave out; got {str(text)[:40]!r}.")
    return text


def same(given: object, shown: object) -> bool:
    """Return whether a side of a duel is the one that was shown."""
    return type(given) is type(shown) and given == shown


def unseal(text: str, study: str, keys: KeyRing) -> Ticket | ListTicket:
    """Return what a ticket carries, or refuse one that this study did not give out."""
    try:
        ascii_text = text.encode("ascii")
        if ascii_text.translate(None, ALPHABET):
            raise ValueError("characters that no ticket has")
        sealed = a2b_base64(ascii_text.translate(FROM_URL) + b"=" * (-len(text) % 4))
    except (ValueError, UnicodeError) as error:
        raise TicketError(f"{text[:40]!r} is not a ticket that ask() gave out.") from error
    try:
        content = keys.unseal(sealed)
        decode = _decode_list if content[0] & 0xF0 == MAP else _decode_duel
        ticket: Ticket | ListTicket = decode(content[: -1 - content[-1]])
    except msgspec.MsgspecError as error:
        raise TicketError("the ticket was made by another version of duelist; ask anew.") from error
    if ticket.study != study:
        raise TicketError("the ticket is of another study; tell it there.")
    return ticket
