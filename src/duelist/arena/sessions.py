"""Sessions: a voter's name and role, sealed in a cookie that no script can read."""

import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Literal

import msgspec

from duelist.errors import TicketError
from duelist.study.tickets import NONCE, KeyRing

COOKIE = "duelist"
KEPT = 365 * 24 * 3600
"""Lifetime of the cookie in seconds."""
LONGEST = 4_000
"""Maximum length of a cookie in characters, which browsers limit."""
Role = Literal["read", "play", "admin"]


class Session(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The content of a cookie or a link.

    Parameters
    ----------
    kind : str
        Distinguishes sessions from form tokens, and both from tickets, which are sealed with the same keys.
    voter : str, optional
        The voter's name; None in the link for all voters.
    role : str, optional
        What the voter may do; None allows open pages only.
    key : str, optional
        Id of the API key that opened the session, which may be revoked.
    last : str, optional
        The ticket of the last vote, which can be undone.
    """

    kind: Literal["session", "form"] = "session"
    voter: str | None = None
    role: Role | None = None
    key: str | None = None
    last: str | None = None

    def with_voter(self) -> "Session":
        """Return the session with a voter's name, drawn at random if it has none."""
        if self.voter is not None:
            return self
        return msgspec.structs.replace(self, voter=f"visitor-{secrets.token_hex(8)}")


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Session).decode


def seal_session(session: Session, keys: KeyRing) -> str:
    """Return a session as text that nobody can read or forge."""
    return urlsafe_b64encode(keys.seal(_encode(session), os.urandom(NONCE))).decode().rstrip("=")


def open_session(text: str, keys: KeyRing) -> Session | None:
    """Return the session of a cookie or a link; None if it was not sealed here.

    Examples
    --------
    >>> keys = KeyRing()
    >>> open_session(seal_session(Session(voter="visitor-1"), keys), keys).voter
    'visitor-1'
    >>> open_session("forged", keys) is None
    True
    """
    opened = open_sealed(text, keys)
    return opened if opened is not None and opened.kind == "session" else None


def open_sealed(text: str, keys: KeyRing) -> Session | None:
    if not 0 < len(text) <= LONGEST or not text.isascii():
        return None
    try:
        return _decode(keys.unseal(urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    except (ValueError, TicketError, msgspec.MsgspecError):
        return None


def form_token(session: Session, keys: KeyRing) -> str:
    """Return the token that protects a form against cross-site requests, sealed for its voter.

    It outlives the process: a page that was open during a restart can still vote.
    """
    return seal_session(Session(kind="form", voter=session.voter), keys)


def is_form_token(token: str, session: Session, keys: KeyRing) -> bool:
    opened = open_sealed(token, keys)
    return opened is not None and opened.kind == "form" and opened.voter == session.voter
