"""Convert the answers of a service to the types that `Study` returns."""

from collections.abc import Sequence
from math import inf
from typing import Any

import msgspec
import numpy as np

from duelist.duel import Duel
from duelist.study import Arm
from duelist.study.choices import NamedArms
from duelist.study.parameters import Parameters, read_table
from duelist.votes import Vote, Votes, load_votes
from duelist.votes.columns import Texts
from duelist.votes.table import OUTCOMES, STATUSES, unchecked
from duelist.wire import DuelAnswer, StudyAnswer, VotesLeftAnswer


def duel_of(answer: DuelAnswer, context: Any) -> Duel:
    sides = answer.left, answer.right
    return Duel(*sides, answer.propensity, answer.ticket, context=context, item=answer.item)


def range_of(answer: VotesLeftAnswer) -> tuple[float, float]:
    """Return a range of votes, where None means no upper limit (infinity)."""
    return inf if answer.low is None else answer.low, inf if answer.high is None else answer.high


def choices_of(answer: StudyAnswer) -> NamedArms | Parameters:
    if answer.parameters is not None:
        return read_table(answer.parameters, "knobs")
    arms = NamedArms([Arm(one.name, one.text, one.link, one.image) for one in answer.arms])
    for one in answer.arms:
        if one.retired:
            arms.retire(one.name)
    return arms


def read_votes(body: bytes) -> Votes:
    """Read votes, one JSON object per line, as the table that `Study.votes` returns; arms are sorted."""
    rows = [msgspec.json.decode(line, type=Vote) for line in body.splitlines()]
    return load_votes(rows) if rows and isinstance(rows[0].left, str) else on_settings(rows)


def on_settings(rows: Sequence[Vote]) -> Votes:
    """Return votes on settings of parameters: every side counts as a separate arm."""
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
        initial_arms=2 * n,
        retired=frozenset(),
        changed=False,
    )
