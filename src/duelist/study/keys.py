"""Keys that tickets are sealed with: where the journal is, in the environment, or in memory alone.

A key never stands in a journal, an export or a saved study: who has the votes cannot make tickets.
"""

import os
import secrets
from base64 import b64decode, b64encode

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from duelist.errors import FileError, TicketError
from duelist.journal.protocol import KeyStore

VARIABLE = "DUELIST_TICKET_KEYS"
"""The environment variable for keys, each behind its id, with commas between."""
NONCE = 12


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
