"""Answers of a service, read as what a study returns."""

from collections.abc import Callable
from math import inf
from typing import Any, Literal

import msgspec

from duelist.duel import Duel
from duelist.stopping import Verdict
from duelist.study import Arm, ShownList
from duelist.study.choices import NamedArms
from duelist.study.knobs import Knobs, read_table
from duelist.votes import Vote, Votes, load_votes
from duelist.votes.table import on_settings


class DuelAnswer(msgspec.Struct):
    """A duel to show."""

    left: str | dict[str, float]
    right: str | dict[str, float]
    ticket: str
    propensity: tuple[float, float] | None = None
    item: str | None = None

    def duel(self, context: Any) -> Duel:
        """Return the duel, in the context in which it was asked."""
        return Duel(self.left, self.right, self.propensity, self.ticket, context=context, item=self.item)


class ListAnswer(msgspec.Struct):
    """A page of a list."""

    documents: tuple[str | int, ...]
    ticket: str

    def shown(self) -> ShownList:
        """Return the list."""
        return ShownList(self.documents, self.ticket)


class VotesLeftAnswer(msgspec.Struct):
    """A range of votes; None is without end."""

    low: float | None
    high: float | None

    def range(self) -> tuple[float, float]:
        """Return the range, which may have no end."""
        return inf if self.low is None else self.low, inf if self.high is None else self.high


class ArmAnswer(msgspec.Struct):
    """An arm, and what to show of it."""

    name: str
    text: str | None = None
    link: str | None = None
    image: str | None = None
    retired: bool = False

    def arm(self) -> Arm:
        """Return the arm."""
        return Arm(self.name, self.text, self.link, self.image)


class StudyAnswer(msgspec.Struct):
    """What a study is about, and how far it is."""

    learner: dict[str, Any]
    arms: list[ArmAnswer]
    answers: int
    knobs: dict[str, Any] | None = None

    def choices(self) -> NamedArms | Knobs:
        """Return what the study is about."""
        if self.knobs is not None:
            return read_table(self.knobs, "knobs")
        arms = NamedArms([one.arm() for one in self.arms])
        for one in self.arms:
            if one.retired:
                arms.retire(one.name)
        return arms


def reader_of(field: str, kind: Any) -> Callable[[bytes], Any]:
    """Return what reads an answer of which one field is wanted."""
    decode = msgspec.json.Decoder(msgspec.defstruct("Answer", [(field, kind)])).decode
    return lambda body: getattr(decode(body), field)


read_best = reader_of("best", str | dict[str, float])
read_duel = msgspec.json.Decoder(DuelAnswer).decode
read_duels = reader_of("duels", list[DuelAnswer])
read_exhausted = reader_of("exhausted", bool)
read_imported = reader_of("new", int)
read_list = msgspec.json.Decoder(ListAnswer).decode
read_recorded = reader_of("recorded", Literal[True])
read_readiness = reader_of("ready", bool)
read_studies = reader_of("studies", list[str])
read_study = msgspec.json.Decoder(StudyAnswer).decode
read_verdict = msgspec.json.Decoder(Verdict).decode
read_votes_left = msgspec.json.Decoder(VotesLeftAnswer).decode


def read_votes(body: bytes) -> Votes:
    """Return the rows of a record, one a line, as the table that `Study.votes` returns; arms are sorted."""
    rows = [msgspec.json.decode(line, type=Vote) for line in body.splitlines()]
    return load_votes(rows) if rows and isinstance(rows[0].left, str) else on_settings(rows)
