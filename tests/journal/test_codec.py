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
from refusals import refused

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
    ("text", "facts"),
    [
        (b"", ["line", "empty"]),
        (b"  \r", ["line", "empty"]),
        (b"not json", ["JSON", "malformed"]),
        (b'{"event":"closed"', ["JSON"]),
        (b'{"event":"closed"}{}', ["JSON"]),
        (b"[1, 2]", ["event", "object"]),
        (b"17", ["event", "object"]),
        (b"{}", ["event", "object"]),
        (b'{"event":7}', ["event", "object"]),
        (b'{"event":"renamed"}', ["'renamed'", "created", "answered", "closed"]),
        (b"\xef\xbb\xbf" + line(), ["byte order mark", "UTF-8"]),
        (b'{"event":"arm_added","arm":"\xff"}', ["UTF-8"]),
        (b'{"event":"arm_added","arm":"\\ud800"}', ["JSON"]),
        (b'{"event":"arm_added","arm":"a\\u0000b"}', ["arm", repr("a\0b")]),
        (b'{"event":"arm_added","arm":"a\\nb"}', ["arm", repr("a\nb")]),
        (b'{"event":"arm_added","arm":"a\\u2028b"}', ["arm", repr("a\u2028b")]),
        (b'{"event":"arm_added","arm":""}', ["arm", "''"]),
        (b'{"event":"arm_added","arm":3}', ["`str`", "$.arm"]),
        (b'{"event":"arm_added"}', ["`arm`"]),
        (b'{"event":"closed","colour":"red"}', ["`colour`"]),
        (line(context=1)[:-2] + b"[" * 100_000 + b"]" * 100_000 + b"}", []),
        (line(round=1)[:-2] + b"1" * 5000 + b"}", []),
        (line(round=1)[:-1] + b"e999}", []),
        (line(outcome=1.5), ["outcome", "1.5"]),
        (line(outcome=-0.1), ["outcome", "-0.1"]),
        (line(outcome=float("nan")), ["JSON"]),
        (line(outcome=True), ["`float`", "$.outcome"]),
        (line(ticket=""), ["ticket", "64", "''"]),
        (line(ticket="a" * 65), ["ticket", "64", "a" * 65]),
        (line(ticket="a b"), ["ticket", "'a b'"]),
        (line(ticket="ä"), ["ticket", "'ä'"]),
        (line(ticket="a\n"), ["ticket"]),
        (line(ticket="closed"), ["ticket", "'created'", "'closed'"]),
        (line(left=-1), ["left", "right", "-1"]),
        (line(left=2**63), []),
        (line(left=[0.5]), ["left", "right", "[0.5]"]),
        (line(left=[0.5], right=[0.5, 1]), ["left", "right", "[0.5]", "[0.5, 1.0]"]),
        (line(left=[], right=[]), ["left", "right", "[]"]),
        (line(left=0.5), ["$.left"]),
        (line(propensity=[0.0, 0.5]), ["propensity", "(0.0, 0.5)"]),
        (line(propensity=[0.5, 1.5]), ["propensity", "(0.5, 1.5)"]),
        (line(propensity=[0.5]), ["$.propensity", "2"]),
        (line(voter=""), ["voter", "''"]),
        (line(time="now"), ["`float`", "$.time"]),
        (json.dumps({**CREATED, "package": "1", "study": "xyz"}).encode(), ["study", "'xyz'"]),
        (json.dumps({**CREATED, "package": "1", "seed": -1}).encode(), ["seed", "-1"]),
        (json.dumps({**CREATED, "format": 2, "new": 1}).encode(), ["format 2", "format 1"]),
        (json.dumps({**CREATED, "format": "1"}).encode(), ["format '1'", "format 1"]),
        (json.dumps({**CREATED, "package": ""}).encode(), ["package", "''"]),
    ],
)
def test_what_is_not_a_line_is_refused_in_plain_words(text: bytes, facts: list[str]) -> None:
    with refused(FileError, *facts) as caught:
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
    with refused(ParameterError, "Answered"):
        encode(Answered(ticket="a", left=0, right=1, outcome=1.0, note=note))


def test_fields_of_the_wrong_type_are_not_written() -> None:
    with refused(ParameterError, "LearnerChanged", "`object`"):
        encode(LearnerChanged(learner=cast("Any", [1, 2])))
    with refused(OutcomeError, "outcome", "'left'"):
        Answered(ticket="a", left=0, right=1, outcome=cast("Any", "left"))
    with refused(OutcomeError, "outcome", "int"):
        Answered(ticket="a", left=0, right=1, outcome=10**5000)
    with refused(ParameterError, "format 2", "format 1"):
        Created(format=2, study="0" * 32, seed=0, learner={}, choices={}, package="1")
    with refused(ParameterError, "time", "inf"):
        ArmAdded(arm="tea", time=float("inf"))


def test_deep_nesting_is_not_written_because_a_deep_reader_could_not_read_it() -> None:
    note: Any = 1
    for _ in range(62):
        note = [note]
    deepest = encode(Answered(ticket="a", left=0, right=1, outcome=1.0, note=note))

    def read_from(depth: int) -> Event:
        return decode(deepest) if depth == 0 else read_from(depth - 1)

    assert read_from(sys.getrecursionlimit() - 300)
    with refused(ParameterError, "Answered", "64"):
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
