"""Lines of a journal: what is written is read back to the last bit, and what is wrong is refused in words."""

import json
import pickle
import sys
from pathlib import Path
from types import FrameType
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from hypothesis import given
from journal.strategies import EVENTS, FINITE

from duelist.checks.journals import ONE_OF_EACH
from duelist.errors import FileError, OutcomeError, ParameterError
from duelist.journal import (
    Answered,
    ArmAdded,
    Created,
    Event,
    LearnerChanged,
    Recorded,
    RepeatedEventError,
)
from duelist.journal.codec import decode, encode

KEPT = Path(__file__).parent / "data" / "format-1.jsonl"
ANSWER = {"event": "answered", "ticket": "dB1", "left": 0, "right": 1, "outcome": 1.0}
CREATED = {"event": "created", "format": 1, "study": "0" * 32, "seed": 0, "learner": {}, "choices": {}}


def line(**fields: Any) -> bytes:
    return json.dumps({**ANSWER, **fields}).encode()


@given(EVENTS)
def test_every_event_is_one_line_and_is_read_back_equal(event: Event) -> None:
    written = encode(event)
    assert written.count(b"\n") == 1
    assert written.endswith(b"}\n")
    assert decode(written) == event
    assert type(decode(written)) is type(event)
    assert encode(decode(written)) == written


@given(FINITE)
def test_floats_survive_to_the_last_bit(number: float) -> None:
    event = Answered(
        ticket="a", left=[number], right=[number], outcome=0.5, round=number, note=number, context=[number]
    )
    read = decode(encode(event))
    assert isinstance(read, Answered)
    assert isinstance(read.left, list)
    found = [read.left[0], read.round, read.note, read.context[0]]
    assert [float(one).hex() for one in found] == [number.hex()] * 4


@given(EVENTS)
def test_any_json_reader_understands_a_line(event: Event) -> None:
    assert json.loads(encode(event))["event"] in encode(event).decode()


def test_a_line_is_short() -> None:
    event = Answered(
        ticket="abcdefghijklmnopqrstuv",
        left=12,
        right=34,
        outcome=1.0,
        voter="abcdefghijklmnopqrst",
        flipped=True,
        round=123456.0,
        time=1789000000.125,
    )
    assert len(encode(event)) <= 200


def lines_run_to_decode(written: bytes) -> int:
    """Return how many lines of Python are run."""
    run = 0

    def count(frame: FrameType, event: str, found: Any) -> Any:
        nonlocal run
        run += event == "line"
        return count

    usual = sys.gettrace()
    sys.settrace(count)
    try:
        decode(written)
    finally:
        sys.settrace(usual)
    return run


def test_lines_are_decoded_in_few_steps_however_long_they_are() -> None:
    event = Answered(ticket="abcdefghijklmnopqrstuv", left=12, right=34, outcome=1.0, voter="Ann")
    usual = lines_run_to_decode(encode(event))
    assert 0 < usual <= 40, "a line of Python takes 0.1 µs, a line of the journal 2"
    long = msgspec.structs.replace(event, voter="Ann" * 1000, note=[{"seen": [0.5] * 100}] * 100)
    assert lines_run_to_decode(encode(long)) == usual


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "the line is empty"),
        (b"  \r", "the line is empty"),
        (b"not json", r"not JSON \(JSON is malformed"),
        (b'{"event":"closed"', r"not JSON"),
        (b'{"event":"closed"}{}', "not JSON"),
        (b"[1, 2]", "not an event: an event is an object"),
        (b"17", "not an event"),
        (b"{}", "not an event"),
        (b'{"event":7}', "not an event"),
        (
            b'{"event":"renamed"}',
            "unknown event 'renamed': this version of duelist knows created, .*newer version",
        ),
        (b"\xef\xbb\xbf" + line(), "byte order mark; save it as UTF-8 without one"),
        (b'{"event":"arm_added","arm":"\xff"}', "not UTF-8"),
        (b'{"event":"arm_added","arm":"\\ud800"}', "not JSON"),
        (b'{"event":"arm_added","arm":"a\\u0000b"}', "arm must be a text .* without line breaks"),
        (b'{"event":"arm_added","arm":"a\\nb"}', "arm must be a text"),
        (b'{"event":"arm_added","arm":"a\\u2028b"}', "arm must be a text"),
        (b'{"event":"arm_added","arm":""}', "arm must be a text that is not empty"),
        (b'{"event":"arm_added","arm":3}', "Expected `str`"),
        (b'{"event":"arm_added"}', "missing required field `arm`"),
        (b'{"event":"closed","colour":"red"}', "unknown field `colour`"),
        (line(context=1)[:-2] + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deep|not JSON"),
        (line(round=1)[:-2] + b"1" * 5000 + b"}", "not JSON|out of range"),
        (line(round=1)[:-1] + b"e999}", "not JSON|out of range"),
        (line(outcome=1.5), r"outcome must lie in \[0, 1\].*got 1.5"),
        (line(outcome=-0.1), "outcome must lie"),
        (line(outcome=float("nan")), "not JSON"),
        (line(outcome=True), "Expected `float`"),
        (line(ticket=""), "ticket must be 1 to 64 characters"),
        (line(ticket="a" * 65), "ticket must be 1 to 64 characters"),
        (line(ticket="a b"), "ticket must be"),
        (line(ticket="ä"), "ticket must be"),
        (line(ticket="a\n"), "ticket must be"),
        (line(ticket="closed"), "neither 'created' nor 'closed'"),
        (line(left=-1), "left and right must be two arms"),
        (line(left=2**63), "left and right must be two arms|out of range"),
        (line(left=[0.5]), "left and right must be two arms"),
        (line(left=[0.5], right=[0.5, 1]), "lists of equally many"),
        (line(left=[], right=[]), "left and right must be"),
        (line(left=0.5), "Expected `int"),
        (line(propensity=[0.0, 0.5]), "propensity must be a pair of chances above 0"),
        (line(propensity=[0.5, 1.5]), "propensity must be"),
        (line(propensity=[0.5]), "Expected `array` of length 2"),
        (line(voter=""), "voter must be a text"),
        (line(time="now"), "Expected `float`"),
        (json.dumps({**CREATED, "package": "1", "study": "xyz"}).encode(), "study must be 32 digits"),
        (json.dumps({**CREATED, "package": "1", "seed": -1}).encode(), "seed must be a whole number"),
        (
            json.dumps({**CREATED, "format": 2, "new": 1}).encode(),
            "unknown format 2: .* format 1; a newer version",
        ),
        (json.dumps({**CREATED, "format": "1"}).encode(), "unknown format '1'"),
        (json.dumps({**CREATED, "package": ""}).encode(), "package must be a text"),
    ],
)
def test_what_is_not_a_line_is_refused_in_plain_words(text: bytes, reason: str) -> None:
    with pytest.raises(FileError, match=reason) as caught:
        decode(text)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("at", range(0, 200, 7))
def test_no_damage_gives_a_raw_error(at: int) -> None:
    written = encode(
        Answered(ticket="dB1", left=0, right=1, outcome=0.5, voter="Ann", context={"a": [1.5, "ü"]})
    )
    for byte in range(256):
        damaged = bytearray(written)
        damaged[at % len(written)] = byte
        try:
            found: object = decode(bytes(damaged))
        except FileError as error:
            found = error
        assert isinstance(found, Event | FileError)


@pytest.mark.parametrize(
    "note",
    [
        float("nan"),
        [1.0, float("inf")],
        (1, 2),
        {1: "one"},
        {"set"},
        b"bytes",
        np.float64(0.5),
        np.arange(3),
        "\ud800",
        object(),
        10**5000,
    ],
    ids=lambda note: type(note).__name__,
)
def test_what_would_not_be_read_back_is_not_written(note: Any) -> None:
    with pytest.raises(ParameterError, match=r"cannot be written as JSON|would not be read back"):
        encode(Answered(ticket="a", left=0, right=1, outcome=1.0, note=note))


def test_fields_of_the_wrong_type_are_not_written() -> None:
    with pytest.raises(ParameterError, match="LearnerChanged cannot be written as JSON: Expected `object`"):
        encode(LearnerChanged(learner=cast("Any", [1, 2])))
    with pytest.raises(OutcomeError, match="got 'left'"):
        Answered(ticket="a", left=0, right=1, outcome=cast("Any", "left"))
    with pytest.raises(OutcomeError, match="got a int"):
        Answered(ticket="a", left=0, right=1, outcome=10**5000)
    with pytest.raises(ParameterError, match="format 2 is unknown"):
        Created(format=2, study="0" * 32, seed=0, learner={}, choices={}, package="1")
    with pytest.raises(ParameterError, match="time must be a finite number; got inf"):
        ArmAdded(arm="tea", time=float("inf"))


def test_deep_nesting_is_not_written_because_a_deep_reader_could_not_read_it() -> None:
    note: Any = 1
    for _ in range(62):
        note = [note]
    deepest = encode(Answered(ticket="a", left=0, right=1, outcome=1.0, note=note))

    def read_from(depth: int) -> Event:
        return decode(deepest) if depth == 0 else read_from(depth - 1)

    assert read_from(sys.getrecursionlimit() - 300)
    with pytest.raises(ParameterError, match="more than 64 levels"):
        encode(Answered(ticket="a", left=0, right=1, outcome=1.0, note=[[note, note]]))
    encode(Answered(ticket="a", left=0, right=1, outcome=1.0, note=[[]] * 1000))


def test_names_may_hold_what_people_write() -> None:
    for name in (
        "Käse & 🧀",
        "👩‍🔬",
        "\u0646\u0627\u0645\u200c\u0647\u0627",
        "non\u00a0breaking",
        "a  b",
        '"quoted"',
        "\\",
    ):
        assert decode(encode(ArmAdded(arm=name))) == ArmAdded(arm=name)


def test_format_1_is_read_for_ever_and_written_as_ever() -> None:
    lines = KEPT.read_bytes().splitlines(keepends=True)
    assert [decode(line) for line in lines] == [*ONE_OF_EACH]
    assert [*map(encode, ONE_OF_EACH)] == lines


def test_an_error_can_be_sent_to_another_process() -> None:
    error = RepeatedEventError(Recorded(2, ArmAdded(arm="tea")))
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), sent.stored) == (RepeatedEventError, str(error), error.stored)


def test_lines_from_an_editor_are_read() -> None:
    assert decode(b' { "event" : "arm_added", "arm" : "tea" } \r\n') == ArmAdded(arm="tea")
