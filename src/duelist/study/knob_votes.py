"""A search over knobs, and its votes on disk: a line of JSON for each answer, never changed.

The first line says of which knobs, and with which seed. An undone answer stays, followed by a line that says
so. A line counts once its end is written: what a crash leaves of one is passed over.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from numpy.random import default_rng

from duelist.duel import Duel
from duelist.errors import FileError, require_whole
from duelist.files import write_whole
from duelist.learners.continuous.preferential_optimization import PreferentialOptimization
from duelist.protocols import Learner
from duelist.study.knobs import Knobs, Setting
from duelist.study.study import OUTCOMES, as_outcome

FORMAT = "duelist.votes/1"
UNDO = "undo"


class Vote(NamedTuple):
    """An answer, and the two settings it is about."""

    answer: str
    left: Setting
    right: Setting


class Search:
    """A learner of the points of a box at work on knobs; answers can be undone, the last one first.

    Equal seeds and equal votes give equal questions, however often they are asked.
    """

    def __init__(self, knobs: Knobs, seed: int = 0, learner: Learner[Any] | None = None) -> None:
        require_whole("seed", seed, 0)
        self.knobs = knobs
        self.seed = seed
        self.learner = PreferentialOptimization() if learner is None else learner
        self.states = [self.learner.init(knobs.menu, default_rng([seed, 0]))]

    def question(self) -> tuple[Setting, Setting]:
        """Return the two settings to compare next, which differ."""
        rng = default_rng([self.seed, len(self.states)])
        duel = self.learner.ask(self.states[-1], self.knobs.menu, rng)
        left, right = self.knobs.setting(duel.left), self.knobs.setting(duel.right)
        while left == right:
            # Two points may be rounded to one setting, about which there is nothing to ask.
            right = self.knobs.setting(self.knobs.menu.sample(rng, 1)[0])
        return left, right

    def learn(self, vote: Vote) -> None:
        """Learn from an answer about the settings as they were shown, rounded."""
        duel = Duel(self.knobs.point(vote.left), self.knobs.point(vote.right))
        self.states.append(self.learner.tell(self.states[-1], duel, as_outcome(vote.answer)))

    def forget(self) -> None:
        """Undo the last answer."""
        self.states.pop()

    def best(self) -> Setting | None:
        """Return the setting believed to be best; without answers there is none."""
        if len(self.states) == 1:
            return None
        return self.knobs.setting(self.learner.best(self.states[-1], self.knobs.menu))


@dataclass
class Journal:
    """A file of votes, and what counts of it."""

    path: Path
    knobs: Knobs
    seed: int = 0
    votes: list[Vote] = field(default_factory=list)
    whole: int = 0
    """How many bytes of the file are lines with an end."""
    size: int = 0
    """How many bytes the file has."""

    @property
    def torn(self) -> bool:
        """Whether the file ends with a part of a line."""
        return self.size > self.whole

    def begin(self) -> None:
        """Make sure that answers can be written, before there are any."""
        try:
            if self.whole == 0:
                header = as_line({"format": FORMAT, "seed": self.seed, "knobs": self.knobs.as_json()})
                write_whole(self.path, header)
                self.whole = self.size = len(header)
            with self.path.open("r+b"):
                pass
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written ({error.strerror}); give --votes a file that can."
            ) from error

    def add(self, vote: Vote) -> None:
        """Write an answer; when this returns, it is on disk."""
        self._write(vote._asdict())
        self.votes.append(vote)

    def undo(self) -> None:
        """Write that the last answer does not count."""
        self._write({"answer": UNDO})
        self.votes.pop()

    def _write(self, record: dict[str, Any]) -> None:
        try:
            with self.path.open("r+b") as file:
                if file.seek(0, os.SEEK_END) != self.size:
                    raise FileError(f"{self.path} was changed by someone else meanwhile; start again.")
                file.truncate(self.whole)
                file.seek(self.whole)
                file.write(as_line(record))
                file.flush()
                os.fsync(file.fileno())
                self.whole = self.size = file.tell()
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written ({error.strerror}): the last answer is lost, all others are "
                "kept. Make room and start again."
            ) from error


def as_line(record: dict[str, Any]) -> bytes:
    """Return a record as a line of the file."""
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def read_journal(path: Path, knobs: Knobs, seed: int | None = None) -> Journal:
    """Read a file of votes on these knobs, which need not be there yet; nothing is written.

    The seed must be the one that answers were asked with: unless given, the file's own, and 0 for a new file.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = b""
    if not content:
        return Journal(path, knobs, seed or 0)
    *lines, rest = content.split(b"\n")
    if not lines:
        raise FileError(f"{path} is not a file of votes; give --votes another.")
    header, *records = (read_line(path, place, line) for place, line in enumerate(lines, start=1))
    if header.get("format") != FORMAT or not isinstance(header.get("seed"), int) or "knobs" not in header:
        raise FileError(f"{path}, line 1: not the format {FORMAT!r} that this version reads; use another.")
    begun_with = header["seed"] if seed is None else seed
    changes = differences(
        {"seed": header["seed"], "knobs": header["knobs"]}, {"seed": begun_with, "knobs": knobs.as_json()}
    )
    if changes and not records:
        return Journal(path, knobs, begun_with)
    if changes:
        raise FileError(
            f"{path} holds answers to other questions: {'; '.join(changes)}. "
            "Change that back, or begin a new file with --votes."
        )
    votes = replay(path, knobs, records)
    return Journal(path, knobs, begun_with, votes, len(content) - len(rest), len(content))


def read_line(path: Path, place: int, line: bytes) -> dict[str, Any]:
    """Read a line, or say that it is broken."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise broken(path, place, f"not JSON ({error})") from error
    if not isinstance(record, dict):
        raise broken(path, place, "not a JSON object")
    return record


def replay(path: Path, knobs: Knobs, records: Iterable[dict[str, Any]]) -> list[Vote]:
    """Return the votes that count in the end."""
    votes: list[Vote] = []
    for place, record in enumerate(records, start=2):
        answer = record.get("answer")
        if answer == UNDO:
            if not votes:
                raise broken(path, place, "there is no answer to undo")
            votes.pop()
            continue
        if answer not in tuple(OUTCOMES):
            raise broken(path, place, f"answer {answer!r} is none of {', '.join(OUTCOMES)}, {UNDO}")
        for side in ("left", "right"):
            if not knobs.holds(record.get(side)):
                raise broken(path, place, f"{side} is not a setting of the knobs within their ranges")
        votes.append(Vote(answer, record["left"], record["right"]))
    return votes


def broken(path: Path, place: int, reason: str) -> FileError:
    """Return what to say about a line that cannot be read."""
    return FileError(f"{path}, line {place}: {reason}. Repair or remove that line, or use a backup.")


def differences(then: Any, now: Any, name: str = "") -> list[str]:
    """Return what has changed, in words."""
    if not (isinstance(then, dict) and isinstance(now, dict)):
        return [] if then == now else [f"{name} was {then}, now {now}"]
    return [
        change
        for key in dict.fromkeys([*then, *now])
        for change in differences(
            then.get(key, "absent"), now.get(key, "absent"), f"{name}.{key}" if name else key
        )
    ]
