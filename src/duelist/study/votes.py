"""The votes of a study: its journal read into one table, and votes from elsewhere as events."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from math import nan
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.errors import OutcomeError, ParameterError
from duelist.journal import Answered, Journal, Skipped
from duelist.study.choices import Choices, as_name
from duelist.study.fold import without_collections
from duelist.tables.memory import fields_of
from duelist.votes.columns import Texts
from duelist.votes.fields import NUMBER, as_seconds
from duelist.votes.formats import ABOUT_ARMS
from duelist.votes.table import COUNTED, OUTCOMES, RETRACTED, SKIPPED, STATUSES, Vote, Votes, unchecked

if TYPE_CHECKING:
    from duelist.study.state import StudyState

NO_TIME = 0.0
FIELDS = tuple(Vote.__struct_fields__)


class VoteLog:
    """Reads the votes of a journal into columns and caches them: later reads only add new events.

    Parameters
    ----------
    journal : Journal
        The journal of a study.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal, self._seq, self._lock = journal, 0, Lock()
        self._seqs, self._left, self._right, self._skipped = array("q"), array("q"), array("q"), array("b")
        self._voters, self._items = array("q"), array("q")
        self._outcomes, self._times = array("d"), array("d")
        self._tickets: list[str] = []
        self._settings: list[Any] = []
        """Both sides of every duel, in a study of parameters."""
        self._voter_names: dict[str, int] = {}
        self._item_names: dict[str, int] = {}

    def votes(self, state: "StudyState", all: bool = False) -> Votes:
        """Return the votes that count in a state; with `all`, the others too."""
        choices, left_out = state._fold.choices, state._fold.left_out
        with self._lock:
            if state.seq > self._seq:
                self._follow(state.seq)
            many = bisect_right(self._seqs, state.seq)
            tickets = tuple(self._tickets[:many])
            statuses = np.array(self._skipped[:many], np.int64) * SKIPPED
            if left_out:
                taken_back = (ticket in left_out for ticket in tickets)
                statuses[np.fromiter(taken_back, np.bool_, many) & (statuses == COUNTED)] = RETRACTED
            numbers = [
                np.array(one[:many], np.int64) for one in (self._left, self._right, self._voters, self._items)
            ]
            outcomes, times = (np.array(one[:many], np.float64) for one in (self._outcomes, self._times))
            names, items = tuple(self._voter_names), tuple(self._item_names)
            settings = tuple(choices.show(one) for one in self._settings[: 2 * many])
        left, right, voters, item_codes = numbers
        votes = unchecked(
            arms=state.names if state.parameters is None else settings,
            left=left,
            right=right,
            outcomes=outcomes,
            counts=np.ones(many, np.int64),
            times=times,
            statuses=statuses,
            voters=Texts(names, voters),
            items=Texts(items, item_codes) if items else None,
            tickets=Texts(tickets, np.arange(many)),
            initial_arms=state.initial_arms,
            retired=state._retired,
            changed=state.arms_changed,
        )
        return votes if all else votes.take(statuses == COUNTED)

    def _follow(self, seq: int) -> None:
        with without_collections():
            for recorded in self._journal.read(self._seq):
                if recorded.seq > seq:
                    break
                if isinstance(recorded.event, Answered | Skipped):
                    self._add(recorded.seq, recorded.event)
        self._seq = seq

    def _add(self, seq: int, event: Answered | Skipped) -> None:
        self._seqs.append(seq)
        if isinstance(event.left, int) and isinstance(event.right, int):
            self._left.append(event.left)
            self._right.append(event.right)
        else:
            self._left.append(len(self._settings))
            self._right.append(len(self._settings) + 1)
            self._settings += [event.left, event.right]
        self._outcomes.append(event.outcome if isinstance(event, Answered) else nan)
        self._skipped.append(isinstance(event, Skipped))
        self._times.append(nan if event.time == NO_TIME else event.time)
        self._tickets.append(event.ticket)
        for name, known, column in (
            (event.voter, self._voter_names, self._voters),
            (event.item, self._item_names, self._items),
        ):
            column.append(-1 if name is None else known.setdefault(name, len(known)))


def as_outcome(answer: str | float) -> float:
    """Return an answer as a number: 1 left wins, 0 right wins, 0.5 a tie."""
    remedy = 'answer "left", "right" or "tie", or a number from 0 (right wins) to 1 (left wins).'
    if isinstance(answer, str):
        if answer not in OUTCOMES:
            raise OutcomeError(f"outcome {answer!r} is unknown; {remedy}")
        return OUTCOMES[answer]
    try:
        outcome = float(answer)
    except (TypeError, ValueError, OverflowError) as error:
        raise OutcomeError(f"outcome {answer!r} is not a number; {remedy}") from error
    if not 0.0 <= outcome <= 1.0:
        raise OutcomeError(f"outcome {answer!r} lies outside [0, 1]; {remedy}")
    return outcome


def as_voter(voter: object) -> str | None:
    return None if voter is None else as_name("voter", voter)


def recorded_votes(rows: Iterable[Any], choices: Choices) -> dict[str, Answered]:
    """Return votes from elsewhere as events, by ticket; equal votes get equal ids.

    A vote that occurs n times in the rows counts n times, however often the rows are imported.
    """
    times: Counter[str] = Counter()
    events: dict[str, Answered] = {}
    for index, content in enumerate(as_rows(rows)):
        try:
            status = content.get("status", STATUSES[COUNTED])
            if status in ABOUT_ARMS:
                continue
            if status not in STATUSES:
                raise OutcomeError(f"status must be one of {', '.join(STATUSES)}; got {status!r}.")
            if status == STATUSES[COUNTED]:
                for event in as_events(content, choices, times):
                    if events.setdefault(event.ticket, event) is not event:
                        raise OutcomeError(
                            f"another row has the ticket {event.ticket!r}; each needs its own."
                        )
        except (OutcomeError, ParameterError, LookupError) as error:
            raise OutcomeError(f"votes[{index}]: {error}") from error
    return events


def as_rows(votes: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield votes as mappings from columns to values."""
    if not isinstance(votes, Iterable) or isinstance(votes, str | Mapping):
        raise OutcomeError("votes must be a list of rows, each with left, right and outcome.")
    for index, vote in enumerate(votes):
        row = fields_of(vote)
        if row is None:
            raise OutcomeError(
                f"votes[{index}]: a row must have left, right and outcome by name; got {vote!r:.80}."
            )
        yield row


def as_events(row: Mapping[str, Any], choices: Choices, times: "Counter[str]") -> Iterator[Answered]:
    """Yield the events of one row: as many as its count."""
    for name in row:
        if name not in FIELDS:
            raise OutcomeError(f"unknown column {name!r}; the columns are {', '.join(FIELDS)}.")
    for name in ("left", "right", "outcome"):
        if row.get(name) is None:
            raise OutcomeError(f"{name} is missing; give every vote left, right and outcome.")
    left, right = choices.find(row["left"]), choices.find(row["right"])
    if left == right:
        raise OutcomeError(f"left and right are both {row['left']!r}; a vote compares two different choices.")
    written = row["outcome"]
    is_number = isinstance(written, str) and NUMBER.fullmatch(written)
    outcome = as_outcome(float(written) if is_number else written)
    voter = None if row.get("voter") in (None, "") else as_voter(row["voter"])
    item = None if row.get("item") in (None, "") else as_name("item", row["item"])
    moment, given, count = as_time(row.get("time")), row.get("ticket"), row.get("count", 1)
    if not isinstance(count, int) or count < 1 or (count > 1 and given not in (None, "")):
        raise OutcomeError(f"count must be a whole number, 1 for a vote with a ticket; got {count!r:.60}.")
    for _ in range(count):
        ticket = given
        if ticket in (None, ""):
            content = repr((left, right, outcome, voter, moment) + (() if item is None else (item,)))
            times[content] += 1
            ticket = "i-" + blake2b(f"{content} {times[content]}".encode(), digest_size=16).hexdigest()
        yield Answered(
            time=moment, ticket=ticket, left=left, right=right, outcome=outcome, voter=voter, item=item
        )


def as_time(moment: object) -> float:
    """Return the time of a vote in seconds since 1970."""
    try:
        return NO_TIME if moment is None or moment == "" or moment != moment else as_seconds(moment)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise OutcomeError(
            "time must be a date such as 2026-11-16T10:00:00, or seconds (not milliseconds) since 1970; "
            f"got {str(moment)[:60]!r}."
        ) from error
