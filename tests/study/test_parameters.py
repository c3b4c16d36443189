import json
import random
import tempfile
from math import floor, log
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused

from duelist.errors import FileError
from duelist.study.choices import read_choices
from duelist.study.parameters import EXAMPLE, Parameter, Parameters, read_parameters

UNITS = st.floats(0.0, 1.0)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
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
    return Parameter(low, high, step, logarithmic, whole)


@given(parameters(), UNITS)
def test_value_lies_in_its_range_and_finds_its_way_back(parameter: Parameter, unit: float) -> None:
    value = parameter.value(unit)
    assert parameter.low <= value <= parameter.high
    assert isinstance(value, int if parameter.whole else float)
    assert 0.0 <= parameter.unit(value) <= 1.0
    assert parameter.value(parameter.unit(value)) == value


@given(parameters(), UNITS, UNITS)
def test_value_never_falls_where_the_unit_rises(parameter: Parameter, one: float, other: float) -> None:
    assert parameter.value(min(one, other)) <= parameter.value(max(one, other))


@given(parameters(), UNITS)
def test_value_is_a_whole_number_of_steps_from_low(parameter: Parameter, unit: float) -> None:
    step = parameter.step or (1 if parameter.whole else None)
    assume(step is not None)
    assert step is not None
    steps = (parameter.value(unit) - parameter.low) / step
    assert steps == pytest.approx(round(steps), abs=1e-6)
    assert parameter.value(1.0) == pytest.approx(
        parameter.low + floor((parameter.high - parameter.low) / step + 1e-9) * step
    )


@given(parameters(), UNITS)
def test_rounding_loses_little(parameter: Parameter, unit: float) -> None:
    assume(parameter.step is None and not parameter.whole)
    # A thousandth of the range, or three digits of a value, whose half unit is at most 1/200 of it.
    loss = (
        0.0051 / log(parameter.high / parameter.low)
        if parameter.log and parameter.high >= 10.0 * parameter.low
        else 0.00051
    )
    slope = parameter.high / parameter.low if parameter.log and parameter.high < 10.0 * parameter.low else 1.0
    assert parameter.unit(parameter.value(unit)) == pytest.approx(unit, abs=loss * slope + 1e-9)


def test_logarithmic_scale_gives_each_decade_its_share() -> None:
    parameter = Parameter(1e-4, 1.0, log=True)
    assert [parameter.value(unit) for unit in (0.0, 0.25, 0.5, 0.75, 1.0)] == [1e-4, 1e-3, 1e-2, 1e-1, 1.0]


def test_steps_look_as_they_are_written() -> None:
    parameter = Parameter(0.1, 1.0, step=0.05)
    assert [parameter.value(steps / 18) for steps in range(19)] == [
        round(0.1 + 0.05 * n, 2) for n in range(19)
    ]
    assert Parameter(0.0, 1.0, step=0.3).value(1.0) == 0.9


def test_no_negative_zero() -> None:
    assert str(Parameter(-1.0, 1.0).value(0.4999999)) == "0.0"


def test_setting_and_point_are_inverse(tmp_path: Path) -> None:
    path = tmp_path / "parameters.toml"
    path.write_text(EXAMPLE)
    found = read_parameters(path)
    setting = found.setting([0.5, 0.5, 0.5, 0.5])
    assert setting == {"temperature": 1.0, "top_p": 0.55, "learning_rate": 0.001, "layers": 5}
    assert found.setting(found.point(setting)) == setting
    assert found.holds(setting)
    assert not found.holds(setting | {"layers": 9})
    assert not found.holds(setting | {"depth": 1})
    assert not found.holds(setting | {"top_p": "0.5"})
    assert not found.holds([])


def test_parameters_as_json_are_read_as_the_same_parameters() -> None:
    found = Parameters(
        {
            "a": Parameter(-1.0, 0.0),
            "b": Parameter(0, 4, step=2, whole=True),
            "c": Parameter(0.1, 9.0, log=True),
        }
    )
    assert read_choices(found.as_json()) == found


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cn", "Co", "Cs", "Z"]),
    min_size=1,
    max_size=6,
).filter(str.isprintable)
TABLES = st.dictionaries(NAMES, parameters(), min_size=1, max_size=4)


def key(name: str, shuffler: random.Random) -> str:
    """Return a name as TOML may have it: bare, or in quotes of either kind."""
    spellings = [json.dumps(name, ensure_ascii=False)]
    if name.isascii() and name.replace("-", "").replace("_", "").isalnum():
        spellings.append(name)
    if "'" not in name:
        spellings.append(f"'{name}'")
    return shuffler.choice(spellings)


def spelled(name: str, parameter: Parameter, shuffler: random.Random) -> tuple[str, bool]:
    """Return a parameter as an inline table, dotted keys or its own table; and whether it is the last."""
    content = Parameters({name: parameter}).as_json()["knobs"][name]
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
    return "\n".join([f"[parameters.{key(name, shuffler)}]", *lines]), True


@settings(deadline=None, max_examples=60)
@given(TABLES, st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n"]), st.randoms())
def test_no_spelling_of_a_file_of_parameters_changes_them(
    named: dict[str, Parameter], mark: str, ending: str, shuffler: random.Random
) -> None:
    written = [
        spelled(name, parameter, shuffler)
        for name, parameter in shuffler.sample([*named.items()], len(named))
    ]
    # tables of their own come after all that is in the table of parameters
    parts = ["[parameters]", *(text for text, _ in sorted(written, key=lambda part: part[1]))]
    lines = []
    for line in "\n".join(parts).split("\n"):
        lines += shuffler.choice([[], [""], ["# why"]])
        lines.append(shuffler.choice(["", "  "]) + line + shuffler.choice(["", "  # why"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parameters.toml"
        path.write_bytes((mark + ending.join(lines) + shuffler.choice(["", ending])).encode())
        found = read_parameters(path)
    assert found == Parameters(named)
    assert read_choices(found.as_json()) == found


def test_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "parameters.toml"
    path.write_bytes(b"\xef\xbb\xbf[parameters]\r\nx = { low = 0, high = 1 }\r\n")
    assert read_parameters(path) == Parameters({"x": Parameter(0, 1)})


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("[parameters", ["TOML", "at end of document"]),
        ("", ["parameters", "[parameters]", "duelist optimize --example"]),
        ("[parameters]", ["parameters", "duelist optimize --example"]),
        ("parameters = 3", ["parameters"]),
        ("wrong = 1\n[parameters]\nx = { low = 0, high = 1 }", ["'wrong'", "[parameters]"]),
        ("[parameters]\nx = 3", ["[parameters] 'x'", "3"]),
        ('[parameters]\n"" = { low = 0, high = 1 }', ["[parameters]", "''"]),
        ('[parameters]\n"a\\u001b" = { low = 0, high = 1 }', ["'a\\x1b'", "name"]),
        ("[parameters]\nx = { low = 0 }", ["'x'", "high"]),
        ("[parameters]\nx = { low = 0, hgih = 1 }", ["'x'", "'hgih'", "low, high, step, log, whole"]),
        ("[parameters]\nx = { low = 2, high = 1 }", ["'x'", "low = 2", "high = 1"]),
        ("[parameters]\nx = { low = 1, high = 1 }", ["'x'", "low = 1", "high = 1"]),
        ("[parameters]\nx = { low = 0, high = inf }", ["'x'", "high", "inf"]),
        ("[parameters]\nx = { low = nan, high = 1 }", ["'x'", "low", "nan"]),
        (f"[parameters]\nx = {{ low = 0, high = {10**30} }}", ["'x'", "high", f"{10**30}"]),
        ("[parameters]\nx = { low = true, high = 2 }", ["'x'", "low", "True"]),
        ("[parameters]\nx = { low = '0', high = 2 }", ["'x'", "low", "'0'"]),
        ("[parameters]\nx = { low = 0, high = 1, log = true }", ["'x'", "low", "0", "log = true"]),
        ("[parameters]\nx = { low = 0, high = 1, log = 1 }", ["'x'", "log", "1"]),
        ("[parameters]\nx = { low = 0, high = 1, step = 0 }", ["'x'", "step", "0"]),
        ("[parameters]\nx = { low = 0, high = 1, step = -0.1 }", ["'x'", "step", "-0.1"]),
        ("[parameters]\nx = { low = 0, high = 1, step = 1.5 }", ["'x'", "step", "1.5", "high - low = 1"]),
        ("[parameters]\nx = { low = 0.5, high = 2, whole = true }", ["'x'", "low", "whole = true", "0.5"]),
        ("[parameters]\nx = { low = 1e14, high = 100000000000000.03 }", ["'x'", "low", "high"]),
        (
            "[parameters]\n" + "\n".join(f"x{n} = {{ low = 0, high = 1 }}" for n in range(11)),
            ["11", "10"],
        ),
    ],
)
def test_file_that_cannot_be_read_says_why(content: str, facts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "parameters.toml"
    path.write_text(content)
    with refused(FileError, path.name, *facts):
        read_parameters(path)
