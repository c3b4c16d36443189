"""Answers of a service, read as what a study returns."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Literal

import msgspec
import numpy as np

from duelist.duel import Duel
from duelist.stopping import Verdict
from duelist.study import Arm, ShownList
from duelist.study.choices import NamedArms
from duelist.study.knobs import Knobs, read_table
from duelist.votes import Vote, Votes, load_votes
from duelist.votes.columns import Texts
from duelist.votes.table import OUTCOMES, STATUSES, unchecked


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


def on_settings(rows: Sequence[Vote]) -> Votes:
    """Return votes on settings of parameters, in which every side is an arm of its own."""
    n = len(rows)
    outcomes = [
        np.nan if one.outcome is None else OUTCOMES.get(str(one.outcome), one.outcome) for one in rows
    ]
    return unchecked(
        arms=tuple(side for one in rows for side in (one.left, one.right)),
        left=2 * np.arange(n),
        right=2 * np.arange(n) + 1,
        outcomes=np.array([np.nan if one is None else one for one in outcomes], np.float64),
        counts=np.array([one.count for one in rows], np.int64),
        times=np.array([np.nan if one.time is None else one.time.timestamp() for one in rows]),
        statuses=np.array([STATUSES.index(one.status) for one in rows], np.int64),
        voters=Texts.of(one.voter for one in rows),
        tickets=Texts.of(one.ticket for one in rows),
        founders=2 * n,
        retired=frozenset(),
        changed=False,
    )
