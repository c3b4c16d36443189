"""What lies beside a journal's file: the keys of its tickets, and the last snapshot of its study.

A journal that keeps these has them as `key_store` and `snapshot_store`; without, keys and snapshots last as
long as the process.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from duelist.errors import FileError
from duelist.files import drafted


class KeyStore(Protocol):
    """Where the keys of tickets are kept, one a line; its text says where that is."""

    def begin(self, key: str) -> None:
        """Keep a first key, unless there is one; of several processes one succeeds."""
        ...

    def add(self, key: str) -> None:
        """Keep one more key."""
        ...

    def read(self) -> str:
        """Return all keys, the newest last, one a line."""
        ...


class SnapshotStore(Protocol):
    """Where the last snapshot of a study is kept."""

    def read(self) -> bytes:
        """Return the last snapshot; nothing if there is none."""
        ...

    def write(self, seq: int, body: bytes) -> None:
        """Keep a snapshot of the first `seq` events; where that is not possible, nothing is lost."""
        ...


class KeyFile:
    """Keys in a file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        """Return the path."""
        return str(self.path)

    def begin(self, key: str) -> None:
        """Keep a first key, unless there is one; of several processes one succeeds."""
        if self.path.exists():
            return
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.draft")
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(key)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(draft, self.path)
            except FileExistsError:
                return
            finally:
                draft.unlink()
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written ({error.strerror}): the key of tickets lies beside the "
                "journal. Choose another folder, or give keys by the environment variable "
                "DUELIST_TICKET_KEYS."
            ) from error

    def add(self, key: str) -> None:
        """Keep one more key."""
        try:
            with self.path.open("a") as file:
                file.write(f"\n{key}")  # an editor may have left the last line without its end
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise FileError(f"{self.path} cannot be written ({error.strerror}).") from error

    def read(self) -> str:
        """Return all keys, the newest last, one a line."""
        try:
            return self.path.read_text()
        except (OSError, UnicodeError) as error:
            raise FileError(f"{self.path}, the key of tickets, cannot be read: {error}.") from error


class SnapshotFile:
    """The last snapshot in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> bytes:
        """Return the last snapshot; nothing if there is none."""
        try:
            return self.path.read_bytes()
        except OSError:
            return b""

    def write(self, seq: int, body: bytes) -> None:
        """Keep a snapshot in the place of the last one."""
        with suppress(OSError), drafted(self.path) as file:
            file.write(body)
