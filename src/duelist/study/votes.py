"""Votes as people read and write them: words for outcomes, rows of a table, ids of recorded votes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE
from duelist.errors import OutcomeError, ParameterError
from duelist.journal import Answered, Recorded, Skipped
from duelist.study.arm import as_name
from duelist.study.choices import NamedArms
from duelist.study.knobs import Knobs

OUTCOMES: Mapping[str, float] = MappingProxyType({"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE})
WORDS = {value: word for word, value in OUTCOMES.items()}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_TIME = 0.0
EARLIEST, LATEST = -6e10, 2.5e11  # seconds that a date can hold
STATUSES = ("counted", "retracted", "skipped")
NUMBER = re.compile(r"[0-9]*[.]?[0-9]+")
DAY = re.compile("[0-9]{8}")
"""A date such as 20261116."""
FIELDS = ("time", "voter", "left", "right", "outcome", "ticket", "item")


class Vote(NamedTuple):
    """One row of a study's record.

    Examples
    --------
    >>> from duelist import RUCB, Duel, Study
    >>> study = Study(RUCB(), arms=["a", "b"])
    >>> study.tell(Duel("a", "b"), "right")
    >>> [(vote.left, vote.right, vote.outcome, vote.status) for vote in study.votes()]
    [('a', 'b', 'right', 'counted')]
    """

    time: datetime | None
    """None where a vote was recorded elsewhere without a time."""
    voter: str | None
    left: Any
    right: Any
    outcome: str | float | None
    """ "left", "right" or "tie", a number where it is none of them, None where the duel was skipped."""
    ticket: str
    """The id of the ticket, which cannot be told but retracted."""
    status: str = "counted"
    """"counted", "retracted" or "skipped"."""
    item: str | None = None
    """What the two were compared on, if anything."""


def rows_of(events: Iterable[Recorded], choices: NamedArms | Knobs, left_out: set[str]) -> Iterable[Vote]:
    """Yield all answered and skipped duels of a journal, in order."""
    for _, event in events:
        if isinstance(event, Answered | Skipped):
            outcome, status = None, "skipped"
            if isinstance(event, Answered):
                outcome = WORDS.get(event.outcome, event.outcome)
                status = "retracted" if event.ticket in left_out else "counted"
            moment = as_moment(event.time)
            left, right = choices.show(event.left), choices.show(event.right)
            yield Vote(moment, event.voter, left, right, outcome, event.ticket, status, event.item)


def as_moment(seconds: float) -> datetime | None:
    """Return the time of an event; None for a vote that was recorded without one."""
    return EPOCH + timedelta(seconds=min(max(seconds, EARLIEST), LATEST)) if seconds != NO_TIME else None


def as_outcome(answer: str | float) -> float:
    """Return an answer as a number: 1 left wins, 0 right wins, 0.5 a tie."""
    remedy = 'answer "left", "right" or "tie", or a number from 0 (right wins) to 1 (left wins).'
    if isinstance(answer, str):
        if answer not in OUTCOMES:
            raise OutcomeError(f"outcome {answer!r} is not known; {remedy}")
        return OUTCOMES[answer]
    try:
        outcome = float(answer)
    except (TypeError, ValueError, OverflowError) as error:
        raise OutcomeError(f"outcome {answer!r} is not a number; {remedy}") from error
    if not 0.0 <= outcome <= 1.0:
        raise OutcomeError(f"outcome {answer!r} lies outside [0, 1]; {remedy}")
    return outcome


def as_voter(voter: object) -> str | None:
    """Return a voter's name, or say why it cannot be one."""
    return None if voter is None else as_name("voter", voter)


def recorded_votes(rows: Iterable[Any], choices: NamedArms | Knobs) -> dict[str, Answered]:
    """Return votes that were recorded elsewhere as events, by ticket; equal votes get equal ids, always.

    A vote that stands n times among the rows counts n times, however often all of them are imported.
    """
    times: Counter[str] = Counter()
    events: dict[str, Answered] = {}
    for place, content in enumerate(as_rows(rows)):
        try:
            status = content.get("status", "counted")
            if status not in STATUSES:
                raise OutcomeError(f"status must be one of {', '.join(STATUSES)}; got {status!r}.")
            if status == "counted":
                event = as_event(content, choices, times)
                if events.setdefault(event.ticket, event) is not event:
                    raise OutcomeError(f"another row has the ticket {event.ticket!r}; each needs its own.")
        except (OutcomeError, ParameterError, LookupError) as error:
            raise OutcomeError(f"votes[{place}]: {error}") from error
    return events


def as_rows(votes: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield votes as rows of named columns, or say which is none."""
    if not isinstance(votes, Iterable) or isinstance(votes, str | Mapping):
        raise OutcomeError("votes must be a list of rows, each with left, right and outcome.")
    for place, vote in enumerate(votes):
        row = vote._asdict() if hasattr(vote, "_asdict") else vote
        if not isinstance(row, Mapping):
            raise OutcomeError(
                f"votes[{place}]: a row has left, right and outcome by name; got {vote!r:.80}."
            )
        yield row


def as_event(row: Mapping[str, Any], choices: NamedArms | Knobs, times: "Counter[str]") -> Answered:
    """Return the event of one row."""
    for name in row:
        if name not in (*FIELDS, "status"):
            raise OutcomeError(f"unknown column {name!r}; known are {', '.join(FIELDS)}.")
    for name in ("left", "right", "outcome"):
        if row.get(name) is None:
            raise OutcomeError(f"{name} is missing; a vote has left, right and outcome.")
    left, right = choices.find(row["left"]), choices.find(row["right"])
    if left == right:
        raise OutcomeError(f"left and right are both {row['left']!r}: nothing was compared.")
    said = row["outcome"]
    outcome = as_outcome(float(said) if isinstance(said, str) and NUMBER.fullmatch(said) else said)
    voter = None if row.get("voter") in (None, "") else as_voter(row["voter"])
    item = None if row.get("item") in (None, "") else as_name("item", row["item"])
    moment, ticket = as_seconds(row.get("time")), row.get("ticket")
    if ticket in (None, ""):
        content = repr((left, right, outcome, voter, moment) + (() if item is None else (item,)))
        times[content] += 1
        ticket = "i-" + blake2b(f"{content} {times[content]}".encode(), digest_size=16).hexdigest()
    return Answered(
        time=moment, ticket=ticket, left=left, right=right, outcome=outcome, voter=voter, item=item
    )


def as_seconds(moment: object) -> float:
    """Return a time as seconds since 1970."""
    try:
        if moment is None or moment == "":
            return NO_TIME
        if isinstance(moment, str) and (DAY.fullmatch(moment) or NUMBER.fullmatch(moment) is None):
            moment = datetime.fromisoformat(moment)
        if isinstance(moment, datetime):
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        seconds = float(str(moment))
        datetime.fromtimestamp(seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise OutcomeError(
            "time must be a date such as 2026-11-16T10:00:00, or seconds (not milliseconds) since 1970; "
            f"got {str(moment)[:60]!r}."
        ) from error
    return seconds
