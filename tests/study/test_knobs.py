import json
import random
import tempfile
from math import floor, log
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duelist.errors import FileError
from duelist.study.choices import read_choices
from duelist.study.knobs import EXAMPLE, Knob, Knobs, read_knobs

UNITS = st.floats(0.0, 1.0)


@st.composite
def knobs(draw: st.DrawFn) -> Knob:
    whole, logarithmic = draw(st.booleans()), draw(st.booleans())
    if whole:
        low: float = draw(st.integers(1 if logarithmic else -10_000, 10_000))
        high: float = low + draw(st.integers(1, 10_000))
        step: float | None = draw(st.none() | st.integers(1, int(high - low)))
    else:
        low = draw(st.floats(1e-6 if logarithmic else -1e4, 1e4))
        high = low + draw(st.floats(1e-3, 1e6))
        step = draw(st.none() | st.floats(1e-4, 1.0).map(lambda share: share * (high - low)))
        assume(step is None or step <= high - low)
    return Knob(low, high, step, logarithmic, whole)


@given(knobs(), UNITS)
def test_value_lies_in_its_range_and_finds_its_way_back(knob: Knob, unit: float) -> None:
    value = knob.value(unit)
    assert knob.low <= value <= knob.high
    assert isinstance(value, int if knob.whole else float)
    assert 0.0 <= knob.unit(value) <= 1.0
    assert knob.value(knob.unit(value)) == value


@given(knobs(), UNITS, UNITS)
def test_value_never_falls_where_the_unit_rises(knob: Knob, one: float, other: float) -> None:
    assert knob.value(min(one, other)) <= knob.value(max(one, other))


@given(knobs(), UNITS)
def test_value_is_a_whole_number_of_steps_from_low(knob: Knob, unit: float) -> None:
    step = knob.step or (1 if knob.whole else None)
    assume(step is not None)
    assert step is not None
    steps = (knob.value(unit) - knob.low) / step
    assert steps == pytest.approx(round(steps), abs=1e-6)
    assert knob.value(1.0) == pytest.approx(knob.low + floor((knob.high - knob.low) / step + 1e-9) * step)


@given(knobs(), UNITS)
def test_rounding_loses_little(knob: Knob, unit: float) -> None:
    assume(knob.step is None and not knob.whole)
    # A thousandth of the range, or three digits of a value, whose half unit is at most 1/200 of it.
    loss = 0.0051 / log(knob.high / knob.low) if knob.log and knob.high >= 10.0 * knob.low else 0.00051
    slope = knob.high / knob.low if knob.log and knob.high < 10.0 * knob.low else 1.0
    assert knob.unit(knob.value(unit)) == pytest.approx(unit, abs=loss * slope + 1e-9)


def test_logarithmic_scale_gives_each_decade_its_share() -> None:
    knob = Knob(1e-4, 1.0, log=True)
    assert [knob.value(unit) for unit in (0.0, 0.25, 0.5, 0.75, 1.0)] == [1e-4, 1e-3, 1e-2, 1e-1, 1.0]


def test_steps_look_as_they_are_written() -> None:
    knob = Knob(0.1, 1.0, step=0.05)
    assert [knob.value(steps / 18) for steps in range(19)] == [round(0.1 + 0.05 * n, 2) for n in range(19)]
    assert Knob(0.0, 1.0, step=0.3).value(1.0) == 0.9


def test_no_negative_zero() -> None:
    assert str(Knob(-1.0, 1.0).value(0.4999999)) == "0.0"


def test_setting_and_point_are_inverse(tmp_path: Path) -> None:
    path = tmp_path / "knobs.toml"
    path.write_text(EXAMPLE)
    found = read_knobs(path)
    setting = found.setting([0.5, 0.5, 0.5, 0.5])
    assert setting == {"temperature": 1.0, "top_p": 0.55, "learning_rate": 0.001, "layers": 5}
    assert found.setting(found.point(setting)) == setting
    assert found.holds(setting)
    assert not found.holds(setting | {"layers": 9})
    assert not found.holds(setting | {"depth": 1})
    assert not found.holds(setting | {"top_p": "0.5"})
    assert not found.holds([])


def test_knobs_as_json_are_read_as_the_same_knobs() -> None:
    found = Knobs({"a": Knob(-1.0, 0.0), "b": Knob(0, 4, step=2, whole=True), "c": Knob(0.1, 9.0, log=True)})
    assert read_choices(found.as_json()) == found


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cn", "Co", "Cs", "Z"]),
    min_size=1,
    max_size=6,
).filter(str.isprintable)
TABLES = st.dictionaries(NAMES, knobs(), min_size=1, max_size=4)


def key(name: str, shuffler: random.Random) -> str:
    """Return a name as TOML may have it: bare, or in quotes of either kind."""
    spellings = [json.dumps(name, ensure_ascii=False)]
    if name.isascii() and name.replace("-", "").replace("_", "").isalnum():
        spellings.append(name)
    if "'" not in name:
        spellings.append(f"'{name}'")
    return shuffler.choice(spellings)


def spelled(name: str, knob: Knob, shuffler: random.Random) -> tuple[str, bool]:
    """Return a knob as an inline table, dotted keys or a table of its own, and whether it is the last."""
    content = Knobs({name: knob}).as_json()["knobs"][name]
    left_out = {"log": False, "whole": False} | content
    entries = [(field, json.dumps(value)) for field, value in shuffler.choice([content, left_out]).items()]
    shuffler.shuffle(entries)
    form = shuffler.randrange(3)
    if form == 0:
        return (
            f"{key(name, shuffler)} = {{ {', '.join(f'{one} = {value}' for one, value in entries)} }}",
            False,
        )
    if form == 1:
        return "\n".join(f"{key(name, shuffler)}.{one} = {value}" for one, value in entries), False
    lines = (f"{key(one, shuffler)} = {value}" for one, value in entries)
    return "\n".join([f"[knobs.{key(name, shuffler)}]", *lines]), True


@settings(deadline=None, max_examples=60)
@given(TABLES, st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n"]), st.randoms())
def test_no_spelling_of_a_file_of_knobs_changes_them(
    named: dict[str, Knob], mark: str, ending: str, shuffler: random.Random
) -> None:
    written = [spelled(name, knob, shuffler) for name, knob in shuffler.sample([*named.items()], len(named))]
    # tables of their own come after all that is in the table of knobs
    parts = ["[knobs]", *(text for text, _ in sorted(written, key=lambda part: part[1]))]
    lines = []
    for line in "\n".join(parts).split("\n"):
        lines += shuffler.choice([[], [""], ["# why"]])
        lines.append(shuffler.choice(["", "  "]) + line + shuffler.choice(["", "  # why"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "knobs.toml"
        path.write_bytes((mark + ending.join(lines) + shuffler.choice(["", ending])).encode())
        found = read_knobs(path)
    assert found == Knobs(named)
    assert read_choices(found.as_json()) == found


def test_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "knobs.toml"
    path.write_bytes(b"\xef\xbb\xbf[knobs]\r\nx = { low = 0, high = 1 }\r\n")
    assert read_knobs(path) == Knobs({"x": Knob(0, 1)})


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("[knobs", ["is not TOML", "at end of document"]),
        ("", ["no knobs", "[knobs]", "--example"]),
        ("[knobs]", ["no knobs", "--example"]),
        ("knobs = 3", ["no knobs"]),
        ("knob = 1\n[knobs]\nx = { low = 0, high = 1 }", ["unknown 'knob'", "[knobs]"]),
        ("[knobs]\nx = 3", ["[knobs] 'x'", "low = 0.0", "got 3"]),
        ('[knobs]\n"" = { low = 0, high = 1 }', ["[knobs]: ''", "name"]),
        ('[knobs]\n"a\\u001b" = { low = 0, high = 1 }', ["'a\\x1b'", "name"]),
        ("[knobs]\nx = { low = 0 }", ["'x'", "high is missing"]),
        ("[knobs]\nx = { low = 0, hgih = 1 }", ["'x'", "'hgih'", "low, high, step, log, whole"]),
        ("[knobs]\nx = { low = 2, high = 1 }", ["'x'", "low = 2", "high = 1", "less"]),
        ("[knobs]\nx = { low = 1, high = 1 }", ["'x'", "less"]),
        ("[knobs]\nx = { low = 0, high = inf }", ["'x'", "high", "got inf"]),
        ("[knobs]\nx = { low = nan, high = 1 }", ["'x'", "low", "got nan"]),
        (f"[knobs]\nx = {{ low = 0, high = {10**30} }}", ["'x'", "high must be a number"]),
        ("[knobs]\nx = { low = true, high = 2 }", ["low must be a number", "got True"]),
        ("[knobs]\nx = { low = '0', high = 2 }", ["low must be a number", "got '0'"]),
        ("[knobs]\nx = { low = 0, high = 1, log = true }", ["low", "above 0", "got 0", "drop log"]),
        ("[knobs]\nx = { low = 0, high = 1, log = 1 }", ["log must be true or false", "got 1"]),
        ("[knobs]\nx = { low = 0, high = 1, step = 0 }", ["step", "above 0", "got 0"]),
        ("[knobs]\nx = { low = 0, high = 1, step = -0.1 }", ["step", "got -0.1"]),
        ("[knobs]\nx = { low = 0, high = 1, step = 1.5 }", ["step", "got 1.5", "high - low = 1"]),
        ("[knobs]\nx = { low = 0.5, high = 2, whole = true }", ["low", "whole", "got 0.5"]),
        ("[knobs]\nx = { low = 1e14, high = 100000000000000.03 }", ["'x'", "too close", "widen"]),
        (
            "[knobs]\n" + "\n".join(f"x{n} = {{ low = 0, high = 1 }}" for n in range(11)),
            ["11", "10", "leave"],
        ),
    ],
)
def test_file_that_cannot_be_read_says_why(content: str, parts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "knobs.toml"
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        read_knobs(path)
    assert all(part in str(caught.value) for part in [str(path), *parts]), caught.value
