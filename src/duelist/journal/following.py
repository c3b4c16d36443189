"""Following a file of lines that others append to, with an index of what was seen."""

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from duelist.errors import FileError
from duelist.journal.codec import decode
from duelist.journal.events import Created
from duelist.journal.index import Covered, LineIndex
from duelist.journal.lines import digest_of, opened, read_span, whole_lines
from duelist.journal.protocol import Recorded

HEAD = 1 << 16
"""Bytes in which the first line is expected to end."""
REMEDY = "Repair or remove that line, or use a backup."


class Follower:
    """A file and how far it was read; every line that was read is in the index, so its key is unique.

    Parameters
    ----------
    path : Path
        The file.
    name : Path
        What the file is called in errors.
    index : Path
        The file of the index.
    """

    def __init__(self, path: Path, name: Path, index: Path) -> None:
        self.covered = Covered()
        self._path = path
        self._name = name
        self._index = LineIndex(index)

    def look(self, *, thoroughly: bool = False, keep: bool = False) -> list[Recorded]:
        """Learn what was appended since the last look; return it where it is to be kept and had to be read.

        A look that is not thorough takes a file of the same size for the same file.
        """
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            if self.covered.seq:
                raise self.replaced() from None
            return []
        known = self.covered
        is_same = str(status.st_ino) == known.inode
        if is_same and status.st_size == known.end and not thoroughly:
            return []
        if not S_ISREG(status.st_mode):
            raise FileError(f"{self._name} is not a file; name a file for the journal.")
        if known.seq and (not is_same or status.st_size < known.end):
            raise self.replaced()
        if status.st_size == 0:
            return []
        with opened(self._path, os.O_RDONLY) as file:
            if known.seq == 0 and not self._begins(file):
                return []
            return self._index.attempt(lambda: self._follow(file, keep))

    def _begins(self, file: int) -> bool:
        """Return whether there is a first line; what is no journal gets no index beside it."""
        lines = next(whole_lines(file, 0, HEAD), b"")
        if lines:
            self._decoded(lines[: lines.index(b"\n") + 1], 0)
        return bool(lines) or os.fstat(file).st_size > HEAD

    def find(self, keys: Collection[str]) -> list[Recorded]:
        """Return the events with one of the keys, in order, as of the last look."""
        if self.covered.seq == 0 or not keys:
            return []
        with opened(self._path, os.O_RDONLY) as file:
            try:
                events = self._index.attempt(lambda: [*self._found(file, keys)])
            except sqlite3.DatabaseError as error:
                raise self.replaced() from error
        return sorted(events, key=lambda recorded: recorded.seq)

    def _found(self, file: int, keys: Collection[str]) -> Iterator[Recorded]:
        """Yield the events with one of the keys; an index that leads elsewhere is not of this file."""
        # an index that was lost since the last look was made again, and is empty
        if self._index.covered().seq < self.covered.seq:
            self._follow(file, keep=False)
        for key in keys:
            # all keys are plain ASCII; others are not even texts to a database
            span = self._index.find(key) if isinstance(key, str) and key.isascii() else None
            if span is None or span.seq > self.covered.seq:
                continue
            line = read_span(file, span.start, span.end)
            try:
                event = decode(line)
            except FileError as error:
                raise sqlite3.DatabaseError("the index leads to no line") from error
            if event.key != key or not line.endswith(b"\n"):
                raise sqlite3.DatabaseError("the index leads to another line")
            yield Recorded(span.seq, event)

    def read_after(self, since: int, start: int | None = None) -> list[Recorded]:
        """Return the events after a number, as of the last look, the first of which begins at `start`.

        Without a start it is looked up; where that leads nowhere, the file is read from its beginning.
        """
        if start is None and since:
            start = self._index.attempt(lambda: self._index.start_of(since + 1))
        with opened(self._path, os.O_RDONLY) as file:
            if start:
                with suppress(FileError):
                    events = self._decoded(read_span(file, start, self.covered.end), since)
                    if events and events[-1].seq == self.covered.seq:
                        return events
            events = self._decoded(read_span(file, 0, self.covered.end), 0)
        if len(events) != self.covered.seq:
            raise self.replaced()
        return events[since:]

    def replaced(self) -> FileError:
        """Return the error of a file that is not what it was."""
        return FileError(f"{self._name} was replaced, changed or removed by someone else; open it again.")

    def _follow(self, file: int, keep: bool) -> list[Recorded]:
        """Follow the file from where the index ends; return the events if they are to be kept."""
        is_first = self.covered.seq == 0
        if not is_first and not reaches(file, self.covered):
            raise self.replaced()
        # asked before the file's size, because files grow: an index that goes farther is not of this file
        covered = self._index.covered()
        status = os.fstat(file)
        if belongs(covered, file, status, is_first) and not any(
            whole_lines(file, covered.end, status.st_size)
        ):
            self.covered = covered
            return []
        events: list[Recorded] = []
        with self._index.changing() as covered:
            status = os.fstat(file)
            if not belongs(covered, file, status, is_first):
                self._index.clear()
                covered = Covered()
            is_new = covered.seq == 0
            for lines in whole_lines(file, covered.end, status.st_size):
                new = self._decoded(lines, covered.seq)
                covered = self._add(lines, new, covered.end, is_new)
                if keep:
                    events += new
            covered = covered._replace(
                digest=digest_of(file, covered.start, covered.end),
                inode=str(status.st_ino),
                changed=status.st_mtime_ns,
            )
            self._index.cover(covered)
        self.covered = covered
        return events

    def _add(self, lines: bytes, events: list[Recorded], start: int, is_new: bool) -> Covered:
        """Add whole lines to the index; return how far it goes now. Only a new index is taken at its word."""
        end, rows = start, []
        for line, recorded in zip(lines.split(b"\n"), events, strict=False):
            rows.append((recorded.seq, end, recorded.event.key))
            end += len(line) + 1
        try:
            self._index.add(rows)
        except sqlite3.IntegrityError as error:
            if is_new:
                self._refuse_repeated(rows)
            raise sqlite3.DatabaseError("an index that contradicts itself") from error
        seq, last, _ = rows[-1]
        return Covered(seq=seq, end=end, start=last)

    def _refuse_repeated(self, rows: list[tuple[int, int, str | None]]) -> None:
        for seq, _, key in rows:
            place = None if key is None else self._index.find(key)
            if place is not None and place.seq != seq:
                raise FileError(
                    f"{self._name}, line {seq}: {key!r} can be on record once only, and line {place.seq} has "
                    f"it too. {REMEDY}"
                )

    def _decoded(self, lines: bytes, since: int) -> list[Recorded]:
        """Return the events of whole lines that follow line `since`."""
        seq, events = since, []
        try:
            for line in lines.split(b"\n")[:-1]:
                seq += 1
                events.append(Recorded(seq, decode(line)))
            if since == 0 and events and type(events[0].event) is not Created:
                seq = 1
                raise FileError("a journal begins with the event 'created'")
        except FileError as error:
            raise FileError(f"{self._name}, line {seq}: {error}. {REMEDY}") from error
        return events


def reaches(file: int, covered: Covered) -> bool:
    """Return whether a file still has the same beginning, and the line that was the last."""
    return digest_of(file, covered.start, covered.end) == covered.digest


def belongs(covered: Covered, file: int, status: os.stat_result, is_first: bool) -> bool:
    """Return whether an index is of this file, perhaps of its beginning.

    At the first look, an index of the whole file must also have seen its last change: who edits a line may
    leave the size as it was.
    """
    if covered.seq == 0:
        return True
    if covered.inode != str(status.st_ino) or covered.end > status.st_size:
        return False
    if is_first and covered.end == status.st_size and covered.changed != status.st_mtime_ns:
        return False
    return reaches(file, covered)
