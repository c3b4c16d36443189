"""Tickets: sealed texts that carry a duel from `ask` to `tell`, and show nothing on the way."""

import os
import string
from binascii import a2b_base64, b2a_base64
from typing import Any

import msgspec

from duelist.duel import Duel
from duelist.errors import OutcomeError, ParameterError, TicketError
from duelist.journal.fields import Choice
from duelist.shown import Shown
from duelist.study.keys import NONCE, KeyRing
from duelist.study.live_fold import LiveFold

BLOCK = 16
"""Tickets are padded to a multiple of this many bytes, so that their length does not tell arms apart."""
WIDEST = 10
PADDINGS = [bytes(length) + bytes([length]) for length in range(BLOCK + WIDEST)]
ALPHABET = (string.ascii_letters + string.digits + "-_").encode()
TO_URL, FROM_URL = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")
LONGEST = 1 << 24
"""Characters of a ticket; what is longer is not looked at."""


class NamedList(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An interleaved list as a ticket carries it: with the names of its documents."""

    names: tuple[str | int, ...]
    length: int  # of a page
    shown: Shown  # with numbers for documents


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


ANSWERED = ("left", "right", "voter", "flipped", "propensity", "round", "note", "context", "learner", "item")
"""What an answer to a ticket, or clicks on its list, have of it under the same name."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Ticket).decode


def width(side: Choice) -> int:
    """Return how many bytes a side of a duel takes; points of a space all take as many."""
    if not isinstance(side, int):
        return WIDEST // 2
    return 1 if side < 1 << 7 else 2 if side < 1 << 8 else 3 if side < 1 << 16 else 5


def seal(ticket: Ticket, keys: KeyRing) -> str:
    """Return a ticket as a text that fits into a URL."""
    content = _encode(ticket)
    # an arm's number takes 1, 2, 3 or 5 bytes, which must not show
    hidden = WIDEST - width(ticket.left) - width(ticket.right)
    padding = hidden + -(len(content) + hidden + 1) % BLOCK
    # an ask's id is drawn for it alone, and so is its first part; lists are sealed under that id again
    nonce = bytes.fromhex(ticket.id[: 2 * NONCE]) if ticket.listed is None else os.urandom(NONCE)
    sealed = keys.seal(content + PADDINGS[padding], nonce)
    text = b2a_base64(sealed, newline=False).translate(TO_URL, b"=").decode()
    if len(text) > LONGEST:
        raise ParameterError(f"what a ticket carries is too long, {len(text)} characters; cut the rankings.")
    return text


def ticket_of(duel: object, live: LiveFold, keys: KeyRing) -> Ticket:
    """Return the ticket of a duel that was asked, given by the duel or by its sealed text."""
    ticket = unseal(sealed_in(duel), live.fold.created.study, keys)
    if isinstance(duel, Duel):
        # which pair it is for stays sealed: an error text may be shown to a voter
        show = live.now().choices.show
        if not (same(duel.left, show(ticket.left)) and same(duel.right, show(ticket.right))):
            raise TicketError(
                f"the ticket is not for {duel.left!r} on the left and {duel.right!r} on the right; tell "
                "the duel as ask() returned it."
            )
    return ticket


def answer_fields(ticket: Ticket, now: float, patience: float) -> dict[str, Any]:
    """Return the fields of an event by which a ticket is answered now, or its list clicked on."""
    fields = {name: getattr(ticket, name) for name in ANSWERED}
    return {**fields, "time": round(now, 3), "ticket": ticket.id, "late": now - ticket.time > patience}


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


def unseal(text: str, study: str, keys: KeyRing) -> Ticket:
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
        ticket = _decode(content[: -1 - content[-1]])
    except msgspec.MsgspecError as error:
        raise TicketError("the ticket was made by another version of duelist; ask anew.") from error
    if ticket.study != study:
        raise TicketError("the ticket is of another study; tell it there.")
    return ticket
