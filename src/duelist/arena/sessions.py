"""Who looks at a page: a voter's name and what they may do, sealed in a cookie that no script can read."""

import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Literal

import msgspec

from duelist.errors import TicketError
from duelist.study.tickets import NONCE, KeyRing

COOKIE = "duelist"
KEPT = 365 * 24 * 3600
"""Seconds that a browser keeps its cookie."""
LONGEST = 4_000
"""Characters of a cookie; browsers keep no longer ones."""
Role = Literal["read", "play", "admin"]


class Session(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a cookie or a link says.

    Parameters
    ----------
    mark : str
        Tells sessions from the tokens of forms, and both from tickets, which are sealed with the same keys.
    voter : str, optional
        Under which name its browser votes; the link that admits everybody has none.
    role : str, optional
        What it may do; None where a page must be open to be seen.
    key : str, optional
        The key of the API that it was opened with, which may be revoked.
    last : str, optional
        The ticket of the last vote, which can be undone.
    """

    mark: Literal["session", "form"] = "session"
    voter: str | None = None
    role: Role | None = None
    key: str | None = None
    last: str | None = None

    def with_voter(self) -> "Session":
        """Return the session with a name to vote under: drawn at random, so that it says nothing."""
        if self.voter is not None:
            return self
        return msgspec.structs.replace(self, voter=f"visitor-{secrets.token_hex(8)}")


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Session).decode


def seal_session(session: Session, keys: KeyRing) -> str:
    """Return a session as a text that nobody can read or make."""
    return urlsafe_b64encode(keys.seal(_encode(session), os.urandom(NONCE))).decode().rstrip("=")


def open_session(text: str, keys: KeyRing) -> Session | None:
    """Return the session of a cookie or a link; None for what is none of ours.

    Examples
    --------
    >>> keys = KeyRing()
    >>> open_session(seal_session(Session(voter="visitor-1"), keys), keys).voter
    'visitor-1'
    >>> open_session("forged", keys) is None
    True
    """
    opened = open_sealed(text, keys)
    return opened if opened is not None and opened.mark == "session" else None


def open_sealed(text: str, keys: KeyRing) -> Session | None:
    """Return what was sealed; None for what was not sealed with these keys."""
    if not 0 < len(text) <= LONGEST or not text.isascii():
        return None
    try:
        return _decode(keys.unseal(urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    except (ValueError, TicketError, msgspec.MsgspecError):
        return None


def form_token(session: Session, keys: KeyRing) -> str:
    """Return what a form carries so that a page of another site cannot send it: sealed for its voter.

    It outlives the process, so that a page that was open when a service was started anew can still vote.
    """
    return seal_session(Session(mark="form", voter=session.voter), keys)


def is_form_token(token: str, session: Session, keys: KeyRing) -> bool:
    """Return whether a form was made for this session."""
    opened = open_sealed(token, keys)
    return opened is not None and opened.mark == "form" and opened.voter == session.voter
